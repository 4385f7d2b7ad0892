//! The program itself, in a folder of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use kiki_csa::settings::PASSWORD_VARIABLE;
use kiki_record::{EndReason, Game, GameOutcome, read_csa};
use tempfile::TempDir;

use super::test_server::{START, TestServer, Visitor, summary};

/// How long to wait for the program.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// The settings of the program.
pub(crate) struct Plan<'a> {
    /// Arguments of the mock engine.
    pub(crate) engine: &'a str,
    /// Further lines of the table `[server]`.
    pub(crate) server: &'a str,
    /// The lines of the table `[play]`.
    pub(crate) play: &'a str,
    /// Further arguments of the command line.
    pub(crate) arguments: &'a [&'a str],
    /// A password in the environment.
    pub(crate) password: Option<&'a str>,
}

impl Plan<'_> {
    /// One game with an engine that plays any moves.
    pub(crate) const DEFAULT: Self = Self { engine: "", server: "", play: "games = 1", arguments: &[], password: None };
}

impl Default for Plan<'_> {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// A program and its server.
pub(crate) fn start(plan: &Plan<'_>) -> (TestServer, Program) {
    let server = TestServer::new();
    let program = Program::start(server.port, plan);
    (server, program)
}

/// A program in a game as Black, and its connection. Nobody accepts another one.
#[track_caller]
pub(crate) fn begin(plan: &Plan<'_>) -> (Program, Visitor) {
    begin_with(plan, &summary('+', "id", START))
}

/// A program in the game of a summary.
#[track_caller]
pub(crate) fn begin_with(plan: &Plan<'_>, summary: &str) -> (Program, Visitor) {
    let (server, program) = start(plan);
    let visitor = server.begin(summary);
    (program, visitor)
}

/// Plays each case on a thread of its own: most of them wait for a clock.
pub(crate) fn at_once<T: Send>(cases: impl IntoIterator<Item = T>, play: impl Fn(T) + Sync) {
    let play = &play;
    scope(|scope| cases.into_iter().for_each(|case| drop(scope.spawn(move || play(case)))));
}

pub(crate) struct Program {
    child: Child,
    folder: TempDir,
}

pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) output: String,
    pub(crate) log: String,
    folder: TempDir,
}

impl Program {
    /// Starts it for the server at a port. `{folder}` in the engine's arguments is its folder.
    pub(crate) fn start(port: u16, plan: &Plan<'_>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let output = fs::File::create(folder.path().join("output")).expect("a file");
        Self::start_in(folder, port, plan, output.into())
    }

    /// Starts it with standard error as a pipe without a reader.
    pub(crate) fn start_unheard(port: u16, plan: &Plan<'_>) -> Self {
        Self::start_in(tempfile::tempdir().expect("a folder"), port, plan, Stdio::piped())
    }

    fn start_in(folder: TempDir, port: u16, plan: &Plan<'_>, output: Stdio) -> Self {
        let path = folder.path().display().to_string();
        let engine = format!("{} {}", env!("CARGO_BIN_EXE_kiki-csa-mock"), plan.engine.replace("{folder}", &path));
        let text = format!(
            "[server]\nhost = \"127.0.0.1\"\nport = {port}\nname = \"kiki\"\ngame = \"test-60-1F\"\npassword = \"secret\"\n\
             reconnect_after = 0.2\nreconnect_at_most = 0.4\n{}\n[engine]\ncommand = '{engine}'\n[play]\n{}\n\
             [records]\ndirectory = '{path}/records'\n[log]\nfile = '{path}/log'\nlevel = \"trace\"\n",
            plan.server, plan.play
        );
        let file = folder.path().join("settings.toml");
        fs::write(&file, text).expect("a file");
        let child = Command::new(env!("CARGO_BIN_EXE_kiki-csa"))
            .arg(&file)
            .args(plan.arguments)
            .envs(plan.password.map(|password| (PASSWORD_VARIABLE, password)))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(output)
            .spawn()
            .expect("the program starts");
        Self { child, folder }
    }

    #[cfg(unix)]
    pub(crate) fn interrupt(&self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("the program runs");
    }

    /// Asks it to stop after its game.
    #[cfg(unix)]
    pub(crate) fn interrupt_game(&self) {
        self.interrupt();
        self.await_log("this is the last game");
    }

    #[cfg(unix)]
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("the program runs");
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Its peak memory so far, in MiB.
    #[cfg(target_os = "linux")]
    pub(crate) fn peak_memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("the program runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
        line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") / 1024
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// Waits until the log has a text.
    #[track_caller]
    pub(crate) fn await_log(&self, text: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !self.log().contains(text) {
            assert!(Instant::now() < deadline, "the log never has `{text}`:\n{}", self.log());
            sleep(Duration::from_millis(10));
        }
    }

    #[track_caller]
    pub(crate) fn wait(mut self) -> Ended {
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                break status;
            }
            if Instant::now() > deadline {
                let log = self.log();
                let _ = self.child.kill();
                panic!("the program does not end:\n{log}");
            }
            sleep(Duration::from_millis(10));
        };
        let output = fs::read_to_string(self.folder.path().join("output")).unwrap_or_default();
        Ended { status, output, log: self.log(), folder: self.folder }
    }

    /// Waits for its end, and checks that it succeeded.
    #[track_caller]
    pub(crate) fn wait_for_success(self) -> Ended {
        let ended = self.wait();
        assert!(ended.status.success(), "{}\n{}", ended.output, ended.log);
        for bad in ["BREACH", "panicked", "secret"] {
            assert!(!ended.log.contains(bad) && !ended.output.contains(bad), "{bad}: {}\n{}", ended.output, ended.log);
        }
        ended
    }
}

impl Ended {
    /// The lines between the program and its engine, without `info`, `usi` and options.
    pub(crate) fn engine_lines(&self) -> Vec<String> {
        let lines = self.log.lines().filter_map(|line| line.split_once("engine > "));
        lines.map(|(_, line)| line.to_owned()).collect()
    }

    /// The commands to the engine that begin with one of these words.
    pub(crate) fn commands(&self, words: &[&str]) -> Vec<String> {
        let is_one = |line: &String| line.split(' ').next().is_some_and(|word| words.contains(&word));
        self.engine_lines().into_iter().filter(is_one).collect()
    }

    /// Checks that the engine got this line.
    #[track_caller]
    pub(crate) fn assert_told(&self, line: &str) {
        let lines = self.engine_lines();
        assert!(lines.iter().any(|told| told == line), "{lines:?}");
    }

    pub(crate) fn records(&self) -> Vec<Game> {
        records_in(&self.folder.path().join("records"))
    }

    #[track_caller]
    pub(crate) fn record(&self) -> Game {
        let mut records = self.records();
        assert_eq!(records.len(), 1);
        records.remove(0)
    }

    /// The result of the only game, and its reason.
    #[track_caller]
    pub(crate) fn end(&self) -> (GameOutcome, Option<EndReason>) {
        let record = self.record();
        (record.outcome, record.reason)
    }

    pub(crate) fn kif(&self) -> String {
        fs::read_to_string(self.folder.path().join("records/id.kif")).expect("a KIF file")
    }
}

/// All records in a folder, by the names of their files.
pub(crate) fn records_in(folder: &Path) -> Vec<Game> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "csa"));
    paths.sort();
    let read = |path: &PathBuf| read_csa(&fs::read(path).expect("a file")).next().expect("a game").expect("a record");
    paths.iter().map(read).collect()
}

//! A council of scripts, and a conversation with it.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// How long any answer may take in a test.
const PATIENCE: Duration = Duration::from_secs(20);

/// A shell script that speaks USI. Its fields are pieces of shell for the start, for `readyok` and
/// for `go`. The variables `on_stop`, `on_ponderhit`, `on_setoption`, `on_gameover` and `on_quit`
/// may hold further pieces. Member N writes every line that it reads to `heardN`.
pub(crate) struct Script {
    pub(crate) start: String,
    pub(crate) ready: String,
    pub(crate) go: String,
    pub(crate) noise: f64,
}

/// A member that answers at once with a move and a score.
pub(crate) fn answers(best: &str, score: &str) -> Script {
    acts(&format!("echo 'info depth 5 score {score} nodes 100 pv {best}'; echo 'bestmove {best}'"))
}

/// A member that does this on `go`.
pub(crate) fn acts(go: &str) -> Script {
    Script { start: String::new(), ready: "echo readyok".to_owned(), go: go.to_owned(), noise: 100.0 }
}

impl Script {
    pub(crate) fn with_noise(self, noise: f64) -> Self {
        Self { noise, ..self }
    }

    pub(crate) fn with_start(self, start: &str) -> Self {
        Self { start: start.to_owned(), ..self }
    }

    pub(crate) fn with_ready(self, ready: &str) -> Self {
        Self { ready: ready.to_owned(), ..self }
    }

    /// Writes the script of the member with this number to a folder and returns its command.
    pub(crate) fn write(&self, folder: &Path, number: usize) -> String {
        let script = folder.join(format!("member{number}.sh"));
        fs::write(&script, self.text(number)).unwrap();
        format!("sh {}", script.display())
    }

    fn text(&self, number: usize) -> String {
        format!(
            "{}\nwhile read line; do echo \"$line\" >> heard{number}; case \"$line\" in\n\
             usi) echo 'id name script {number}'; echo 'option name Threads type spin default 1 min 1 max 8'; \
             echo 'option name MultiPV type spin default 1 min 1 max 9'; \
             echo 'option name USI_Ponder type check default false'; \
             echo 'option name USI_Hash type spin default 256 min 1 max 33554432'; echo usiok;;\n\
             isready) {};;\n\
             setoption*) eval \"$on_setoption\";;\n\
             go*) {};;\n\
             stop) eval \"$on_stop\";;\n\
             ponderhit*) eval \"$on_ponderhit\";;\n\
             gameover*) eval \"$on_gameover\";;\n\
             quit) eval \"$on_quit\"; exit;;\n\
             esac; done\n",
            self.start, self.ready, self.go
        )
    }
}

/// A running council. Dropping it kills it.
pub(crate) struct Conversation {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// The members' folder.
    pub(crate) folder: TempDir,
}

impl Conversation {
    /// A council of these members that decides by this rule.
    pub(crate) fn with(rule: &str, members: &[Script]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::with_settings(&format!("rule = '{rule}'"), folder, members)
    }

    /// The same after `readyok`.
    #[track_caller]
    pub(crate) fn ready_with(rule: &str, members: &[Script]) -> Self {
        let mut council = Self::with(rule, members);
        council.ready();
        council
    }

    /// A council with these settings and members.
    pub(crate) fn with_settings(settings: &str, folder: TempDir, members: &[Script]) -> Self {
        Self::start(Command::new(env!("CARGO_BIN_EXE_kiki-council")), settings, folder, members)
    }

    /// A council of these members that another program starts, such as `nohup`.
    pub(crate) fn started_by(program: &[&str], members: &[Script]) -> Self {
        let mut command = Command::new(program[0]);
        command.args(&program[1..]).arg(env!("CARGO_BIN_EXE_kiki-council"));
        Self::start(command, "rule = 'majority'", tempfile::tempdir().unwrap(), members)
    }

    fn start(mut command: Command, settings: &str, folder: TempDir, members: &[Script]) -> Self {
        let mut file = format!("{settings}\n");
        for (index, member) in members.iter().enumerate() {
            let (command, place) = (member.write(folder.path(), index + 1), folder.path().display());
            write!(file, "[[member]]\ncommand = '{command}'\ndirectory = '{place}'\nnoise = {}\n", member.noise)
                .unwrap();
        }
        let path = folder.path().join("council.toml");
        fs::write(&path, file).unwrap();
        let mut child = command.arg(path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { input: child.stdin.take(), child, lines, folder }
    }

    pub(crate) fn say(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    /// All lines up to the first that begins with these words.
    #[track_caller]
    pub(crate) fn until(&self, words: &str) -> Vec<String> {
        let deadline = Instant::now() + PATIENCE;
        let mut lines = Vec::new();
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    let found = line.starts_with(words);
                    lines.push(line);
                    if found {
                        return lines;
                    }
                }
                Err(error) => panic!("no `{words}` ({error}) after {lines:#?}"),
            }
        }
    }

    /// Whether no line with this beginning comes for a while from a council that lives.
    #[track_caller]
    pub(crate) fn is_silent(&mut self, words: &str, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) if line.starts_with(words) => return false,
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => panic!("the council has ended: {:?}", self.child.wait()),
            }
        }
        assert_eq!(self.child.try_wait().unwrap(), None, "the council has ended");
        true
    }

    /// The lines with this beginning that the member with this number has read, by all its
    /// processes.
    pub(crate) fn heard(&self, number: usize, words: &str) -> Vec<String> {
        let heard = fs::read_to_string(self.folder.path().join(format!("heard{number}"))).unwrap_or_default();
        heard.lines().filter(|line| line.starts_with(words)).map(str::to_owned).collect()
    }

    /// How many lines a file in the members' folder has.
    pub(crate) fn count(&self, file: &str) -> usize {
        fs::read_to_string(self.folder.path().join(file)).unwrap_or_default().lines().count()
    }

    /// Names a member by options.
    pub(crate) fn name_member(&mut self, number: usize, script: &Script) {
        let command = script.write(self.folder.path(), number);
        let place = self.folder.path().display().to_string();
        self.say(&format!("setoption name m{number}.Directory value {place}"));
        self.say(&format!("setoption name m{number}.Command value {command}"));
    }

    #[track_caller]
    pub(crate) fn ready(&mut self) {
        self.say("isready");
        self.until("readyok");
    }

    /// The next `bestmove`.
    #[track_caller]
    pub(crate) fn answer(&self) -> String {
        self.until("bestmove").pop().unwrap()
    }

    /// The answer to `go`, with all lines before it.
    #[track_caller]
    pub(crate) fn go(&mut self, words: &str) -> (String, Vec<String>) {
        self.say(words);
        let mut lines = self.until("bestmove");
        (lines.pop().unwrap(), lines)
    }

    /// Ends the council by `quit` and returns how long that took.
    #[track_caller]
    pub(crate) fn quit(mut self) -> Duration {
        self.say("quit");
        self.await_end()
    }

    /// Ends the council by a signal, such as `-TERM`, while its input stays open.
    #[track_caller]
    pub(crate) fn terminate(self, signal: &str) {
        self.signal(signal);
        self.await_end();
    }

    #[track_caller]
    pub(crate) fn signal(&self, signal: &str) {
        assert!(
            Command::new("sh").args(["-c", &format!("kill {signal} {}", self.child.id())]).status().unwrap().success()
        );
    }

    #[track_caller]
    fn await_end(mut self) -> Duration {
        let began = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < PATIENCE, "it does not end");
            thread::sleep(Duration::from_millis(2));
        }
        began.elapsed()
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! A council of scripts, and a conversation with it.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// How long any answer may take in a test.
const PATIENCE: Duration = Duration::from_secs(20);

/// A script that speaks USI: what it does on `go` is a piece of shell, and so is what it does at its start.
pub(crate) struct Script {
    pub(crate) start: String,
    pub(crate) go: String,
    pub(crate) noise: f64,
}

/// A member that answers at once with a move and a score.
pub(crate) fn answers(best: &str, score: &str) -> Script {
    acts(&format!("echo 'info depth 5 score {score} nodes 100 pv {best}'; echo 'bestmove {best}'"))
}

/// A member that does this on `go`.
pub(crate) fn acts(go: &str) -> Script {
    Script { start: String::new(), go: go.to_owned(), noise: 100.0 }
}

impl Script {
    pub(crate) fn with_noise(self, noise: f64) -> Self {
        Self { noise, ..self }
    }

    fn text(&self, number: usize) -> String {
        format!(
            "{}\nwhile read line; do case \"$line\" in\n\
             usi) echo 'id name script {number}'; echo 'option name Threads type spin default 1 min 1 max 8'; echo usiok;;\n\
             isready) echo readyok;;\n\
             setoption*) echo \"$line\" >> options{number};;\n\
             go*) {};;\n\
             stop) eval \"$on_stop\";;\n\
             ponderhit) eval \"$on_ponderhit\";;\n\
             quit) exit;;\n\
             esac; done\n",
            self.start, self.go
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
        let mut file = format!("rule = '{rule}'\n");
        for (index, member) in members.iter().enumerate() {
            let script = folder.path().join(format!("member{}.sh", index + 1));
            fs::write(&script, member.text(index + 1)).unwrap();
            let (path, place) = (script.display(), folder.path().display());
            write!(file, "[[member]]\ncommand = 'sh {path}'\ndirectory = '{place}'\nnoise = {}\n", member.noise)
                .unwrap();
        }
        let path = folder.path().join("council.toml");
        fs::write(&path, file).unwrap();
        Self::start(&path, folder)
    }

    fn start(file: &Path, folder: TempDir) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kiki-council"));
        let mut child = command.arg(file).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
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

    /// Whether nothing that begins with these words comes for a while.
    pub(crate) fn is_silent(&self, words: &str, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        while let Ok(line) = self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            if line.starts_with(words) {
                return false;
            }
        }
        true
    }

    #[track_caller]
    pub(crate) fn ready(&mut self) {
        self.say("isready");
        self.until("readyok");
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
        let began = Instant::now();
        self.say("quit");
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

/// Whether a process runs; a zombie has no command line.
pub(crate) fn runs(process: &str) -> bool {
    fs::read(Path::new("/proc").join(process.trim()).join("cmdline")).is_ok_and(|line| !line.is_empty())
}

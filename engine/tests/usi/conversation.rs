//! A child process that speaks USI, with a time limit on every answer.

use std::fmt::Display;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Long enough for a loaded machine, short enough for a test.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Conversation {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Conversation {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::run(Command::new(env!("CARGO_BIN_EXE_kiki")).args(arguments))
    }

    pub(crate) fn start_in(folder: &Path) -> Self {
        Self::run(Command::new(env!("CARGO_BIN_EXE_kiki")).current_dir(folder))
    }

    /// Starts the engine with this many KiB of address space.
    #[cfg(target_os = "linux")]
    pub(crate) fn start_limited(kibibytes: u64) -> Self {
        let script = format!("ulimit -v {kibibytes}; exec \"$0\"");
        Self::run(Command::new("sh").args(["-c", &script, env!("CARGO_BIN_EXE_kiki")]))
    }

    pub(crate) fn run(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the engine starts");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in output.lines() {
                let line = line.expect("standard output is UTF-8");
                assert!(line.is_ascii(), "not ASCII: {line}");
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self { input: child.stdin.take(), child, lines }
    }

    /// An engine that has said `readyok`, with one thread, a small table and the formula, which
    /// takes no time to load.
    pub(crate) fn ready() -> Self {
        let mut engine = Self::start(&[]);
        engine.say("setoption name Threads value 1");
        engine.say("setoption name USI_Hash value 8");
        engine.say("setoption name PvInterval value 0");
        engine.say("setoption name Eval value formula");
        engine.get_ready();
        engine
    }

    #[cfg(unix)]
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Stops reading the engine's output: its writes after the next line fail.
    #[cfg(unix)]
    pub(crate) fn stops_reading(&mut self) {
        self.lines = channel().1;
    }

    /// Waits for the end of the process.
    pub(crate) fn ends(&mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                drop(self.input.take());
                return status;
            }
            if start.elapsed() >= PATIENCE {
                let _ = self.child.kill();
                let _ = self.child.wait();
                panic!("the engine does not leave");
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    pub(crate) fn say(&mut self, line: &str) {
        self.bytes(format!("{line}\n").as_bytes());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("still open");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the engine listens");
    }

    /// The lines up to and including the first that starts with `word`.
    pub(crate) fn until(&mut self, word: &str) -> Vec<String> {
        let mut heard = Vec::new();
        let end = Instant::now() + PATIENCE;
        loop {
            match self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    let found = line.starts_with(word);
                    heard.push(line);
                    if found {
                        return heard;
                    }
                }
                Err(error) => panic!("no `{word}` ({error}) after {heard:#?}"),
            }
        }
    }

    pub(crate) fn set(&mut self, name: &str, value: impl Display) {
        self.say(&format!("setoption name {name} value {value}"));
    }

    /// Everything up to `readyok`.
    pub(crate) fn get_ready(&mut self) -> Vec<String> {
        self.say("isready");
        self.until("readyok")
    }

    /// Everything up to the answer to a command, which is `go` or ends a search.
    pub(crate) fn search(&mut self, command: &str) -> Vec<String> {
        self.say(command);
        self.until("bestmove ")
    }

    /// The same in a position.
    pub(crate) fn search_in(&mut self, position: &str, command: &str) -> Vec<String> {
        self.say(&format!("position {position}"));
        self.search(command)
    }

    /// The answer to such a command, without the word `bestmove`.
    pub(crate) fn play(&mut self, command: &str) -> String {
        self.say(command);
        self.answer()
    }

    /// Checks that the current search has not answered yet.
    pub(crate) fn has_not_answered(&mut self) {
        let heard = self.meanwhile();
        assert!(heard.iter().all(|line| !line.starts_with("bestmove")), "{heard:#?}");
    }

    /// The answer to `go`, without the word `bestmove`.
    pub(crate) fn answer(&mut self) -> String {
        let heard = self.until("bestmove ");
        heard.last().expect("found")["bestmove ".len()..].to_owned()
    }

    /// The lines printed during a round trip of `isready`, without its own lines.
    pub(crate) fn meanwhile(&mut self) -> Vec<String> {
        let mut heard = self.get_ready();
        heard.pop();
        heard.retain(|line| !line.starts_with("info string ready with "));
        heard
    }

    /// Checks that nothing is printed for a while.
    pub(crate) fn is_silent_for(&mut self, time: Duration) {
        match self.lines.recv_timeout(time) {
            Err(RecvTimeoutError::Timeout) => {}
            other => panic!("expected silence, heard {other:?}"),
        }
    }

    /// Ends the input and checks that the engine leaves cleanly. Returns its output until then.
    pub(crate) fn leaves_saying(mut self) -> Vec<String> {
        let lines = std::mem::replace(&mut self.lines, channel().1);
        self.leave();
        lines.iter().collect()
    }

    /// Ends the input and checks that the engine leaves cleanly. Returns how long it took.
    pub(crate) fn leaves(mut self) -> Duration {
        let start = Instant::now();
        self.leave();
        start.elapsed()
    }

    /// Ends the input and checks that the engine leaves cleanly, with nothing on standard error.
    fn leave(&mut self) {
        drop(self.input.take());
        let status = self.ends();
        assert!(status.success(), "{status}");
        let mut complaints = String::new();
        self.child.stderr.take().expect("a pipe").read_to_string(&mut complaints).expect("UTF-8");
        assert_eq!(complaints, "", "standard error stays empty");
    }
}

/// Every conversation ends with an engine that leaves cleanly.
impl Drop for Conversation {
    fn drop(&mut self) {
        if self.input.is_some() && !thread::panicking() {
            self.leave();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The word after a word of a line.
pub(crate) fn field(line: &str, name: &str) -> Option<String> {
    let mut words = line.split(' ').skip_while(|&word| word != name);
    words.nth(1).map(str::to_owned)
}

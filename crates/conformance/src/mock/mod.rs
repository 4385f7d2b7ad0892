//! An engine that keeps to the protocol, or breaks one rule on purpose: the proof that the cases can fail.
//!
//! It knows its answer at once, a move that depends on the position alone, so that all it has to do is to hold the answer back where the
//! protocol asks for it. A word of [`FAULTS`] on its command line makes it break that rule, and as far as possible nothing else: faults
//! look for the very commands of their case.

mod faults;
mod moves;
mod search;
mod set_option;

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::thread;
use std::time::{Duration, Instant};

use kiki_board::Position;
use kiki_usi::{Command, GoSpec, PositionRoot, PositionSpec, set_up};

pub use faults::{FAULTS, Fault};

/// What a late answer takes beyond the time of its search: more than the tolerance of the tests.
const LATE: Duration = Duration::from_millis(1400);

/// What the mock is doing.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Task {
    Idle,
    /// It owes an answer to `stop`.
    Infinite(Instant),
    /// It owes an answer to `stop` or `ponderhit`.
    Ponder(GoSpec),
    /// It owes `checkmate` to `stop`.
    Mate,
}

/// Whether another line is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Next {
    ReadOn,
    /// Leave with this status.
    Exit(u8),
    /// Read nothing more, and stay.
    Hang,
}

struct Mock<W> {
    output: W,
    fault: String,
    position: Position,
    spec: PositionSpec,
    task: Task,
    /// Values by name in lower case.
    options: BTreeMap<String, String>,
    /// The first word of the last command.
    last: String,
    /// How often `isready` came in a row.
    readies: usize,
    /// It has heard `isready`.
    was_ready: bool,
    /// The last `stop` ended a search.
    stopped: bool,
    /// `isready` is passed over once.
    deaf: bool,
    /// An answer that comes when nobody expects it.
    leftover: bool,
}

/// Talks until `quit` or the end of the input, and returns the exit status. The word is one of [`FAULTS`], or none.
pub fn run(fault: &str, input: impl BufRead, output: impl Write) -> u8 {
    let mut mock = Mock {
        output,
        fault: fault.to_owned(),
        position: Position::startpos(),
        spec: PositionSpec::startpos(),
        task: Task::Idle,
        options: set_option::defaults(),
        last: String::new(),
        readies: 0,
        was_ready: false,
        stopped: false,
        deaf: false,
        leftover: false,
    };
    if mock.breaks("other-directory") && std::fs::read_dir(".").is_ok_and(|mut entries| entries.next().is_none()) {
        return 1;
    }
    match mock.read(input) {
        Next::Exit(status) => status,
        Next::ReadOn | Next::Hang => loop {
            thread::sleep(Duration::from_secs(60));
        },
    }
}

impl<W: Write> Mock<W> {
    fn breaks(&self, word: &str) -> bool {
        self.fault == word
    }

    fn print(&mut self, line: impl std::fmt::Display) {
        let _ = writeln!(self.output, "{line}").and_then(|()| self.output.flush());
    }

    /// Reads to the end.
    fn read(&mut self, mut input: impl BufRead) -> Next {
        let mut line = Vec::new();
        while let Ok(available) = input.fill_buf()
            && !available.is_empty()
        {
            let end = available.iter().position(|&byte| byte == b'\n');
            let used = end.map_or(available.len(), |end| end + 1);
            line.extend_from_slice(&available[..used]);
            input.consume(used);
            if end.is_some() || self.breaks("half-lines") {
                let next = self.hear(&line);
                line.clear();
                if next != Next::ReadOn {
                    return next;
                }
            }
        }
        self.end_of_input()
    }

    fn end_of_input(&self) -> Next {
        let stays = match &self.task {
            Task::Idle => self.breaks("input-end"),
            Task::Infinite(_) if self.spec == PositionSpec::matsuri() => self.breaks("output-closed"),
            _ => self.breaks("input-end-in-search"),
        };
        if stays { Next::Hang } else { Next::Exit(0) }
    }

    /// One line of input.
    fn hear(&mut self, line: &[u8]) -> Next {
        let starts = |word: &[u8]| line.starts_with(word);
        let is_fatal = (self.breaks("junk-words") && starts(b"hello"))
            || (self.breaks("junk-long-line") && line.len() > 1_000_000)
            || (self.breaks("junk-flood") && starts(b"nonsense 1234"))
            || (self.breaks("junk-bytes") && std::str::from_utf8(line).is_err())
            || (self.breaks("position-illegal") && starts(b"position sfen kk7"));
        if is_fatal {
            return Next::Exit(1);
        }
        let is_missed = (self.breaks("line-breaks") && line.ends_with(b"\r\n"))
            || (self.breaks("blanks") && line.contains(&b'\t'))
            || (self.breaks("position-lenient") && starts(b"position startpos 7g7f"))
            || (self.breaks("position-forms") && line.windows(9).any(|part| part == b" b - 200 "));
        let Ok(command) = Command::parse(line) else { return Next::ReadOn };
        if is_missed {
            return Next::ReadOn;
        }
        let word = command.to_string().split(' ').next().unwrap_or_default().to_owned();
        self.readies = if command == Command::IsReady { self.readies + 1 } else { 0 };
        let next = self.obey(command);
        self.last = word;
        next
    }

    fn obey(&mut self, command: Command) -> Next {
        match command {
            Command::Usi => self.introduce(),
            Command::IsReady => self.get_ready(),
            Command::SetOption { name, value } => return self.set_option(&name, value.as_deref()),
            Command::UsiNewGame => return self.new_game(),
            Command::Position(spec) => return self.place(spec),
            Command::Go(spec) => self.go(spec),
            Command::Stop => self.stop(),
            Command::PonderHit(clocks) => self.ponderhit(clocks.as_ref()),
            Command::GameOver(result) => self.game_over(&result.to_string()),
            Command::Quit => return self.quit(),
            _ => {}
        }
        Next::ReadOn
    }

    fn introduce(&mut self) {
        match self.fault.as_str() {
            "handshake:mute" => return,
            // As long as the tests are patient, and more.
            "handshake-time" => thread::sleep(Duration::from_secs(2) + LATE),
            "errors-full" => drop(writeln!(std::io::stderr(), "loading")),
            _ => {}
        }
        self.print("id name mock");
        if !self.breaks("handshake:no-author") {
            self.print("id author Kiki");
        }
        for line in set_option::declarations(&self.fault) {
            self.print(line);
        }
        self.print("usiok");
        if self.breaks("handshake:late-option") {
            self.print("option name Late type check default true");
        }
    }

    fn get_ready(&mut self) {
        self.was_ready = true;
        let searching = matches!(self.task, Task::Infinite(_));
        if std::mem::take(&mut self.deaf)
            || self.breaks("ready:mute")
            || (self.breaks("ready-repeated") && self.readies > 6)
        {
            return;
        }
        if searching && self.breaks("ready-in-search:late") {
            return;
        }
        if searching && self.breaks("ready-in-search") {
            self.task = Task::Idle;
            self.answer();
        }
        self.print("readyok");
    }

    fn new_game(&mut self) -> Next {
        if self.breaks("game-start-orders") && self.last == "usinewgame" {
            return Next::Exit(1);
        }
        if std::mem::take(&mut self.leftover) {
            self.answer();
        }
        match self.fault.as_str() {
            "output-ascii" => self.print("info string \u{5229}\u{304d}"),
            "output-no-error" => self.print("Error: none"),
            "output-known" => self.print("debug: a new game"),
            // By a thread: whoever reads nothing is not to be blocked by this fault.
            "errors-silent" => {
                thread::spawn(|| drop(writeln!(std::io::stderr(), "a new game")));
            }
            _ => {}
        }
        Next::ReadOn
    }

    fn place(&mut self, spec: PositionSpec) -> Next {
        let moves = spec.moves.len();
        let from_start = spec.root == PositionRoot::Startpos;
        if self.breaks("position-long") && moves > 500 {
            return Next::ReadOn;
        }
        let turns = spec.moves.iter().filter(|text| *text == "2h3h").count();
        if self.breaks("position-repeated") && from_start && moves < 10 && turns >= 2 {
            return Next::Exit(1);
        }
        let spec =
            if self.breaks("position-unpromoted") && !from_start { moves::without_unpromoted(spec) } else { spec };
        match set_up(&spec) {
            Ok(position) => (self.position, self.spec) = (position, spec),
            Err(kiki_usi::PositionError::IllegalMove { reached, .. }) => {
                self.print("info string an illegal move");
                if !self.breaks("position-illegal-state") {
                    (self.position, self.spec) = (*reached, spec);
                }
            }
            Err(error) => self.print(format_args!("info string {error}")),
        }
        Next::ReadOn
    }

    fn game_over(&mut self, result: &str) {
        let searching = self.task != Task::Idle;
        let in_ponder = matches!(self.task, Task::Ponder(_));
        self.task = Task::Idle;
        if searching && self.breaks("gameover-silent") {
            self.answer();
        }
        self.leftover = (in_ponder && self.breaks("gameover-in-ponder"))
            || (searching && !in_ponder && self.breaks("gameover-in-search"))
            || (self.last == "stop" && self.breaks("gameover-after-stop"));
        let is_third = result.ends_with("draw") && self.spec.moves.is_empty();
        self.deaf = !searching && is_third && self.breaks("ready-after-gameover");
    }

    fn quit(&mut self) -> Next {
        let searching = matches!(self.task, Task::Infinite(_));
        if searching && self.breaks("quit-silent") {
            self.answer();
        }
        let wrong = match &self.task {
            Task::Infinite(_) => self.breaks("quit-in-search"),
            Task::Ponder(_) => self.breaks("quit-in-ponder"),
            _ if !self.was_ready => self.breaks("handshake-quit"),
            _ if self.last == "isready" => self.breaks("quit-while-loading"),
            _ => self.breaks("quit"),
        };
        Next::Exit(u8::from(wrong))
    }
}

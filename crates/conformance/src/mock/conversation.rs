//! What the mock hears, and how it goes on.

use std::io::{BufRead, Write};
use std::thread;
use std::time::Duration;

use kiki_usi::{Command, PositionRoot, PositionSpec, set_up};

use super::moves;
use super::set_option;
use super::state::{LATE, Mock, Next, TOLERATED, Task};

/// Talks until `quit` or the end of the input, and returns the exit status. The word is one of [`super::FAULTS`], or none.
pub fn run(fault: &str, input: impl BufRead, output: impl Write) -> u8 {
    let mut mock = Mock::new(fault, output);
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
    /// Reads to the end.
    fn read(&mut self, mut input: impl BufRead) -> Next {
        let mut line = Vec::new();
        while let Ok(available) = input.fill_buf()
            && !available.is_empty()
        {
            let end = available.iter().position(|&byte| byte == b'\n');
            let used = end.map_or(available.len(), |end| end + 1);
            line.extend_from_slice(&available[..used]);
            self.burst = available.len() > used;
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
            Task::Idle if self.last == "isready" => self.breaks("input-end-while-loading"),
            Task::Idle => self.breaks("input-end"),
            Task::Ponder(_) => self.breaks("input-end-in-ponder"),
            Task::Infinite(_) if self.spec == PositionSpec::matsuri() => self.breaks("output-closed"),
            _ => self.breaks("input-end-in-search"),
        };
        if stays { Next::Hang } else { Next::Exit(0) }
    }

    /// One line of input.
    fn hear(&mut self, line: &[u8]) -> Next {
        if self.is_fatal(line) {
            return Next::Exit(1);
        }
        if self.is_missed(line) {
            return Next::ReadOn;
        }
        let Ok(command) = Command::parse(line) else { return self.tell_mistake() };
        if command == Command::Blank && self.breaks("unknown-told:blank") {
            return self.tell_mistake();
        }
        let word = command.to_string().split(' ').next().unwrap_or_default().to_owned();
        self.readies = if command == Command::IsReady { self.readies + 1 } else { 0 };
        let next = self.execute(command);
        self.last = word;
        next
    }

    /// Tells of an unknown command or option: once, or as often as a fault says.
    pub(super) fn tell_mistake(&mut self) -> Next {
        let times = match self.fault.as_str() {
            "unknown-told" => 0,
            "unknown-told:twice" => 2,
            _ => 1,
        };
        (0..times).for_each(|_| self.print("info string unknown"));
        Next::ReadOn
    }

    /// Whether a line ends the mock, by a fault.
    fn is_fatal(&self, line: &[u8]) -> bool {
        let starts = |word: &[u8]| line.starts_with(word);
        (self.breaks("junk-words") && starts(b"hello"))
            || (self.breaks("junk-long-line") && line.len() > 1_000_000)
            || (self.breaks("junk-flood") && starts(b"nonsense 1234"))
            || (self.breaks("junk-bytes") && std::str::from_utf8(line).is_err())
            || (self.breaks("position-illegal") && starts(b"position sfen kk7"))
    }

    /// Whether a line is ignored, by a fault.
    fn is_missed(&self, line: &[u8]) -> bool {
        let has = |text: &[u8]| line.windows(text.len()).any(|part| part == text);
        (self.breaks("line-breaks") && line.ends_with(b"\r\n"))
            || (self.breaks("blanks") && line.contains(&b'\t'))
            || (self.breaks("position-lenient") && line.starts_with(b"position startpos 7g7f"))
            || (self.breaks("position-forms") && has(b" b - 200 "))
            || (self.breaks("go-unreadable") && has(b"abc"))
            || (self.breaks("go-unreadable:without-limit") && has(b"go movetime 1s"))
    }

    fn execute(&mut self, command: Command) -> Next {
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
        if self.breaks("handshake:order") {
            self.print("option name Early type check default true");
        }
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
        self.loading = !std::mem::replace(&mut self.was_ready, true) && self.burst;
        let searching = matches!(self.task, Task::Infinite(_));
        if std::mem::take(&mut self.deaf)
            || self.breaks("ready:mute")
            || (self.breaks("ready-repeated") && self.readies > 6)
        {
            return;
        }
        let is_late = (searching && self.breaks("ready-in-search:late"))
            || (self.loading && self.breaks("go-while-loading:early"));
        if is_late {
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
            "game-start-time" if self.burst => thread::sleep(LATE),
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
            Ok(position) => (self.position, self.spec, self.lost) = (position, spec, false),
            Err(kiki_usi::PositionError::IllegalMove { reached, token, .. }) => {
                let named = if self.breaks("position-illegal-told") { "" } else { &token };
                self.print(format_args!("info string an illegal move: {named}"));
                self.lost = !self.breaks("position-illegal-state:reached");
                (self.position, self.spec) = (*reached, spec);
            }
            Err(error) => {
                self.lost = !self.breaks("position-illegal-state:before");
                self.print(format_args!("info string {error}"));
            }
        }
        Next::ReadOn
    }

    fn game_over(&mut self, result: &str) {
        let searching = self.task != Task::Idle;
        let in_ponder = matches!(self.task, Task::Ponder(_));
        self.task = Task::Idle;
        if (searching && self.breaks("gameover-silent")) || (in_ponder && self.breaks("gameover-silent:ponder")) {
            self.answer();
        }
        self.leftover = (in_ponder && self.breaks("gameover-in-ponder"))
            || (searching && !in_ponder && self.breaks("gameover-in-search"))
            || (self.last == "stop" && self.breaks("gameover-after-stop"));
        let is_third = result.ends_with("draw") && self.spec.moves.is_empty();
        self.deaf = !searching && is_third && self.breaks("ready-after-gameover");
    }

    fn quit(&mut self) -> Next {
        let is_loud = match self.task {
            Task::Infinite(_) => self.breaks("quit-silent"),
            Task::Ponder(_) => self.breaks("quit-silent:ponder"),
            _ => false,
        };
        if is_loud {
            self.answer();
        }
        if !self.was_ready && self.breaks("handshake-quit:tolerated") {
            thread::sleep(TOLERATED);
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

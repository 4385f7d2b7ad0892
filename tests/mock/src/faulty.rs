//! An engine that keeps to the protocol, or breaks rules on purpose, to prove that the cases of
//! `kiki-conformance` can fail.
//!
//! Its answer is a move that depends only on the position, and it waits only where the protocol
//! requires it. Each fault reacts only to the commands of its case, so that other cases still pass.

mod search;

use std::collections::BTreeMap;
use std::io::{BufRead, BufWriter, Write};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use kiki_board::Position;
use kiki_usi::{BestMove, Command, GoSpec, PositionError, PositionRoot, PositionSpec, set_up};

use crate::moves;

const OPTIONS: [&str; 8] = [
    "option name USI_Ponder type check default false",
    "option name USI_Hash type spin default 16 min 1 max 1024",
    "option name MultiPV type spin default 1 min 1 max 10",
    "option name PvInterval type spin default 300 min 0 max 100000",
    "option name Style type combo default calm var calm var wild",
    "option name BookFile type string default book.db",
    "option name LogFile type filename default <empty>",
    "option name Clear_Hash type button",
];

/// Faulty declarations, with their faults.
const FAULTY_OPTIONS: [(&str, &str); 3] = [
    ("option-lines:blank", "option name Clear Book type button"),
    ("option-lines:range", "option name Skill type spin default 30 min 0 max 20"),
    ("option-lines:twice", "option name clear_hash type button"),
];

/// Delay of a late answer beyond the time of its search: more than the tests tolerate.
const LATE: Duration = Duration::from_millis(1400);

/// A delay that fails only where the best or the median of several answers counts.
const TOLERATED: Duration = Duration::from_millis(900);

/// The time limit of the handshake case.
const HANDSHAKE_TIME: Duration = Duration::from_secs(2);

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

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Next {
    ReadOn,
    /// Exit with this status.
    Exit(u8),
    /// Stop reading, but keep running.
    Hang,
}

struct FaultyEngine<W> {
    output: W,
    /// Words of [`crate::faults`].
    faults: Vec<String>,
    position: Position,
    spec: PositionSpec,
    /// Whether the last `position` was refused.
    lost: bool,
    task: Task,
    /// Values by lower-case name.
    options: BTreeMap<String, String>,
    last: String,
    answered: Option<BestMove>,
    /// Number of successive `isready` commands.
    readies: usize,
    /// Whether it has received `isready`.
    was_ready: bool,
    /// Whether the last `stop` ended a search.
    stopped: bool,
    /// Whether more input arrived together with the last line.
    burst: bool,
    /// Whether the first `isready` came together with the next commands.
    loading: bool,
    /// Whether the next `isready` is ignored.
    deaf: bool,
    /// An answer that comes unexpectedly.
    leftover: bool,
}

/// Runs on standard input and output. The program's arguments are words of [`crate::faults`].
#[must_use]
pub fn main() -> ExitCode {
    let faults: Vec<String> = std::env::args().skip(1).collect();
    run(&faults, std::io::stdin().lock(), BufWriter::new(std::io::stdout().lock())).into()
}

/// Runs until `quit` or the end of the input, and returns the exit status. `faults` are words of
/// [`crate::faults`].
pub fn run(faults: &[String], input: impl BufRead, output: impl Write) -> u8 {
    let mut mock = FaultyEngine::new(faults, output);
    if mock.breaks("other-directory") && std::fs::read_dir(".").is_ok_and(|mut entries| entries.next().is_none()) {
        return 1;
    }
    let next = mock.read(input);
    mock.flush();
    match next {
        Next::Exit(status) => status,
        Next::ReadOn | Next::Hang => loop {
            thread::sleep(Duration::from_secs(60));
        },
    }
}

impl<W: Write> FaultyEngine<W> {
    fn new(faults: &[String], output: W) -> Self {
        Self {
            output,
            faults: faults.to_vec(),
            position: Position::startpos(),
            spec: PositionSpec::startpos(),
            lost: false,
            task: Task::Idle,
            options: BTreeMap::new(),
            last: String::new(),
            answered: None,
            readies: 0,
            was_ready: false,
            stopped: false,
            burst: false,
            loading: false,
            deaf: false,
            leftover: false,
        }
    }

    fn breaks(&self, word: &str) -> bool {
        self.faults.iter().any(|fault| fault == word)
    }

    /// Whether it breaks one of these rules and the occasion has come.
    fn breaks_any(&self, rules: &[(&str, bool)]) -> bool {
        rules.iter().any(|(fault, is_met)| *is_met && self.breaks(fault))
    }

    /// Writes a line. Flushes at once, unless more input waits: a flood is answered in large parts.
    fn print(&mut self, line: impl std::fmt::Display) {
        let _ = writeln!(self.output, "{line}");
        if !self.burst {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let _ = self.output.flush();
    }

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
            if !self.burst {
                self.flush();
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

    /// Executes one line of input.
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

    /// Reports an unknown command or option: once, or as often as a fault requires.
    fn tell_mistake(&mut self) -> Next {
        let times = match (self.breaks("unknown-told"), self.breaks("unknown-told:twice")) {
            (true, _) => 0,
            (_, true) => 2,
            _ => 1,
        };
        (0..times).for_each(|_| self.print("info string unknown"));
        Next::ReadOn
    }

    /// Whether a fault ends the mock at this line.
    fn is_fatal(&self, line: &[u8]) -> bool {
        let starts = |word: &[u8]| line.starts_with(word);
        (self.breaks("junk-words") && starts(b"hello"))
            || (self.breaks("junk-long-line") && line.len() > 1_000_000)
            || (self.breaks("junk-flood") && starts(b"nonsense 1234"))
            || (self.breaks("junk-bytes") && std::str::from_utf8(line).is_err())
            || (self.breaks("position-illegal") && starts(b"position sfen kk7"))
    }

    /// Whether a fault ignores this line.
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
        if self.breaks("handshake:mute") {
            return;
        }
        if self.breaks("handshake-time") {
            thread::sleep(HANDSHAKE_TIME + LATE);
        }
        if self.breaks("errors-full") {
            let _ = writeln!(std::io::stderr(), "loading");
        }
        self.print("id name mock");
        if self.breaks("handshake:order") {
            self.print("option name Early type check default true");
        }
        if !self.breaks("handshake:no-author") {
            self.print("id author Kiki");
        }
        for line in OPTIONS {
            self.print(line);
        }
        for (fault, line) in FAULTY_OPTIONS {
            if self.breaks(fault) {
                self.print(line);
            }
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
        for (fault, line) in [
            ("output-ascii", "info string \u{5229}\u{304d}"),
            ("output-no-error", "Error: none"),
            ("output-known", "debug: a new game"),
        ] {
            if self.breaks(fault) {
                self.print(line);
            }
        }
        if self.breaks("game-start-time") && self.burst {
            thread::sleep(LATE);
        }
        if self.breaks("errors-silent") {
            // On a thread, because a full standard error must not block this fault.
            thread::spawn(|| drop(writeln!(std::io::stderr(), "a new game")));
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
            Err(PositionError::IllegalMove { reached, token, .. }) => {
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

    /// Number of reported lines of play.
    fn lines(&self) -> usize {
        self.options.get("multipv").and_then(|value| value.parse().ok()).unwrap_or(1)
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Next {
        let (value, name) = (value.unwrap_or_default(), if name == "mULTIpv" { self.spelled(name) } else { name });
        let fatal = [
            ("options-resent", name == "USI_Hash" && value == "32"),
            ("option-unknown", name == "NoSuchButton"),
            ("option-bad-value", value == "many"),
            ("option-empty", name == "BookFile" && value.is_empty()),
            ("option-blanks", name == "BookFile" && value.contains(' ')),
            ("option-button", name == "Clear_Hash"),
        ];
        if self.breaks_any(&fatal) {
            return Next::Exit(1);
        }
        if name.eq_ignore_ascii_case("MultiPV")
            && let Some(lines) = value.parse::<usize>().ok().filter(|lines| (1..=10).contains(lines))
        {
            let is_kept = self.breaks("option-between-searches") && lines < self.lines();
            if !is_kept {
                self.options.insert("multipv".to_owned(), lines.to_string());
            }
        }
        if name == "PvInterval" {
            self.options.insert("pvinterval".to_owned(), value.to_owned());
        }
        let is_known =
            OPTIONS.iter().any(|line| line.split(' ').nth(2).is_some_and(|known| known.eq_ignore_ascii_case(name)));
        if is_known { Next::ReadOn } else { self.tell_mistake() }
    }

    /// A name in unusual case, which a fault does not recognise.
    fn spelled<'a>(&self, name: &'a str) -> &'a str {
        if self.breaks("option-name-case") { "" } else { name }
    }
}

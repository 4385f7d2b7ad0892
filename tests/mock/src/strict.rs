//! An engine that checks its input more strictly than real engines do. It reports a violation of
//! the protocol on standard error and exits with status 3. It plays a script, and fails on demand.
//!
//! | word | what it does |
//! |---|---|
//! | `script=7g7f/3c3d,2g2f` | plays these moves, each with the answer that it expects; then any legal moves |
//! | `think=MS` | time for a move, where the clocks allow it |
//! | `fault=KIND@PLY` | fails at the first own move from that ply on |
//! | `marker=FILE` | fails only if this file does not exist, and then creates it |
//! | `start=MS` | time to start if the marker exists |

use std::collections::HashMap;
use std::io::{BufRead as _, Write as _};
use std::path::Path;
use std::process::{ExitCode, exit};
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, RecvTimeoutError, unbounded};
use kiki_board::{Color, Position};
use kiki_usi::{BestMove, Clocks, Command, GoSpec, PositionSpec, set_up};

use crate::moves::pick;

struct StrictSearch {
    position: Position,
    pondering: bool,
    /// When to answer; `None` until `ponderhit` or `stop`.
    due: Option<Instant>,
    /// Whether it answers only to `stop`.
    is_slow: bool,
}

struct StrictEngine {
    /// The words of its command line.
    words: HashMap<String, String>,
    is_ready: bool,
    in_game: bool,
    position: Option<Position>,
    search: Option<StrictSearch>,
    /// Whether it has answered by itself since the last command.
    has_answered: bool,
    /// Number of its script moves played in this game.
    played: usize,
}

/// Runs on standard input and output; the words are the program's arguments. An environment
/// variable of this name, which holds a secret, is a violation.
#[must_use]
pub fn main(secret_variable: &str) -> ExitCode {
    if std::env::var_os(secret_variable).is_some() {
        breach("the password of the server is in the environment");
    }
    let (sender, lines) = unbounded();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    let mut mock = StrictEngine {
        words: words(),
        is_ready: false,
        in_game: false,
        position: None,
        search: None,
        has_answered: false,
        played: 0,
    };
    if mock.words.get("marker").is_some_and(|marker| Path::new(marker).exists()) {
        std::thread::sleep(mock.time("start"));
    }
    while let Some(line) = next_line(&mut mock, &lines) {
        mock.execute(&line);
    }
    ExitCode::SUCCESS
}

/// The next line. Meanwhile searches end.
fn next_line(mock: &mut StrictEngine, lines: &Receiver<String>) -> Option<String> {
    loop {
        let due = mock.search.as_ref().and_then(|search| search.due);
        let received = match due {
            Some(due) => lines.recv_deadline(due),
            None => lines.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match received {
            Ok(line) => return Some(line),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => {
                mock.answer();
                mock.has_answered = true;
            }
        }
    }
}

fn words() -> HashMap<String, String> {
    let known = ["script", "think", "fault", "marker", "start"];
    let word = |argument: String| match argument.split_once('=') {
        Some((name, value)) if known.contains(&name) => (name.to_owned(), value.to_owned()),
        _ => breach(&format!("argument {argument}")),
    };
    std::env::args().skip(1).map(word).collect()
}

fn breach(what: &str) -> ! {
    let _ = writeln!(std::io::stderr(), "BREACH {what}");
    exit(3)
}

fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    if writeln!(out, "{text}").and_then(|()| out.flush()).is_err() {
        exit(4);
    }
}

impl StrictEngine {
    fn time(&self, word: &str) -> Duration {
        Duration::from_millis(self.words.get(word).and_then(|time| time.parse().ok()).unwrap_or(0))
    }

    fn execute(&mut self, line: &str) {
        let Ok(command) = Command::parse(line.as_bytes()) else { breach(line) };
        let searches = self.search.is_some();
        let has_answered = std::mem::take(&mut self.has_answered);
        match command {
            Command::Usi => {
                say("id name mock\noption name USI_Ponder type check default false");
                say("option name RoundUpToFullSecond type check default true");
                say("option name IncrementBeforeMove type combo default auto var auto var true var false");
                say("option name MaxMovesToDraw type spin default 0 min 0 max 100000\nusiok");
            }
            Command::SetOption { .. } if searches => breach("setoption in a search"),
            Command::SetOption { .. } => {}
            Command::IsReady if searches || self.in_game => breach("isready in a game"),
            Command::IsReady => {
                self.is_ready = true;
                say("readyok");
            }
            Command::UsiNewGame if !self.is_ready => breach("usinewgame before isready"),
            Command::UsiNewGame => (self.in_game, self.is_ready, self.played) = (true, false, 0),
            Command::Position(spec) => self.set_position(&spec),
            Command::Go(go) => self.go(&go),
            Command::PonderHit(clocks) => self.ponder_hit(clocks),
            Command::Stop if searches => self.stop(),
            // It may have crossed the answer, but only once.
            Command::Stop if has_answered => {}
            Command::Stop => breach("stop without a search"),
            Command::GameOver(_) if searches => breach("gameover in a search"),
            Command::GameOver(_) if !self.in_game => breach("gameover without a game"),
            Command::GameOver(_) => self.in_game = false,
            Command::Quit => exit(0),
            _ => breach(line),
        }
    }

    fn set_position(&mut self, spec: &PositionSpec) {
        if self.search.is_some() {
            breach("position in a search");
        }
        match set_up(spec) {
            Ok(position) => self.position = Some(position),
            Err(error) => breach(&error.to_string()),
        }
    }

    fn go(&mut self, go: &GoSpec) {
        let Some(position) = self.position.clone() else { breach("go without a position") };
        if self.search.is_some() || !self.in_game {
            breach("go in a search or outside of a game");
        }
        let fault = self.fault(&position);
        match (go.ponder, fault.as_str()) {
            (true, "ponder-crash") | (false, "crash") => {
                self.mark();
                exit(1);
            }
            (true, "ponder-hang") | (false, "hang") => {
                self.mark();
                std::thread::sleep(Duration::from_secs(3600));
            }
            _ => {}
        }
        let is_slow = !go.ponder && fault == "slow";
        let due = match go.ponder {
            true => (fault == "early-answer").then(Instant::now),
            false => (!is_slow).then(|| self.due(&position, &go.clocks)),
        };
        self.search = Some(StrictSearch { position, pondering: go.ponder, due, is_slow });
    }

    /// When to answer: after the planned time, but within the clocks' limits.
    fn due(&self, position: &Position, clocks: &Clocks) -> Instant {
        let (left, increment) = match position.side_to_move() {
            Color::Black => (clocks.btime, clocks.binc),
            Color::White => (clocks.wtime, clocks.winc),
        };
        let Some(left) = left else { breach("a search without times") };
        let all = left + increment.unwrap_or(0) + clocks.byoyomi.unwrap_or(0);
        Instant::now() + self.time("think").min(Duration::from_millis(all.unsigned_abs() / 2))
    }

    fn ponder_hit(&mut self, clocks: Option<Clocks>) {
        let Some(mut search) = self.search.take().filter(|search| search.pondering) else {
            breach("ponderhit without a search on the other side's time")
        };
        search.pondering = false;
        search.due = Some(match clocks {
            Some(clocks) => self.due(&search.position, &clocks),
            None => Instant::now() + self.time("think"),
        });
        self.search = Some(search);
    }

    fn stop(&mut self) {
        if self.search.as_ref().is_some_and(|search| search.is_slow) {
            self.mark();
        }
        self.answer();
    }

    /// The fault that is due in a position; empty for none.
    fn fault(&self, position: &Position) -> String {
        let is_over = self.words.get("marker").is_some_and(|marker| Path::new(marker).exists());
        let fault = self.words.get("fault").filter(|_| !is_over).and_then(|fault| fault.split_once('@'));
        let due = fault.filter(|(_, ply)| ply.parse().is_ok_and(|ply: u32| position.ply() >= ply));
        due.map_or_else(String::new, |(kind, _)| kind.to_owned())
    }

    fn mark(&self) {
        if let Some(marker) = self.words.get("marker")
            && std::fs::write(marker, "").is_err()
        {
            breach("the marker cannot be made");
        }
    }

    fn answer(&mut self) {
        let Some(search) = self.search.take() else { return };
        let fault = self.fault(&search.position);
        if fault == "idle-crash" {
            self.mark();
            std::thread::spawn(|| {
                std::thread::sleep(Duration::from_millis(100));
                exit(1)
            });
        }
        let answer = match fault.as_str() {
            "resign" => "bestmove resign".to_owned(),
            "illegal" => self.marked("bestmove 1a1a"),
            "declare" => self.marked("bestmove win"),
            _ => self.chosen(&search.position, search.pondering),
        };
        say(&answer);
    }

    fn marked(&self, answer: &str) -> String {
        self.mark();
        answer.to_owned()
    }

    fn chosen(&mut self, position: &Position, is_dropped: bool) -> String {
        let script = self.words.get("script").map_or("", String::as_str);
        let (own, expected) =
            script.split(',').nth(self.played).map_or(("", None), |entry| match entry.split_once('/') {
                Some((own, expected)) => (own, Some(expected)),
                None => (entry, None),
            });
        if position.parse_move(own).is_ok() {
            self.played += usize::from(!is_dropped);
            let line = expected.map_or_else(|| own.to_owned(), |expected| format!("{own} {expected}"));
            say(&format!("info depth 3 score cp 42 nodes 1000 pv {line}"));
            return expected.map_or_else(|| BestMove::new(own), |mv| BestMove::with_ponder(own, mv)).to_string();
        }
        let Some(mv) = pick(position, position.key()) else { return "bestmove resign".to_owned() };
        say(&format!("info depth 1 score cp -7 nodes 30 pv {mv}"));
        BestMove::new(mv).to_string()
    }
}

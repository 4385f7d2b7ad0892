//! An engine that checks its input more strictly than real engines do. It reports a violation of
//! the protocol on standard error and exits with status 3. It plays a script, and fails on demand.
//!
//! | word | what it does |
//! |---|---|
//! | `script=7g7f/3c3d,2g2f` | plays these moves, each with the answer that it expects; then legal moves at random |
//! | `think=MS` | time for a move, where the clocks allow it |
//! | `fault=KIND@PLY` | fails at the first own move from that ply on |
//! | `marker=FILE` | fails only if this file does not exist, and then creates it |
//! | `start=MS` | time to start if the marker exists |
//! | `ready=MS` | time for each `isready` |
//! | `seed=N` | other random moves |

use std::io::{BufRead as _, Write as _};
use std::path::PathBuf;
use std::process::{ExitCode, exit};
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, RecvTimeoutError, unbounded};
use kiki_board::{Color, Position};
use kiki_usi::{BestMove, Clocks, Command, GoSpec, PositionSpec, set_up};

#[derive(Default)]
struct Plan {
    script: Vec<(String, Option<String>)>,
    think: Duration,
    fault: Option<(String, u32)>,
    marker: Option<PathBuf>,
    start: Duration,
    ready: Duration,
    seed: u64,
}

struct Search {
    position: Position,
    pondering: bool,
    /// When to answer; `None` until `ponderhit` or `stop`.
    due: Option<Instant>,
    /// Whether it answers only to `stop`.
    is_slow: bool,
}

struct Mock {
    plan: Plan,
    is_ready: bool,
    in_game: bool,
    position: Option<Position>,
    search: Option<Search>,
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
    let mut mock = Mock {
        plan: plan(),
        is_ready: false,
        in_game: false,
        position: None,
        search: None,
        has_answered: false,
        played: 0,
    };
    if mock.plan.marker.as_ref().is_some_and(|marker| marker.exists()) {
        std::thread::sleep(mock.plan.start);
    }
    while let Some(line) = next_line(&mut mock, &lines) {
        mock.execute(&line);
    }
    ExitCode::SUCCESS
}

/// The next line. Meanwhile searches end.
fn next_line(mock: &mut Mock, lines: &Receiver<String>) -> Option<String> {
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

fn plan() -> Plan {
    let mut plan = Plan::default();
    for argument in std::env::args().skip(1) {
        let Some((name, value)) = argument.split_once('=') else { breach(&format!("argument {argument}")) };
        match name {
            "script" => plan.script = value.split(',').map(script_entry).collect(),
            "think" => plan.think = Duration::from_millis(value.parse().unwrap_or(0)),
            "fault" => {
                plan.fault = value.split_once('@').map(|(kind, ply)| (kind.to_owned(), ply.parse().unwrap_or(1)));
            }
            "start" => plan.start = Duration::from_millis(value.parse().unwrap_or(0)),
            "ready" => plan.ready = Duration::from_millis(value.parse().unwrap_or(0)),
            "marker" => plan.marker = Some(PathBuf::from(value)),
            "seed" => plan.seed = value.parse().unwrap_or(0),
            _ => breach(&format!("argument {argument}")),
        }
    }
    plan
}

fn script_entry(text: &str) -> (String, Option<String>) {
    let (own, expected) = text.split_once('/').unwrap_or((text, ""));
    (own.to_owned(), (!expected.is_empty()).then(|| expected.to_owned()))
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

impl Mock {
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
                std::thread::sleep(self.plan.ready);
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
        let is_fault = self.fault_is_due(&position);
        let kind = self.plan.fault.as_ref().map_or("", |(kind, _)| kind.as_str());
        let is = |name: &str| is_fault && kind == name;
        if (go.ponder && is("ponder-crash")) || (!go.ponder && is("crash")) {
            self.mark();
            exit(1);
        }
        if (go.ponder && is("ponder-hang")) || (!go.ponder && is("hang")) {
            self.mark();
            std::thread::sleep(Duration::from_secs(3600));
        }
        let is_slow = !go.ponder && is("slow");
        let due = if go.ponder || is_slow { None } else { Some(self.due(&position, &go.clocks)) };
        let early = (go.ponder && is("early-answer")).then(Instant::now);
        self.search = Some(Search { position, pondering: go.ponder, due: early.or(due), is_slow });
    }

    /// When to answer: after the planned time, but within the clocks' limits.
    fn due(&self, position: &Position, clocks: &Clocks) -> Instant {
        let (left, increment) = match position.side_to_move() {
            Color::Black => (clocks.btime, clocks.binc),
            Color::White => (clocks.wtime, clocks.winc),
        };
        let Some(left) = left else { breach("a search without times") };
        let all = left + increment.unwrap_or(0) + clocks.byoyomi.unwrap_or(0);
        Instant::now() + self.plan.think.min(Duration::from_millis(all.unsigned_abs() / 2))
    }

    fn ponder_hit(&mut self, clocks: Option<Clocks>) {
        let Some(mut search) = self.search.take().filter(|search| search.pondering) else {
            breach("ponderhit without a search on the other side's time")
        };
        search.pondering = false;
        search.due = Some(match clocks {
            Some(clocks) => self.due(&search.position, &clocks),
            None => Instant::now() + self.plan.think,
        });
        self.search = Some(search);
    }

    fn stop(&mut self) {
        if self.search.as_ref().is_some_and(|search| search.is_slow) {
            self.mark();
        }
        self.answer();
    }

    fn fault_is_due(&self, position: &Position) -> bool {
        let is_new = self.plan.marker.as_ref().is_none_or(|marker| !marker.exists());
        is_new && self.plan.fault.as_ref().is_some_and(|(_, ply)| position.ply() >= *ply)
    }

    fn mark(&self) {
        if let Some(marker) = &self.plan.marker
            && std::fs::write(marker, "").is_err()
        {
            breach("the marker cannot be made");
        }
    }

    fn answer(&mut self) {
        let Some(search) = self.search.take() else { return };
        let is_fault = self.fault_is_due(&search.position);
        let kind = self.plan.fault.as_ref().filter(|_| is_fault).map_or("", |(kind, _)| kind.as_str()).to_owned();
        if kind == "idle-crash" {
            self.mark();
            std::thread::spawn(|| {
                std::thread::sleep(Duration::from_millis(100));
                exit(1)
            });
        }
        let answer = match kind.as_str() {
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
        let scripted = self.plan.script.get(self.played).cloned();
        let scripted = scripted.filter(|(own, _)| position.parse_move(own).is_ok());
        if let Some((own, expected)) = scripted {
            self.played += usize::from(!is_dropped);
            let line = expected.iter().fold(own.clone(), |line, mv| format!("{line} {mv}"));
            say(&format!("info depth 3 score cp 42 nodes 1000 pv {line}"));
            return expected.map_or_else(|| BestMove::new(&own), |mv| BestMove::with_ponder(&own, mv)).to_string();
        }
        let moves = position.legal_moves();
        if moves.is_empty() {
            return "bestmove resign".to_owned();
        }
        let mixed =
            (position.key() ^ self.plan.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0x2545_f491_4f6c_dd1d);
        let mv = moves[(mixed >> 33) as usize % moves.len()];
        say(&format!("info depth 1 score cp -7 nodes {} pv {mv}", moves.len()));
        BestMove::new(mv).to_string()
    }
}

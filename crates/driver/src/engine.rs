//! An engine: the handshake, the options and one search at a time.

use std::fmt::Write as _;
use std::io;
use std::time::{Duration, Instant};

use crossbeam::channel::{after, select_biased};
use kiki_usi::{
    BestMove, Command, GameResult, GoSpec, Info, OptionDeclaration, OptionError, OptionSet, PositionSpec, Reply,
};

use crate::cancel::Cancel;
use crate::failure::{Failure, OptionRefusal};
use crate::log::{Direction, LineLog};
use crate::process::{Process, describe};
use crate::program::Program;
use crate::reader::{Ears, listen};

/// How long an engine may take for what is no thinking.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timeouts {
    /// From the start to `usiok`.
    pub start: Duration,
    /// From `isready` to `readyok`: large evaluation files are loaded then.
    pub ready: Duration,
    /// From `quit` to the end of the process.
    pub quit: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { start: Duration::from_secs(30), ready: Duration::from_secs(120), quit: Duration::from_secs(2) }
    }
}

/// How often a process is looked at while its answer is awaited.
const PULSE: Duration = Duration::from_millis(20);

/// How long the reading of what an ended engine has said may take. Nobody holds its pipes any more, so that a busy machine is the only
/// reason to wait.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Who an engine says it is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Identity {
    /// `id name`.
    pub name: String,
    /// `id author`.
    pub author: String,
    /// The options that it declares, in its order.
    pub options: Vec<OptionDeclaration>,
}

/// The answer to a `go`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// What it plays.
    pub best: BestMove,
    /// From the moment `go` was sent to the moment the answer was read.
    pub elapsed: Duration,
    /// What it last told about its best line; empty if nothing.
    pub info: Info,
}

/// How an engine left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Departure {
    /// By itself, in time.
    Clean,
    /// It had to be killed.
    Killed,
}

/// A running engine. Dropping it kills it with all that it has started.
pub struct Engine {
    process: Process,
    ears: Ears,
    log: Option<LineLog>,
    cancel: Cancel,
    timeouts: Timeouts,
    identity: Identity,
    /// When the last `go` or `ponderhit` was sent.
    since: Instant,
}

impl Engine {
    /// Starts the program and waits for `usiok`.
    ///
    /// # Errors
    /// The program does not start, ends or says no `usiok` in time.
    pub fn start(program: &Program, timeouts: Timeouts, cancel: &Cancel) -> Result<Self, Failure> {
        Self::start_logged(program, timeouts, cancel, None)
    }

    /// The same, with somebody who hears every line in both directions.
    ///
    /// # Errors
    /// Those of [`Engine::start`].
    pub fn start_logged(
        program: &Program,
        timeouts: Timeouts,
        cancel: &Cancel,
        log: Option<LineLog>,
    ) -> Result<Self, Failure> {
        let cannot = |error: io::Error| Failure::CannotStart { command: program.line(), reason: error.to_string() };
        let (process, (output, errors)) = Process::start(program).map_err(cannot)?;
        let ears = listen(output, errors, log.as_ref());
        let cancel = cancel.clone();
        let since = Instant::now();
        let mut engine = Self { process, ears, log, cancel, timeouts, identity: Identity::default(), since };
        engine.send("usi\n", "usiok")?;
        let deadline = Some(since + timeouts.start);
        let mut identity = Identity::default();
        loop {
            match engine.wait(deadline, "usiok")?.0 {
                Reply::UsiOk => break,
                Reply::IdName(name) => identity.name = name,
                Reply::IdAuthor(author) => identity.author = author,
                Reply::Option(option) => identity.options.push(option),
                _ => {}
            }
        }
        engine.identity = identity;
        Ok(engine)
    }

    /// Who it is and what options it has.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Sets an option that the engine has to a value that it takes.
    ///
    /// # Errors
    /// See [`OptionRefusal`]. `USI_Hash` and `USI_Ponder` need not be declared: by the protocol every engine has them.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionRefusal> {
        let by_protocol = ["USI_Hash", "USI_Ponder"].iter().any(|known| known.eq_ignore_ascii_case(name));
        match self.check_option(name, value) {
            Err(OptionError::Unknown(_)) if by_protocol => {}
            Err(error @ OptionError::Unknown(_)) => {
                let known = self.identity.options.iter().map(|option| option.name.clone()).collect();
                return Err(OptionRefusal::Invalid { error, known });
            }
            Err(error) => return Err(OptionRefusal::Invalid { error, known: Vec::new() }),
            Ok(()) => {}
        }
        let command =
            Command::SetOption { name: name.to_owned(), value: (!value.is_empty()).then(|| value.to_owned()) };
        Ok(self.send(&format!("{command}\n"), "setoption")?)
    }

    fn check_option(&self, name: &str, value: &str) -> Result<(), OptionError> {
        let mut options = OptionSet::default();
        let declared = self.identity.options.iter().rfind(|option| option.is_named(name));
        // Strange declarations are the engine's own affair: what cannot be checked is sent as it is.
        if declared.is_some_and(|option| options.declare(option.clone()).is_err()) {
            return Ok(());
        }
        options.set(name, Some(value)).map(|_| ())
    }

    /// Sends `isready` and waits for `readyok`.
    ///
    /// # Errors
    /// It ends or says no `readyok` in time.
    pub fn ready(&mut self) -> Result<(), Failure> {
        self.send("isready\n", "readyok")?;
        let deadline = Some(Instant::now() + self.timeouts.ready);
        while self.wait(deadline, "readyok")?.0 != Reply::ReadyOk {}
        Ok(())
    }

    /// Sends `usinewgame`.
    ///
    /// # Errors
    /// It has ended.
    pub fn new_game(&mut self) -> Result<(), Failure> {
        self.send("usinewgame\n", "usinewgame")
    }

    /// Sends `gameover`. An engine that has ended meanwhile is noticed by whoever asks it next.
    pub fn game_over(&mut self, result: GameResult) {
        let _ = self.tell(&format!("{}\n", Command::GameOver(result)));
    }

    /// Sends a position and `go`. What the engine said before is forgotten, so that an answer given twice is not taken for the next one.
    ///
    /// # Errors
    /// It has ended.
    pub fn go(&mut self, position: &PositionSpec, go: &GoSpec) -> Result<(), Failure> {
        while self.ears.answers.try_recv().is_ok() {}
        self.ears.heard.lock().forget_search();
        let mut lines = String::with_capacity(64 + 6 * position.moves.len());
        let _ = writeln!(lines, "{position}\n{go}");
        self.since = Instant::now();
        self.send(&lines, "bestmove")
    }

    /// Waits for `bestmove`; without a deadline as long as it takes.
    ///
    /// # Errors
    /// It ends, or says no `bestmove` in time: then it is still searching.
    pub fn answer(&mut self, deadline: Option<Instant>) -> Result<Answer, Failure> {
        loop {
            let (reply, at) = self.wait(deadline, "bestmove")?;
            if let Reply::BestMove(best) = reply {
                let elapsed = at.saturating_duration_since(self.since);
                return Ok(Answer { best, elapsed, info: self.told() });
            }
        }
    }

    /// Sends `ponderhit`: the move pondered on was played, and thinking counts from now.
    ///
    /// # Errors
    /// It has ended.
    pub fn ponder_hit(&mut self) -> Result<(), Failure> {
        self.since = Instant::now();
        self.send("ponderhit\n", "bestmove")
    }

    /// Sends `stop`; `bestmove` is still to be awaited.
    ///
    /// # Errors
    /// It has ended.
    pub fn stop(&mut self) -> Result<(), Failure> {
        self.send("stop\n", "bestmove")
    }

    /// When the last `go` or `ponderhit` was sent.
    #[must_use]
    pub fn thinking_since(&self) -> Instant {
        self.since
    }

    /// The last lines that it said, oldest first.
    #[must_use]
    pub fn said(&self) -> Vec<String> {
        self.ears.heard.lock().tail.lines()
    }

    /// Sends `quit`, waits, and kills what is left.
    pub fn quit(mut self) -> Departure {
        let _ = self.tell("quit\n");
        self.process.hang_up();
        if self.process.wait(self.timeouts.quit) { Departure::Clean } else { Departure::Killed }
    }

    /// What it last told about its best line.
    fn told(&self) -> Info {
        let heard = self.ears.heard.lock();
        let parse = |line: &[u8]| match Reply::parse(line) {
            Reply::Info(info) => *info,
            _ => Info::default(),
        };
        let mut info = parse(&heard.scored);
        // Another line may hold a later count.
        let counted = parse(&heard.counted);
        info.nodes = counted.nodes.max(info.nodes);
        info
    }

    fn send(&mut self, lines: &str, awaited: &str) -> Result<(), Failure> {
        self.tell(lines).map_err(|_| self.ended(awaited))
    }

    fn tell(&mut self, lines: &str) -> io::Result<()> {
        if let Some(log) = &self.log {
            lines.lines().for_each(|line| log(Direction::Told, line.as_bytes()));
        }
        self.process.send(lines)
    }

    /// The next answer of any kind with the moment it was read.
    fn wait(&mut self, mut deadline: Option<Instant>, awaited: &str) -> Result<(Reply, Instant), Failure> {
        let began = Instant::now();
        let mut ended = false;
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let pulse = after(left.map_or(PULSE, |left| left.min(PULSE)));
            select_biased! {
                recv(self.cancel.receiver()) -> _ => return Err(Failure::Cancelled),
                recv(self.ears.answers) -> line => {
                    let line = line.map_err(|_| self.ended(awaited))?;
                    return Ok((Reply::parse(&line.text), line.at));
                },
                recv(pulse) -> _ => {}
            }
            if !ended && self.process.has_ended() {
                // Its children may hold its pipes, whose end would then never come. What it said before it ended still counts.
                self.process.end();
                ended = true;
                deadline = Some(Instant::now() + LAST_WORDS);
            } else if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                return Err(if ended { self.ended(awaited) } else { self.silent(awaited, began) });
            }
        }
    }

    fn silent(&self, awaited: &str, began: Instant) -> Failure {
        Failure::Silent { awaited: awaited.to_owned(), waited: began.elapsed(), said: self.said() }
    }

    /// How it ended. Its last words may still be on their way.
    fn ended(&mut self, awaited: &str) -> Failure {
        // A process that closes its streams is mostly about to end.
        let has_ended = self.process.wait(LAST_WORDS);
        let status = if has_ended { self.process.end() } else { None };
        let how = status.map_or_else(|| "closed its streams".to_owned(), describe);
        let _ = self.ears.silence.recv_timeout(if has_ended { LAST_WORDS } else { Duration::ZERO });
        Failure::Ended { awaited: awaited.to_owned(), how, said: self.said() }
    }
}

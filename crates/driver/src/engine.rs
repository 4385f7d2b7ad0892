//! A running USI engine: the handshake, the options, one search at a time, and the wait for each
//! answer.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, TryRecvError, after, never, select_biased};
use kiki_usi::{
    BestMove, Clocks, Command, GameResult, GoSpec, Info, OptionDeclaration, OptionError, OptionSet, PositionSpec, Reply,
};

use crate::answers::{AnswerLine, MAX_OPTION_BYTES, MAX_OPTIONS};
use crate::cancellation::CancellationToken;
use crate::error::{EngineError, SetOptionError, StartError};
use crate::process::{INPUT_PART, Process, describe};
use crate::program::Program;
use crate::reader::{EngineReader, LineDirection, LineLogger, spawn_readers};

/// Time limits of an engine for everything but searching.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timeouts {
    /// From the start to `usiok`.
    pub start: Duration,
    /// From `isready` to `readyok`, while large evaluation files load.
    pub ready: Duration,
    /// From `quit` to the end of the process.
    pub quit: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { start: Duration::from_secs(30), ready: Duration::from_secs(120), quit: Duration::from_secs(2) }
    }
}

/// Name, author and options of an engine, as it declares them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EngineIdentity {
    /// `id name`.
    pub name: String,
    /// `id author`.
    pub author: String,
    /// The options that it declares, in its order.
    pub options: Vec<OptionDeclaration>,
}

/// How an engine ended after `quit`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QuitOutcome {
    /// By itself, in time.
    Clean,
    /// It had to be killed.
    Killed,
}

/// A running engine. Dropping it kills it with all its descendants.
pub struct UsiEngine {
    pub(crate) process: Process,
    pub(crate) reader: EngineReader,
    pub(crate) logger: Option<LineLogger>,
    pub(crate) cancel: CancellationToken,
    timeouts: Timeouts,
    identity: EngineIdentity,
    /// The last values sent, by names in lower case.
    told: BTreeMap<String, String>,
    /// When the last `go` or `ponderhit` was sent.
    pub(crate) since: Instant,
}

impl UsiEngine {
    /// Starts the program and waits for `usiok`. A logger receives every line in both directions.
    pub fn start(
        program: &Program,
        timeouts: Timeouts,
        cancel: &CancellationToken,
        logger: Option<LineLogger>,
    ) -> Result<Self, EngineError> {
        let cannot = |error: io::Error| EngineError::CannotStart { command: program.line(), reason: error.to_string() };
        let (process, (output, errors)) = Process::start(program).map_err(cannot)?;
        let reader = spawn_readers(output, errors, logger.as_ref());
        let cancel = cancel.clone();
        let since = Instant::now();
        let (identity, told) = (EngineIdentity::default(), BTreeMap::new());
        let mut engine = Self { process, reader, logger, cancel, timeouts, identity, told, since };
        engine.request("usi\n", "usiok")?;
        let deadline = Some(since + timeouts.start);
        let mut identity = EngineIdentity::default();
        let mut option_bytes = 0;
        engine.wait(deadline, "usiok", |reply| {
            match reply {
                Reply::UsiOk => return Ok(Some(())),
                Reply::IdName(name) => identity.name = name,
                Reply::IdAuthor(author) => identity.author = author,
                Reply::Option(option) => {
                    option_bytes += option.to_string().len();
                    if identity.options.len() == MAX_OPTIONS || option_bytes > MAX_OPTION_BYTES {
                        return Err(EngineError::TooManyOptions);
                    }
                    identity.options.push(option);
                }
                _ => {}
            }
            Ok(None)
        })?;
        engine.identity = identity;
        Ok(engine)
    }

    /// Its name, author and options.
    #[must_use]
    pub fn identity(&self) -> &EngineIdentity {
        &self.identity
    }

    /// Sets one of the engine's options to a valid value.
    ///
    /// # Errors
    /// See [`SetOptionError`]. `USI_Hash` and `USI_Ponder` need not be declared: by the protocol
    /// every engine has them.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), SetOptionError> {
        let by_protocol = ["USI_Hash", "USI_Ponder"].iter().any(|known| known.eq_ignore_ascii_case(name));
        match self.check_option(name, value) {
            Err(OptionError::Unknown(_)) if by_protocol => {}
            Err(error @ OptionError::Unknown(_)) => {
                let known = self.identity.options.iter().map(|option| option.name.clone()).collect();
                return Err(SetOptionError::Invalid { error, known });
            }
            Err(error) => return Err(SetOptionError::Invalid { error, known: Vec::new() }),
            Ok(()) => {}
        }
        let command =
            Command::SetOption { name: name.to_owned(), value: (!value.is_empty()).then(|| value.to_owned()) };
        self.request(&format!("{command}\n"), "setoption")?;
        self.told.insert(name.to_ascii_lowercase(), value.to_owned());
        Ok(())
    }

    /// Sets an option unless the engine lacks it, or this value was the last that it was told.
    /// Returns whether it was sent.
    ///
    /// # Errors
    /// The engine refuses the value or has failed.
    pub fn offer_option(&mut self, name: &str, value: &str) -> Result<bool, SetOptionError> {
        if self.told.get(&name.to_ascii_lowercase()).is_some_and(|told| told == value) {
            return Ok(false);
        }
        match self.set_option(name, value) {
            Err(SetOptionError::Invalid { error: OptionError::Unknown(_), .. }) => Ok(false),
            result => result.map(|()| true),
        }
    }

    fn check_option(&self, name: &str, value: &str) -> Result<(), OptionError> {
        let mut options = OptionSet::default();
        let declared = self.identity.options.iter().rfind(|option| option.is_named(name));
        // An invalid declaration allows no check, so the value is sent unchecked.
        if declared.is_some_and(|option| options.declare(option.clone()).is_err()) {
            return Ok(());
        }
        options.set(name, Some(value)).map(|_| ())
    }

    /// Replaces the token that cancels its waits.
    pub fn set_cancellation(&mut self, cancel: &CancellationToken) {
        self.cancel = cancel.clone();
    }

    /// Sends `isready` and waits for `readyok`.
    pub fn ready(&mut self) -> Result<(), EngineError> {
        self.request("isready\n", "readyok")?;
        let deadline = Some(Instant::now() + self.timeouts.ready);
        self.wait(deadline, "readyok", |reply| Ok((reply == Reply::ReadyOk).then_some(())))?;
        Ok(())
    }

    /// Sends `usinewgame`.
    pub fn new_game(&mut self) -> Result<(), EngineError> {
        self.request("usinewgame\n", "usinewgame")
    }

    /// Sends `gameover`. If the engine has ended meanwhile, the next command reports it.
    pub fn game_over(&mut self, result: GameResult) {
        let _ = self.send(&format!("{}\n", Command::GameOver(result)));
    }

    /// Sends a position and `go`. Drops earlier output, so that a second `bestmove` does not answer
    /// the next search.
    pub fn go(&mut self, position: &PositionSpec, go: &GoSpec) -> Result<(), EngineError> {
        // A bounded number, because a flood may arrive faster than it is dropped.
        self.reader.answers.try_iter().take(self.reader.answers.len()).for_each(drop);
        self.reader.output.lock().forget_search();
        let mut lines = String::with_capacity(64 + 6 * position.moves.len());
        let _ = writeln!(lines, "{position}\n{go}");
        self.begin_search(&lines)
    }

    /// Waits for `bestmove`, without a deadline as long as it takes.
    ///
    /// # Errors
    /// It ends, or prints no `bestmove` before the deadline; it is then still searching.
    pub fn answer(&mut self, deadline: Option<Instant>) -> Result<EngineAnswer, EngineError> {
        loop {
            if let AnswerOr::Answer(answer) = self.answer_or(deadline, &never::<()>())? {
                return Ok(*answer);
            }
        }
    }

    /// Waits for `bestmove` or for a message, such as a request to stop. A message does not end the
    /// search.
    ///
    /// # Errors
    /// Those of [`UsiEngine::answer`]; and [`EngineError::Cancelled`] if all senders of messages
    /// are gone.
    pub fn answer_or<T>(
        &mut self,
        deadline: Option<Instant>,
        messages: &Receiver<T>,
    ) -> Result<AnswerOr<T>, EngineError> {
        let accept = |reply| {
            let Reply::BestMove(best) = reply else { return Ok(None) };
            Ok(Some(best))
        };
        match self.wait_or(deadline, "bestmove", messages, accept)? {
            AnswerOr::Message(message) => Ok(AnswerOr::Message(message)),
            AnswerOr::Answer((best, at)) => {
                let elapsed = at.saturating_duration_since(self.since);
                let lines = self.reader.output.lock().search.lines();
                let answer = EngineAnswer { best, elapsed, info: self.last_info(), lines, texts: self.texts() };
                Ok(AnswerOr::Answer(Box::new(answer)))
            }
        }
    }

    /// Sends `ponderhit`: the expected move was played, and the time of the search counts from now.
    /// The clocks are for engines that did not get them with `go ponder`.
    pub fn ponder_hit(&mut self, clocks: Option<Clocks>) -> Result<(), EngineError> {
        let command = Command::PonderHit(clocks.filter(|clocks| !clocks.is_empty()));
        self.begin_search(&format!("{command}\n"))
    }

    /// Sends `stop`; the caller must still wait for `bestmove`.
    pub fn stop(&mut self) -> Result<(), EngineError> {
        self.request("stop\n", "bestmove")
    }

    /// When the last `go` or `ponderhit` was sent.
    #[must_use]
    pub fn search_started_at(&self) -> Instant {
        self.since
    }

    /// The last `info string` texts, oldest first: those of the handshake, or of the search once
    /// one has begun. At most 32, each at most 4 KiB.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        self.reader.output.lock().search.texts()
    }

    /// The last lines of its output, standard error included, oldest first.
    #[must_use]
    pub fn last_lines(&self) -> Vec<String> {
        self.reader.output.lock().recent.lines()
    }

    /// Sends a command outside USI. Only the logger sees its output.
    pub fn send_extension(&mut self, command: &str) -> Result<(), EngineError> {
        self.request(&format!("{command}\n"), command)
    }

    /// Sends `quit`, waits, and kills what is left.
    pub fn quit(mut self) -> QuitOutcome {
        let _ = self.send("quit\n");
        self.process.close_input();
        if self.process.wait(self.timeouts.quit) { QuitOutcome::Clean } else { QuitOutcome::Killed }
    }

    /// The last `info` about the best line since the last `go`; empty if none came.
    #[must_use]
    pub fn last_info(&self) -> Info {
        let output = self.reader.output.lock();
        let parse = |line: &[u8]| match Reply::parse(line) {
            Reply::Info(info) => *info,
            _ => Info::default(),
        };
        let mut info = parse(&output.scored);
        // Another line may have a later count.
        let counted = parse(&output.counted);
        info.nodes = counted.nodes.max(info.nodes);
        info.has_impossible_count |= counted.has_impossible_count;
        info
    }
}

/// The program to start and its setup.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineSpec {
    /// The program.
    pub program: Program,
    /// Names and values of its options, in the order in which they are set.
    pub options: Vec<(String, String)>,
    /// Whether the engine will ponder. `USI_Ponder` is then set unless `options` has it.
    pub ponders: bool,
}

impl EngineSpec {
    /// Whether `options` gives this option a value.
    #[must_use]
    pub fn sets(&self, option: &str) -> bool {
        self.options.iter().any(|(name, _)| name.eq_ignore_ascii_case(option))
    }

    /// Starts the program and sets its options. A logger receives every line in both directions.
    pub fn start(
        &self,
        timeouts: Timeouts,
        cancel: &CancellationToken,
        logger: Option<LineLogger>,
    ) -> Result<UsiEngine, StartError> {
        let mut engine = UsiEngine::start(&self.program, timeouts, cancel, logger)?;
        for (name, value) in &self.options {
            engine.set_option(name, value)?;
        }
        if self.ponders && !self.sets("USI_Ponder") {
            engine.set_option("USI_Ponder", "true")?;
        }
        Ok(engine)
    }
}

/// How often the process is checked while its answer is awaited.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// How long an engine may leave its input pipe full.
const INPUT_TIMEOUT: Duration = Duration::from_secs(5);

/// Time to read the remaining output of an ended process. No process holds its pipes, so only a
/// busy machine needs it.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

/// A waiting thread checks its clock every [`POLL_INTERVAL`]. A longer gap means that this process
/// was stopped or had no processor. Then the arrival of a line during the gap is unknown.
const STANDSTILL: Duration = Duration::from_millis(100);

/// The arrival of a line that was read `at` a time, after the caller had last `looked` in vain. If
/// the caller could not look at the deadline, lines that arrived meanwhile count as in time,
/// whichever thread woke first.
fn arrival(at: Instant, looked: Instant, deadline: Option<Instant>) -> Instant {
    let at = if at.saturating_duration_since(looked) > STANDSTILL { looked } else { at };
    deadline.map_or(at, |deadline| at.min(deadline))
}

impl UsiEngine {
    pub(crate) fn request(&mut self, lines: &str, awaited: &str) -> Result<(), EngineError> {
        let began = Instant::now();
        self.send(lines).map_err(|error| match error.kind() {
            io::ErrorKind::TimedOut => self.timed_out(awaited, began),
            io::ErrorKind::Interrupted => EngineError::Cancelled,
            _ => self.ended(awaited),
        })
    }

    pub(crate) fn send(&mut self, lines: &str) -> io::Result<()> {
        if let Some(logger) = &self.logger {
            lines.lines().for_each(|line| logger(LineDirection::ToEngine, line.as_bytes()));
        }
        let deadline = Instant::now() + INPUT_TIMEOUT;
        for part in lines.as_bytes().chunks(INPUT_PART) {
            while !self.process.takes_input(POLL_INTERVAL)? {
                if self.cancel.is_cancelled() {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                if deadline <= Instant::now() {
                    return Err(io::ErrorKind::TimedOut.into());
                }
            }
            self.process.send(part)?;
        }
        Ok(())
    }

    /// Sends lines that begin a search. Its time counts from now.
    pub(crate) fn begin_search(&mut self, lines: &str) -> Result<(), EngineError> {
        let before = Instant::now();
        self.request(lines, "bestmove")?;
        let after = Instant::now();
        // A standstill of this program is not charged to the engine.
        self.since = if after - before > STANDSTILL { after } else { before };
        Ok(())
    }

    /// Waits for a reply accepted by `accept`, and returns it with its arrival. Drops all other
    /// replies.
    pub(crate) fn wait<T>(
        &mut self,
        deadline: Option<Instant>,
        awaited: &str,
        accept: impl FnMut(Reply) -> Result<Option<T>, EngineError>,
    ) -> Result<(T, Instant), EngineError> {
        match self.wait_or(deadline, awaited, &never::<()>(), accept)? {
            AnswerOr::Answer(accepted) => Ok(accepted),
            // All message senders are gone.
            AnswerOr::Message(()) => Err(EngineError::Cancelled),
        }
    }

    /// Like [`UsiEngine::wait`], but returns a message if one comes first. A flood of other lines
    /// does not prolong the wait.
    pub(crate) fn wait_or<T, M>(
        &mut self,
        deadline: Option<Instant>,
        awaited: &str,
        messages: &Receiver<M>,
        mut accept: impl FnMut(Reply) -> Result<Option<T>, EngineError>,
    ) -> Result<AnswerOr<M, (T, Instant)>, EngineError> {
        let began = Instant::now();
        let mut until = deadline;
        let mut ended = false;
        loop {
            let looked = Instant::now();
            let mut accepted = |line: &AnswerLine| {
                let accepted = accept(Reply::parse(&line.text))?;
                Ok(accepted.map(|accepted| AnswerOr::Answer((accepted, arrival(line.at, looked, deadline)))))
            };
            let left = until.map(|until| until.saturating_duration_since(looked));
            let poll = after(left.map_or(POLL_INTERVAL, |left| left.min(POLL_INTERVAL)));
            select_biased! {
                recv(self.cancel.receiver()) -> _ => return Err(EngineError::Cancelled),
                recv(self.reader.answers) -> line => {
                    let line = line.map_err(|_| self.ended(awaited))?;
                    if let Some(accepted) = accepted(&line)? {
                        return Ok(accepted);
                    }
                    // A flood of other lines must not delay a message.
                    match messages.try_recv() {
                        Ok(message) => return Ok(AnswerOr::Message(message)),
                        Err(TryRecvError::Disconnected) => return Err(EngineError::Cancelled),
                        Err(TryRecvError::Empty) => {}
                    }
                },
                recv(messages) -> message => {
                    return message.map(AnswerOr::Message).map_err(|_| EngineError::Cancelled);
                },
                recv(poll) -> _ => {}
            }
            if !ended && self.process.has_ended() {
                // Its children may hold its pipes open forever. Lines printed before the end still
                // count.
                self.process.end();
                ended = true;
                until = Some(Instant::now() + DRAIN_TIMEOUT);
            } else if until.is_some_and(|until| until <= Instant::now()) {
                for line in self.reader.unread_answers() {
                    if let Some(accepted) = accepted(&line)? {
                        return Ok(accepted);
                    }
                }
                return Err(if ended { self.ended(awaited) } else { self.timed_out(awaited, began) });
            }
        }
    }

    fn timed_out(&self, awaited: &str, began: Instant) -> EngineError {
        EngineError::TimedOut { awaited: awaited.to_owned(), waited: began.elapsed(), last_lines: self.last_lines() }
    }

    /// The error for an ended engine, after its last lines are read.
    fn ended(&mut self, awaited: &str) -> EngineError {
        // A process that closes its streams usually ends soon.
        let has_ended = self.process.wait(DRAIN_TIMEOUT);
        let status = if has_ended { self.process.end() } else { None };
        let how = status.map_or_else(|| "closed its streams".to_owned(), describe);
        let _ = self.reader.end.recv_timeout(if has_ended { DRAIN_TIMEOUT } else { Duration::ZERO });
        EngineError::Ended { awaited: awaited.to_owned(), how, last_lines: self.last_lines() }
    }
}

/// The answer to a `go`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineAnswer {
    /// The move, resignation or declaration.
    pub best: BestMove,
    /// From sending `go` to reading the answer. Time in which this program was stopped does not
    /// count. An answer that had arrived by the deadline counts as arriving at the deadline.
    pub elapsed: Duration,
    /// The last `info` about the best line; empty if none came.
    pub info: Info,
    /// The last `info` with score and line of play for each rank, in order: an exact one if there
    /// was one, else a bound. Ranks of different iterations may begin with the same move.
    pub lines: Vec<Info>,
    /// The last `info string` texts, oldest first.
    pub texts: Vec<String>,
}

/// The first event of a wait: an answer, or a message for the waiting thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AnswerOr<M, A = Box<EngineAnswer>> {
    /// The engine's answer.
    Answer(A),
    /// The message.
    Message(M),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_after_a_standstill_was_in_time() {
        let looked = Instant::now();
        let after = |milliseconds| looked + Duration::from_millis(milliseconds);
        let deadline = Some(after(50));
        assert_eq!(arrival(after(15), looked, deadline), after(15));
        assert_eq!(arrival(after(60), looked, deadline), after(50), "the caller itself was late by a little");
        assert_eq!(arrival(after(3000), looked, deadline), looked, "nothing is known of the time between");
        assert_eq!(arrival(after(3000), looked, Some(after(5000))), looked);
        assert_eq!(arrival(looked, after(15), None), looked, "read before the caller asked");
    }
}

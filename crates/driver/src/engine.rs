//! A running USI engine: the handshake, the options and one search at a time.

use std::fmt::Write as _;
use std::io;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, never};
use kiki_usi::{
    BestMove, Clocks, Command, GameResult, GoSpec, Info, OptionDeclaration, OptionError, OptionSet, PositionSpec, Reply,
};

use crate::answer::{AcceptedOr, AnswerOr, EngineAnswer};
use crate::answer_queue::{MAX_OPTION_BYTES, MAX_OPTIONS};
use crate::cancellation::CancellationToken;
use crate::error::{EngineError, SetOptionError};
use crate::line_logger::LineLogger;
use crate::process::Process;
use crate::program::Program;
use crate::reader::{EngineReader, spawn_readers};

/// How long an engine may take for everything but searching.
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

/// A running engine. Dropping it kills it with all that it has started.
pub struct UsiEngine {
    pub(crate) process: Process,
    pub(crate) reader: EngineReader,
    pub(crate) logger: Option<LineLogger>,
    pub(crate) cancel: CancellationToken,
    timeouts: Timeouts,
    identity: EngineIdentity,
    /// When the last `go` or `ponderhit` was sent.
    pub(crate) since: Instant,
}

impl UsiEngine {
    /// Starts the program and waits for `usiok`.
    ///
    /// # Errors
    /// The program does not start, ends, declares options without end or says no `usiok` in time.
    pub fn start(program: &Program, timeouts: Timeouts, cancel: &CancellationToken) -> Result<Self, EngineError> {
        Self::start_with_logger(program, timeouts, cancel, None)
    }

    /// Like [`UsiEngine::start`], with a logger that receives every line in both directions.
    ///
    /// # Errors
    /// Those of [`UsiEngine::start`].
    pub fn start_with_logger(
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
        let mut engine = Self { process, reader, logger, cancel, timeouts, identity: EngineIdentity::default(), since };
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

    /// Sets an option that the engine has to a value that it takes.
    ///
    /// # Errors
    /// See [`SetOptionError`]. `USI_Hash` and `USI_Ponder` need not be declared: by the protocol every engine has them.
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
        Ok(self.request(&format!("{command}\n"), "setoption")?)
    }

    fn check_option(&self, name: &str, value: &str) -> Result<(), OptionError> {
        let mut options = OptionSet::default();
        let declared = self.identity.options.iter().rfind(|option| option.is_named(name));
        // A declaration that makes no sense cannot be checked against: the value is sent as it is.
        if declared.is_some_and(|option| options.declare(option.clone()).is_err()) {
            return Ok(());
        }
        options.set(name, Some(value)).map(|_| ())
    }

    /// From now on this token ends its waits, and the one before no longer does.
    pub fn set_cancellation(&mut self, cancel: &CancellationToken) {
        self.cancel = cancel.clone();
    }

    /// Sends `isready` and waits for `readyok`.
    ///
    /// # Errors
    /// It ends or says no `readyok` in time.
    pub fn ready(&mut self) -> Result<(), EngineError> {
        self.request("isready\n", "readyok")?;
        let deadline = Some(Instant::now() + self.timeouts.ready);
        self.wait(deadline, "readyok", |reply| Ok((reply == Reply::ReadyOk).then_some(())))?;
        Ok(())
    }

    /// Sends `usinewgame`.
    ///
    /// # Errors
    /// It has ended.
    pub fn new_game(&mut self) -> Result<(), EngineError> {
        self.request("usinewgame\n", "usinewgame")
    }

    /// Sends `gameover`. That an engine has ended meanwhile is an error of the next command.
    pub fn game_over(&mut self, result: GameResult) {
        let _ = self.send(&format!("{}\n", Command::GameOver(result)));
    }

    /// Sends a position and `go`. Earlier output is dropped, so that a `bestmove` printed twice is not taken for the next one.
    ///
    /// # Errors
    /// It has ended.
    pub fn go(&mut self, position: &PositionSpec, go: &GoSpec) -> Result<(), EngineError> {
        // No more than there are now: they may come faster than they are dropped.
        self.reader.answers.try_iter().take(self.reader.answers.len()).for_each(drop);
        self.reader.output.lock().forget_search();
        let mut lines = String::with_capacity(64 + 6 * position.moves.len());
        let _ = writeln!(lines, "{position}\n{go}");
        self.begin_search(&lines)
    }

    /// Waits for `bestmove`; without a deadline as long as it takes.
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

    /// Waits for `bestmove` or for a message, such as that the search is to be stopped. A message does not end the search.
    ///
    /// # Errors
    /// Those of [`UsiEngine::answer`]; and [`EngineError::Cancelled`] if nobody can send a message any more.
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
            AcceptedOr::Message(message) => Ok(AnswerOr::Message(message)),
            AcceptedOr::Accepted(best, at) => {
                let elapsed = at.saturating_duration_since(self.since);
                Ok(AnswerOr::Answer(Box::new(self.answer_with(best, elapsed))))
            }
        }
    }

    fn answer_with(&self, best: BestMove, elapsed: Duration) -> EngineAnswer {
        let (lines, texts) = {
            let output = self.reader.output.lock();
            (output.search.lines(), output.search.texts())
        };
        EngineAnswer { best, elapsed, info: self.last_info(), lines, texts }
    }

    /// Sends `ponderhit`: the expected move was played, and the time of the search counts from now. An engine that was not told the clocks by
    /// `go ponder` is told them here.
    ///
    /// # Errors
    /// It has ended.
    pub fn ponder_hit(&mut self, clocks: Option<Clocks>) -> Result<(), EngineError> {
        let command = Command::PonderHit(clocks.filter(|clocks| !clocks.is_empty()));
        self.begin_search(&format!("{command}\n"))
    }

    /// Sends `stop`; the caller still has to wait for `bestmove`.
    ///
    /// # Errors
    /// It has ended.
    pub fn stop(&mut self) -> Result<(), EngineError> {
        self.request("stop\n", "bestmove")
    }

    /// When the last `go` or `ponderhit` was sent.
    #[must_use]
    pub fn search_started_at(&self) -> Instant {
        self.since
    }

    /// The last texts that it printed as `info string`, oldest first: those of the handshake, and of a search once one has begun. At most 32, and
    /// none longer than 4 KiB.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        self.reader.output.lock().search.texts()
    }

    /// The last lines of its output, standard error included, oldest first.
    #[must_use]
    pub fn last_lines(&self) -> Vec<String> {
        self.reader.output.lock().recent.lines()
    }

    /// Sends a command that is not part of USI. Its output reaches the logger alone.
    ///
    /// # Errors
    /// It has ended.
    pub fn send_extension(&mut self, command: &str) -> Result<(), EngineError> {
        self.request(&format!("{command}\n"), command)
    }

    /// Sends `quit`, waits, and kills what is left.
    pub fn quit(mut self) -> QuitOutcome {
        let _ = self.send("quit\n");
        self.process.close_input();
        if self.process.wait(self.timeouts.quit) { QuitOutcome::Clean } else { QuitOutcome::Killed }
    }

    /// Its last `info` about the best line since the last `go`; empty if there was none.
    #[must_use]
    pub fn last_info(&self) -> Info {
        let output = self.reader.output.lock();
        let parse = |line: &[u8]| match Reply::parse(line) {
            Reply::Info(info) => *info,
            _ => Info::default(),
        };
        let mut info = parse(&output.scored);
        // Another line may hold a later count.
        let counted = parse(&output.counted);
        info.nodes = counted.nodes.max(info.nodes);
        info
    }
}

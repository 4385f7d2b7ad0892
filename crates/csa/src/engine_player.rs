//! The engine: its process, what it is doing, and waiting for it and for the rest of the world at once.

use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, RecvTimeoutError};
use kiki_driver::{
    AnswerOr, CancellationToken, EngineAnswer, EngineError, LineLogger, Program, SetOptionError, Timeouts, UsiEngine,
};
use kiki_usi::{Clocks, GameResult, GoSpec, Info};

use crate::game_action::Task;

/// How long an engine may take to answer `stop` when nothing depends on it.
pub(crate) const STOP_TIMEOUT: Duration = Duration::from_secs(3);

/// The option by which engines learn after how many moves a game is a draw.
const MAX_MOVES_OPTION: &str = "MaxMovesToDraw";

/// What to start and how.
#[derive(Clone, Debug)]
pub struct EngineSpec {
    /// The program.
    pub program: Program,
    /// Names and values, in this order.
    pub options: Vec<(String, String)>,
    /// Whether the engine will be told to ponder.
    pub ponders: bool,
}

/// Why an engine cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PlayerError {
    /// It does not start, does not get ready, or has ended.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// It does not take an option.
    #[error(transparent)]
    SetOption(#[from] SetOptionError),
}

impl PlayerError {
    /// Whether nobody wants the engine any more.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        matches!(
            self,
            Self::Engine(EngineError::Cancelled) | Self::SetOption(SetOptionError::Failed(EngineError::Cancelled))
        )
    }
}

/// What came first.
#[derive(Debug)]
pub enum Waited<T> {
    /// Something outside of the engine.
    Event(T),
    /// The answer to the search for the own move.
    Answer(Box<EngineAnswer>),
    /// The time to wait has passed.
    Timeout,
    /// The engine is of no further use.
    Failed(EngineError),
    /// Nobody wants to wait any more.
    Cancelled,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Search {
    None,
    Thinking,
    Pondering,
    /// It has answered while it should have pondered.
    Answered(Box<EngineAnswer>),
}

/// The engine of a client.
pub struct EnginePlayer {
    spec: EngineSpec,
    cancel: CancellationToken,
    logger: Option<LineLogger>,
    engine: Option<UsiEngine>,
    search: Search,
    /// It was started within a game and knows of short patience only.
    is_makeshift: bool,
    /// What [`MAX_MOVES_OPTION`] was set to.
    max_moves: Option<u32>,
}

impl EnginePlayer {
    /// An engine that does not run yet.
    #[must_use]
    pub fn new(spec: EngineSpec, cancel: CancellationToken, logger: Option<LineLogger>) -> Self {
        Self { spec, cancel, logger, engine: None, search: Search::None, is_makeshift: false, max_moves: None }
    }

    /// Starts it, if it does not run, and gets it ready. One that has died between games is started again.
    ///
    /// # Errors
    /// It cannot be used.
    pub fn prepare(&mut self) -> Result<(), PlayerError> {
        if self.is_makeshift {
            self.quit();
        }
        if let Some(engine) = &mut self.engine
            && engine.ready().is_ok()
        {
            return Ok(());
        }
        self.start(Timeouts::default())?.ready()?;
        Ok(())
    }

    /// Gets it ready for a game that is a draw after so many moves; 0 for no such rule.
    ///
    /// # Errors
    /// It cannot be used.
    pub fn new_game(&mut self, max_moves: u32) -> Result<(), PlayerError> {
        if self.engine.is_none() {
            self.prepare()?;
        }
        if self.tell_max_moves(max_moves).is_err() {
            self.engine = None;
        }
        self.prepare()?;
        // One that was just started again has still to be told.
        self.tell_max_moves(max_moves)?;
        if let Some(engine) = &mut self.engine {
            engine.new_game()?;
        }
        Ok(())
    }

    fn tell_max_moves(&mut self, max_moves: u32) -> Result<(), PlayerError> {
        let is_fixed = self.spec.options.iter().any(|(name, _)| name.eq_ignore_ascii_case(MAX_MOVES_OPTION));
        let Some(engine) = &mut self.engine else { return Ok(()) };
        let is_known = engine.identity().options.iter().any(|option| option.is_named(MAX_MOVES_OPTION));
        if !is_fixed && is_known && self.max_moves != Some(max_moves) {
            engine.set_option(MAX_MOVES_OPTION, &max_moves.to_string())?;
            self.max_moves = Some(max_moves);
        }
        Ok(())
    }

    fn start(&mut self, timeouts: Timeouts) -> Result<&mut UsiEngine, PlayerError> {
        (self.engine, self.search, self.max_moves, self.is_makeshift) = (None, Search::None, None, false);
        let mut engine = UsiEngine::start_with_logger(&self.spec.program, timeouts, &self.cancel, self.logger.clone())?;
        for (name, value) in &self.spec.options {
            engine.set_option(name, value)?;
        }
        let is_fixed = self.spec.options.iter().any(|(name, _)| name.eq_ignore_ascii_case("USI_Ponder"));
        if self.spec.ponders && !is_fixed {
            engine.set_option("USI_Ponder", "true")?;
        }
        Ok(self.engine.insert(engine))
    }

    /// Starts it anew within a game, in no more than `patience`.
    ///
    /// # Errors
    /// It cannot be used.
    pub fn restart(&mut self, patience: Duration, max_moves: u32) -> Result<(), PlayerError> {
        let begun = Instant::now();
        self.engine = None;
        let timeouts = Timeouts { start: patience, ready: patience, ..Timeouts::default() };
        let started = self.start(timeouts).map(|_| ());
        self.is_makeshift = true;
        started?;
        self.tell_max_moves(max_moves)?;
        let Some(engine) = &mut self.engine else { return Ok(()) };
        let ready = engine.ready().and_then(|()| engine.new_game());
        if ready.is_err() || begun.elapsed() > patience {
            self.engine = None;
        }
        ready.map_err(PlayerError::from)
    }

    /// Its name, if it runs.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.engine.as_ref().map(|engine| engine.identity().name.as_str())
    }

    /// Whether it runs.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.engine.is_some()
    }

    /// Whether it searches on the other side's time.
    #[must_use]
    pub fn is_pondering(&self) -> bool {
        matches!(self.search, Search::Pondering | Search::Answered(_))
    }

    /// Begins the search for the own move.
    ///
    /// # Errors
    /// It has ended.
    pub fn think(&mut self, task: &Task) -> Result<(), EngineError> {
        self.go(task, false)
    }

    /// Begins a search on the other side's time.
    ///
    /// # Errors
    /// It has ended.
    pub fn ponder(&mut self, task: &Task) -> Result<(), EngineError> {
        self.go(task, true)
    }

    fn go(&mut self, task: &Task, ponder: bool) -> Result<(), EngineError> {
        let engine = self.engine.as_mut().ok_or_else(not_running)?;
        engine.go(&task.position, &GoSpec { ponder, clocks: task.clocks, ..GoSpec::default() })?;
        self.search = if ponder { Search::Pondering } else { Search::Thinking };
        Ok(())
    }

    /// The move that it ponders on was played. The answer, if it has given it already.
    ///
    /// # Errors
    /// It has ended.
    pub fn ponder_hit(&mut self, clocks: Clocks) -> Result<Option<Box<EngineAnswer>>, EngineError> {
        if let Search::Answered(answer) = std::mem::replace(&mut self.search, Search::None) {
            return Ok(Some(answer));
        }
        self.engine.as_mut().ok_or_else(not_running)?.ponder_hit(Some(clocks))?;
        self.search = Search::Thinking;
        Ok(None)
    }

    /// Tells it to move at once; its answer is still awaited.
    ///
    /// # Errors
    /// It has ended.
    pub fn hurry(&mut self) -> Result<(), EngineError> {
        self.engine.as_mut().ok_or_else(not_running)?.stop()
    }

    /// Stops what it does and drops its answer, for which it is given no longer than this.
    ///
    /// # Errors
    /// It has ended, or does not stop; it runs no longer then.
    pub fn stop(&mut self, patience: Duration) -> Result<(), EngineError> {
        let search = std::mem::replace(&mut self.search, Search::None);
        let Some(engine) = &mut self.engine else { return Ok(()) };
        if matches!(search, Search::None | Search::Answered(_)) {
            return Ok(());
        }
        // It may have answered in this moment; a program that searches nothing need not be stopped.
        if engine.answer(Some(Instant::now())).is_ok() {
            return Ok(());
        }
        let stopped = engine.stop().and_then(|()| engine.answer(Some(Instant::now() + patience)));
        if stopped.is_err() {
            self.engine = None;
        }
        stopped.map(|_| ())
    }

    /// Waits for the answer or for an event, at most until the deadline.
    pub fn wait<T>(&mut self, deadline: Instant, events: &Receiver<T>) -> Waited<T> {
        if let (Some(engine), Search::Thinking | Search::Pondering) = (&mut self.engine, &self.search) {
            match engine.answer_or(Some(deadline), events) {
                Ok(AnswerOr::Message(event)) => Waited::Event(event),
                Ok(AnswerOr::Answer(answer)) if self.search == Search::Thinking => {
                    self.search = Search::None;
                    Waited::Answer(answer)
                }
                Ok(AnswerOr::Answer(answer)) => {
                    self.search = Search::Answered(answer);
                    Waited::Timeout
                }
                Err(EngineError::TimedOut { .. }) => Waited::Timeout,
                Err(EngineError::Cancelled) => Waited::Cancelled,
                Err(error) => {
                    self.give_up();
                    Waited::Failed(error)
                }
            }
        } else {
            match events.recv_deadline(deadline) {
                Ok(event) => Waited::Event(event),
                Err(RecvTimeoutError::Timeout) => Waited::Timeout,
                Err(RecvTimeoutError::Disconnected) => Waited::Cancelled,
            }
        }
    }

    /// What it has told of its search last.
    #[must_use]
    pub fn last_info(&self) -> Info {
        self.engine.as_ref().map(UsiEngine::last_info).unwrap_or_default()
    }

    /// Ends its process at once.
    pub fn give_up(&mut self) {
        (self.engine, self.search) = (None, Search::None);
    }

    /// Tells it how the game ended. One that does not stop is started again for the next game.
    pub fn game_over(&mut self, result: GameResult) {
        // The error is that it has ended, or was killed because it did not stop.
        let _ = self.stop(STOP_TIMEOUT);
        if let Some(engine) = &mut self.engine {
            engine.game_over(result);
        }
    }

    /// Ends its process, if there is one.
    pub fn quit(&mut self) {
        self.search = Search::None;
        if let Some(engine) = self.engine.take() {
            engine.quit();
        }
    }
}

fn not_running() -> EngineError {
    EngineError::Ended { awaited: "bestmove".to_owned(), how: "is not running".to_owned(), last_lines: Vec::new() }
}

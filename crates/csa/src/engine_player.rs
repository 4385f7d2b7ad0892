//! The engine: its process, its current search, and waiting for it together with all other events.

use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, at, never, select_biased};
use kiki_driver::{
    AnswerOr, CancellationToken, EngineAnswer, EngineError, EngineSpec, LineLogger, StartError, Timeouts, UsiEngine,
};
use kiki_usi::{Clocks, GameResult, GoSpec, Info};

use crate::connection::Event;
use crate::engine_start::{GameOptions, Starting, set_game_options};
use crate::game::TimedPosition;

/// Longest time for an answer to `stop` when the game does not depend on it.
pub(crate) const STOP_TIMEOUT: Duration = Duration::from_secs(3);

/// The same when the user waits for the end of the program.
pub(crate) const LAST_STOP_TIMEOUT: Duration = Duration::from_millis(500);

const IDLE_CHECK: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(crate) enum PlayerEvent {
    Event(Event),
    /// The answer to the search for the own move.
    Answer(Box<EngineAnswer>),
    Timeout,
    /// The engine cannot be used any more, for this reason, or does not start again.
    /// [`EnginePlayer::restart`] or [`EnginePlayer::give_up`] has to follow.
    Failed(String),
    /// A restarted engine is ready.
    Started,
    Cancelled,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum EngineSearch {
    None,
    Thinking,
    Pondering,
    /// It answered although it should have pondered.
    Answered(Box<EngineAnswer>),
}

pub(crate) struct EnginePlayer {
    spec: EngineSpec,
    cancel: CancellationToken,
    logger: Option<LineLogger>,
    engine: Option<UsiEngine>,
    search: EngineSearch,
    /// The engine that is being restarted within a game.
    starting: Option<Starting>,
    leaving: Vec<JoinHandle<()>>,
}

impl EnginePlayer {
    pub(crate) fn new(spec: EngineSpec, cancel: CancellationToken, logger: Option<LineLogger>) -> Self {
        Self { spec, cancel, logger, engine: None, search: EngineSearch::None, starting: None, leaving: Vec::new() }
    }

    /// Starts the engine unless it runs, and gets it ready. An engine that died between games is
    /// started again. Returns whether it was started.
    pub(crate) fn prepare(&mut self) -> Result<bool, StartError> {
        self.abandon_start();
        if self.engine.as_mut().is_some_and(|engine| engine.ready().is_ok()) {
            return Ok(false);
        }
        (self.engine, self.search) = (None, EngineSearch::None);
        // Two engines at once may need more memory than there is.
        self.await_leaving();
        let mut engine = self.spec.start(Timeouts::default(), &self.cancel, self.logger.clone())?;
        engine.ready()?;
        self.engine = Some(engine);
        Ok(true)
    }

    pub(crate) fn new_game(&mut self, options: &GameOptions) -> Result<(), StartError> {
        if self.engine.is_none() {
            self.prepare()?;
        }
        if self.engine.as_mut().is_some_and(|engine| set_game_options(engine, &self.spec, options).is_err()) {
            self.engine = None;
        }
        let is_new = self.prepare()?;
        if let Some(engine) = &mut self.engine {
            if is_new {
                set_game_options(engine, &self.spec, options)?;
            }
            engine.new_game()?;
        }
        Ok(())
    }

    /// Ends the process and starts a new one for the same game, without waiting for either.
    /// [`EnginePlayer::wait`] reports when it is ready. Does nothing if a new engine is being
    /// started already.
    pub(crate) fn restart(&mut self, options: &GameOptions) {
        if self.starting.is_none() {
            let old = self.engine.take();
            self.search = EngineSearch::None;
            self.starting = Some(Starting::begin(&self.spec, options, self.logger.clone(), old));
        }
    }

    fn abandon_start(&mut self) {
        self.leaving.retain(|thread| !thread.is_finished());
        self.leaving.extend(self.starting.take().map(Starting::abandon));
    }

    pub(crate) fn name(&self) -> Option<&str> {
        self.engine.as_ref().map(|engine| engine.identity().name.as_str())
    }

    pub(crate) fn is_running(&self) -> bool {
        self.engine.is_some()
    }

    pub(crate) fn is_starting(&self) -> bool {
        self.starting.is_some()
    }

    pub(crate) fn is_pondering(&self) -> bool {
        matches!(self.search, EngineSearch::Pondering | EngineSearch::Answered(_))
    }

    fn running(&mut self) -> Result<&mut UsiEngine, EngineError> {
        let not_running = || {
            let (awaited, how) = ("bestmove".to_owned(), "is not running".to_owned());
            EngineError::Ended { awaited, how, last_lines: Vec::new() }
        };
        self.engine.as_mut().ok_or_else(not_running)
    }

    pub(crate) fn go(&mut self, searched: &TimedPosition, ponder: bool) -> Result<(), EngineError> {
        self.running()?.go(&searched.position, &GoSpec { ponder, clocks: searched.clocks, ..GoSpec::default() })?;
        self.search = if ponder { EngineSearch::Pondering } else { EngineSearch::Thinking };
        Ok(())
    }

    /// Tells the engine that the move that it ponders on was played. Returns its answer if it has
    /// already given one.
    pub(crate) fn ponder_hit(&mut self, clocks: Clocks) -> Result<Option<Box<EngineAnswer>>, EngineError> {
        if let EngineSearch::Answered(answer) = std::mem::replace(&mut self.search, EngineSearch::None) {
            return Ok(Some(answer));
        }
        self.running()?.ponder_hit(Some(clocks))?;
        self.search = EngineSearch::Thinking;
        Ok(None)
    }

    /// Tells the engine to move at once. Its answer comes from [`EnginePlayer::wait`].
    pub(crate) fn move_now(&mut self) -> Result<(), EngineError> {
        self.running()?.stop()
    }

    /// Stops the search and drops its answer, which must come within `timeout`. This cannot be
    /// cancelled, because a searching engine must not receive any other command.
    pub(crate) fn stop(&mut self, timeout: Duration) -> Result<(), EngineError> {
        let search = std::mem::replace(&mut self.search, EngineSearch::None);
        let Some(engine) = &mut self.engine else { return Ok(()) };
        if matches!(search, EngineSearch::None | EngineSearch::Answered(_)) {
            return Ok(());
        }
        engine.set_cancellation(&CancellationToken::never());
        // The engine may just have answered. It is then not stopped.
        let answered = engine.answer(Some(Instant::now()));
        let stopped = answered.or_else(|_| engine.stop().and_then(|()| engine.answer(Some(Instant::now() + timeout))));
        engine.set_cancellation(&self.cancel);
        stopped.map(|_| ())
    }

    /// Waits for the first event, at most until the deadline; an idle or starting engine is checked
    /// earlier.
    pub(crate) fn wait(&mut self, deadline: Instant, events: &Receiver<Event>) -> PlayerEvent {
        if let (Some(engine), EngineSearch::Thinking | EngineSearch::Pondering) = (&mut self.engine, &self.search) {
            match engine.answer_or(Some(deadline), events) {
                Ok(AnswerOr::Message(event)) => PlayerEvent::Event(event),
                Ok(AnswerOr::Answer(answer)) if self.search == EngineSearch::Thinking => {
                    self.search = EngineSearch::None;
                    PlayerEvent::Answer(answer)
                }
                Ok(AnswerOr::Answer(answer)) => {
                    self.search = EngineSearch::Answered(answer);
                    PlayerEvent::Timeout
                }
                Err(EngineError::TimedOut { .. }) => PlayerEvent::Timeout,
                Err(EngineError::Cancelled) => PlayerEvent::Cancelled,
                Err(error) => {
                    self.search = EngineSearch::None;
                    PlayerEvent::Failed(error.to_string())
                }
            }
        } else if let Some(error) = self.death() {
            self.search = EngineSearch::None;
            PlayerEvent::Failed(error.to_string())
        } else {
            let result = self.starting.as_ref().map_or_else(never, |starting| starting.result.clone());
            select_biased! {
                recv(result) -> started => self.started(started.unwrap_or(Err(EngineError::Cancelled.into()))),
                recv(events) -> event => event.map_or(PlayerEvent::Cancelled, PlayerEvent::Event),
                recv(at(deadline.min(Instant::now() + IDLE_CHECK))) -> _ => PlayerEvent::Timeout,
            }
        }
    }

    /// Reports the exit of an idle engine early, before the next move needs it.
    fn death(&mut self) -> Option<EngineError> {
        match self.engine.as_mut()?.answer(Some(Instant::now())) {
            Ok(_) | Err(EngineError::TimedOut { .. } | EngineError::Cancelled) => None,
            Err(error) => Some(error),
        }
    }

    fn started(&mut self, started: Result<UsiEngine, StartError>) -> PlayerEvent {
        match started {
            Ok(mut engine) => {
                // The token that could have cancelled the start is about to go.
                engine.set_cancellation(&self.cancel);
                (self.engine, self.starting) = (Some(engine), None);
                PlayerEvent::Started
            }
            Err(error) => {
                self.abandon_start();
                PlayerEvent::Failed(format!("the engine does not start again: {error}"))
            }
        }
    }

    pub(crate) fn last_info(&self) -> Info {
        self.engine.as_ref().map(|engine| engine.last_info()).unwrap_or_default()
    }

    pub(crate) fn give_up(&mut self) {
        self.search = EngineSearch::None;
        self.leaving.extend(self.engine.take().map(|engine| thread::spawn(move || drop(engine))));
    }

    /// Tells the engine how the game ended. An engine that does not stop within `timeout`, or that
    /// is not ready yet, is given up and started again for the next game.
    pub(crate) fn game_over(&mut self, result: GameResult, timeout: Duration) {
        self.abandon_start();
        if self.stop(timeout).is_err() {
            self.give_up();
        }
        if let Some(engine) = &mut self.engine {
            engine.game_over(result);
        }
    }

    pub(crate) fn quit(&mut self) {
        self.search = EngineSearch::None;
        self.abandon_start();
        if let Some(engine) = self.engine.take() {
            engine.quit();
        }
        self.await_leaving();
    }

    fn await_leaving(&mut self) {
        for thread in self.leaving.drain(..) {
            let _ = thread.join();
        }
    }
}

//! Starts an engine. Within a game a thread of its own does this, because the clock may be running.

use std::thread::{self, JoinHandle};
use std::time::Instant;

use crossbeam::channel::{Receiver, at, bounded, select_biased};
use kiki_driver::{
    CancellationSource, CancellationToken, EngineError, LineLogger, Program, SetOptionError, Timeouts, UsiEngine,
};
use tracing::warn;

use crate::summary::GameSummary;

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

impl EngineSpec {
    /// Whether the user has chosen the value of an option.
    fn fixes(&self, option: &str) -> bool {
        self.options.iter().any(|(name, _)| name.eq_ignore_ascii_case(option))
    }
}

/// Why an engine cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlayerError {
    /// It does not start, does not get ready, or has ended.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// It does not take an option.
    #[error(transparent)]
    SetOption(#[from] SetOptionError),
}

/// Options whose values follow from the summary of a game. An engine is told those that it declares, unless the user has set them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct GameOptions(Vec<(&'static str, String)>);

impl GameOptions {
    /// The options of a game: its longest length, whether its clock counts whole seconds, and that a move may use its own increment. With
    /// whole seconds the rest of a second that has begun is free. The last option holds on every CSA server and means nothing without
    /// increments, so no later game needs another value.
    pub(crate) fn of(summary: &GameSummary) -> Self {
        let counts_seconds = summary.clocks.control(summary.side).counts_whole_seconds();
        Self(vec![
            ("MaxMovesToDraw", summary.max_moves.to_string()),
            ("RoundUpToFullSecond", counts_seconds.to_string()),
            ("IncrementBeforeMove", "true".to_owned()),
        ])
    }
}

/// A running engine with the options of games that it was told.
pub(crate) struct RunningEngine {
    pub(crate) usi: UsiEngine,
    told: Vec<(&'static str, String)>,
}

impl RunningEngine {
    pub(crate) fn start(
        spec: &EngineSpec,
        cancel: &CancellationToken,
        logger: Option<LineLogger>,
    ) -> Result<Self, PlayerError> {
        let mut usi = UsiEngine::start_with_logger(&spec.program, Timeouts::default(), cancel, logger)?;
        for (name, value) in &spec.options {
            usi.set_option(name, value)?;
        }
        if spec.ponders && !spec.fixes("USI_Ponder") {
            usi.set_option("USI_Ponder", "true")?;
        }
        Ok(Self { usi, told: Vec::new() })
    }

    /// Sets the options of a game that differ from those of the previous one.
    pub(crate) fn tell(&mut self, spec: &EngineSpec, options: &GameOptions) -> Result<(), PlayerError> {
        for option in &options.0 {
            let (name, value) = option;
            let is_known = self.usi.identity().options.iter().any(|declared| declared.is_named(name));
            if is_known && !spec.fixes(name) && !self.told.contains(option) {
                match self.usi.set_option(name, value) {
                    // An engine that refuses the value still plays.
                    Err(error @ SetOptionError::Invalid { .. }) => warn!("{error}"),
                    result => result?,
                }
                self.told.retain(|(told, _)| told != name);
                self.told.push(option.clone());
            }
        }
        Ok(())
    }
}

/// The first event while an engine is being started.
pub(crate) enum StartOr<T> {
    Started(Box<RunningEngine>),
    NotStarted(PlayerError),
    Event(T),
    Timeout,
    Closed,
}

/// An engine that is being started within a game. Dropping it gives the engine up.
pub(crate) struct Starting {
    result: Receiver<Result<Box<RunningEngine>, PlayerError>>,
    cancel: CancellationSource,
    thread: JoinHandle<()>,
}

impl Starting {
    /// Ends the old engine, if there is one, and starts a new one, in a thread.
    pub(crate) fn begin(
        spec: &EngineSpec,
        options: &GameOptions,
        logger: Option<LineLogger>,
        old: Option<RunningEngine>,
    ) -> Self {
        let (sender, result) = bounded(1);
        let cancel = CancellationSource::new();
        let (spec, options, token) = (spec.clone(), options.clone(), cancel.token().clone());
        let thread = thread::spawn(move || {
            // First, because two engines at once may need more memory than there is.
            drop(old);
            let start = || {
                let mut engine = RunningEngine::start(&spec, &token, logger)?;
                engine.tell(&spec, &options)?;
                engine.usi.ready()?;
                engine.usi.new_game()?;
                Ok(Box::new(engine))
            };
            // If the game is over, nobody listens, and the engine ends here.
            let _ = sender.send(start());
        });
        Self { result, cancel, thread }
    }

    /// Waits for the engine or for an event, at most until the deadline.
    pub(crate) fn wait<T>(&self, deadline: Instant, events: &Receiver<T>) -> StartOr<T> {
        select_biased! {
            recv(self.result) -> result => match result {
                Ok(Ok(engine)) => StartOr::Started(engine),
                Ok(Err(error)) => StartOr::NotStarted(error),
                Err(_) => StartOr::NotStarted(EngineError::Cancelled.into()),
            },
            recv(events) -> event => event.map_or(StartOr::Closed, StartOr::Event),
            recv(at(deadline)) -> _ => StartOr::Timeout,
        }
    }

    /// Cancels the start. The thread ends when the process has ended.
    pub(crate) fn abandon(self) -> JoinHandle<()> {
        self.cancel.cancel();
        self.thread
    }
}

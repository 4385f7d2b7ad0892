//! Starts an engine. Within a game a thread of its own does this, because the clock may be running.

use std::thread::{self, JoinHandle};

use crossbeam::channel::{Receiver, bounded};
use kiki_driver::{
    CancellationSource, CancellationToken, EngineSpec, LineLogger, SetOptionError, StartError, Timeouts, UsiEngine,
};
use tracing::warn;

use crate::summary::GameSummary;

/// Options whose values follow from the summary of a game. An engine gets those that it declares,
/// unless the user has set them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct GameOptions(Vec<(&'static str, String)>);

impl GameOptions {
    /// The options of a game: its longest length, whether its clock counts whole seconds, and that
    /// a move may use its own increment. With whole seconds the rest of a second that has begun is
    /// free. The last option holds on every CSA server and means nothing without increments, so no
    /// later game needs another value.
    pub(crate) fn of(summary: &GameSummary) -> Self {
        let counts_seconds = summary.clocks.control(summary.side).counts_whole_seconds();
        Self(vec![
            ("MaxMovesToDraw", summary.max_moves.to_string()),
            ("RoundUpToFullSecond", counts_seconds.to_string()),
            ("IncrementBeforeMove", "true".to_owned()),
        ])
    }
}

/// A running engine with the game options sent to it.
pub(crate) struct RunningEngine {
    pub(crate) usi: UsiEngine,
    told: Vec<(&'static str, String)>,
}

impl RunningEngine {
    pub(crate) fn start(
        spec: &EngineSpec,
        cancel: &CancellationToken,
        logger: Option<LineLogger>,
    ) -> Result<Self, StartError> {
        let usi = spec.start(Timeouts::default(), cancel, logger)?;
        Ok(Self { usi, told: Vec::new() })
    }

    /// Sets the options of a game that differ from those of the previous one.
    pub(crate) fn tell(&mut self, spec: &EngineSpec, options: &GameOptions) -> Result<(), StartError> {
        for option in &options.0 {
            let (name, value) = option;
            let is_known = self.usi.identity().options.iter().any(|declared| declared.is_named(name));
            if is_known && !spec.sets(name) && !self.told.contains(option) {
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

/// An engine that is being started within a game. Dropping it gives the engine up.
pub(crate) struct Starting {
    /// Receives the engine when it is ready, or why it could not be started.
    pub(crate) result: Receiver<Result<RunningEngine, StartError>>,
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
                Ok(engine)
            };
            // If the game is over, the receiver is gone, and the engine ends here.
            let _ = sender.send(start());
        });
        Self { result, cancel, thread }
    }

    /// Cancels the start. The thread ends when the process has ended.
    pub(crate) fn abandon(self) -> JoinHandle<()> {
        self.cancel.cancel();
        self.thread
    }
}

//! Starts an engine. Within a game a thread of its own does this, because the clock may be running.

use std::thread::{self, JoinHandle};

use crossbeam::channel::{Receiver, bounded};
use kiki_driver::{CancellationSource, EngineSpec, LineLogger, SetOptionError, StartError, Timeouts, UsiEngine};
use tracing::warn;

use crate::summary::GameSummary;

/// Options whose values follow from the summary of a game. An engine gets those that it declares,
/// unless the user has set them.
pub(crate) type GameOptions = [(&'static str, String); 3];

/// The options of a game: its longest length, whether its clock counts whole seconds, and that a
/// move may use its own increment. With whole seconds the rest of a second that has begun is free.
/// The last option holds on every CSA server and means nothing without increments, so no later
/// game needs another value.
pub(crate) fn game_options(summary: &GameSummary) -> GameOptions {
    let counts_seconds = summary.clocks.controls[summary.side].counts_whole_seconds();
    [
        ("MaxMovesToDraw", summary.max_moves.to_string()),
        ("RoundUpToFullSecond", counts_seconds.to_string()),
        ("IncrementBeforeMove", "true".to_owned()),
    ]
}

/// Sets the options of a game that differ from those of the previous one.
pub(crate) fn set_game_options(
    engine: &mut UsiEngine,
    spec: &EngineSpec,
    options: &GameOptions,
) -> Result<(), StartError> {
    for (name, value) in options.iter().filter(|(name, _)| !spec.sets(name)) {
        match engine.offer_option(name, value) {
            // An engine that refuses the value still plays.
            Err(error @ SetOptionError::Invalid { .. }) => warn!("{error}"),
            result => drop(result?),
        }
    }
    Ok(())
}

/// An engine that is being started within a game. Dropping it gives the engine up.
pub(crate) struct Starting {
    /// Receives the engine when it is ready, or why it could not be started.
    pub(crate) result: Receiver<Result<UsiEngine, StartError>>,
    cancel: CancellationSource,
    thread: JoinHandle<()>,
}

impl Starting {
    /// Ends the old engine, if there is one, and starts a new one, in a thread.
    pub(crate) fn begin(
        spec: &EngineSpec,
        options: &GameOptions,
        logger: Option<LineLogger>,
        old: Option<UsiEngine>,
    ) -> Self {
        let (sender, result) = bounded(1);
        let cancel = CancellationSource::new();
        let (spec, options, token) = (spec.clone(), options.clone(), cancel.token().clone());
        let thread = thread::spawn(move || {
            // First, because two engines at once may need more memory than there is.
            drop(old);
            let start = || {
                let mut engine = spec.start(Timeouts::default(), &token, logger)?;
                set_game_options(&mut engine, &spec, &options)?;
                engine.ready()?;
                engine.new_game()?;
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

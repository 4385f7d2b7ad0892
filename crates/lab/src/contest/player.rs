//! One engine of a contest in one worker: started when it is needed, and again after it failed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow};
use kiki_driver::{Answer, Cancel, Departure, Engine, Failure, Timeouts};
use kiki_usi::{GameResult, GoSpec, PositionSpec};

use super::game::Reason;
use super::game_log::GameLog;
use super::spec::EngineSpec;

/// How long an engine that oversteps its time may still need to answer `stop` before it counts as hung.
const GRACE: Duration = Duration::from_secs(2);

/// Why there is an engine.
const PREPARED: &str = "it was prepared, and whoever failed is not asked again";

/// An engine that may have to be started first.
pub(crate) struct Player<'a> {
    pub(crate) spec: &'a EngineSpec,
    timeouts: Timeouts,
    cancel: &'a Cancel,
    log: Option<Arc<GameLog>>,
    engine: Option<Engine>,
    /// The move that it ponders on.
    expected: Option<String>,
    /// Whether it ever stayed after `quit` and had to be killed.
    pub(crate) stayed: bool,
}

/// Why an engine lost without having been beaten.
#[derive(Debug)]
pub(crate) enum Foul {
    /// It did wrong.
    Lost { reason: Reason, detail: String, said: Vec<String>, elapsed: Duration },
    /// It did nothing wrong; the contest has been stopped.
    Cancelled,
}

impl<'a> Player<'a> {
    pub(crate) fn new(spec: &'a EngineSpec, timeouts: Timeouts, cancel: &'a Cancel) -> Self {
        Self { spec, timeouts, cancel, log: None, engine: None, expected: None, stayed: false }
    }

    /// The same with a log of what it says and is told.
    pub(crate) fn logged(self, log: Option<&Arc<GameLog>>) -> Self {
        Self { log: log.cloned(), ..self }
    }

    /// Starts the engine, if it does not run, and sets its options.
    ///
    /// # Errors
    /// A program that does not start or is no engine, and options that it does not have.
    pub(crate) fn start(&mut self) -> Result<&mut Engine> {
        let engine = match self.engine.take() {
            Some(engine) => engine,
            None => self.started().with_context(|| format!("engine `{}`", self.spec.name))?,
        };
        Ok(self.engine.insert(engine))
    }

    fn started(&self) -> Result<Engine> {
        let log = self.log.as_ref().map(|log| log.lines_of(&self.spec.name));
        let mut engine = Engine::start_logged(&self.spec.program()?, self.timeouts, self.cancel, log)?;
        for (name, value) in &self.spec.options {
            engine.set_option(name, value)?;
        }
        if self.spec.ponder {
            engine.set_option("USI_Ponder", "true")?;
        }
        Ok(engine)
    }

    /// Sees whether the engine starts, takes its options and gets ready, and lets it go again.
    ///
    /// # Errors
    /// What it cannot do.
    pub(crate) fn inspect(mut self) -> Result<()> {
        let ready = self.start()?.ready();
        ready.map_err(|failure| anyhow!("engine `{}`: {failure}", self.spec.name))?;
        self.quit();
        Ok(())
    }

    /// Makes the engine ready for a new game.
    pub(crate) fn prepare(&mut self) -> Result<(), Foul> {
        let ready = self.start().and_then(|engine| {
            engine.ready()?;
            Ok(engine.new_game()?)
        });
        ready.map_err(|error| {
            let failure = error.downcast_ref::<Failure>().cloned();
            self.engine = None;
            match failure {
                Some(Failure::Cancelled) => Foul::Cancelled,
                failure => Foul::Lost {
                    reason: Reason::NotReady,
                    detail: format!("{error:#}"),
                    said: failure.map(|failure| failure.said().to_vec()).unwrap_or_default(),
                    elapsed: Duration::ZERO,
                },
            }
        })
    }

    /// Asks an engine that was prepared for a move. `allowance` is what it may take, tolerance included; without one there is `patience` instead.
    pub(crate) fn think(
        &mut self,
        position: &PositionSpec,
        go: &GoSpec,
        allowance: Option<Duration>,
        patience: Duration,
    ) -> Result<Answer, Foul> {
        let engine = self.engine.as_mut().expect(PREPARED);
        let bound = allowance.unwrap_or(patience);
        let begun = match self.expected.take() {
            Some(expected) if position.moves.last() == Some(&expected) => engine.ponder_hit(),
            Some(_) => stop(engine).and_then(|_| engine.go(position, go)),
            None => engine.go(position, go),
        };
        let answer = begun.and_then(|()| {
            let deadline = engine.thinking_since() + bound;
            engine.answer(Some(deadline))
        });
        let foul = match answer {
            Ok(answer) if answer.elapsed <= bound => return Ok(answer),
            Ok(late) => too_late(engine, late.elapsed, bound),
            Err(Failure::Silent { .. }) => overstepped(engine, bound),
            Err(failure) => fallen(&failure),
        };
        if !matches!(foul, Foul::Lost { reason: Reason::Time, .. }) {
            // Dropping it kills it.
            self.engine = None;
        }
        Err(foul)
    }

    /// Lets an engine that has just moved think on the other side's time, if it is to: `position` is the one after the expected answer.
    pub(crate) fn ponder(&mut self, position: &PositionSpec, go: GoSpec) -> Result<(), Foul> {
        let engine = self.engine.as_mut().expect(PREPARED);
        if let Err(failure) = engine.go(position, &GoSpec { ponder: true, ..go }) {
            self.engine = None;
            return Err(fallen(&failure));
        }
        self.expected = position.moves.last().cloned();
        Ok(())
    }

    /// What the engine said last.
    pub(crate) fn said(&self) -> Vec<String> {
        self.engine.as_ref().map(Engine::said).unwrap_or_default()
    }

    /// Tells the engine how the game ended, and lets it go if every game is to have a new process.
    pub(crate) fn dismiss(&mut self, result: GameResult) {
        if let Some(engine) = &mut self.engine {
            if self.expected.take().is_some() && stop(engine).is_err() {
                // The game is over; it will be started again for the next one.
                self.engine = None;
                return;
            }
            engine.game_over(result);
        }
        if self.spec.restart {
            self.quit();
        }
    }

    /// Lets the engine go.
    pub(crate) fn quit(&mut self) {
        let departure = self.engine.take().map(Engine::quit);
        self.stayed |= departure == Some(Departure::Killed);
    }
}

/// Stops an engine and waits for its answer: when it ponders, one that nobody needs.
fn stop(engine: &mut Engine) -> Result<Answer, Failure> {
    engine.stop()?;
    engine.answer(Some(Instant::now() + GRACE))
}

fn too_late(engine: &Engine, elapsed: Duration, bound: Duration) -> Foul {
    let detail = format!("answered after {elapsed:.1?}, {:.1?} too late", elapsed.saturating_sub(bound));
    Foul::Lost { reason: Reason::Time, detail, said: engine.said(), elapsed }
}

/// The time is over and no answer has come.
fn overstepped(engine: &mut Engine, bound: Duration) -> Foul {
    match stop(engine) {
        Ok(late) => too_late(engine, late.elapsed, bound),
        Err(Failure::Silent { said, .. }) => {
            let elapsed = engine.thinking_since().elapsed();
            let detail = format!("no answer within {elapsed:.1?}, not even to `stop`");
            Foul::Lost { reason: Reason::Hang, detail, said, elapsed }
        }
        Err(failure) => fallen(&failure),
    }
}

fn fallen(failure: &Failure) -> Foul {
    if *failure == Failure::Cancelled {
        return Foul::Cancelled;
    }
    let detail = failure.to_string();
    Foul::Lost { reason: Reason::Crash, detail, said: failure.said().to_vec(), elapsed: Duration::ZERO }
}

//! An engine with its options, ready to be started.

use crate::cancellation::CancellationToken;
use crate::engine::{Timeouts, UsiEngine};
use crate::error::StartError;
use crate::program::Program;
use crate::reader::LineLogger;

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
    ///
    /// # Errors
    /// The program does not start, is not an engine, or does not take an option.
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

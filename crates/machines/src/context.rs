//! What a worker gives to the tasks of a run: the signal that stops them, and its engines.

use std::sync::atomic::{AtomicBool, Ordering};

use kiki_driver::CancellationSource;

use crate::allowed::AllowedEngines;

/// What a worker gives to the tasks of a run.
#[derive(Clone, Copy)]
pub struct WorkerContext<'a> {
    pub(crate) stop: &'a StopSignal,
    /// The engines that this worker's configuration names.
    pub(crate) engines: &'a AllowedEngines,
}

/// Ends the tasks of a run: searches in the process, and waits for engines.
pub struct StopSignal {
    flag: AtomicBool,
    engines: CancellationSource,
}

impl StopSignal {
    pub(crate) fn new() -> Self {
        Self { flag: AtomicBool::new(false), engines: CancellationSource::new() }
    }

    pub(crate) fn set(&self) {
        self.flag.store(true, Ordering::Relaxed);
        self.engines.cancel();
    }

    #[must_use]
    pub fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// For searches in the process.
    #[must_use]
    pub fn flag(&self) -> &AtomicBool {
        &self.flag
    }

    /// For games of engines.
    #[must_use]
    pub fn engines(&self) -> &CancellationSource {
        &self.engines
    }
}

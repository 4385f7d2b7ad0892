//! The only place of the libraries that reads a clock.

use std::time::{Duration, Instant};

/// Measures the time since a search began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch {
    start: Instant,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self { start: Instant::now() }
    }

    pub(crate) fn elapsed(self) -> Duration {
        self.start.elapsed()
    }
}

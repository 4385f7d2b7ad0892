//! The only place of the libraries that reads a clock.

use std::time::{Duration, Instant};

/// Time since a search began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    start: Instant,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self { start: Instant::now() }
    }

    pub(crate) fn elapsed(self) -> Duration {
        self.start.elapsed()
    }
}

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

    /// One that was started so long ago.
    pub(crate) fn started_before(elapsed: Duration) -> Self {
        let now = Instant::now();
        Self { start: now.checked_sub(elapsed).unwrap_or(now) }
    }

    pub(crate) fn elapsed(self) -> Duration {
        self.start.elapsed()
    }
}

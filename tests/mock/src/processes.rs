//! The processes of a test: whether one runs, and how to wait for what it does.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Whether the process with this number runs. A zombie has no command line.
#[must_use]
pub fn runs(number: &str) -> bool {
    fs::read(Path::new("/proc").join(number.trim()).join("cmdline")).is_ok_and(|line| !line.is_empty())
}

/// Waits until a condition holds, a minute at most; `what` is the message of the failure.
#[track_caller]
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !condition() {
        assert!(Instant::now() < deadline, "{what}");
        sleep(Duration::from_millis(5));
    }
}

//! The one door to standard output.

use std::fmt::Display;
use std::io::{self, Write as _};

/// Prints one line and flushes. If standard output is closed, nothing happens.
pub(crate) fn line(text: impl Display) {
    let text = format!("{text}\n");
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

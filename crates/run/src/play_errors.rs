//! Errors of `kiki_play` in the words of the command line.

use std::io::{Write as _, stderr};

use kiki_play::PlayError;

use crate::terminal_text::printable_lines;

/// The error with the option that caused it.
pub fn name_option(error: PlayError) -> anyhow::Error {
    let option = match error {
        PlayError::Log { .. } => "--log",
        PlayError::Affinity(_) => "--affinity",
        PlayError::Engine { .. } | PlayError::Option(_) | PlayError::Cancelled => return error.into(),
    };
    anyhow::Error::new(error).context(option)
}

/// Prints a warning on standard error, as when a log can no longer be written.
pub fn print_warning(text: &str) {
    // `eprintln!` would panic if standard error is closed.
    let _ = writeln!(stderr(), "{}", printable_lines(&warning(text)));
}

/// A warning as it is printed.
pub fn warning(text: &str) -> String {
    format!("kiki-lab: {text}")
}

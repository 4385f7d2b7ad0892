//! The one door to standard output, line by line, and to the log file.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write};

use parking_lot::Mutex;

/// Prints whole lines at once, from any thread, and keeps the log if one is asked for.
#[derive(Default)]
pub(crate) struct Output {
    log: Mutex<Option<File>>,
}

impl Output {
    /// Prints one line and flushes. If standard output is closed, nothing happens.
    pub(crate) fn line(&self, text: impl Display) {
        let text = format!("{text}\n");
        let mut out = io::stdout().lock();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        self.note('<', text.trim_end_matches('\n').as_bytes());
    }

    /// Keeps what was read.
    pub(crate) fn heard(&self, line: &[u8]) {
        self.note('>', line.trim_ascii_end());
    }

    fn note(&self, direction: char, text: &[u8]) {
        if let Some(log) = self.log.lock().as_mut() {
            let _ = write!(log, "{direction} ").and_then(|()| log.write_all(text)).and_then(|()| log.write_all(b"\n"));
        }
    }

    /// Logs to the end of a file from now on; an empty path ends that.
    pub(crate) fn log_to(&self, path: &str) -> io::Result<()> {
        let file = if path.is_empty() { None } else { Some(File::options().create(true).append(true).open(path)?) };
        *self.log.lock() = file;
        Ok(())
    }
}

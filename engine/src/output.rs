//! Standard output line by line: for commands for people, and for USI, with its log file.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::process::exit;

use kiki_platform::append_to_file;
use kiki_usi::InfoString;
use parking_lot::Mutex;

/// Prints a line for people. If the reader has closed the output, like `head`, the program ends
/// with success. On other write errors it prints why and ends with status 1.
pub(crate) fn print_line(line: impl Display) {
    let Err(error) = writeln!(io::stdout(), "{line}") else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        exit(0);
    }
    let _ = writeln!(io::stderr(), "kiki: standard output: {error}");
    exit(1);
}

/// Prints whole lines at once, from any thread, and writes the log if requested.
#[derive(Default)]
pub(crate) struct Output {
    log: Mutex<Option<File>>,
}

fn print(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

impl Output {
    /// Prints a line, or several at once, and flushes. Does nothing if standard output is closed.
    pub(crate) fn print(&self, text: impl Display) {
        let text = format!("{text}\n");
        print(&text);
        text.lines().for_each(|line| self.note('<', line.as_bytes()));
    }

    pub(crate) fn warn(&self, problem: impl Display) {
        self.print(InfoString(problem));
    }

    pub(crate) fn log_input(&self, line: &[u8]) {
        self.note('>', line.trim_ascii_end());
    }

    /// Writes a line to the log. On an error, such as a full disk, the log ends with one message.
    fn note(&self, direction: char, text: &[u8]) {
        let mut log = self.log.lock();
        let Some(file) = log.as_mut() else { return };
        let line = [format!("{direction} ").as_bytes(), text, b"\n"].concat();
        if let Err(error) = file.write_all(&line) {
            *log = None;
            print(&format!("{}\n", InfoString(format_args!("DebugLogFile: {error}; logging stopped"))));
        }
    }

    /// Appends the log to a file from now on; an empty path ends it.
    pub(crate) fn log_to(&self, path: &str) -> io::Result<()> {
        let file = if path.is_empty() { None } else { Some(append_to_file(path)?) };
        *self.log.lock() = file;
        Ok(())
    }
}

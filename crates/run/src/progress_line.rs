//! One line on standard error that shows the progress of long work.

use std::fmt::Display;
use std::io::{IsTerminal as _, Write as _, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::terminal_text::printable_lines;

/// How often a line is written where standard error is not a terminal.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// A line that is drawn again and again, or a new line now and then where standard error is not a terminal.
pub struct ProgressLine {
    bar: ProgressBar,
    unit: &'static str,
    /// Without a terminal: when the last line was written.
    last_line: Option<Instant>,
    /// Units that an earlier run had done.
    before: u64,
}

impl ProgressLine {
    /// The line of work of `scheduled` units, `before` of which an earlier run has done.
    pub fn new(unit: &'static str, scheduled: u64, before: u64) -> Self {
        let bar = ProgressBar::new(scheduled);
        let template = format!("{{elapsed_precise}} {{wide_bar}} {{pos}}/{{len}} {unit}, {{eta}} left\n{{msg}}");
        bar.set_style(ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_position(before);
        // The speed is that of this run.
        bar.reset_eta();
        Self { bar, unit, last_line: (!stderr().is_terminal()).then(Instant::now), before }
    }

    /// Shows that so many units are done, with a message about the results.
    pub fn show(&mut self, done: u64, message: impl FnOnce() -> String) {
        let Some(last) = self.last_line else {
            self.bar.set_position(done);
            self.bar.set_message(printable_lines(&message()));
            return;
        };
        if last.elapsed() >= LINE_EVERY {
            self.last_line = Some(Instant::now());
            let speed = (done - self.before) as f64 / self.bar.elapsed().as_secs_f64();
            let scheduled = self.bar.length().unwrap_or(0);
            let line = format!("{done}/{scheduled} {}, {speed:.2} a second; {}", self.unit, message());
            write_line(&printable_lines(&line));
        }
    }

    /// Sets the expected number of units, by which the bar and the time left go.
    pub fn expect(&self, units: u64) {
        self.bar.set_length(units);
    }

    /// Prints a line at once.
    pub fn print(&self, line: impl Display) {
        let line = printable_lines(&line.to_string());
        if self.last_line.is_some() { write_line(&line) } else { self.bar.println(line) }
    }

    /// Takes the line off the terminal.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// A closed standard error does not end long work, as it would with `eprintln!`.
fn write_line(line: &str) {
    let _ = writeln!(stderr(), "{line}");
}

//! Inputs that cannot be read do not stop the others.

use std::process::ExitCode;

use anyhow::{Error, Result};

use crate::interrupt;
use crate::output::{ProgressLine, print_warning, warning};

/// The inputs that could not be read. Each is reported on standard error at once, and the others
/// are still read. Any error makes the exit status 1.
#[derive(Debug, Default)]
pub struct InputErrors {
    told: Vec<String>,
}

impl InputErrors {
    /// Reports an error, which must name its place.
    pub fn tell(&mut self, error: &Error) {
        let text = format!("{error:#}");
        print_warning(&text);
        self.told.push(text);
    }

    /// Reports an error while a progress line is shown.
    pub fn tell_beside(&mut self, progress: &ProgressLine, error: &Error) {
        let text = format!("{error:#}");
        progress.print(warning(&text));
        self.told.push(text);
    }

    /// Returns the value if it could be read; reports the error otherwise.
    pub fn readable<T>(&mut self, read: Result<T>) -> Option<T> {
        read.map_err(|error| self.tell(&error)).ok()
    }

    /// Calls `each` with the readable rows of a file, and reports the others and its errors. If
    /// nothing is readable the file is perhaps of another kind, such as a log: the first error is
    /// enough.
    pub fn each_row<T>(
        &mut self,
        place: &str,
        rows: impl IntoIterator<Item = Result<T>>,
        mut each: impl FnMut(T) -> Result<()>,
    ) {
        let done: Vec<Result<()>> = rows.into_iter().map(|row| each(row?)).collect();
        let told = if done.iter().all(Result::is_err) { 1 } else { done.len() };
        for fault in done.into_iter().filter_map(Result::err).take(told) {
            self.tell(&fault.context(place.to_owned()));
        }
    }

    pub fn texts(&self) -> &[String] {
        &self.told
    }

    pub fn count(&self) -> usize {
        self.told.len()
    }

    /// The exit status of work that may have been interrupted.
    pub fn exit_code_of_run(&self, interrupted: bool) -> ExitCode {
        exit_code_of_run(&self.told, interrupted)
    }

    /// The exit status of complete work: a failure if any input was unreadable.
    pub fn exit_code(&self) -> ExitCode {
        self.exit_code_of_run(false)
    }
}

/// Reports the inputs that an earlier run left out: the run that continues it lacks them too.
pub fn tell_left_out(texts: &[String]) {
    texts.iter().for_each(|text| print_warning(&format!("left out at the start: {text}")));
}

/// The exit status of a run that left out these inputs.
pub fn exit_code_of_run(left_out: &[String], interrupted: bool) -> ExitCode {
    if interrupted || left_out.is_empty() { interrupt::exit_code(interrupted) } else { ExitCode::FAILURE }
}

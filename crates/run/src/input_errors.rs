//! Inputs that cannot be read do not stop the others.

use std::process::ExitCode;

use anyhow::{Error, Result};

use crate::interrupt;
use crate::output::{ProgressLine, print_warning, warning};

/// What could not be read: each input is told on standard error at once, the others go on, and the exit status tells of it in the end.
#[derive(Debug, Default)]
pub struct InputErrors {
    told: Vec<String>,
}

impl InputErrors {
    /// Tells an error that names its place.
    pub fn tell(&mut self, error: &Error) {
        let text = format!("{error:#}");
        print_warning(&text);
        self.told.push(text);
    }

    /// The same while a line of progress is shown.
    pub fn tell_beside(&mut self, progress: &ProgressLine, error: &Error) {
        let text = format!("{error:#}");
        progress.print(warning(&text));
        self.told.push(text);
    }

    /// What could be read; an error is told.
    pub fn readable<T>(&mut self, read: Result<T>) -> Option<T> {
        read.map_err(|error| self.tell(&error)).ok()
    }

    /// Tells what an earlier run could not read, as it is missing in what this one goes on with.
    pub fn of_earlier_run(told: &[String]) -> Self {
        told.iter().for_each(|text| print_warning(&format!("left out at the start: {text}")));
        Self { told: told.to_vec() }
    }

    /// What was told.
    pub fn texts(&self) -> &[String] {
        &self.told
    }

    /// How many errors were told.
    pub fn count(&self) -> usize {
        self.told.len()
    }

    /// The exit status of work that may have been interrupted.
    pub fn exit_code_of_run(&self, interrupted: bool) -> ExitCode {
        if interrupted { interrupt::exit_code(true) } else { self.exit_code() }
    }

    /// The exit status of work that is complete but for what could not be read.
    pub fn exit_code(&self) -> ExitCode {
        if self.told.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

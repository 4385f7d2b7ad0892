//! Shows what a run does now, on the terminal and on the page.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use kiki_run::output::ProgressLine;

use crate::page::{self, Stage};
use crate::state::LearnState;

/// Interval at which the page is rewritten.
const PAGE_EVERY: Duration = Duration::from_secs(20);

/// How long a run has worked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorkClock {
    /// Seconds of earlier processes.
    before: f64,
    started: Instant,
}

impl WorkClock {
    /// Continues from `before` seconds.
    pub(crate) fn start(before: f64) -> Self {
        Self { before, started: Instant::now() }
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.before + self.started.elapsed().as_secs_f64()
    }
}

pub(crate) struct Progress<'a> {
    folder: &'a Path,
    state: &'a LearnState,
    clock: WorkClock,
    line: ProgressLine,
    stage: Stage,
    before: u64,
    begun: Instant,
    page_written: Option<Instant>,
}

impl<'a> Progress<'a> {
    /// Begins a stage of which `done` units are done.
    pub(crate) fn new(
        folder: &'a Path,
        state: &'a LearnState,
        clock: WorkClock,
        (name, unit): (String, &'static str),
        done: u64,
        wanted: u64,
    ) -> Self {
        let generation = state.generations.len() + 1;
        let line = ProgressLine::new(unit, wanted, done);
        line.print(format_args!("generation {generation}: {name}"));
        let stage = Stage { generation, name, unit, done, wanted, speed: 0.0, message: String::new() };
        Self { folder, state, clock, line, stage, before: done, begun: Instant::now(), page_written: None }
    }

    /// Sets the total number of units.
    pub(crate) fn expect(&mut self, wanted: u64) {
        self.stage.wanted = wanted;
        self.line.expect(wanted);
    }

    /// Updates the number of units done.
    pub(crate) fn show(&mut self, done: u64, message: impl FnOnce() -> String) -> Result<()> {
        self.stage.done = done.min(self.stage.wanted);
        self.stage.speed = done.saturating_sub(self.before) as f64 / self.begun.elapsed().as_secs_f64().max(1e-3);
        let is_due = self.page_written.is_none_or(|written| written.elapsed() >= PAGE_EVERY);
        if is_due {
            self.stage.message = message();
            page::write(self.folder, self.state, Some(&self.stage), self.clock.seconds())?;
            self.page_written = Some(Instant::now());
        }
        let Stage { message, speed, unit, .. } = &self.stage;
        self.line.show(self.stage.done, || format!("{speed:.0} {unit} a second{}", with_comma(message)));
        Ok(())
    }

    pub(crate) fn finish(self) {
        self.line.finish();
    }
}

fn with_comma(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(", {message}") }
}

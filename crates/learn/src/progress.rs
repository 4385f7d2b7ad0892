//! Shows what a run does now, on the terminal and on the page.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use kiki_page::escaped_html;
use kiki_run::output::{ProgressLine, time_in_words};

use crate::page;
use crate::state::LearnState;

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

pub(crate) struct StageProgress<'a> {
    folder: &'a Path,
    state: &'a LearnState,
    clock: WorkClock,
    line: ProgressLine,
    generation: usize,
    /// Such as `self-play by generation 2`.
    name: String,
    unit: &'static str,
    done: u64,
    wanted: u64,
    /// Units a second since this process began the stage.
    speed: f64,
    message: String,
    /// Units done by earlier processes.
    before: u64,
    begun: Instant,
    page_written: Option<Instant>,
}

impl<'a> StageProgress<'a> {
    /// Begins a stage of which `done` units are done.
    pub(crate) fn new(
        folder: &'a Path,
        state: &'a LearnState,
        clock: WorkClock,
        name: String,
        unit: &'static str,
        done: u64,
        wanted: u64,
    ) -> Self {
        let generation = state.generations.len() + 1;
        let line = ProgressLine::new(unit, wanted, done);
        line.print(format_args!("generation {generation}: {name}"));
        Self {
            folder,
            state,
            clock,
            line,
            generation,
            name,
            unit,
            done,
            wanted,
            speed: 0.0,
            message: String::new(),
            before: done,
            begun: Instant::now(),
            page_written: None,
        }
    }

    pub(crate) fn show(&mut self, done: u64, message: impl FnOnce() -> String) -> Result<()> {
        self.done = done.min(self.wanted);
        self.speed = done.saturating_sub(self.before) as f64 / self.begun.elapsed().as_secs_f64().max(1e-3);
        if self.page_written.is_none_or(|written| written.elapsed() >= PAGE_EVERY) {
            self.message = message();
            page::write(self.folder, self.state, Some(&self.html()), self.clock.seconds())?;
            self.page_written = Some(Instant::now());
        }
        let Self { line, done, message, speed, unit, .. } = self;
        let comma = if message.is_empty() { "" } else { ", " };
        line.show(*done, || format!("{speed:.0} {unit} a second{comma}{message}"));
        Ok(())
    }

    fn html(&self) -> String {
        let Self { generation, name, unit, done, wanted, speed, message, .. } = self;
        let left = wanted.saturating_sub(*done) as f64 / speed.max(1e-9);
        format!(
            "<h2>Generation {generation}: {}</h2><progress max=\"{wanted}\" value=\"{done}\"></progress>\
             <p>{done} of {wanted} {unit}, {speed:.0} a second, {} left in this stage. {}</p>",
            escaped_html(name),
            if *speed > 0.0 { time_in_words(left) } else { "unknown time".to_owned() },
            escaped_html(message)
        )
    }

    pub(crate) fn finish(self) {
        self.line.finish();
    }
}

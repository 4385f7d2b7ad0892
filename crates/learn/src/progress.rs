//! Shows what a run does now, on the terminal and on the page.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use kiki_page::escaped_html;
use kiki_run::output::{ProgressLine, progress, time_in_words};

use crate::page;
use crate::state::LearnState;

/// How often the page and the time worked are written.
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
    message: String,
    page_written: Option<Instant>,
}

impl<'a> StageProgress<'a> {
    /// Begins a stage, or goes on with it: the first number that is shown counts as done before.
    pub(crate) fn new(
        folder: &'a Path,
        state: &'a LearnState,
        clock: WorkClock,
        name: String,
        unit: &'static str,
        wanted: u64,
    ) -> Self {
        let generation = state.generations.len() + 1;
        let line = ProgressLine::new(unit, wanted, 0);
        line.print(format_args!("generation {generation}: {name}"));
        Self {
            folder,
            state,
            clock,
            line,
            generation,
            name,
            unit,
            done: 0,
            wanted,
            message: String::new(),
            page_written: None,
        }
    }

    pub(crate) fn show(&mut self, done: u64, message: impl Fn() -> String) -> Result<()> {
        self.done = done.min(self.wanted);
        if self.page_written.is_none() {
            // What an earlier process has done says nothing about the speed.
            self.line = ProgressLine::new(self.unit, self.wanted, self.done);
        }
        self.line.show(self.done, &message);
        if self.page_written.is_none_or(|written| written.elapsed() >= PAGE_EVERY) {
            self.message = message();
            // A kill loses no more time than this.
            let state = LearnState { seconds: self.clock.seconds(), ..self.state.clone() };
            state.write(self.folder)?;
            page::write(self.folder, &state, Some(&self.html()))?;
            self.page_written = Some(Instant::now());
        }
        Ok(())
    }

    fn html(&self) -> String {
        let Self { generation, name, unit, done, wanted, message, .. } = self;
        let progress = progress();
        let speed = progress.as_ref().map_or(0.0, |progress| progress.speed);
        let left = progress.and_then(|progress| progress.seconds_left());
        format!(
            "<h2>Generation {generation}: {}</h2><progress max=\"{wanted}\" value=\"{done}\"></progress>\
             <p>{done} of {wanted} {unit}, {speed:.0} a second, {} left in this stage. {}</p>",
            escaped_html(name),
            left.map_or_else(|| "unknown time".to_owned(), time_in_words),
            escaped_html(message)
        )
    }

    pub(crate) fn finish(self) {
        self.line.finish();
    }
}

//! What a run hands to other machines: a job, cut into numbered tasks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, Result, anyhow};
use kiki_driver::CancellationSource;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::allowed::AllowedEngines;

/// What all tasks of a run have in common, and how one of them is done.
///
/// An outcome depends on the job, the number and the task alone, not on the worker or on earlier
/// tasks. Then a run gives the same results on any number of machines.
pub trait Job: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The name of this kind in messages.
    const KIND: &'static str;
    type Task: Serialize + DeserializeOwned;
    type Outcome: Serialize + DeserializeOwned + Send;
    /// What a thread keeps from task to task.
    type State<'a>;

    /// The files that workers need, and the BLAKE3 sum of each. A worker changes the paths to those
    /// of its copies.
    fn files(&mut self) -> Vec<(&mut PathBuf, &str)>;

    /// Whether engines think by the clock, which wants idle processors.
    fn is_timed(&self) -> bool {
        false
    }

    /// Prepares for the tasks of a thread.
    fn begin<'a>(&'a self, place: &'a WorkPlace<'_>) -> Result<Self::State<'a>>;

    /// Does a task; `None` if it was stopped.
    fn work(
        &self,
        state: &mut Self::State<'_>,
        number: u64,
        task: Self::Task,
        stop: &StopSignal,
    ) -> Result<Option<Self::Outcome>>;
}

/// Where a worker's thread does tasks of a run.
#[derive(Clone, Copy)]
pub struct WorkPlace<'a> {
    pub(crate) stop: &'a StopSignal,
    /// The engines that this worker's configuration names.
    pub(crate) engines: &'a AllowedEngines,
}

/// Ends the tasks of a run: searches in the process, and waits for engines.
pub struct StopSignal {
    flag: AtomicBool,
    engines: CancellationSource,
}

impl StopSignal {
    pub(crate) fn new() -> Self {
        Self { flag: AtomicBool::new(false), engines: CancellationSource::new() }
    }

    pub(crate) fn set(&self) {
        self.flag.store(true, Ordering::Relaxed);
        self.engines.cancel();
    }

    #[must_use]
    pub fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// For searches in the process.
    #[must_use]
    pub fn flag(&self) -> &AtomicBool {
        &self.flag
    }

    /// For games of engines.
    #[must_use]
    pub fn engines(&self) -> &CancellationSource {
        &self.engines
    }
}

/// A kind of job that this program can do, for the dispatcher of workers.
#[derive(Clone, Copy)]
pub struct JobKind {
    pub(crate) name: &'static str,
    pub(crate) read: fn(Value) -> Result<Box<dyn AnyJob>>,
}

impl JobKind {
    #[must_use]
    pub const fn of<J: Job>() -> Self {
        Self { name: J::KIND, read: |value| Ok(Box::new(serde_json::from_value::<J>(value)?)) }
    }
}

/// What became of a task on a worker.
pub(crate) enum Answer {
    Done(Value),
    Stopped,
    Failed(String),
    /// This worker cannot do any task of the job.
    Refused(String),
}

/// A job of any kind. Tasks and outcomes are JSON.
pub(crate) trait AnyJob: Send + Sync {
    fn files(&mut self) -> Vec<(&mut PathBuf, &str)>;

    /// Does the tasks that `receive` returns until it returns `None`, and hands each outcome to
    /// `answer`.
    fn serve(
        &self,
        place: &WorkPlace<'_>,
        receive: &mut dyn FnMut() -> Option<(u64, Value)>,
        answer: &mut dyn FnMut(Answer),
    );
}

impl<J: Job> AnyJob for J {
    fn files(&mut self) -> Vec<(&mut PathBuf, &str)> {
        Job::files(self)
    }

    fn serve(
        &self,
        place: &WorkPlace<'_>,
        receive: &mut dyn FnMut() -> Option<(u64, Value)>,
        answer: &mut dyn FnMut(Answer),
    ) {
        let mut state = None;
        while let Some((number, task)) = receive() {
            let attempt = || -> Result<Answer> {
                if state.is_none() {
                    match self.begin(place) {
                        Ok(begun) => state = Some(begun),
                        Err(error) => return Ok(Answer::Refused(format!("{error:#}"))),
                    }
                }
                let Some(state) = &mut state else { return Ok(Answer::Stopped) };
                let task = serde_json::from_value(task).context("a task that cannot be read")?;
                let outcome = self.work(state, number, task, place.stop)?;
                outcome.map_or(Ok(Answer::Stopped), |outcome| Ok(Answer::Done(serde_json::to_value(outcome)?)))
            };
            let outcome = catch_unwind(AssertUnwindSafe(attempt)).unwrap_or_else(|panic| {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message");
                Err(anyhow!("a fault of the program: {text}"))
            });
            let outcome = outcome.unwrap_or_else(|error| {
                // What a failure left behind does not serve for another task.
                state = None;
                Answer::Failed(format!("{error:#}"))
            });
            answer(outcome);
        }
    }
}

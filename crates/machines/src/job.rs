//! What a run hands to other machines: a job, cut into numbered tasks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow};
use kiki_run::evaluation::SharedEvaluation;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::context::{StopSignal, WorkerContext};
use crate::engines::SharedEngines;
use crate::message::TaskResult;

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

    /// The parts that need files of the coordinator.
    fn needs(&mut self) -> JobNeeds<'_>;

    /// Prepares for the tasks of a thread.
    fn begin<'a>(&'a self, context: &'a WorkerContext<'_>) -> Result<Self::State<'a>>;

    /// Does a task; `None` if it was stopped. Errors after `stop` do not count.
    fn work(
        &self,
        state: &mut Self::State<'_>,
        number: u64,
        task: Self::Task,
        stop: &StopSignal,
    ) -> Result<Option<Self::Outcome>>;
}

/// What a job needs on a worker's machine.
pub enum JobNeeds<'a> {
    Engines(&'a mut SharedEngines),
    Evaluations(Vec<&'a mut SharedEvaluation>),
}

impl<'a> JobNeeds<'a> {
    /// The files to send and the BLAKE3 sum of each. A worker changes the paths to those of its
    /// copies.
    pub(crate) fn files(self) -> Vec<(&'a mut PathBuf, &'a str)> {
        match self {
            Self::Engines(engines) => engines.files(),
            Self::Evaluations(evaluations) => evaluations.into_iter().filter_map(SharedEvaluation::file).collect(),
        }
    }

    /// Whether engines think by the clock, which needs idle processors.
    pub(crate) fn is_timed(&self) -> bool {
        matches!(self, Self::Engines(engines) if engines.are_timed())
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

/// What became of a task on a worker; or why this worker cannot do any task of the job.
pub(crate) type Answer = std::result::Result<TaskResult<Value>, String>;

/// A job of any kind. Tasks and outcomes are JSON.
pub(crate) trait AnyJob: Send + Sync {
    fn needs(&mut self) -> JobNeeds<'_>;

    /// Does tasks. `exchange` gets the answer to the last task and returns the next one; `None`
    /// ends the work.
    fn serve(&self, context: &WorkerContext<'_>, exchange: &mut dyn FnMut(Option<Answer>) -> Option<(u64, Value)>);
}

impl<J: Job> AnyJob for J {
    fn needs(&mut self) -> JobNeeds<'_> {
        Job::needs(self)
    }

    fn serve(&self, context: &WorkerContext<'_>, exchange: &mut dyn FnMut(Option<Answer>) -> Option<(u64, Value)>) {
        let (mut state, mut answer) = (None, None);
        while let Some((number, task)) = exchange(answer) {
            let attempt = || -> Result<Answer> {
                let begun = match state.take().map_or_else(|| self.begin(context), Ok) {
                    Ok(begun) => state.insert(begun),
                    Err(error) => return Ok(Err(format!("{error:#}"))),
                };
                let task = serde_json::from_value(task).context("a task that cannot be read")?;
                let outcome = self.work(begun, number, task, context.stop)?;
                Ok(Ok(outcome
                    .map_or(Ok(TaskResult::Returned), |outcome| serde_json::to_value(outcome).map(TaskResult::Done))?))
            };
            let outcome = catch_unwind(AssertUnwindSafe(attempt)).unwrap_or_else(|panic| {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message");
                Err(anyhow!("a fault of the program: {text}"))
            });
            answer = Some(outcome.unwrap_or_else(|error| {
                // After a failure the next task begins with a new state.
                state = None;
                Ok(if context.stop.is_set() { TaskResult::Returned } else { TaskResult::Failed(format!("{error:#}")) })
            }));
        }
    }
}

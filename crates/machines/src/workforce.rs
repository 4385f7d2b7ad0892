//! Who does the work of a command: threads of this machine, or workers on other machines.

use std::ops::ControlFlow;

use anyhow::Result;
use clap::Args;
use kiki_play::pool::{PoolEvent, RunOptions};
use kiki_run::ensure_usage;
use kiki_run::evaluation::ThreadArgs;
use kiki_run::parallel;

use crate::allowed::AllowedEngines;
use crate::context::{StopSignal, WorkerContext};
use crate::coordinator::{Coordinator, NextTask, RunPlan};
use crate::job::Job;
use crate::server::ServerArgs;

/// Whether workers on other machines do the work of a command.
#[derive(Args, Clone, Debug)]
pub struct MachinesArgs {
    /// Have the work done by `kiki-lab worker` on other machines, through this NATS server
    #[arg(long, value_name = "URL")]
    nats: Option<String>,
    #[command(flatten)]
    server: ServerArgs,
}

impl MachinesArgs {
    /// Refuses options that have no meaning for engines of workers.
    pub fn check(&self, options: &RunOptions) -> Result<()> {
        ensure_usage!(
            self.nats.is_none() || (options.logs.is_none() && options.cpus.is_empty()),
            "--log and --affinity are for engines of this machine: with --nats, workers run them"
        );
        Ok(())
    }

    /// The coordinator, if there is a server.
    pub fn coordinator(&self) -> Result<Option<Coordinator>> {
        self.nats.as_deref().map(|url| Coordinator::connect(url, &self.server)).transpose()
    }
}

/// The options that resume an interrupted run of engines: `--nats`, or `--concurrency` on this
/// machine.
#[must_use]
pub fn resume_options(coordinator: Option<&Coordinator>, concurrency: usize) -> String {
    coordinator.map_or_else(|| format!("--concurrency {concurrency}"), |_| NATS_OPTION.to_owned())
}

/// Without the address, which may hold a password.
const NATS_OPTION: &str = "--nats URL";

/// Who does the work of a command that needs no engines.
pub enum Workforce {
    /// This number of threads.
    Threads(usize),
    Machines(Box<Coordinator>),
}

/// Threads of this machine, or other machines.
#[derive(Args, Debug)]
pub struct WorkforceArgs {
    #[command(flatten)]
    pub threads: ThreadArgs,
    #[command(flatten)]
    machines: MachinesArgs,
}

impl Workforce {
    /// Does a run of a job that needs no engines. `next` returns the task of a number. `each` gets
    /// the outcomes in the order of their numbers. Ends when `each` breaks off, when no task is
    /// left, or when the user interrupts.
    pub fn run<J: Job + Clone>(
        &self,
        plan: &RunPlan<'_, J>,
        next: impl Fn(u64) -> Result<NextTask<J::Task>> + Sync,
        mut each: impl FnMut(J::Outcome) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        match self {
            Self::Threads(threads) => {
                let (stop, engines) = (StopSignal::new(), AllowedEngines::default());
                let context = WorkerContext { stop: &stop, engines: &engines };
                let work = |state: &mut J::State<'_>, number| match next(number) {
                    Ok(NextTask::Task(task)) => plan.job.work(state, number, task, &stop).transpose().map(Some),
                    Ok(NextTask::Skip) => Some(None),
                    Ok(NextTask::None) => None,
                    Err(error) => Some(Some(Err(error))),
                };
                let begin = || plan.job.begin(&context);
                parallel::in_order(plan.first, *threads, plan.is_stopped, stop.flag(), begin, work, |outcome| {
                    outcome.map_or(Ok(ControlFlow::Continue(())), |outcome| each(outcome?))
                })
            }
            Self::Machines(coordinator) => coordinator.run(plan, next, |event| match event {
                PoolEvent::Result(outcome) => each(outcome),
                PoolEvent::Tick => Ok(ControlFlow::Continue(())),
            }),
        }
    }

    /// The options that resume an interrupted run without engines: `--nats`, or none.
    #[must_use]
    pub fn resume_options(&self) -> &'static str {
        if matches!(self, Self::Machines(_)) { NATS_OPTION } else { "" }
    }

    pub fn new(threads: &ThreadArgs, machines: &MachinesArgs) -> Result<Self> {
        let threads = threads.count()?;
        Ok(machines.coordinator()?.map_or(Self::Threads(threads), |coordinator| Self::Machines(Box::new(coordinator))))
    }
}

impl WorkforceArgs {
    pub fn workforce(&self) -> Result<Workforce> {
        Workforce::new(&self.threads, &self.machines)
    }
}

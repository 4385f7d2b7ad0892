//! Work besides the search, on its own threads: mating problems, counts and benches.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use kiki_board::Position;
use kiki_mate::{MateResult, Solver};

use super::reporter::{MateProgress, UsiReporter};
use crate::memory::table_within_memory;
use crate::output::Output;

/// Time for an answer to arrive; a tenth of all time if that is less.
const MARGIN: Duration = Duration::from_millis(10);
const INTERVAL: Duration = Duration::from_secs(1);

/// When to give up a problem, or the search for a shorter mate.
#[derive(Clone, Copy)]
pub(super) struct MateLimits {
    pub(super) start: Instant,
    pub(super) time: Option<Duration>,
    pub(super) nodes: Option<u64>,
    /// Whether to look for shorter mates until one is proven shortest.
    pub(super) shortest: bool,
}

/// A working thread, or a finished one not yet joined.
struct WorkThread<T> {
    thread: JoinHandle<T>,
    flags: Arc<WorkFlags>,
}

#[derive(Default)]
struct WorkFlags {
    stop: AtomicBool,
    silent: AtomicBool,
    /// Set before the answer is written: a client may send the next command at once.
    over: AtomicBool,
}

impl<T: Send + 'static> WorkThread<T> {
    fn start(name: &str, work: impl FnOnce(&WorkFlags) -> T + Send + 'static) -> io::Result<Self> {
        let flags = Arc::<WorkFlags>::default();
        let shared = Arc::clone(&flags);
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || work(&shared))?;
        Ok(Self { thread, flags })
    }

    fn stop(&self) {
        self.flags.stop.store(true, Ordering::Relaxed);
    }

    /// Waits for the result; `None` after a panic, which the panic hook has reported.
    fn join(self) -> Option<T> {
        self.thread.join().ok()
    }
}

/// Solves problems one at a time. The solver keeps what it learned until it is cleared.
#[derive(Default)]
pub(super) struct MateWorker {
    /// `None` while a problem is being solved: then its thread has it.
    solver: Option<Solver>,
    /// The requested size of its table, in MiB.
    mebibytes: usize,
    running: Option<WorkThread<Option<Solver>>>,
    /// Whether the current search has no limit.
    endless: bool,
}

impl MateWorker {
    /// Starts to solve a problem, with a table of `mebibytes` if there is memory. The reporter
    /// writes the answer. Gives up an earlier problem first.
    pub(super) fn go(
        &mut self,
        position: &Position,
        limits: MateLimits,
        mebibytes: usize,
        reporter: &Arc<UsiReporter>,
    ) -> io::Result<()> {
        self.stop();
        let solver = self.solver.take().filter(|_| self.mebibytes == mebibytes);
        self.mebibytes = mebibytes;
        self.endless = limits.time.is_none() && limits.nodes.is_none();
        let (mut position, reporter) = (position.clone(), Arc::clone(reporter));
        self.running = Some(WorkThread::start("mate", move |flags| {
            let mut solver = solver.unwrap_or_else(|| Solver::new(table_within_memory(mebibytes)));
            let solved = catch_unwind(AssertUnwindSafe(|| {
                let verdict = solve(&mut solver, &mut position, limits, &reporter, &flags.stop);
                (verdict, MateProgress { nodes: solver.nodes(), time: limits.start.elapsed() })
            }));
            flags.over.store(true, Ordering::Release);
            match solved {
                Ok((verdict, progress)) => {
                    reporter.mate_finished(&verdict, solver.is_shortest(), Some(progress));
                    Some(solver)
                }
                // The state of the solver can no longer be trusted.
                Err(_) => {
                    reporter.mate_finished(&MateResult::Unknown, false, None);
                    None
                }
            }
        })?);
        Ok(())
    }

    pub(super) fn stop(&mut self) {
        self.running.iter().for_each(WorkThread::stop);
        self.wait();
    }

    pub(super) fn wait(&mut self) {
        if let Some(running) = self.running.take() {
            self.solver = running.join().flatten();
        }
    }

    pub(super) fn is_searching(&self) -> bool {
        self.running.as_ref().is_some_and(|running| !running.flags.over.load(Ordering::Acquire))
    }

    pub(super) fn is_endless(&self) -> bool {
        self.is_searching() && self.endless
    }

    pub(super) fn clear(&mut self) {
        self.wait();
        self.solver = None;
    }
}

fn solve(
    solver: &mut Solver,
    position: &mut Position,
    limits: MateLimits,
    reporter: &UsiReporter,
    stop: &AtomicBool,
) -> MateResult {
    let time = limits.time.map_or(Duration::MAX, |time| time - (time / 10).min(MARGIN));
    let most_nodes = limits.nodes.unwrap_or(u64::MAX);
    let mut next_report = INTERVAL;
    solver.set_shortest(limits.shortest);
    solver.solve(position, &mut |nodes| {
        let elapsed = limits.start.elapsed();
        if elapsed >= next_report {
            next_report = elapsed + INTERVAL;
            reporter.mate_progress(MateProgress { nodes, time: elapsed });
        }
        nodes < most_nodes && elapsed < time && !stop.load(Ordering::Relaxed)
    })
}

/// What `quit` does with work that still runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AtQuit {
    /// Ends it in silence.
    Ends,
    /// Waits for its end; a second `quit` does not.
    Finishes,
}

/// Does one piece of work at a time.
#[derive(Default)]
pub(super) struct Background {
    work: Option<(AtQuit, WorkThread<()>)>,
}

impl Background {
    /// Stops earlier work and starts new, which gets its stop flag and a printing function.
    pub(super) fn start(
        &mut self,
        output: &Arc<Output>,
        at_quit: AtQuit,
        work: impl FnOnce(&AtomicBool, &mut dyn FnMut(String)) + Send + 'static,
    ) -> io::Result<()> {
        self.stop();
        let output = Arc::clone(output);
        let thread = WorkThread::start("background", move |flags| {
            work(&flags.stop, &mut |line| {
                if !flags.silent.load(Ordering::Relaxed) {
                    output.print(line);
                }
            });
        })?;
        self.work = Some((at_quit, thread));
        Ok(())
    }

    /// Whether work runs that `quit` waits for.
    pub(super) fn finishes_at_quit(&self) -> bool {
        self.work.as_ref().is_some_and(|(at_quit, work)| *at_quit == AtQuit::Finishes && !work.thread.is_finished())
    }

    pub(super) fn stop(&mut self) {
        self.work.iter().for_each(|(_, work)| work.stop());
        self.wait();
    }

    pub(super) fn wait(&mut self) {
        if let Some((_, work)) = self.work.take() {
            let _ = work.join();
        }
    }

    /// Silences the work without waiting for its end: the thread ends with the program.
    pub(super) fn abandon(&mut self) {
        if let Some((_, work)) = self.work.take() {
            work.flags.silent.store(true, Ordering::Relaxed);
            work.stop();
        }
    }
}

//! Work beside the search, on threads of its own: mating problems, counts and benches.

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

/// The time that an answer takes on its way; a tenth of all time if that is less.
const MARGIN: Duration = Duration::from_millis(10);
/// The time between two reports of progress.
const INTERVAL: Duration = Duration::from_secs(1);

/// When to give up a problem, or the search for a shorter mate. Without limits, only `stop` ends the search.
#[derive(Clone, Copy)]
pub(super) struct MateLimits {
    /// When the problem was given.
    pub(super) start: Instant,
    pub(super) time: Option<Duration>,
    pub(super) nodes: Option<u64>,
    /// Whether to look for shorter mates until the shortest is proved.
    pub(super) shortest: bool,
}

/// Takes problems one at a time. What the solver learned from one stays for the next, until it is cleared.
#[derive(Default)]
pub(super) struct MateSearch {
    /// `None` while a problem is being solved: then its thread has it.
    solver: Option<Solver>,
    /// The size of its table that was asked for, in MiB.
    mebibytes: usize,
    running: Option<RunningMateSearch>,
}

/// A problem that is being solved, or is solved and has not been joined yet.
struct RunningMateSearch {
    thread: JoinHandle<Option<Solver>>,
    flags: Arc<MateFlags>,
    endless: bool,
}

#[derive(Default)]
struct MateFlags {
    stop: AtomicBool,
    /// Set before the answer is written, so that a client may send the next command at once.
    over: AtomicBool,
}

/// What the thread needs.
struct MateTask {
    position: Position,
    limits: MateLimits,
    flags: Arc<MateFlags>,
    reporter: Arc<UsiReporter>,
}

impl MateSearch {
    /// Starts to solve a problem, with a table of `mebibytes` if there is memory for it. The reporter writes the answer. The problem before is
    /// given up first.
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
        let flags = Arc::<MateFlags>::default();
        let task =
            MateTask { position: position.clone(), limits, flags: Arc::clone(&flags), reporter: Arc::clone(reporter) };
        let thread = std::thread::Builder::new()
            .name("mate".to_owned())
            .spawn(move || task.run(solver.unwrap_or_else(|| Solver::new(table_within_memory(mebibytes)))))?;
        let endless = limits.time.is_none() && limits.nodes.is_none();
        self.running = Some(RunningMateSearch { thread, flags, endless });
        Ok(())
    }

    /// Ends the search and waits until it has answered.
    pub(super) fn stop(&mut self) {
        if let Some(running) = &self.running {
            running.flags.stop.store(true, Ordering::Relaxed);
        }
        self.wait();
    }

    /// Waits until the problem is solved or given up.
    pub(super) fn wait(&mut self) {
        if let Some(running) = self.running.take() {
            self.solver = running.thread.join().ok().flatten();
        }
    }

    /// Whether a problem is being solved.
    pub(super) fn is_searching(&self) -> bool {
        self.running.as_ref().is_some_and(|running| !running.flags.over.load(Ordering::Acquire))
    }

    /// Whether the search in progress has no limit.
    pub(super) fn is_endless(&self) -> bool {
        self.is_searching() && self.running.as_ref().is_some_and(|running| running.endless)
    }

    /// Forgets all problems and gives their memory back.
    pub(super) fn clear(&mut self) {
        self.wait();
        self.solver = None;
    }
}

impl MateTask {
    /// Solves the problem and reports. Returns the solver unless it has panicked: then its state cannot be trusted.
    fn run(self, solver: Solver) -> Option<Solver> {
        let solved = catch_unwind(AssertUnwindSafe(|| self.solve(solver)));
        let (verdict, progress, solver) = match solved {
            Ok((verdict, solver)) => {
                let progress = MateProgress { nodes: solver.nodes(), time: self.limits.start.elapsed() };
                (verdict, Some(progress), Some(solver))
            }
            Err(_) => (MateResult::Unknown, None, None),
        };
        self.flags.over.store(true, Ordering::Release);
        self.reporter.mate_finished(&verdict, progress);
        solver
    }

    fn solve(&self, mut solver: Solver) -> (MateResult, Solver) {
        let time = self.limits.time.map_or(Duration::MAX, |time| time - (time / 10).min(MARGIN));
        let most_nodes = self.limits.nodes.unwrap_or(u64::MAX);
        let mut next_report = INTERVAL;
        let mut proceed = |nodes| {
            let elapsed = self.limits.start.elapsed();
            if elapsed >= next_report {
                next_report = elapsed + INTERVAL;
                self.reporter.mate_progress(MateProgress { nodes, time: elapsed });
            }
            nodes < most_nodes && elapsed < time && !self.flags.stop.load(Ordering::Relaxed)
        };
        solver.set_shortest(self.limits.shortest);
        let verdict = solver.solve(&mut self.position.clone(), &mut proceed);
        (verdict, solver)
    }
}

/// Does one piece of work at a time.
#[derive(Default)]
pub(super) struct Background {
    work: Option<RunningWork>,
}

/// Work in progress, or work that is done and has not been joined yet.
struct RunningWork {
    thread: JoinHandle<()>,
    flags: Arc<Flags>,
}

#[derive(Default)]
struct Flags {
    /// Set to end the work.
    stop: AtomicBool,
    /// Set to print nothing any more.
    silent: AtomicBool,
}

impl Background {
    /// Starts work. The work gets the flag that stops it, and a function that prints a line. Earlier work is stopped first.
    pub(super) fn start(
        &mut self,
        output: &Arc<Output>,
        work: impl FnOnce(&AtomicBool, &mut dyn FnMut(String)) + Send + 'static,
    ) -> io::Result<()> {
        self.stop();
        let flags = Arc::<Flags>::default();
        let (output, shared) = (Arc::clone(output), Arc::clone(&flags));
        let thread = std::thread::Builder::new().name("background".to_owned()).spawn(move || {
            let mut print_line = |line: String| {
                if !shared.silent.load(Ordering::Relaxed) {
                    output.print(line);
                }
            };
            work(&shared.stop, &mut print_line);
        })?;
        self.work = Some(RunningWork { thread, flags });
        Ok(())
    }

    /// Ends the work and waits until it has printed its last line.
    pub(super) fn stop(&mut self) {
        if let Some(work) = &self.work {
            work.flags.stop.store(true, Ordering::Relaxed);
        }
        self.wait();
    }

    /// Waits until the work is done.
    pub(super) fn wait(&mut self) {
        if let Some(work) = self.work.take() {
            // A panic has been reported by the panic hook.
            let _ = work.thread.join();
        }
    }

    /// Silences the work and does not wait for its end: the program is about to leave, and the thread goes with it.
    pub(super) fn abandon(&mut self) {
        if let Some(work) = self.work.take() {
            work.flags.silent.store(true, Ordering::Relaxed);
            work.flags.stop.store(true, Ordering::Relaxed);
        }
    }
}

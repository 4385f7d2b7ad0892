//! The coordinator: a thread that has the others begin and sleeps until the search is to end. It never searches.
//!
//! The thread that ends its search last gives the answer, so that nobody has to be woken for that; if one has lost its processor, the coordinator
//! gives it. Threads publish their results as they find them. So neither a stop nor the clock has to wait until the system gives a searching
//! thread its processor, however many threads there are.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam::channel::unbounded;
use kiki_eval::Evaluator;
use kiki_processor::prefer_short_time_slices;
use parking_lot::Mutex;

use super::completion::{CurrentPhase, IdleAtEnd, Phase};
use super::job::SearchJob;
use super::pool::{Queues, ThreadPool};
use super::search_thread::SearchThread;
use crate::table::TranspositionTable;
use crate::time::TimePlanner;

const STACK_SIZE: usize = 2 << 20;

/// How long an answer waits for the first iteration when no searching thread is given a processor: without it the answer is any move.
const LINE_PATIENCE: Duration = Duration::from_secs(3);

/// The thread and what it shares with the searcher.
pub(crate) struct Coordinator {
    pub(crate) phase: Arc<CurrentPhase>,
    pub(crate) planner: Arc<Mutex<TimePlanner>>,
    /// The searcher is being dropped: what is being prepared is not wanted any more.
    leaving: Arc<AtomicBool>,
    thread: ThreadPool<()>,
}

impl Coordinator {
    /// # Errors
    /// If the system refuses to start the thread.
    pub(crate) fn new() -> std::io::Result<Self> {
        Ok(Self {
            phase: Arc::default(),
            planner: Arc::default(),
            leaving: Arc::default(),
            thread: ThreadPool::new("coordinator", STACK_SIZE, [prefer_short_time_slices])?,
        })
    }

    /// Begins a search and returns. The searcher must be idle.
    pub(crate) fn search<E: Evaluator + 'static>(&self, job: SearchJob<E>) {
        self.phase.enter(Phase::Searching);
        // Made before the job and dropped after it: the table must not be held any more when the searcher is idle.
        let idle = IdleAtEnd(Arc::clone(&self.phase));
        self.thread.queues().send(0, move |()| {
            let _idle = idle;
            coordinate(&Arc::new(job));
        });
    }

    /// Begins to get ready for a new game and returns: all threads forget earlier games, the table is cleared, and the memory of both becomes
    /// resident; of threads only if `resident`. `done` is called at the end, unless the searcher is being dropped; whoever waits for the searcher
    /// goes on after it.
    pub(crate) fn prepare<E: Evaluator + 'static>(
        &self,
        threads: Queues<SearchThread<E>>,
        table: Arc<TranspositionTable>,
        resident: bool,
        done: impl FnOnce() + Send + 'static,
    ) {
        self.phase.enter(Phase::Preparing);
        let (idle, leaving) = (IdleAtEnd(Arc::clone(&self.phase)), Arc::clone(&self.leaving));
        self.thread.queues().send(0, move |()| {
            let _idle = idle;
            let (finished, waiting) = unbounded::<()>();
            for number in 0..threads.len() {
                let finished = finished.clone();
                threads.send(number, move |thread| {
                    thread.new_game(resident);
                    drop(finished);
                });
            }
            drop((threads, finished));
            let is_leaving = || leaving.load(Ordering::Relaxed);
            table.clear(is_leaving);
            drop(table);
            // Ends when all threads have dropped their senders.
            while waiting.recv().is_ok() {}
            if !is_leaving() {
                done();
            }
        });
    }

    /// What is being prepared is not wanted any more.
    pub(crate) fn leave(&self) {
        self.leaving.store(true, Ordering::Relaxed);
    }
}

/// A search from its first thread's start to the end of its last one.
fn coordinate<E: Evaluator + 'static>(job: &Arc<SearchJob<E>>) {
    job.wake(0);
    job.completion.wait_for_end(&job.control, job.params.stopwatch);
    job.control.stop();
    job.completion.wait_for_searches(job.grace());
    job.completion.wait_for_line(&job.control, LINE_PATIENCE);
    if job.completion.take_answer() {
        job.answer();
    }
    job.completion.wait_for_workers();
    job.report_failures();
}

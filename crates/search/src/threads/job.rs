//! One search as its threads and the coordinator know it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use kiki_eval::Evaluator;
use parking_lot::Mutex;

use super::completion::Completion;
use super::completion::{CurrentPhase, Phase};
use super::options::Options;
use super::outcome::{any_move, outcome};
use super::pool::Queues;
use super::search_thread::SearchThread;
use crate::control::SearchControl;
use crate::node::RootLine;
use crate::report::{GatedReporter, WorkDone};
use crate::root::{ReportConfig, RootSearch, SearchParams};
use crate::table::TranspositionTable;
use crate::time::{GRACE, TimePlanner};

/// How long the thread that answers waits for a lock that a thread holds only while it copies a line of moves. A thread that lost its processor in
/// the middle of that is not waited for.
const LOCK_TIMEOUT: Duration = Duration::from_millis(1);

/// A search: what is asked, what it needs, and what its threads have found.
pub(crate) struct SearchJob<E: Evaluator> {
    pub(crate) params: SearchParams,
    pub(crate) options: Options,
    pub(crate) table: Arc<TranspositionTable>,
    pub(crate) control: Arc<SearchControl>,
    pub(crate) completion: Arc<Completion>,
    pub(crate) phase: Arc<CurrentPhase>,
    pub(crate) planner: Arc<Mutex<TimePlanner>>,
    pub(crate) reporter: GatedReporter,
    /// By thread.
    pub(crate) results: Vec<Mutex<ThreadResult>>,
    pub(crate) threads: Queues<SearchThread<E>>,
}

/// What one thread has found so far.
#[derive(Default)]
pub(crate) struct ThreadResult {
    /// The best lines: of the last completed iteration, or with what an interrupted one has found to be better. Empty if nothing is known.
    lines: Vec<RootLine>,
    /// Why the thread failed, if it did and that has not been reported yet.
    failure: Option<String>,
}

impl<E: Evaluator + 'static> SearchJob<E> {
    /// Has a thread begin its part. Each wakes two others, so that a thousand begin soon.
    pub(crate) fn wake(self: &Arc<Self>, thread: usize) {
        let job = Arc::clone(self);
        if thread < self.threads.len() && !self.threads.send(thread, move |state| job.run(state)) {
            // The thread is gone, which does not happen as it survives panics: it must not be waited for.
            Arc::clone(self).leave(thread);
        }
    }

    /// One thread's part.
    fn run(self: Arc<Self>, thread: &mut SearchThread<E>) {
        let number = thread.number;
        self.wake(2 * number + 1);
        self.wake(2 * number + 2);
        let control = Arc::clone(&self.control);
        if let Some(slices) = &control.time_slices {
            slices.acquire(number);
        }
        // After a panic the answer is what was found before it.
        let searched = catch_unwind(AssertUnwindSafe(|| {
            let mut search = thread.take();
            self.search(number, &mut search);
            thread.put_back(search);
        }));
        if let Err(cause) = searched {
            self.results[number].lock().failure = Some(describe("a search thread failed", &*cause));
        }
        if let Some(slices) = &control.time_slices {
            slices.release();
        }
        self.leave(number);
    }

    /// A thread has ended its search.
    fn leave(self: Arc<Self>, thread: usize) {
        if self.completion.search_finished(thread, self.grace().is_zero(), &self.control) {
            self.answer();
        }
        let completion = Arc::clone(&self.completion);
        // The table must not be held any more when the search is over.
        drop(self);
        completion.worker_finished();
    }

    /// How long the answer may wait for threads that have lost their processors.
    pub(crate) fn grace(&self) -> Duration {
        self.control.deadline.plan().map_or(GRACE, |plan| plan.budget.grace)
    }

    /// Gives the answer. Whoever calls it has taken that upon itself: see [`Completion::take_answer`]. It does not panic, whatever the reporter
    /// does: others wait for what the calling thread has to do next.
    pub(crate) fn answer(&self) {
        self.report_failures();
        let chosen =
            catch_unwind(AssertUnwindSafe(|| outcome(&self.params, &self.lines(), &self.table, self.work_done())));
        let (result, lines) = chosen.unwrap_or_else(|cause| {
            self.note(&describe("the choice of the answer failed", &*cause));
            (any_move(&self.params, self.work_done()), Vec::new())
        });
        self.phase.enter(Phase::Answering);
        if let Err(cause) = catch_unwind(AssertUnwindSafe(|| self.reporter.finish(&lines, &result))) {
            self.note(&describe("telling the answer failed", &*cause));
        }
        if !self.control.is_pondering()
            && let Some(plan) = self.control.deadline.plan()
        {
            // Whoever waits for the answer may have been given this thread's processor: what that took is as good a measure of how late threads
            // are woken here.
            self.planner.lock().answered(&plan, self.params.stopwatch.elapsed());
        }
    }

    fn search(&self, number: usize, search: &mut RootSearch<E>) {
        let result = &self.results[number];
        let Options { pv_interval, report_bounds, .. } = self.options;
        let config = ReportConfig { reporter: &self.reporter, pv_interval, report_bounds };
        let config = (number == 0).then_some(&config);
        let table = Arc::clone(&self.table);
        search.run(&self.params, table, config, |lines| {
            if !lines.is_empty() {
                result.lock().lines = lines.to_vec();
                self.completion.note_line(&self.control);
            }
        });
        if number == 0 && self.completion.is_held() {
            // The answer has to wait for a stop, but not the lines that are reported with it.
            let lines = [result.lock().lines.clone()];
            let (_, told) = outcome(&self.params, &lines, &self.table, self.work_done());
            told.iter().for_each(|line| self.reporter.info(line));
        }
    }

    /// What the search has taken so far.
    fn work_done(&self) -> WorkDone {
        WorkDone {
            nodes: self.control.nodes.total(),
            time: self.params.stopwatch.elapsed(),
            hashfull: self.table.hashfull(),
        }
    }

    /// The best lines of each thread.
    fn lines(&self) -> Vec<Vec<RootLine>> {
        let lines = |result: &Mutex<ThreadResult>| Some(result.try_lock_for(LOCK_TIMEOUT)?.lines.clone());
        self.results.iter().filter_map(lines).collect()
    }

    /// Reports panics that have not been reported yet.
    pub(crate) fn report_failures(&self) {
        for result in &self.results {
            // Not in the condition: the lock would be held while reporting.
            let failure = result.try_lock_for(LOCK_TIMEOUT).and_then(|mut result| result.failure.take());
            if let Some(failure) = failure {
                self.note(&failure);
            }
        }
    }

    /// Tells a person something. If even that fails, the panic hook has told what there is to tell.
    fn note(&self, text: &str) {
        let _ = catch_unwind(AssertUnwindSafe(|| self.reporter.note(text)));
    }
}

fn describe(what: &str, cause: &(dyn Any + Send)) -> String {
    let text = cause.downcast_ref::<String>().map(String::as_str).or_else(|| cause.downcast_ref::<&str>().copied());
    format!("{what}: {}", text.unwrap_or("unknown cause"))
}

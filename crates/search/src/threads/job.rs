//! One search, as its threads and the coordinator see it.
//!
//! The coordinator is a thread that never searches: it starts the others and sleeps until the
//! search must end. The last thread to end its search answers, which needs no other thread to wake
//! up. If a thread has lost its processor, the coordinator answers. Threads publish results as they
//! find them. So a stop or the clock never waits for the system to schedule a searching thread,
//! however many there are.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use kiki_board::Move;
use kiki_eval::Evaluator;
use parking_lot::Mutex;

use super::completion::{Completion, SearcherPhase};
use super::outcome::{any_move, outcome};
use super::pool::Queues;
use crate::control::SearchControl;
use crate::report::{GatedReporter, RootLine, WorkDone};
use crate::root::{RootSearch, SearchRequest, work_done};
use crate::table::TranspositionTable;
use crate::time::GRACE;
use crate::time::planner::TimePlanner;
use crate::value::MATE_BOUND;

/// How long the answering thread waits for a lock. Others hold it only while they copy a line of
/// moves. A thread that lost its processor meanwhile is not waited for.
const LOCK_TIMEOUT: Duration = Duration::from_millis(1);

/// How long an answer waits for the first iteration when no searching thread gets a processor.
/// Without that iteration the answer is any move.
const LINE_PATIENCE: Duration = Duration::from_secs(3);

/// Shared state of a searcher, its coordinator and its searching threads.
pub(crate) struct SearcherState {
    pub(crate) control: Arc<SearchControl>,
    pub(crate) completion: Completion,
    pub(crate) planner: Mutex<TimePlanner>,
    /// Whether no search will follow, so that preparations are pointless.
    pub(crate) leaving: AtomicBool,
}

/// Makes the searcher idle when dropped, so that no thread waits forever after a panic.
pub(crate) struct IdleAtEnd(pub(crate) Arc<SearcherState>);

impl Drop for IdleAtEnd {
    fn drop(&mut self) {
        self.0.completion.enter(SearcherPhase::Idle);
    }
}

/// The state that a searching thread keeps between searches.
pub(crate) struct SearchThread<E: Evaluator> {
    /// Made at its first use, as its tables are large, and again after a panic, as its state cannot
    /// be trusted.
    search: Option<RootSearch<E>>,
    new: Box<dyn Fn() -> RootSearch<E>>,
}

impl<E: Evaluator> SearchThread<E> {
    pub(crate) fn new(new: impl Fn() -> RootSearch<E> + 'static) -> Self {
        Self { search: None, new: Box::new(new) }
    }

    /// Forgets earlier games. If `resident`, creates a missing search, and makes all memory
    /// resident.
    pub(crate) fn new_game(&mut self, resident: bool) {
        if resident {
            self.search.get_or_insert_with(&self.new);
        }
        if let Some(search) = &mut self.search {
            search.new_game(resident);
        }
    }
}

/// A search: the request, its resources, and the results of its threads.
pub(crate) struct SearchJob<E: Evaluator> {
    pub(crate) request: Arc<SearchRequest>,
    pub(crate) shared: Arc<SearcherState>,
    pub(crate) table: Arc<TranspositionTable>,
    /// The main thread reports progress, the thread that answers the rest.
    pub(crate) reporter: GatedReporter,
    /// `[thread]`: of the threads that take part.
    pub(crate) results: Vec<Mutex<ThreadResult>>,
    pub(crate) threads: Queues<SearchThread<E>>,
}

/// The results of one thread so far.
#[derive(Default)]
pub(crate) struct ThreadResult {
    /// The best lines of the last completed iteration, or better ones from an interrupted one.
    /// Empty if nothing is known.
    lines: Vec<RootLine>,
    /// Why the thread failed, if it did and that is not reported yet.
    failure: Option<String>,
}

impl<E: Evaluator + 'static> SearchJob<E> {
    /// Begins the search on the coordinator's thread and returns. The searcher must be idle.
    pub(crate) fn begin(self, coordinator: &Queues<()>) {
        let limits = &self.request.limits;
        self.shared.completion.begin(self.results.len(), limits.ponder || limits.is_infinite());
        // Dropped after the job: an idle searcher must not hold the table.
        let idle = IdleAtEnd(Arc::clone(&self.shared));
        let coordinate = move |_: &mut ()| {
            let _idle = idle;
            Arc::new(self).coordinate();
        };
        // Fails only without the thread; then the job, dropped, ends the search.
        let _ = coordinator[0].send(Box::new(coordinate));
    }

    /// The coordinator's part: from the start of the first thread to the end of the last.
    fn coordinate(self: &Arc<Self>) {
        let SearcherState { control, completion, .. } = &*self.shared;
        self.wake(0);
        completion.wait_for_end(control, self.request.begun);
        control.stop();
        completion.wait_for_searches(self.grace());
        completion.wait_for_line(control, LINE_PATIENCE);
        if completion.take_answer() {
            self.answer();
        }
        completion.wait_for_workers();
        self.report_failures();
    }

    /// Starts a thread's part. Each thread wakes two others, so that a thousand begin soon.
    fn wake(self: &Arc<Self>, thread: usize) {
        let job = Arc::clone(self);
        let part = move |state: &mut _| job.run(thread, state);
        if thread < self.results.len() && self.threads[thread].send(Box::new(part)).is_err() {
            // The thread is gone. That does not happen, as threads survive panics, but the search
            // must not wait for it.
            Arc::clone(self).leave(thread);
        }
    }

    fn run(self: Arc<Self>, number: usize, thread: &mut SearchThread<E>) {
        self.wake(2 * number + 1);
        self.wake(2 * number + 2);
        let slices = self.shared.control.time_slices.as_ref();
        if let Some(slices) = slices {
            slices.acquire();
        }
        // After a panic, the answer is what was found before it.
        let searched = catch_unwind(AssertUnwindSafe(|| {
            let mut search = thread.search.take().unwrap_or_else(&thread.new);
            self.search(number, &mut search);
            thread.search = Some(search);
        }));
        if let Err(cause) = searched {
            self.results[number].lock().failure = Some(describe("a search thread failed", &*cause));
        }
        if let Some(slices) = slices {
            slices.release();
        }
        self.leave(number);
    }

    /// Ends a thread's part of the search.
    fn leave(self: Arc<Self>, thread: usize) {
        let shared = Arc::clone(&self.shared);
        if shared.completion.search_finished(thread, self.grace().is_zero(), &shared.control) {
            self.answer();
        }
        // The table must not be held once the search is over.
        drop(self);
        shared.completion.worker_finished();
    }

    /// How long the answer may wait for threads without processors.
    fn grace(&self) -> Duration {
        self.shared.control.deadline.plan().map_or(GRACE, |plan| plan.budget.grace)
    }

    /// Gives the answer. Only for the caller that [`Completion::take_answer`] or
    /// [`Completion::search_finished`] chose. Never panics, whatever the reporter does: other
    /// threads wait for this one.
    fn answer(&self) {
        self.report_failures();
        let chosen =
            catch_unwind(AssertUnwindSafe(|| outcome(&self.request, &self.lines(), &self.table, self.work_done())));
        let (result, lines) = chosen.unwrap_or_else(|cause| {
            self.note(&describe("the choice of the answer failed", &*cause));
            (any_move(&self.request, self.work_done()), Vec::new())
        });
        self.shared.completion.enter(SearcherPhase::Answering);
        if let Err(cause) = catch_unwind(AssertUnwindSafe(|| self.reporter.finish(&lines, &result))) {
            self.note(&describe("reporting the answer failed", &*cause));
        }
        if !self.shared.control.is_pondering()
            && let Some(plan) = self.shared.control.deadline.plan()
        {
            // The receiver of the answer may have got this thread's processor. That delay, too,
            // measures how late threads wake up here.
            self.shared.planner.lock().answered(&plan, self.request.begun.elapsed());
        }
    }

    fn search(&self, number: usize, search: &mut RootSearch<E>) {
        let result = &self.results[number];
        let reporter = (number == 0).then_some(&self.reporter);
        let table = Arc::clone(&self.table);
        search.run(&self.request, table, reporter, |lines| {
            if !lines.is_empty() {
                result.lock().lines = lines.to_vec();
                self.shared.completion.note_line(&self.shared.control);
            }
        });
        if number == 0 && self.shared.completion.is_held() {
            // The answer must wait for a stop, but the lines reported with it need not.
            let lines = [result.lock().lines.clone()];
            let (_, lines) = outcome(&self.request, &lines, &self.table, self.work_done());
            lines.iter().for_each(|line| self.reporter.info(line));
        }
    }

    fn work_done(&self) -> WorkDone {
        work_done(&self.shared.control, self.request.begun, &self.table)
    }

    fn lines(&self) -> Vec<Vec<RootLine>> {
        let lines = |(thread, result): (usize, &Mutex<ThreadResult>)| {
            let lines = result.try_lock_for(LOCK_TIMEOUT)?.lines.clone();
            Some(with_better_move(lines, self.shared.control.better(thread)))
        };
        self.results.iter().enumerate().filter_map(lines).collect()
    }

    /// Reports panics that have not been reported yet.
    fn report_failures(&self) {
        for result in &self.results {
            // Not in the condition: that would hold the lock while reporting.
            let failure = result.try_lock_for(LOCK_TIMEOUT).and_then(|mut result| result.failure.take());
            if let Some(failure) = failure {
                self.note(&failure);
            }
        }
    }

    /// Reports a failure to the user. If that fails too, the panic hook has printed it.
    fn note(&self, text: &str) {
        let _ = catch_unwind(AssertUnwindSafe(|| self.reporter.note(text)));
    }
}

/// A thread's lines. A single line is replaced by the better move of an unfinished iteration, which
/// the thread has had no time to publish. Several lines stay, as all have one depth, and so does a
/// proved mate.
fn with_better_move(mut lines: Vec<RootLine>, better: Option<(u32, Move)>) -> Vec<RootLine> {
    if let ([line], Some((iteration, mv))) = (&mut lines[..], better)
        && iteration > line.depth
        && line.value < MATE_BOUND
        && line.moves[0] != mv
    {
        line.moves = vec![mv];
    }
    lines
}

fn describe(what: &str, cause: &(dyn Any + Send)) -> String {
    let text = cause.downcast_ref::<String>().map(String::as_str).or_else(|| cause.downcast_ref::<&str>().copied());
    format!("{what}: {}", text.unwrap_or("unknown cause"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_cannot_wait_plays_the_better_move_of_the_unfinished_iteration() {
        let [played, better] = [7, 9].map(Move::from_bits);
        let line = |depth, value| RootLine { depth, seldepth: depth, value, moves: vec![played, better] };
        let first = |lines: Vec<RootLine>, iteration| with_better_move(lines, Some((iteration, better)))[0].moves[0];
        assert_eq!(first(vec![line(8, 20)], 9), better);
        assert_eq!(first(vec![line(9, 20)], 9), played, "the iteration is finished");
        assert_eq!(first(vec![line(8, MATE_BOUND)], 9), played, "a proved mate");
        assert_eq!(first(vec![line(8, 20), line(8, 10)], 9), played, "a set of lines");
        assert_eq!(with_better_move(vec![line(8, 20)], None), [line(8, 20)]);
    }
}

//! One search as its threads and the coordinator know it.
//!
//! The coordinator is a thread that never searches: it lets the others begin and sleeps until the search must end. The thread that ends its
//! search last gives the answer, which wakes no other thread; if a thread has lost its processor, the coordinator gives it. Threads publish
//! their results as they find them. So neither a stop nor the clock waits until the system gives a searching thread its processor, however
//! many threads there are.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam::channel::unbounded;
use kiki_board::Move;
use kiki_eval::Evaluator;
use parking_lot::Mutex;

use super::completion::{Completion, CurrentPhase, Phase};
use super::outcome::{any_move, outcome};
use super::pool::{Queues, SearchThread};
use crate::control::SearchControl;
use crate::report::{RootLine, WorkDone};
use crate::root::{ReportConfig, RootSearch, SearchRequest};
use crate::table::TranspositionTable;
use crate::time::GRACE;
use crate::time::planner::TimePlanner;
use crate::value::MATE_BOUND;

/// How long the thread that answers waits for a lock, which others hold only while they copy a line of moves. It does not wait for a thread that
/// lost its processor in the middle of that.
const LOCK_TIMEOUT: Duration = Duration::from_millis(1);

/// How long an answer waits for the first iteration when no searching thread is given a processor: without it the answer is any move.
const LINE_PATIENCE: Duration = Duration::from_secs(3);

/// Shared state of a searcher, its coordinator and its searching threads.
pub(crate) struct Shared {
    pub(crate) control: Arc<SearchControl>,
    pub(crate) completion: Completion,
    pub(crate) phase: CurrentPhase,
    pub(crate) planner: Mutex<TimePlanner>,
    /// Nobody will search any more: preparations are no longer needed.
    pub(crate) leaving: AtomicBool,
}

/// Makes the searcher idle when it is dropped, so that after a panic no thread waits forever.
struct IdleAtEnd(Arc<Shared>);

impl Drop for IdleAtEnd {
    fn drop(&mut self) {
        self.0.phase.enter(Phase::Idle);
    }
}

/// A search: the request, what it needs, and what its threads have found.
pub(crate) struct SearchJob<E: Evaluator> {
    pub(crate) request: Arc<SearchRequest>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) table: Arc<TranspositionTable>,
    /// For the main thread.
    pub(crate) report: ReportConfig,
    /// `[thread]`.
    pub(crate) results: Vec<Mutex<ThreadResult>>,
    pub(crate) threads: Queues<SearchThread<E>>,
}

/// The results of one thread so far.
#[derive(Default)]
pub(crate) struct ThreadResult {
    /// The best lines of the last completed iteration, or with what an interrupted one has found to be better. Empty if nothing is known.
    lines: Vec<RootLine>,
    /// Why the thread failed, if it did and that has not been reported yet.
    failure: Option<String>,
}

impl<E: Evaluator + 'static> SearchJob<E> {
    /// Begins the search on the coordinator's thread and returns. The searcher must be idle.
    pub(crate) fn begin(self, coordinator: &Queues<()>) {
        self.shared.phase.enter(Phase::Searching);
        // Dropped after the job: an idle searcher must not hold the table any more.
        let idle = IdleAtEnd(Arc::clone(&self.shared));
        coordinator.send(0, move |()| {
            let _idle = idle;
            Arc::new(self).coordinate();
        });
    }

    /// The coordinator's part: from the start of the first thread to the end of the last one.
    fn coordinate(self: &Arc<Self>) {
        let Shared { control, completion, .. } = &*self.shared;
        self.wake(0);
        completion.wait_for_end(control, self.request.stopwatch);
        control.stop();
        completion.wait_for_searches(self.grace());
        completion.wait_for_line(control, LINE_PATIENCE);
        if completion.take_answer() {
            self.answer();
        }
        completion.wait_for_workers();
        self.report_failures();
    }

    /// Lets a thread begin its part. Each wakes two others, so that a thousand begin soon.
    fn wake(self: &Arc<Self>, thread: usize) {
        let job = Arc::clone(self);
        if thread < self.threads.len() && !self.threads.send(thread, move |state| job.run(state)) {
            // The thread is gone, which does not happen as it survives panics: the search must not wait for it.
            Arc::clone(self).leave(thread);
        }
    }

    /// One searching thread's part.
    fn run(self: Arc<Self>, thread: &mut SearchThread<E>) {
        let number = thread.number;
        self.wake(2 * number + 1);
        self.wake(2 * number + 2);
        let slices = self.shared.control.time_slices.as_ref();
        if let Some(slices) = slices {
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
        if let Some(slices) = slices {
            slices.release();
        }
        self.leave(number);
    }

    /// A thread has ended its search.
    fn leave(self: Arc<Self>, thread: usize) {
        let shared = Arc::clone(&self.shared);
        if shared.completion.search_finished(thread, self.grace().is_zero(), &shared.control) {
            self.answer();
        }
        // The table must not be held any more when the search is over.
        drop(self);
        shared.completion.worker_finished();
    }

    /// How long the answer may wait for threads that have lost their processors.
    fn grace(&self) -> Duration {
        self.shared.control.deadline.plan().map_or(GRACE, |plan| plan.budget.grace)
    }

    /// Gives the answer; only for the caller that [`Completion::take_answer`] or [`Completion::search_finished`] chose. It does not panic,
    /// whatever the reporter does: others wait for what the calling thread has to do next.
    fn answer(&self) {
        self.report_failures();
        let chosen =
            catch_unwind(AssertUnwindSafe(|| outcome(&self.request, &self.lines(), &self.table, self.work_done())));
        let (result, lines) = chosen.unwrap_or_else(|cause| {
            self.note(&describe("the choice of the answer failed", &*cause));
            (any_move(&self.request, self.work_done()), Vec::new())
        });
        self.shared.phase.enter(Phase::Answering);
        if let Err(cause) = catch_unwind(AssertUnwindSafe(|| self.report.reporter.finish(&lines, &result))) {
            self.note(&describe("reporting the answer failed", &*cause));
        }
        if !self.shared.control.is_pondering()
            && let Some(plan) = self.shared.control.deadline.plan()
        {
            // The receiver of the answer may have been given this thread's processor: what that took measures as well how late threads are
            // woken here.
            self.shared.planner.lock().answered(&plan, self.request.stopwatch.elapsed());
        }
    }

    fn search(&self, number: usize, search: &mut RootSearch<E>) {
        let result = &self.results[number];
        let config = (number == 0).then_some(&self.report);
        let table = Arc::clone(&self.table);
        search.run(&self.request, table, config, |lines| {
            if !lines.is_empty() {
                result.lock().lines = lines.to_vec();
                self.shared.completion.note_line(&self.shared.control);
            }
        });
        if number == 0 && self.shared.completion.is_held() {
            // The answer has to wait for a stop, but not the lines that are reported with it.
            let lines = [result.lock().lines.clone()];
            let (_, lines) = outcome(&self.request, &lines, &self.table, self.work_done());
            lines.iter().for_each(|line| self.report.reporter.info(line));
        }
    }

    /// The cost of the search so far.
    fn work_done(&self) -> WorkDone {
        WorkDone {
            nodes: self.shared.control.nodes.total(),
            time: self.request.stopwatch.elapsed(),
            hashfull: self.table.hashfull(),
        }
    }

    /// The best lines of each thread.
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
            // Not in the condition: the lock would be held while reporting.
            let failure = result.try_lock_for(LOCK_TIMEOUT).and_then(|mut result| result.failure.take());
            if let Some(failure) = failure {
                self.note(&failure);
            }
        }
    }

    /// Reports a failure to the user. If even that fails, the panic hook has printed it.
    fn note(&self, text: &str) {
        let _ = catch_unwind(AssertUnwindSafe(|| self.report.reporter.note(text)));
    }
}

/// A thread's lines, the only one of which gives way to the better move of an unfinished iteration: the thread has had no time to publish it.
/// Several lines are a set of one depth, and a proved mate stays.
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

/// Begins to get ready for a new game on the coordinator's thread and returns. All threads forget earlier games, the table is cleared, and the
/// memory of both becomes resident; that of threads without memory only if `resident`. Before the searcher is idle `done` is called, and sooner
/// if nobody will search any more.
pub(crate) fn prepare<E: Evaluator + 'static>(
    shared: &Arc<Shared>,
    coordinator: &Queues<()>,
    threads: Queues<SearchThread<E>>,
    table: Arc<TranspositionTable>,
    resident: bool,
    done: impl FnOnce() + Send + 'static,
) {
    shared.phase.enter(Phase::Preparing);
    let idle = IdleAtEnd(Arc::clone(shared));
    coordinator.send(0, move |()| {
        let (finished, waiting) = unbounded::<()>();
        for number in 0..threads.len() {
            let finished = finished.clone();
            threads.send(number, move |thread| {
                thread.new_game(resident);
                drop(finished);
            });
        }
        drop((threads, finished));
        let is_leaving = || idle.0.leaving.load(Ordering::Relaxed);
        table.clear(is_leaving);
        drop(table);
        // Ends when all threads have dropped their senders.
        while waiting.recv().is_ok() {}
        done();
    });
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

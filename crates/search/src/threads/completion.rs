//! The state of a searcher and the progress of its search. Other threads wait for it, and it
//! decides which thread answers.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use crossbeam::utils::CachePadded;

use crate::control::SearchControl;
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::{Condvar, Mutex, MutexGuard};

/// The state of a searcher. Searching ends before the answer, so that the receiver of the answer
/// may start the next search at once. The searcher is idle when the answer has been given and all
/// its threads sleep.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum SearcherPhase {
    #[default]
    Idle,
    /// Clearing memory for a new game.
    Preparing,
    Searching,
    Answering,
}

/// State shared by the threads of a searcher and its coordinator.
#[derive(Default)]
pub(crate) struct Completion {
    /// Number of searching threads. Not behind the lock: a thousand threads that finish at once
    /// would queue for it ahead of the coordinator.
    searching: CachePadded<AtomicUsize>,
    /// Number of threads that search or still hold resources of the search.
    active: CachePadded<AtomicUsize>,
    /// Whether a thread has claimed the answer.
    answered: CachePadded<AtomicBool>,
    state: Mutex<CompletionState>,
    changed: Condvar,
}

#[derive(Default)]
struct CompletionState {
    phase: SearcherPhase,
    /// Whether the answer must wait: for a stop in an infinite search, for a stop or a ponder hit
    /// while pondering.
    held: bool,
    /// Whether the main thread has finished its part.
    main_finished: bool,
}

impl Completion {
    fn lock(&self) -> MutexGuard<'_, CompletionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits while `condition` holds and there is time `left`; `None` for any time. Returns whether
    /// the condition holds no more.
    fn wait_while(&self, left: impl Fn() -> Option<Duration>, condition: impl Fn(&CompletionState) -> bool) -> bool {
        let mut state = self.lock();
        while condition(&state) {
            state = match left() {
                Some(Duration::ZERO) => return false,
                Some(left) => self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
        true
    }

    pub(crate) fn enter(&self, phase: SearcherPhase) {
        self.lock().phase = phase;
        self.changed.notify_all();
    }

    pub(crate) fn is_in(&self, phase: SearcherPhase) -> bool {
        self.lock().phase == phase
    }

    /// Waits until the searcher is idle, at most for `timeout`. Returns whether it is.
    pub(crate) fn wait_for_idle(&self, timeout: Option<Duration>) -> bool {
        self.wait_while(within(timeout), |state| state.phase != SearcherPhase::Idle)
    }

    /// Begins a search. If `held`, its answer must wait.
    pub(crate) fn begin(&self, threads: usize, held: bool) {
        self.searching.store(threads, Ordering::Release);
        self.active.store(threads, Ordering::Release);
        self.answered.store(false, Ordering::Release);
        *self.lock() = CompletionState { phase: SearcherPhase::Searching, held, main_finished: false };
    }

    pub(crate) fn is_held(&self) -> bool {
        self.lock().held
    }

    /// Lets the answer be given.
    pub(crate) fn release(&self) {
        self.lock().held = false;
        self.changed.notify_all();
    }

    /// Notes that a thread has ended its search. If that ends the whole search, the others are
    /// stopped. Returns whether this thread must answer, which needs no other thread to wake up:
    /// the last thread does, and a thread that `hurries` does at once.
    pub(crate) fn search_finished(&self, thread: usize, hurries: bool, control: &SearchControl) -> bool {
        let last = self.searching.fetch_sub(1, Ordering::AcqRel) == 1;
        let hurries = hurries && !self.answered.load(Ordering::Relaxed);
        if !(last || hurries || thread == 0) {
            return false;
        }
        let mut state = self.lock();
        state.main_finished |= thread == 0;
        let ends = !state.held && (state.main_finished || control.is_stopped());
        drop(state);
        if ends {
            control.stop();
        }
        let answers = ends && (last || hurries) && self.take_answer();
        if !answers {
            self.changed.notify_all();
        }
        answers
    }

    /// Whether the caller is the first to ask, and so must answer.
    pub(crate) fn take_answer(&self) -> bool {
        !self.answered.swap(true, Ordering::AcqRel)
    }

    /// Wakes the waiting threads after a change of an atomic. A thread between its check and its
    /// wait holds the lock.
    fn wake(&self) {
        drop(self.lock());
        self.changed.notify_all();
    }

    /// Notes that a thread has finished its part and holds no resources of the search.
    pub(crate) fn worker_finished(&self) {
        if self.active.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.wake();
        }
    }

    /// Waits until the search must end: it was stopped, its time is up, or the main thread has
    /// finished and the answer need not wait. A stop must be followed by [`Completion::release`].
    pub(crate) fn wait_for_end(&self, control: &SearchControl, begun: Instant) {
        let goes_on = |state: &CompletionState| !control.is_stopped() && (state.held || !state.main_finished);
        self.wait_while(|| time_left(control, begun), goes_on);
    }

    /// Waits until no thread searches any more, at most for `timeout`.
    pub(crate) fn wait_for_searches(&self, timeout: Duration) {
        self.wait_while(within(Some(timeout)), |_| self.searching.load(Ordering::Acquire) > 0);
    }

    pub(crate) fn note_line(&self, control: &SearchControl) {
        if control.note_line() {
            self.wake();
        }
    }

    /// Waits until there is an answer: a thread has a line, or none searches any more. At most for
    /// `timeout`.
    pub(crate) fn wait_for_line(&self, control: &SearchControl, timeout: Duration) {
        let is_unknown = |_: &_| !control.has_line() && self.searching.load(Ordering::Acquire) > 0;
        self.wait_while(within(Some(timeout)), is_unknown);
    }

    /// Waits until all threads have finished their parts.
    pub(crate) fn wait_for_workers(&self) {
        self.wait_while(|| None, |_| self.active.load(Ordering::Acquire) > 0);
    }
}

/// The time left of a timeout that begins now.
fn within(timeout: Option<Duration>) -> impl Fn() -> Option<Duration> {
    let begun = Instant::now();
    move || Some(timeout?.saturating_sub(begun.elapsed()))
}

/// Time left before even an interrupted iteration must end; `None` for no limit.
fn time_left(control: &SearchControl, begun: Instant) -> Option<Duration> {
    // Read in this order: a ponder hit sets the deadline before it ends the pondering.
    let plan = if control.is_pondering() { None } else { control.deadline.plan() };
    Some(plan?.maximum().saturating_sub(begun.elapsed()))
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;
    use crate::limits::Limits;

    /// Which of three threads answers if they end their searches in this order.
    fn answering(order: [usize; 3], hurries: bool, held: bool, stopped: bool) -> Option<usize> {
        let (completion, control) = (Completion::default(), SearchControl::new(3, 3));
        control.begin(None, &Limits::default());
        completion.begin(3, held);
        if stopped {
            control.stop();
        }
        let answering: Vec<usize> =
            order.into_iter().filter(|&thread| completion.search_finished(thread, hurries, &control)).collect();
        assert!(answering.len() <= 1);
        assert_eq!(
            completion.take_answer(),
            answering.is_empty(),
            "it is left to the coordinator if no thread has given it"
        );
        answering.first().copied()
    }

    #[test]
    fn the_last_thread_answers_and_in_a_hurry_the_first_after_the_end() {
        assert_eq!(answering([0, 2, 1], false, false, false), Some(1));
        assert_eq!(answering([1, 2, 0], false, false, true), Some(0));
        assert_eq!(answering([2, 0, 1], true, false, false), Some(0), "the main thread's end is that of the search");
        assert_eq!(answering([2, 0, 1], true, false, true), Some(2));
        assert_eq!(answering([2, 0, 1], true, true, true), None, "it is held");
    }

    #[test]
    fn the_end_of_the_main_thread_stops_the_others_unless_the_answer_is_held() {
        for held in [false, true] {
            let (completion, control) = (Completion::default(), SearchControl::new(2, 2));
            control.begin(None, &Limits { ponder: held, ..Limits::default() });
            completion.begin(2, held);
            assert!(!completion.search_finished(0, false, &control));
            assert_eq!(control.is_stopped(), !held);
        }
    }
}

/// How the threads of a search wait for each other, in every order in which they may run. `.ci/loom`
/// runs these models and reports a thread that would wait forever as a deadlock. The parts of the
/// coordinator, the searching threads and the session are those of `job.rs` and `mod.rs`, without the
/// search.
#[cfg(test)]
#[cfg(loom)]
mod models {
    use loom::sync::Arc;
    use loom::thread;

    use super::*;
    use crate::limits::Limits;

    /// A timeout that never comes: what a model does must not depend on the clock.
    const NEVER: Duration = Duration::from_secs(1 << 30);

    /// The search that a model begins.
    #[derive(Clone, Copy)]
    struct Scenario {
        threads: usize,
        held: bool,
        pondering: bool,
    }

    /// Model state of the threads.
    struct Model {
        control: SearchControl,
        completion: Completion,
    }

    impl Model {
        /// Begins a search.
        fn begin(Scenario { threads, held, pondering }: Scenario) -> Arc<Self> {
            let shared = Self { control: SearchControl::new(threads, threads), completion: Completion::default() };
            shared.control.begin(None, &Limits { ponder: pondering, ..Limits::default() });
            shared.completion.begin(threads, held);
            Arc::new(shared)
        }

        /// The coordinator's part.
        fn coordinate(&self) {
            self.completion.wait_for_end(&self.control, Instant::now());
            self.control.stop();
            self.completion.wait_for_searches(NEVER);
            self.completion.wait_for_line(&self.control, NEVER);
            if self.completion.take_answer() {
                self.answer();
            }
            self.completion.wait_for_workers();
            assert!(self.completion.is_in(SearcherPhase::Answering), "an answer was given");
            self.completion.enter(SearcherPhase::Idle);
        }

        /// A searching thread's part.
        fn leave(&self, thread: usize, hurries: bool) {
            if self.completion.search_finished(thread, hurries, &self.control) {
                self.answer();
            }
            self.completion.worker_finished();
        }

        fn answer(&self) {
            assert!(self.completion.is_in(SearcherPhase::Searching), "a second answer");
            self.completion.enter(SearcherPhase::Answering);
        }

        fn stop(&self) {
            self.control.stop();
            self.completion.release();
        }

        fn ponder_hit(&self) {
            self.control.deadline.set(None, Duration::ZERO);
            self.control.end_pondering();
            self.completion.release();
        }

        fn wait(&self) {
            self.completion.wait_for_idle(None);
            assert!(self.control.is_stopped());
        }
    }

    /// Runs the parts of a search, and the session in this thread, in all orders with at most
    /// `preemptions` switches away from threads that could continue: 2 where 3 would take too long.
    fn model<const N: usize>(preemptions: usize, scenario: Scenario, parts: [fn(&Model); N], session: fn(&Model)) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(preemptions);
        model.check(move || {
            let shared = Model::begin(scenario);
            let threads = parts.map(|part| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || part(&shared))
            });
            session(&shared);
            threads.into_iter().for_each(|thread| thread.join().unwrap());
        });
    }

    const MAIN: fn(&Model) = |shared| shared.leave(0, false);
    const OTHER: fn(&Model) = |shared| shared.leave(1, false);

    #[test]
    fn a_search_ends_when_its_main_thread_does() {
        let scenario = Scenario { threads: 2, held: false, pondering: false };
        model(3, scenario, [Model::coordinate, MAIN, OTHER], Model::wait);
    }

    #[test]
    fn threads_in_a_hurry_answer_once() {
        let scenario = Scenario { threads: 2, held: false, pondering: false };
        let hurried: [fn(&Model); 2] = [|shared| shared.leave(0, true), |shared| shared.leave(1, true)];
        model(2, scenario, [Model::coordinate, hurried[0], hurried[1]], Model::wait);
    }

    #[test]
    fn an_answer_that_is_held_waits_for_a_stop_and_comes_after_it() {
        let scenario = Scenario { threads: 1, held: true, pondering: false };
        model(3, scenario, [Model::coordinate, MAIN], |shared| {
            assert!(shared.completion.is_in(SearcherPhase::Searching));
            shared.stop();
            shared.wait();
        });
    }

    #[test]
    fn a_stop_is_never_missed_whenever_it_comes() {
        let scenario = Scenario { threads: 2, held: true, pondering: true };
        model(2, scenario, [Model::coordinate, MAIN, OTHER], |shared| {
            shared.stop();
            shared.wait();
        });
    }

    #[test]
    fn a_ponder_hit_lets_a_finished_search_answer() {
        let scenario = Scenario { threads: 1, held: true, pondering: true };
        model(3, scenario, [Model::coordinate, MAIN, Model::ponder_hit], |shared| {
            shared.wait();
            assert!(!shared.control.is_pondering());
        });
    }

    #[test]
    fn a_stop_and_a_ponder_hit_at_the_same_time_end_the_search_once() {
        let scenario = Scenario { threads: 1, held: true, pondering: true };
        model(2, scenario, [Model::coordinate, MAIN, Model::ponder_hit], |shared| {
            shared.stop();
            shared.wait();
        });
    }
}

//! How the threads of a search wait for each other, in every order in which they may run.
//! `.ci/loom` runs these models and reports a thread that would wait forever as a deadlock.
//!
//! The parts of the coordinator, the searching threads and the session are those of `job.rs` and
//! `mod.rs`, without the search.

use std::time::Duration;

use loom::sync::Arc;
use loom::thread::{self, JoinHandle};

use super::completion::Completion;
use super::completion::{CurrentPhase, Phase};
use crate::control::SearchControl;
use crate::limits::Limits;
use crate::time::Stopwatch;

/// Shared state of the threads.
struct Shared {
    control: SearchControl,
    completion: Completion,
    phase: CurrentPhase,
}

impl Shared {
    /// Begins a search.
    fn begin(threads: usize, held: bool, pondering: bool) -> Arc<Self> {
        let shared = Self {
            control: SearchControl::new(threads, threads),
            completion: Completion::default(),
            phase: CurrentPhase::default(),
        };
        shared.control.begin(None, &Limits { ponder: pondering, ..Limits::default() });
        shared.completion.begin(threads, held);
        shared.phase.enter(Phase::Searching);
        Arc::new(shared)
    }

    /// The coordinator's part.
    fn coordinate(&self) {
        self.completion.wait_for_end(&self.control, Stopwatch::start());
        self.control.stop();
        self.completion.wait_for_searches(Duration::from_millis(8));
        self.completion.wait_for_line(&self.control, Duration::from_secs(1));
        if self.completion.take_answer() {
            self.answer();
        }
        self.completion.wait_for_workers();
        assert!(self.phase.is(Phase::Answering), "an answer was given");
        self.phase.enter(Phase::Idle);
    }

    /// A searching thread's part.
    fn leave(&self, thread: usize, hurries: bool) {
        if self.completion.search_finished(thread, hurries, &self.control) {
            self.answer();
        }
        self.completion.worker_finished();
    }

    fn answer(&self) {
        assert!(self.phase.is(Phase::Searching), "a second answer");
        self.phase.enter(Phase::Answering);
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
}

/// Starts a thread for each of these parts.
fn start<const N: usize>(shared: &Arc<Shared>, parts: [fn(&Shared); N]) -> [JoinHandle<()>; N] {
    parts.map(|part| {
        let shared = Arc::clone(shared);
        thread::spawn(move || part(&shared))
    })
}

fn main_thread(shared: &Shared) {
    shared.leave(0, false);
}

fn other_thread(shared: &Shared) {
    shared.leave(1, false);
}

fn hurried_main_thread(shared: &Shared) {
    shared.leave(0, true);
}

fn other_hurried_thread(shared: &Shared) {
    shared.leave(1, true);
}

/// Tries all orders with at most `preemptions` switches away from threads that could continue.
fn model(preemptions: usize, check: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.check(check);
}

fn join(threads: impl IntoIterator<Item = JoinHandle<()>>) {
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn a_search_ends_when_its_main_thread_does() {
    model(3, || {
        let shared = Shared::begin(2, false, false);
        let threads = start(&shared, [Shared::coordinate, main_thread, other_thread]);
        shared.phase.wait_for_idle(None);
        assert!(shared.control.is_stopped());
        join(threads);
    });
}

#[test]
fn threads_in_a_hurry_answer_once() {
    model(3, || {
        let shared = Shared::begin(2, false, false);
        let threads = start(&shared, [Shared::coordinate, hurried_main_thread, other_hurried_thread]);
        shared.phase.wait_for_idle(None);
        join(threads);
    });
}

#[test]
fn an_answer_that_is_held_waits_for_a_stop_and_comes_after_it() {
    model(3, || {
        let shared = Shared::begin(1, true, false);
        let threads = start(&shared, [Shared::coordinate, main_thread]);
        assert!(!shared.phase.is(Phase::Idle) && !shared.phase.is(Phase::Answering));
        shared.stop();
        shared.phase.wait_for_idle(None);
        join(threads);
    });
}

#[test]
fn a_stop_is_never_missed_whenever_it_comes() {
    model(2, || {
        let shared = Shared::begin(2, true, true);
        let threads = start(&shared, [Shared::coordinate, main_thread, other_thread]);
        shared.stop();
        shared.phase.wait_for_idle(None);
        join(threads);
    });
}

#[test]
fn a_ponder_hit_lets_a_finished_search_answer() {
    model(3, || {
        let shared = Shared::begin(1, true, true);
        let threads = start(&shared, [Shared::coordinate, main_thread, Shared::ponder_hit]);
        shared.phase.wait_for_idle(None);
        assert!(!shared.control.is_pondering());
        join(threads);
    });
}

#[test]
fn a_stop_and_a_ponder_hit_at_the_same_time_end_the_search_once() {
    model(2, || {
        let shared = Shared::begin(1, true, true);
        let threads = start(&shared, [Shared::coordinate, main_thread, Shared::ponder_hit, Shared::stop]);
        shared.phase.wait_for_idle(None);
        join(threads);
    });
}

//! How the threads of a search wait for each other, in every order in which they may run.
//! `.ci/loom` runs these models and reports a thread that would wait forever as a deadlock.
//!
//! The parts of the coordinator, the searching threads and the session are those of `job.rs` and
//! `mod.rs`, without the search.

use std::time::{Duration, Instant};

use loom::sync::Arc;
use loom::thread;

use super::completion::{Completion, Phase};
use crate::control::SearchControl;
use crate::limits::Limits;

/// A timeout that never comes: what a model does must not depend on the clock.
const NEVER: Duration = Duration::from_secs(1 << 30);

/// The search of a model.
#[derive(Clone, Copy)]
struct Search {
    threads: usize,
    held: bool,
    pondering: bool,
}

/// Shared state of the threads.
struct Shared {
    control: SearchControl,
    completion: Completion,
}

impl Shared {
    /// Begins a search.
    fn begin(Search { threads, held, pondering }: Search) -> Arc<Self> {
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
        assert!(self.completion.is_in(Phase::Answering), "an answer was given");
        self.completion.enter(Phase::Idle);
    }

    /// A searching thread's part.
    fn leave(&self, thread: usize, hurries: bool) {
        if self.completion.search_finished(thread, hurries, &self.control) {
            self.answer();
        }
        self.completion.worker_finished();
    }

    fn answer(&self) {
        assert!(self.completion.is_in(Phase::Searching), "a second answer");
        self.completion.enter(Phase::Answering);
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
/// `preemptions` switches away from threads that could continue.
fn model<const N: usize>(preemptions: usize, search: Search, parts: [fn(&Shared); N], session: fn(&Shared)) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.check(move || {
        let shared = Shared::begin(search);
        let threads = parts.map(|part| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || part(&shared))
        });
        session(&shared);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

const MAIN: fn(&Shared) = |shared| shared.leave(0, false);
const OTHER: fn(&Shared) = |shared| shared.leave(1, false);

#[test]
fn a_search_ends_when_its_main_thread_does() {
    let search = Search { threads: 2, held: false, pondering: false };
    model(3, search, [Shared::coordinate, MAIN, OTHER], Shared::wait);
}

#[test]
fn threads_in_a_hurry_answer_once() {
    let search = Search { threads: 2, held: false, pondering: false };
    let hurried: [fn(&Shared); 2] = [|shared| shared.leave(0, true), |shared| shared.leave(1, true)];
    model(3, search, [Shared::coordinate, hurried[0], hurried[1]], Shared::wait);
}

#[test]
fn an_answer_that_is_held_waits_for_a_stop_and_comes_after_it() {
    let search = Search { threads: 1, held: true, pondering: false };
    model(3, search, [Shared::coordinate, MAIN], |shared| {
        assert!(shared.completion.is_in(Phase::Searching));
        shared.stop();
        shared.wait();
    });
}

#[test]
fn a_stop_is_never_missed_whenever_it_comes() {
    let search = Search { threads: 2, held: true, pondering: true };
    model(2, search, [Shared::coordinate, MAIN, OTHER], |shared| {
        shared.stop();
        shared.wait();
    });
}

#[test]
fn a_ponder_hit_lets_a_finished_search_answer() {
    let search = Search { threads: 1, held: true, pondering: true };
    model(3, search, [Shared::coordinate, MAIN, Shared::ponder_hit], |shared| {
        shared.wait();
        assert!(!shared.control.is_pondering());
    });
}

#[test]
fn a_stop_and_a_ponder_hit_at_the_same_time_end_the_search_once() {
    let search = Search { threads: 1, held: true, pondering: true };
    model(2, search, [Shared::coordinate, MAIN, Shared::ponder_hit, Shared::stop], Shared::wait);
}

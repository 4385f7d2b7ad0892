//! How far a search is: what the coordinator waits for.

use std::sync::atomic::Ordering;
use std::time::Duration;

use crossbeam::utils::CachePadded;

use crate::control::SearchControl;
use crate::sync::{AtomicUsize, Condvar, Mutex};
use crate::time::Stopwatch;

/// Shared by the threads of a searcher and its coordinator.
#[derive(Default)]
pub(crate) struct Completion {
    /// Threads that have not finished their parts. Not behind the lock: a thousand threads that finish at once would queue for it, and the
    /// coordinator behind them.
    active_workers: CachePadded<AtomicUsize>,
    state: Mutex<CompletionState>,
    changed: Condvar,
}

#[derive(Default)]
struct CompletionState {
    /// Whether the answer has to wait for a stop (in an infinite search), or for a stop or a ponder hit (while pondering).
    held: bool,
    /// Whether the main thread has finished its part.
    main_finished: bool,
}

impl Completion {
    /// A search by so many threads begins; if `held`, its answer has to wait.
    pub(crate) fn begin(&self, threads: usize, held: bool) {
        self.active_workers.store(threads, Ordering::Release);
        *self.state.lock() = CompletionState { held, main_finished: false };
    }

    /// Whether the answer has to wait.
    pub(crate) fn is_held(&self) -> bool {
        self.state.lock().held
    }

    /// The answer need not wait any longer.
    pub(crate) fn release(&self) {
        self.state.lock().held = false;
        self.changed.notify_all();
    }

    /// A thread has finished its part.
    pub(crate) fn worker_finished(&self, thread: usize) {
        let last = self.active_workers.fetch_sub(1, Ordering::AcqRel) == 1;
        if last || thread == 0 {
            self.state.lock().main_finished |= thread == 0;
            self.changed.notify_all();
        }
    }

    /// Waits until the search is to end: it was stopped, its time is up, or the main thread has finished and the answer is not held.
    /// A stop must be followed by [`Completion::release`].
    pub(crate) fn wait_for_end(&self, control: &SearchControl, stopwatch: Stopwatch) {
        let mut state = self.state.lock();
        while !control.is_stopped() && (state.held || !state.main_finished) {
            match time_left(control, stopwatch) {
                Some(left) if left.is_zero() => return,
                Some(left) => {
                    self.changed.wait_for(&mut state, left);
                }
                None => self.changed.wait(&mut state),
            }
        }
    }

    /// Waits until all threads have finished their parts, at most for `timeout`; `None` for as long as it takes.
    pub(crate) fn wait_for_workers(&self, timeout: Option<Duration>) {
        let mut state = self.state.lock();
        let active = |_: &mut CompletionState| self.active_workers.load(Ordering::Acquire) > 0;
        match timeout {
            Some(timeout) => {
                self.changed.wait_while_for(&mut state, active, timeout);
            }
            None => self.changed.wait_while(&mut state, active),
        }
    }
}

/// Until even an interrupted iteration must end; `None` for no such time.
fn time_left(control: &SearchControl, stopwatch: Stopwatch) -> Option<Duration> {
    // In this order: a ponder hit sets the deadline before it ends the pondering.
    let plan = if control.is_pondering() { None } else { control.deadline.plan() };
    Some(plan?.maximum().saturating_sub(stopwatch.elapsed()))
}

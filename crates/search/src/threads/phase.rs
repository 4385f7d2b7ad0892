//! What a searcher is doing, so that others can wait for it.

use std::sync::Arc;
use std::time::Duration;

use crate::sync::{Condvar, Mutex};

/// Searching is over before the answer is given, so that the next search may be started as soon as the answer is received. The searcher is
/// idle when the answer has been given and every thread sleeps again.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Phase {
    #[default]
    Idle,
    /// Clearing memory for a new game.
    Preparing,
    Searching,
    Answering,
}

/// Makes the searcher idle when it is dropped, so that a panic leaves nobody waiting.
pub(crate) struct IdleAtEnd(pub(crate) Arc<CurrentPhase>);

impl Drop for IdleAtEnd {
    fn drop(&mut self) {
        self.0.enter(Phase::Idle);
    }
}

/// The present phase.
#[derive(Default)]
pub(crate) struct CurrentPhase {
    phase: Mutex<Phase>,
    changed: Condvar,
}

impl CurrentPhase {
    pub(crate) fn enter(&self, phase: Phase) {
        *self.phase.lock() = phase;
        self.changed.notify_all();
    }

    pub(crate) fn is(&self, phase: Phase) -> bool {
        *self.phase.lock() == phase
    }

    /// Waits until the searcher is idle, at most for `timeout`. Returns whether it is.
    pub(crate) fn wait_for_idle(&self, timeout: Option<Duration>) -> bool {
        let mut phase = self.phase.lock();
        let busy = |phase: &mut Phase| *phase != Phase::Idle;
        match timeout {
            None => self.changed.wait_while(&mut phase, busy),
            Some(timeout) => return !self.changed.wait_while_for(&mut phase, busy, timeout).timed_out(),
        }
        true
    }
}

//! The plan for the move that is being searched.

use std::time::Duration;

use parking_lot::Mutex;

use super::budget::Budget;

/// A [`Budget`] on the stopwatch of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedTime {
    /// When the player's clock began to run: 0, or the moment of the ponder hit.
    pub(crate) started: Duration,
    pub(crate) budget: Budget,
}

impl PlannedTime {
    /// Up to here nothing is saved by answering.
    pub(crate) fn least(&self) -> Duration {
        self.started + self.budget.least
    }

    /// Where any search ends.
    pub(crate) fn maximum(&self) -> Duration {
        self.started + self.budget.maximum
    }

    /// The latest moment that costs no more than answering at `time`.
    pub(crate) fn free_until(&self, time: Duration) -> Duration {
        self.started + self.budget.free_until(time.saturating_sub(self.started))
    }
}

/// The plan for the present search, shared by its threads; a ponder hit sets it while the search runs.
#[derive(Default)]
pub(crate) struct Deadline(Mutex<Option<PlannedTime>>);

impl Deadline {
    /// Sets the plan, which counts from `started`; `None` for no limit of time.
    pub(crate) fn set(&self, budget: Option<Budget>, started: Duration) {
        *self.0.lock() = budget.map(|budget| PlannedTime { started, budget });
    }

    /// The plan, if there is one.
    pub(crate) fn plan(&self) -> Option<PlannedTime> {
        *self.0.lock()
    }

    /// Whether the search must end, in mid-iteration.
    pub(crate) fn is_over(&self, now: Duration) -> bool {
        self.plan().is_some_and(|plan| now >= plan.maximum())
    }
}

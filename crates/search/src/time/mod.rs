//! The clock of a search and the plan that ends it. `budget` computes plans, `planner` learns about
//! clocks during a game.

mod budget;
pub(crate) mod planner;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

pub(crate) use self::budget::{Budget, GRACE};

/// Percent of the planned time at which an iteration ends.
const OVERTIME: u32 = 150;

/// A [`Budget`] that counts from the instant when a search began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedTime {
    /// When the player's clock started: 0, or the moment of the ponder hit.
    pub(crate) started: Duration,
    pub(crate) budget: Budget,
}

impl PlannedTime {
    pub(crate) fn least(&self) -> Duration {
        self.started + self.budget.least
    }

    pub(crate) fn maximum(&self) -> Duration {
        self.started + self.budget.maximum
    }

    /// The time of a search that gets this share of the planned one.
    pub(crate) fn target(&self, share: f64) -> Duration {
        self.budget.optimum.mul_f64(share)
    }

    /// When an iteration of such a search ends, unless its best move is losing value.
    pub(crate) fn iteration_end(&self, share: f64) -> Duration {
        self.free_until((self.target(share) * OVERTIME / 100).max(self.least()))
    }

    pub(crate) fn free_until(&self, time: Duration) -> Duration {
        self.started + self.budget.free_until(time.saturating_sub(self.started))
    }
}

/// The plan for the current search, shared by its threads. A ponder hit sets it while the search
/// runs.
pub(crate) struct Deadline {
    plan: Mutex<Option<PlannedTime>>,
    /// The maximum of the plan in nanoseconds. All threads read it often and must not queue for a
    /// lock.
    maximum: AtomicU64,
}

impl Default for Deadline {
    fn default() -> Self {
        Self { plan: Mutex::default(), maximum: AtomicU64::new(u64::MAX) }
    }
}

impl Deadline {
    /// Sets the plan, which counts from `started`; `None` for no limit of time.
    pub(crate) fn set(&self, budget: Option<Budget>, started: Duration) {
        let new = budget.map(|budget| PlannedTime { started, budget });
        let mut plan = self.plan.lock();
        self.maximum.store(new.as_ref().map_or(u64::MAX, |plan| nanoseconds(plan.maximum())), Ordering::Relaxed);
        *plan = new;
    }

    pub(crate) fn plan(&self) -> Option<PlannedTime> {
        *self.plan.lock()
    }

    /// Whether the search must end, in mid-iteration. A thread that sees the end of pondering also
    /// sees the plan set before it.
    pub(crate) fn is_over(&self, now: Duration) -> bool {
        nanoseconds(now) >= self.maximum.load(Ordering::Relaxed)
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

//! How long to think: clocks, the plan for a move, and what is learned about clocks during a game.

mod budget;
mod clock_kind;
mod deadline;
mod lateness;
mod margin;
mod planner;
mod stopwatch;

pub(crate) use budget::GRACE;
pub use budget::{Budget, ClockFacts, budget};
pub(crate) use deadline::{Deadline, PlannedTime};
pub(crate) use planner::TimePlanner;
pub(crate) use stopwatch::Stopwatch;

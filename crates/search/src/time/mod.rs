//! How long to think: clocks, the plan for a move, and what is learned about clocks during a game.

mod budget;
mod deadline;
mod planner;

pub(crate) use budget::{Budget, GRACE};
pub(crate) use deadline::{Deadline, PlannedTime, Stopwatch};
pub(crate) use planner::TimePlanner;

//! How far shallow searches may be off: pairs of values of the same positions, and models of their difference.
//!
//! [`experiment`] measures ProbCut on positions. [`sampling`] searches positions in this process and keeps the values of all depths; [`dataset`] makes samples for a fit of them;
//! [`fitting`] finds the weights and says how good they are.

pub mod command;
pub(crate) mod dataset;
pub(crate) mod experiment;
pub(crate) mod fitting;
pub mod gamble;
pub mod model;
pub mod probcut;
pub(crate) mod sampling;

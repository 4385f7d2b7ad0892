//! The search of one node: `negamax` has its numbered steps in order, the other files hold the steps; `worker` is what they work on.

mod context;
mod depth;
mod negamax;
mod prune;
mod qsearch;
mod root_moves;
#[cfg(test)]
pub(crate) mod testing;
mod update;
mod worker;

pub(crate) use context::{RootNode, Window};
pub(crate) use root_moves::RootMoves;
pub(crate) use worker::Worker;

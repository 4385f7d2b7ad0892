//! The search of one node: `negamax` has its numbered steps in order, the other files hold the steps; `worker` is what they work on.

mod context;
mod extend;
mod kind;
mod learn;
mod negamax;
mod probcut;
mod prune_move;
mod prune_node;
mod qsearch;
mod reduce;
mod root_moves;
mod static_eval;
#[cfg(test)]
pub(crate) mod testing;
mod worker;

pub(crate) use context::Window;
pub(crate) use kind::RootNode;
pub(crate) use root_moves::{RootLine, RootMoves};
pub(crate) use worker::Worker;

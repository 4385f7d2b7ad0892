//! The search of one node: `negamax` has its numbered steps in order, the other files hold the steps; `worker` is what they work on. Here stands
//! what the steps read: the kind of the node, its window, what is known before its moves are searched.

mod depth;
mod negamax;
mod prune;
mod qsearch;
pub(crate) mod root_moves;
#[cfg(test)]
pub(crate) mod testing;
mod update;
pub(crate) mod worker;

use kiki_board::Move;

use crate::order::history::SearchedMove;
use crate::params;
use crate::table::TableEntry;
use crate::value::{NONE, Value};

/// The kind of a node, known at compile time.
pub(crate) trait NodeKind {
    /// Whether the node is on the principal variation: its window is open.
    const PV: bool;
    /// Whether the node is the root.
    const ROOT: bool;
    /// The kind of a child searched with the whole window.
    type Child: NodeKind;
}

/// The root.
pub(crate) struct RootNode;
/// A node of the principal variation below the root.
pub(crate) struct PvNode;
/// Any other node, searched with a null window.
pub(crate) struct NonPvNode;

impl NodeKind for RootNode {
    const PV: bool = true;
    const ROOT: bool = true;
    type Child = PvNode;
}

impl NodeKind for PvNode {
    const PV: bool = true;
    const ROOT: bool = false;
    type Child = Self;
}

impl NodeKind for NonPvNode {
    const PV: bool = false;
    const ROOT: bool = false;
    type Child = Self;
}

/// The search window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) alpha: Value,
    pub(crate) beta: Value,
}

impl Window {
    /// The window of the child: from the opponent's point of view.
    pub(crate) fn negated(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }

    /// The null window above `alpha`: asks whether the value is greater.
    pub(crate) fn null(alpha: Value) -> Self {
        Self { alpha, beta: alpha + 1 }
    }
}

/// The state of a node before its moves are searched. A copy, so that steps may change the worker.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    pub(crate) window: Window,
    /// Plies left, at least 1.
    pub(crate) depth: i32,
    /// Whether the node is expected to fail high.
    pub(crate) cut_node: bool,
    pub(crate) in_check: bool,
    /// Whether the opponent threatens mate: it answered a null move by one.
    pub(crate) mate_threat: bool,
    /// The corrected static evaluation, or the table's value where that is a better estimate. `NONE` in check.
    pub(crate) eval: Value,
    /// The static evaluation before corrections, as the table stores it. `NONE` in check.
    pub(crate) raw_eval: Value,
    /// Whether the static evaluation is better than at this side's last turn.
    pub(crate) improving: bool,
    /// The table's entry.
    pub(crate) entry: Option<TableEntry>,
    /// The move that a singular search leaves out.
    pub(crate) excluded: Move,
}

impl Context {
    /// The table's move, or none.
    pub(crate) fn tt_move(&self) -> Move {
        self.entry.map_or(Move::NONE, |entry| entry.mv)
    }

    /// Futility: whether the evaluation is so far below alpha that a quiet move without check, searched to `depth`, will not reach it.
    #[inline(always)]
    pub(crate) fn is_futile(&self, depth: i32) -> bool {
        let reach = self.eval + params::futility_base() + params::futility_slope() * depth;
        params::use_move_futility()
            && !self.in_check
            && depth <= params::futility_depth()
            && self.eval != NONE
            && reach <= self.window.alpha
    }
}

/// A move of the node's loop, before it is made.
#[derive(Clone, Copy)]
pub(crate) struct MoveCandidate {
    pub(crate) searched: SearchedMove,
    /// Its place in the order, from 1.
    pub(crate) number: usize,
    /// Whether it is a capture that loses material.
    pub(crate) bad_capture: bool,
    pub(crate) gives_check: bool,
    /// Sum of its histories if it is quiet, else 0.
    pub(crate) history: i32,
}

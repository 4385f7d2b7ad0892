//! The search of one node. `negamax` has its numbered steps in order, other files have the steps,
//! and `worker` is their state. This file has what the steps read: the kind of the node, its
//! window, and its context.

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

use crate::table::TableEntry;
use crate::value::Value;

/// The kind of a node, known at compile time.
pub(crate) trait NodeKind {
    /// Whether the node is on the principal variation: its window is open.
    const PV: bool = true;
    /// Whether the node is the root.
    const ROOT: bool = false;
    /// The kind of a child searched with the full window.
    type Child: NodeKind;
}

/// The root.
pub(crate) struct RootNode;
/// A node of the principal variation below the root.
pub(crate) struct PvNode;
/// Any other node, searched with a null window.
pub(crate) struct NonPvNode;

impl NodeKind for RootNode {
    const ROOT: bool = true;
    type Child = PvNode;
}

impl NodeKind for PvNode {
    type Child = Self;
}

impl NodeKind for NonPvNode {
    const PV: bool = false;
    type Child = Self;
}

/// The search window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) alpha: Value,
    pub(crate) beta: Value,
}

impl Window {
    /// The window of the child, from the opponent's view.
    pub(crate) fn negated(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }

    /// The null window above `alpha`: is the value greater?
    pub(crate) fn null(alpha: Value) -> Self {
        Self { alpha, beta: alpha + 1 }
    }
}

/// The state of a node, which the steps read and change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    pub(crate) window: Window,
    /// Plies left, at least 1.
    pub(crate) depth: i32,
    /// Whether the node is expected to fail high.
    pub(crate) cut_node: bool,
    /// Whether it is expected to fail low: neither a cut node nor on the principal variation.
    pub(crate) all_node: bool,
    pub(crate) in_check: bool,
    /// The corrected static evaluation. In check that of two plies before, which may be `NONE`.
    pub(crate) static_eval: Value,
    /// The same, or the table's value where it is a better estimate.
    pub(crate) eval: Value,
    /// The static evaluation before corrections, as the table stores it. `NONE` in check.
    pub(crate) raw_eval: Value,
    /// The uncertainty of the evaluation: the size of its correction, in 1/131072 unit.
    pub(crate) doubt: i32,
    /// Whether the static evaluation is better than at this side's last turn.
    pub(crate) improving: bool,
    /// Whether it is better for this side than the opponent's, one ply before.
    pub(crate) worsening: bool,
    /// The table's entry, or [`TableEntry::MISSING`].
    pub(crate) entry: TableEntry,
    /// The move to try first, or none.
    pub(crate) tt_move: Move,
    /// Whether that is a capture.
    pub(crate) tt_capture: bool,
    /// The move that a singular search leaves out.
    pub(crate) excluded: Move,
    /// Plies by which the parent reduced the move to this node.
    pub(crate) parent_reduction: i32,
}

/// The best result of a node so far: its value, and the move that raised alpha.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Best {
    pub(crate) value: Value,
    pub(crate) mv: Move,
}

//! Node kinds as types, and what the steps of a node read.

use kiki_board::Move;

use crate::params;
use crate::tt::Entry;
use crate::value::{NONE, Value};

/// The kind of a node, known at compile time.
pub(crate) trait Node {
    /// On the principal variation, with an open window.
    const PV: bool;
    /// The root.
    const ROOT: bool;
    /// The kind of a child that is searched with the whole window.
    type Next: Node;
}

/// The root.
pub(crate) struct Root;
/// Inside the principal variation.
pub(crate) struct OnPv;
/// Anywhere else: only whether the value reaches a bound is asked.
pub(crate) struct OffPv;

impl Node for Root {
    const PV: bool = true;
    const ROOT: bool = true;
    type Next = OnPv;
}

impl Node for OnPv {
    const PV: bool = true;
    const ROOT: bool = false;
    type Next = OnPv;
}

impl Node for OffPv {
    const PV: bool = false;
    const ROOT: bool = false;
    type Next = OffPv;
}

/// The bounds between which a value is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) alpha: Value,
    pub(crate) beta: Value,
}

impl Window {
    /// The same question from the other side of the board.
    pub(crate) fn turned(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }

    /// Only whether the value is above `alpha`.
    pub(crate) fn null(alpha: Value) -> Self {
        Self { alpha, beta: alpha + 1 }
    }
}

/// What the steps of one node read; a copy, so that they may change the worker.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    pub(crate) window: Window,
    /// Plies left, at least 1.
    pub(crate) depth: i32,
    /// Whether the node is expected to fail high.
    pub(crate) cut_node: bool,
    pub(crate) in_check: bool,
    /// Whether passing would lead to a mate.
    pub(crate) threat: bool,
    /// The static evaluation, bettered by the table's value where that is a bound in the right direction.
    pub(crate) eval: Value,
    /// The static evaluation before corrections; what the table remembers.
    pub(crate) raw_eval: Value,
    /// Whether the static evaluation has grown since this side's last turn.
    pub(crate) improving: bool,
    /// What the table knows.
    pub(crate) entry: Option<Entry>,
    /// The move left out by a singular search.
    pub(crate) excluded: Move,
}

impl Context {
    /// The table's move, or none.
    pub(crate) fn table_move(&self) -> Move {
        self.entry.map_or(Move::NONE, |entry| entry.mv)
    }

    /// Whether the evaluation is so far below alpha that a quiet move searched to `depth` can hardly make it up unless it gives check.
    #[inline(always)]
    pub(crate) fn is_futile(&self, depth: i32) -> bool {
        let reach = self.eval + params::futility_base() + params::futility_slope() * depth;
        !self.in_check && depth <= params::futility_depth() && self.eval != NONE && reach <= self.window.alpha
    }
}

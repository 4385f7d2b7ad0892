//! What moves are picked from.

use kiki_board::{MoveList, Position};

use super::history::Histories;
use super::stack::Stack;

/// The move lists of all nodes on the stack, one behind the other. A node's picker appends its moves and takes them away at the end.
pub(crate) struct MoveLists {
    pub(crate) moves: MoveList,
    /// By index of `moves`; shorter while moves have been generated and not yet scored.
    pub(crate) scores: Vec<i32>,
}

impl MoveLists {
    pub(crate) fn new() -> Self {
        Self { moves: MoveList::new(), scores: Vec::with_capacity(600) }
    }

    /// Takes away all moves but the first `len`.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.moves.truncate(len);
        self.scores.truncate(len);
    }

    pub(super) fn swap(&mut self, one: usize, other: usize) {
        self.moves.swap(one, other);
        self.scores.swap(one, other);
    }
}

/// The parts of a worker that a picker reads, and the lists that it fills.
pub(crate) struct MoveSources<'a> {
    pub(crate) position: &'a Position,
    pub(crate) histories: &'a Histories,
    pub(crate) stack: &'a Stack,
    pub(crate) lists: &'a mut MoveLists,
}

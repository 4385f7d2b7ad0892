//! A list of moves that also serves as a stack of lists.

use crate::Move;

/// No position is known to have more than 593 legal moves.
const CAPACITY: usize = 600;

/// Moves, in the order in which they were found.
///
/// Generators add at the end, so one list can hold the moves of a whole line of nodes: note its length before generating, and
/// [`MoveList::truncate`] to it when done. No memory is allocated or cleared at a node.
#[derive(Clone, Debug)]
pub struct MoveList {
    moves: Vec<Move>,
}

impl MoveList {
    /// An empty list with room for the moves of any position.
    #[must_use]
    pub fn new() -> Self {
        Self { moves: Vec::with_capacity(CAPACITY) }
    }

    /// Adds a move at the end.
    #[inline(always)]
    pub fn push(&mut self, mv: Move) {
        self.moves.push(mv);
    }

    /// Forgets all moves behind the first `len`.
    #[inline(always)]
    pub fn truncate(&mut self, len: usize) {
        self.moves.truncate(len);
    }

    /// Exchanges two moves.
    #[inline(always)]
    pub fn swap(&mut self, a: usize, b: usize) {
        self.moves.swap(a, b);
    }
}

impl Default for MoveList {
    fn default() -> Self {
        Self::new()
    }
}

impl std::ops::Deref for MoveList {
    type Target = [Move];
    fn deref(&self) -> &[Move] {
        &self.moves
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = std::slice::Iter<'a, Move>;
    fn into_iter(self) -> Self::IntoIter {
        self.moves.iter()
    }
}

//! A move as a piece that arrives on a square.

use kiki_board::{Cell, Sq};

/// Piece-to index: the piece after the move (promoted if it promotes) and its destination. The key of continuation histories.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PieceTo(u16);

impl PieceTo {
    /// One more than the largest [`PieceTo::index`].
    pub(crate) const COUNT: usize = Cell::COUNT * Sq::COUNT;

    /// No move. Histories of it stay 0.
    pub(crate) const NONE: Self = Self(0);

    /// `piece` arrives on `to`.
    #[inline(always)]
    pub(crate) fn new(piece: Cell, to: Sq) -> Self {
        Self((piece.index() * Sq::COUNT + to.index()) as u16)
    }

    /// For tables of [`PieceTo::COUNT`] entries.
    #[inline(always)]
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }
}

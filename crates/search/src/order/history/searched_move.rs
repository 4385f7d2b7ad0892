//! A move with what histories ask of it.

use kiki_board::{Cell, Move, Position};

use super::piece_to::PieceTo;

/// A move of a node, with the properties that histories are indexed by.
#[derive(Clone, Copy)]
pub(crate) struct SearchedMove {
    pub(crate) mv: Move,
    pub(crate) piece_to: PieceTo,
    /// The piece on the destination; empty for a quiet move and for a promotion of a pawn that captures nothing.
    pub(crate) captured: Cell,
    /// A capture or a promotion of a pawn: ordered and learned as captures are.
    pub(crate) tactical: bool,
}

impl SearchedMove {
    /// A move that is legal in `position`, before it is made.
    #[inline(always)]
    pub(crate) fn new(position: &Position, mv: Move) -> Self {
        let piece_to = PieceTo::new(position.arriving(mv), mv.to());
        Self { mv, piece_to, captured: position.cell(mv.to()), tactical: position.is_tactical(mv) }
    }
}

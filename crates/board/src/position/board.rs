//! What stands where, as cells and as sets of squares.

use crate::cell::kind;
use crate::side::Side;
use crate::{Bitboard, Cell, Sq};

/// The pieces on the board.
#[derive(Clone)]
pub(super) struct Board {
    /// By kind number; slot 0 is unused.
    pub(super) by_kind: [Bitboard; 16],
    pub(super) by_color: [Bitboard; 2],
    pub(super) cells: [Cell; Sq::COUNT],
}

impl Board {
    pub(super) const EMPTY: Self =
        Self { by_kind: [Bitboard::EMPTY; 16], by_color: [Bitboard::EMPTY; 2], cells: [Cell::EMPTY; Sq::COUNT] };

    #[inline(always)]
    pub(super) fn occupied(&self) -> Bitboard {
        self.by_color[0] | self.by_color[1]
    }

    /// Bishops and horses.
    #[inline(always)]
    pub(super) fn diagonal_sliders(&self) -> Bitboard {
        self.by_kind[kind::BISHOP] | self.by_kind[kind::HORSE]
    }

    /// Rooks and dragons.
    #[inline(always)]
    pub(super) fn orthogonal_sliders(&self) -> Bitboard {
        self.by_kind[kind::ROOK] | self.by_kind[kind::DRAGON]
    }

    /// Puts a piece of a side on a square, or takes it off, in the sets; the cell is left as it is.
    #[inline(always)]
    pub(super) fn toggle<S: Side>(&mut self, cell: Cell, sq: Sq) {
        debug_assert!(cell.color_index() == S::INDEX);
        let bit = Bitboard::of(sq);
        self.by_color[S::INDEX] ^= bit;
        self.by_kind[cell.kind_index()] ^= bit;
    }
}

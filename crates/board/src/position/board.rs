//! The pieces on the board, as cells and as bitboards.

use crate::side::Side;
use crate::{Bitboard, ByColor, ByKind, Cell, Color, PieceKind, Sq};

/// The pieces on the board.
#[derive(Clone)]
pub(super) struct Board {
    pub(super) by_kind: ByKind<Bitboard>,
    pub(super) by_color: ByColor<Bitboard>,
    pub(super) cells: [Cell; Sq::COUNT],
}

impl Board {
    pub(super) const EMPTY: Self = Self {
        by_kind: ByKind::filled(Bitboard::EMPTY),
        by_color: ByColor::new(Bitboard::EMPTY, Bitboard::EMPTY),
        cells: [Cell::EMPTY; Sq::COUNT],
    };

    #[inline(always)]
    pub(super) fn occupied(&self) -> Bitboard {
        self.by_color[Color::Black] | self.by_color[Color::White]
    }

    /// Bishops and horses.
    #[inline(always)]
    pub(super) fn diagonal_sliders(&self) -> Bitboard {
        self.by_kind[PieceKind::Bishop] | self.by_kind[PieceKind::ProBishop]
    }

    /// Rooks and dragons.
    #[inline(always)]
    pub(super) fn orthogonal_sliders(&self) -> Bitboard {
        self.by_kind[PieceKind::Rook] | self.by_kind[PieceKind::ProRook]
    }

    /// Puts a piece of a side on a square, or takes it off, in the sets; the cell is left as it is.
    #[inline(always)]
    pub(super) fn toggle<S: Side>(&mut self, cell: Cell, sq: Sq) {
        debug_assert!(cell.color() == S::COLOR);
        let bit = Bitboard::of(sq);
        self.by_color[S::COLOR] ^= bit;
        self.by_kind[cell] ^= bit;
    }
}

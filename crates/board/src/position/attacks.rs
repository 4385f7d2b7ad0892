//! Who attacks a square, who gives check, who is pinned.

use super::Position;
use crate::cell::kind;
use crate::side::Side;
use crate::tables::ray::{between, open_lines};
use crate::tables::slide::{bishop_attacks, lance_attacks, rook_attacks};
use crate::tables::step::{king_steps, step_attacks, steps_of};
use crate::{Bitboard, Cell, Sq};

/// The squares that a piece attacks.
#[inline(always)]
pub(crate) fn attacks(cell: Cell, sq: Sq, occupied: Bitboard) -> Bitboard {
    match cell.kind_index() {
        kind::LANCE => lance_attacks(cell.color_index(), sq, occupied),
        kind::BISHOP => bishop_attacks(sq, occupied),
        kind::ROOK => rook_attacks(sq, occupied),
        kind::HORSE => bishop_attacks(sq, occupied) | step_attacks(cell, sq),
        kind::DRAGON => rook_attacks(sq, occupied) | step_attacks(cell, sq),
        _ => step_attacks(cell, sq),
    }
}

impl Position {
    /// The pieces of both sides that attack `sq`, lines being blocked by `occupied`.
    #[inline]
    pub(crate) fn attackers(&self, sq: Sq, occupied: Bitboard) -> Bitboard {
        let lances = self.board.by_kind[kind::LANCE];
        let golds = self.golds();
        let near = self.board.by_kind[kind::KING] | self.board.by_kind[kind::HORSE] | self.board.by_kind[kind::DRAGON];
        let mut set = king_steps(sq) & near;
        // A black piece attacks `sq` from the squares that a white one of its kind would reach from there.
        for color in 0..2 {
            let back = 1 - color;
            let of_color = (steps_of(kind::PAWN, back, sq) & self.board.by_kind[kind::PAWN])
                | (steps_of(kind::KNIGHT, back, sq) & self.board.by_kind[kind::KNIGHT])
                | (steps_of(kind::SILVER, back, sq) & self.board.by_kind[kind::SILVER])
                | (steps_of(kind::GOLD, back, sq) & golds);
            set |= of_color & self.board.by_color[color];
        }
        let open = open_lines(sq);
        let diagonal = self.diagonal_sliders();
        if open.diagonals.intersects(diagonal) {
            set |= bishop_attacks(sq, occupied) & diagonal;
        }
        let orthogonal = self.orthogonal_sliders();
        if open.orthogonals.intersects(orthogonal) {
            set |= rook_attacks(sq, occupied) & orthogonal;
        }
        for color in 0..2 {
            let behind = open.lances_behind[color] & lances & self.board.by_color[color];
            if behind.any() {
                set |= lance_attacks(1 - color, sq, occupied) & behind;
            }
        }
        set
    }

    /// The pieces of a side but its king that attack `sq`, which are those that can move there.
    #[inline(always)]
    pub(crate) fn movers<S: Side>(&self, sq: Sq, occupied: Bitboard) -> Bitboard {
        let (us, them) = (S::INDEX, 1 - S::INDEX);
        let of = |kind: usize| self.board.by_kind[kind];
        let mut set = (steps_of(kind::PAWN, them, sq) & of(kind::PAWN))
            | (steps_of(kind::KNIGHT, them, sq) & of(kind::KNIGHT))
            | (steps_of(kind::SILVER, them, sq) & of(kind::SILVER))
            | (steps_of(kind::GOLD, them, sq) & self.golds())
            | (king_steps(sq) & (of(kind::HORSE) | of(kind::DRAGON)));
        let open = open_lines(sq);
        let diagonal = self.diagonal_sliders() & self.board.by_color[us];
        if open.diagonals.intersects(diagonal) {
            set |= bishop_attacks(sq, occupied) & diagonal;
        }
        let orthogonal = self.orthogonal_sliders() & self.board.by_color[us];
        if open.orthogonals.intersects(orthogonal) {
            set |= rook_attacks(sq, occupied) & orthogonal;
        }
        let lances = of(kind::LANCE) & self.board.by_color[us];
        if open.lances_behind[us].intersects(lances) {
            set |= lance_attacks(them, sq, occupied) & lances;
        }
        set & self.board.by_color[us]
    }

    /// The pieces that give check to the side to move.
    #[must_use]
    pub fn checkers(&self) -> Bitboard {
        if !self.in_check() {
            return Bitboard::EMPTY;
        }
        self.attackers(self.king(self.side), self.occupied()) & self.board.by_color[1 - self.side]
    }

    /// The sliders of a colour that would attack `sq` if nothing stood between.
    #[inline(always)]
    pub(crate) fn snipers(&self, sq: Sq, color: usize) -> Bitboard {
        let open = open_lines(sq);
        let set = (open.diagonals & self.diagonal_sliders())
            | (open.orthogonals & self.orthogonal_sliders())
            | (open.lances_behind[color] & self.board.by_kind[kind::LANCE]);
        set & self.board.by_color[color]
    }

    /// The pieces of either side that alone stand between `king` and a slider of colour `color`.
    #[inline(always)]
    pub(crate) fn shields(&self, king: Sq, color: usize, occupied: Bitboard) -> Bitboard {
        let mut shields = Bitboard::EMPTY;
        for sniper in self.snipers(king, color) {
            let blockers = between(king, sniper) & occupied;
            if !blockers.several() {
                shields |= blockers;
            }
        }
        shields
    }

    /// The pieces of the side to move that may leave their line to their own king only by exposing it.
    #[must_use]
    #[inline(always)]
    pub fn pinned(&self) -> Bitboard {
        let us = self.side;
        self.shields(self.king(us), 1 - us, self.occupied()) & self.board.by_color[us]
    }
}

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
        let mut set = king_steps(sq) & self.board.by_kind[kind::KING];
        for color in 0..2 {
            set |= self.steppers(sq, color);
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
        let own = self.board.by_color[S::INDEX];
        let mut set = self.steppers(sq, S::INDEX);
        let open = open_lines(sq);
        let diagonal = self.diagonal_sliders() & own;
        if open.diagonals.intersects(diagonal) {
            set |= bishop_attacks(sq, occupied) & diagonal;
        }
        let orthogonal = self.orthogonal_sliders() & own;
        if open.orthogonals.intersects(orthogonal) {
            set |= rook_attacks(sq, occupied) & orthogonal;
        }
        let lances = self.board.by_kind[kind::LANCE] & own;
        if open.lances_behind[S::INDEX].intersects(lances) {
            set |= lance_attacks(1 - S::INDEX, sq, occupied) & lances;
        }
        set
    }

    /// The pieces of a side but its king that attack `sq` by a step.
    #[inline(always)]
    fn steppers(&self, sq: Sq, color: usize) -> Bitboard {
        // A black piece attacks `sq` from the squares that a white one of its kind would reach from there.
        let from = |kind: usize| steps_of(kind, 1 - color, sq);
        let of = |kind: usize| self.board.by_kind[kind];
        let set = (from(kind::PAWN) & of(kind::PAWN))
            | (from(kind::KNIGHT) & of(kind::KNIGHT))
            | (from(kind::SILVER) & of(kind::SILVER))
            | (from(kind::GOLD) & self.golds())
            | (king_steps(sq) & (of(kind::HORSE) | of(kind::DRAGON)));
        set & self.board.by_color[color]
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

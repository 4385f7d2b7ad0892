//! Who attacks a square, who gives check, who is pinned.

use super::Position;
use crate::side::Side;
use crate::tables::ray::{between, open_lines};
use crate::tables::slide::{bishop_attacks, lance_attacks, rook_attacks};
use crate::tables::step::{king_steps, steps_of};
use crate::{Bitboard, COLORS, Color, PieceKind, Sq, opponent};

impl Position {
    /// The pieces of both sides that attack `sq`, lines being blocked by `occupied`.
    #[inline]
    pub(crate) fn attackers(&self, sq: Sq, occupied: Bitboard) -> Bitboard {
        let lances = self.board.by_kind[PieceKind::Lance];
        let mut set = king_steps(sq) & self.board.by_kind[PieceKind::King];
        set |= self.steppers(sq, Color::Black) | self.steppers(sq, Color::White);
        let open = open_lines(sq);
        let diagonal = self.diagonal_sliders();
        if open.diagonals.intersects(diagonal) {
            set |= bishop_attacks(sq, occupied) & diagonal;
        }
        let orthogonal = self.orthogonal_sliders();
        if open.orthogonals.intersects(orthogonal) {
            set |= rook_attacks(sq, occupied) & orthogonal;
        }
        for color in COLORS {
            let behind = open.lances_behind[color] & lances & self.board.by_color[color];
            if behind.any() {
                set |= lance_attacks(opponent(color), sq, occupied) & behind;
            }
        }
        set
    }

    /// The pieces of a side but its king that attack `sq`, which are those that can move there.
    #[inline(always)]
    pub(crate) fn movers<S: Side>(&self, sq: Sq, occupied: Bitboard) -> Bitboard {
        let own = self.board.by_color[S::COLOR];
        let mut set = self.steppers(sq, S::COLOR);
        let open = open_lines(sq);
        let diagonal = self.diagonal_sliders() & own;
        if open.diagonals.intersects(diagonal) {
            set |= bishop_attacks(sq, occupied) & diagonal;
        }
        let orthogonal = self.orthogonal_sliders() & own;
        if open.orthogonals.intersects(orthogonal) {
            set |= rook_attacks(sq, occupied) & orthogonal;
        }
        let lances = self.board.by_kind[PieceKind::Lance] & own;
        if open.lances_behind[S::COLOR].intersects(lances) {
            set |= lance_attacks(S::Opponent::COLOR, sq, occupied) & lances;
        }
        set
    }

    /// The pieces of a side but its king that attack `sq` by a step.
    #[inline(always)]
    fn steppers(&self, sq: Sq, color: Color) -> Bitboard {
        // A black piece attacks `sq` from the squares that a white one of its kind would reach from there.
        let from = |kind: PieceKind| steps_of(kind, opponent(color), sq);
        let of = |kind: PieceKind| self.board.by_kind[kind];
        let set = (from(PieceKind::Pawn) & of(PieceKind::Pawn))
            | (from(PieceKind::Knight) & of(PieceKind::Knight))
            | (from(PieceKind::Silver) & of(PieceKind::Silver))
            | (from(PieceKind::Gold) & self.golds())
            | (king_steps(sq) & (of(PieceKind::ProBishop) | of(PieceKind::ProRook)));
        set & self.board.by_color[color]
    }

    /// The pieces that give check to the side to move.
    #[must_use]
    pub fn checkers(&self) -> Bitboard {
        if !self.in_check() {
            return Bitboard::EMPTY;
        }
        self.attackers(self.king(self.side), self.occupied()) & self.board.by_color[opponent(self.side)]
    }

    /// The sliders of a colour that would attack `sq` if nothing stood between.
    #[inline(always)]
    pub(crate) fn snipers(&self, sq: Sq, color: Color) -> Bitboard {
        let open = open_lines(sq);
        let set = (open.diagonals & self.diagonal_sliders())
            | (open.orthogonals & self.orthogonal_sliders())
            | (open.lances_behind[color] & self.board.by_kind[PieceKind::Lance]);
        set & self.board.by_color[color]
    }

    /// The pieces of either side that alone stand between `king` and a slider of the colour `color`: pinned pieces, or those whose move
    /// discovers a check.
    #[inline(always)]
    pub(crate) fn blockers(&self, king: Sq, color: Color, occupied: Bitboard) -> Bitboard {
        let mut blockers = Bitboard::EMPTY;
        for sniper in self.snipers(king, color) {
            let between = between(king, sniper) & occupied;
            if !between.several() {
                blockers |= between;
            }
        }
        blockers
    }

    /// The pinned pieces of the side to move: leaving the line to their king would expose it to check.
    #[must_use]
    #[inline(always)]
    pub fn pinned(&self) -> Bitboard {
        self.pinned_of(self.side)
    }

    /// The pinned pieces of a side.
    #[must_use]
    #[inline(always)]
    pub fn pinned_of(&self, color: Color) -> Bitboard {
        self.blockers(self.king(color), opponent(color), self.occupied()) & self.board.by_color[color]
    }

    /// The squares next to a side's king.
    #[must_use]
    #[inline(always)]
    pub fn king_ring(&self, color: Color) -> Bitboard {
        king_steps(self.king(color))
    }
}

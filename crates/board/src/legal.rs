//! Whether sixteen bits are a legal move: a check for moves from the transposition table and from
//! input.

use crate::squares::{Side, for_side};
use crate::tables::{attacks, between, line};
use crate::{Bitboard, Move, PieceKind, Position, Sq};

impl Position {
    /// Squares that the piece on `from` attacks and its own side does not occupy. Empty without a
    /// piece. Ignores checks and pins.
    #[must_use]
    pub fn targets(&self, from: Sq) -> Bitboard {
        let cell = self.cell(from);
        if cell.is_empty() {
            Bitboard::EMPTY
        } else {
            attacks(cell, from, self.occupied()) - self.pieces_of(cell.color())
        }
    }

    /// Empty squares where the side to move may drop this kind: no piece without a move, no second
    /// pawn on a file. Ignores checks and mate by a pawn drop.
    #[must_use]
    pub fn drop_targets(&self, kind: PieceKind) -> Bitboard {
        let us = self.side_to_move();
        let own_pawns = if kind == PieceKind::Pawn { self.kind_of(kind, us) } else { Bitboard::EMPTY };
        !self.occupied() - for_side!(us, S => S::dead_ends(kind)) - own_pawns.files()
    }

    /// Whether the piece on `from` is of a kind that promotes, and `from` or `to` lies in the
    /// promotion zone of the side to move.
    #[must_use]
    pub fn may_promote(&self, from: Sq, to: Sq) -> bool {
        for_side!(self.side_to_move(), S => S::may_promote(self.cell(from), from, to))
    }

    /// Whether a move is legal here, with any choice of promotion that the rules allow.
    #[must_use]
    pub fn is_legal(&self, mv: Move) -> bool {
        if mv.is_none() || !mv.is_well_formed() {
            return false;
        }
        for_side!(self.side_to_move(), S => match mv.dropped_kind() {
            Some(kind) => self.is_legal_drop::<S>(kind, mv),
            None => self.is_legal_board_move::<S>(mv),
        })
    }

    #[inline]
    fn is_legal_drop<S: Side>(&self, kind: PieceKind, mv: Move) -> bool {
        let to = mv.to();
        if self.hand(S::COLOR).count(kind) == 0 || !self.cell(to).is_empty() {
            return false;
        }
        if S::dead_ends(kind).contains(to) || !self.resolves_check(Bitboard::EMPTY, mv) {
            return false;
        }
        kind != PieceKind::Pawn || self.pawn_drop_targets::<S>(Bitboard::of(to)).any()
    }

    #[inline]
    fn is_legal_board_move<S: Side>(&self, mv: Move) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let cell = self.cell(from);
        let own = self.pieces_of(S::COLOR);
        if !own.contains(from) || own.contains(to) {
            return false;
        }
        let is_allowed = if mv.is_promotion() {
            S::may_promote(cell, from, to)
        } else {
            !cell.kind().is_some_and(|kind| S::dead_ends(kind).contains(to))
        };
        if !is_allowed || !attacks(cell, from, self.occupied()).contains(to) {
            return false;
        }
        if cell.is_kind(PieceKind::King) {
            return self.flight_squares::<S>(self.checkers()).contains(to);
        }
        let king = self.king(S::COLOR);
        self.resolves_check(self.checkers(), mv) && (!self.pinned().contains(from) || line(king, from).contains(to))
    }

    /// Whether a move of a piece other than the king ends the check: it blocks the line of a single
    /// checker or takes it. Only checkers in `takeable` may be taken.
    #[inline]
    fn resolves_check(&self, takeable: Bitboard, mv: Move) -> bool {
        if !self.in_check() {
            return true;
        }
        let checkers = self.checkers();
        let king = self.king(self.side_to_move());
        match checkers.first() {
            Some(checker) if !checkers.several() => (between(king, checker) | (takeable & checkers)).contains(mv.to()),
            _ => false,
        }
    }
}

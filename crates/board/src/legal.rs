//! Whether sixteen bits are a legal move: a check for moves from the transposition table and from
//! input.

use crate::squares::{BlackSide, Side, WhiteSide};
use crate::tables::{attacks, between, line};
use crate::{Bitboard, Color, Move, PieceKind, Position, Sq};

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
        match self.side_to_move() {
            Color::Black => self.drop_targets_of::<BlackSide>(kind),
            Color::White => self.drop_targets_of::<WhiteSide>(kind),
        }
    }

    fn drop_targets_of<S: Side>(&self, kind: PieceKind) -> Bitboard {
        let empty = !self.occupied();
        match kind {
            PieceKind::Pawn => empty - S::LAST_RANK - self.kind_of(PieceKind::Pawn, S::COLOR).files(),
            PieceKind::Lance => empty - S::LAST_RANK,
            PieceKind::Knight => empty - S::LAST_TWO_RANKS,
            _ => empty,
        }
    }

    /// Whether the piece on `from` is of a kind that promotes, and `from` or `to` lies in the
    /// promotion zone of the side to move.
    #[must_use]
    pub fn may_promote(&self, from: Sq, to: Sq) -> bool {
        let camp = match self.side_to_move() {
            Color::Black => BlackSide::ZONE,
            Color::White => WhiteSide::ZONE,
        };
        self.cell(from).can_promote() && (camp.contains(from) || camp.contains(to))
    }

    /// Whether a move is legal here, with any choice of promotion that the rules allow.
    #[must_use]
    pub fn is_legal(&self, mv: Move) -> bool {
        if mv.is_none() || !mv.is_well_formed() {
            return false;
        }
        match (self.side_to_move(), mv.dropped_kind()) {
            (Color::Black, Some(kind)) => self.is_legal_drop::<BlackSide>(kind, mv),
            (Color::Black, None) => self.is_legal_board_move::<BlackSide>(mv),
            (Color::White, Some(kind)) => self.is_legal_drop::<WhiteSide>(kind, mv),
            (Color::White, None) => self.is_legal_board_move::<WhiteSide>(mv),
        }
    }

    #[inline]
    fn is_legal_drop<S: Side>(&self, kind: PieceKind, mv: Move) -> bool {
        let to = mv.to();
        if self.hand(S::COLOR).count(kind) == 0 || !self.cell(to).is_empty() {
            return false;
        }
        let stuck = match kind {
            PieceKind::Pawn | PieceKind::Lance => S::LAST_RANK.contains(to),
            PieceKind::Knight => S::LAST_TWO_RANKS.contains(to),
            _ => false,
        };
        if stuck || !self.resolves_check(Bitboard::EMPTY, mv) {
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
        if mv.is_promotion() {
            if !cell.can_promote() || !(S::ZONE.contains(from) || S::ZONE.contains(to)) {
                return false;
            }
        } else {
            let stuck = match cell.kind() {
                Some(PieceKind::Pawn | PieceKind::Lance) => S::LAST_RANK.contains(to),
                Some(PieceKind::Knight) => S::LAST_TWO_RANKS.contains(to),
                _ => false,
            };
            if stuck {
                return false;
            }
        }
        if !attacks(cell, from, self.occupied()).contains(to) {
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

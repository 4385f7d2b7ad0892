//! Answers to a check.

use super::sink::MoveSink;
use crate::side::{BlackSide, Side, WhiteSide};
use crate::tables::ray::{between, line};
use crate::tables::step::king_steps;
use crate::{Bitboard, Color, Position, Sq};

impl Position {
    /// All legal moves while in check: the king moves, and against a single check the checker is taken or its line blocked.
    #[inline(always)]
    pub(super) fn generate_evasions<S: Side, const ALL: bool>(&self, sink: &mut impl MoveSink) {
        let king = self.king(S::COLOR);
        let checkers = self.checkers();
        sink.moves(king, self.flight_squares::<S>(checkers), false);
        if checkers.several() {
            return;
        }
        let Some(checker) = checkers.first() else { return };
        self.generate_blocks_and_captures::<S, ALL>(king, checker, sink);
    }

    /// Captures of a single checker, and moves and drops that block its line.
    #[inline(always)]
    pub(super) fn generate_blocks_and_captures<S: Side, const ALL: bool>(
        &self,
        king: Sq,
        checker: Sq,
        sink: &mut impl MoveSink,
    ) {
        let blocks = between(king, checker);
        self.generate_onto::<S, ALL>(blocks | Bitboard::of(checker), self.pinned(), sink);
        self.generate_drops::<S>(blocks, sink);
    }

    /// The squares where a king in check may go. The squares behind the king on a checking slider's line are not among them, though the
    /// effect counts, which stop at the king, do not show that.
    #[inline(always)]
    pub(crate) fn flight_squares<S: Side>(&self, checkers: Bitboard) -> Bitboard {
        let king = self.king(S::COLOR);
        let mut to = king_steps(king) - self.pieces_of(S::COLOR);
        for slider in checkers & self.snipers(king, S::Opponent::COLOR) {
            to = to - (line(king, slider) ^ Bitboard::of(slider));
        }
        to - self.effects().attacked(S::Opponent::COLOR)
    }

    /// Whether the side to move, in check, has no legal move.
    #[must_use]
    pub fn is_checkmate(&self) -> bool {
        self.in_check()
            && match self.side_to_move() {
                Color::Black => self.has_no_evasion::<BlackSide>(),
                Color::White => self.has_no_evasion::<WhiteSide>(),
            }
    }

    #[inline]
    pub(crate) fn has_no_evasion<S: Side>(&self) -> bool {
        let checkers = self.checkers();
        if self.flight_squares::<S>(checkers).any() {
            return false;
        }
        let Some(checker) = checkers.first().filter(|_| !checkers.several()) else { return true };
        let mut count = super::MoveCount::default();
        self.generate_blocks_and_captures::<S, true>(self.king(S::COLOR), checker, &mut count);
        count.0 == 0
    }
}

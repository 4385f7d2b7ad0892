//! What generators write to: lists and counts of moves.

use crate::side::Side;
use crate::{Bitboard, Color, Move, MoveList, PieceKind, Sq};

/// Receives generated moves in sets.
pub(crate) trait MoveSink {
    /// Moves of the piece on `from` to each square of `to`.
    fn moves(&mut self, from: Sq, to: Bitboard, promote: bool);
    /// One move of a piece.
    fn one(&mut self, from: Sq, to: Sq, promote: bool);
    /// Moves of pawns, one step forward to each of these squares.
    fn pawns<S: Side>(&mut self, to: Bitboard, promote: bool);
    /// Drops of one kind.
    fn drops(&mut self, kind: PieceKind, to: Bitboard);
}

impl MoveSink for MoveList {
    #[inline(always)]
    fn moves(&mut self, from: Sq, to: Bitboard, promote: bool) {
        if to.any() {
            list_moves(self, from, to, promote);
        }
    }

    #[inline(always)]
    fn one(&mut self, from: Sq, to: Sq, promote: bool) {
        self.push(Move::board(from, to, promote));
    }

    #[inline(always)]
    fn pawns<S: Side>(&mut self, to: Bitboard, promote: bool) {
        if to.any() {
            list_pawns::<S>(self, to, promote);
        }
    }

    #[inline(always)]
    fn drops(&mut self, kind: PieceKind, to: Bitboard) {
        list_drops(self, kind, to);
    }
}

// Not inlined: a generator writes lists in a dozen places, and with a loop in each the generators would no longer fit into the
// processor's instruction cache beside the rest of the search.

#[inline(never)]
fn list_moves(list: &mut MoveList, from: Sq, to: Bitboard, promote: bool) {
    for to in to {
        list.push(Move::board(from, to, promote));
    }
}

#[inline(never)]
fn list_pawns<S: Side>(list: &mut MoveList, to: Bitboard, promote: bool) {
    for to in to {
        let from = Sq::new(if S::COLOR == Color::Black { to.index() + 1 } else { to.index() - 1 });
        list.push(Move::board(from, to, promote));
    }
}

#[inline(never)]
fn list_drops(list: &mut MoveList, kind: PieceKind, to: Bitboard) {
    for to in to {
        list.push(Move::drop(kind, to));
    }
}

/// Counts moves without listing them.
#[derive(Default)]
pub(crate) struct MoveCount(pub(crate) u64);

impl MoveSink for MoveCount {
    #[inline(always)]
    fn moves(&mut self, _: Sq, to: Bitboard, _: bool) {
        self.0 += u64::from(to.count());
    }

    #[inline(always)]
    fn one(&mut self, _: Sq, _: Sq, _: bool) {
        self.0 += 1;
    }

    #[inline(always)]
    fn pawns<S: Side>(&mut self, to: Bitboard, _: bool) {
        self.0 += u64::from(to.count());
    }

    #[inline(always)]
    fn drops(&mut self, _: PieceKind, to: Bitboard) {
        self.0 += u64::from(to.count());
    }
}

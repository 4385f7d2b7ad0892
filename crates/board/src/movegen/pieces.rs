//! Moves of the pieces on the board.

use super::Sink;
use crate::cell::kind;
use crate::position::attacks::attacks;
use crate::side::Side;
use crate::tables::ray::line;
use crate::tables::slide::{bishop_attacks, lance_attacks, rook_attacks};
use crate::tables::step::{king_steps, steps_of};
use crate::{Bitboard, Position, Sq};

impl Position {
    /// Moves into `targets` of all pieces but pawns and the king. In a set of pinned pieces, each keeps to its line.
    #[inline(always)]
    pub(super) fn generate_pieces<S: Side, const ALL: bool>(
        &self,
        targets: Bitboard,
        pinned: Bitboard,
        sink: &mut impl Sink,
    ) {
        let us = S::INDEX;
        let occupied = self.occupied();
        let free = self.pieces_of(us) - pinned;
        for from in self.by_kind(kind::LANCE) & free {
            emit::<S, ALL>(kind::LANCE, from, lance_attacks(us, from, occupied) & targets, sink);
        }
        for from in self.by_kind(kind::KNIGHT) & free {
            emit::<S, ALL>(kind::KNIGHT, from, steps_of(kind::KNIGHT, us, from) & targets, sink);
        }
        for from in self.by_kind(kind::SILVER) & free {
            emit::<S, ALL>(kind::SILVER, from, steps_of(kind::SILVER, us, from) & targets, sink);
        }
        for from in self.golds() & free {
            sink.moves(from, steps_of(kind::GOLD, us, from) & targets, false);
        }
        for from in self.by_kind(kind::BISHOP) & free {
            emit::<S, ALL>(kind::BISHOP, from, bishop_attacks(from, occupied) & targets, sink);
        }
        for from in self.by_kind(kind::ROOK) & free {
            emit::<S, ALL>(kind::ROOK, from, rook_attacks(from, occupied) & targets, sink);
        }
        for from in self.by_kind(kind::HORSE) & free {
            sink.moves(from, (bishop_attacks(from, occupied) | king_steps(from)) & targets, false);
        }
        for from in self.by_kind(kind::DRAGON) & free {
            sink.moves(from, (rook_attacks(from, occupied) | king_steps(from)) & targets, false);
        }
        let king = self.king(us);
        for from in pinned - self.by_kind(kind::PAWN) {
            let cell = self.cell(from);
            let to = attacks(cell, from, occupied) & targets & line(king, from);
            emit::<S, ALL>(cell.kind_index(), from, to, sink);
        }
    }

    /// The same for all pieces but the king, square by square: for few targets.
    #[inline(always)]
    pub(super) fn generate_onto<S: Side, const ALL: bool>(
        &self,
        targets: Bitboard,
        pinned: Bitboard,
        sink: &mut impl Sink,
    ) {
        let (occupied, king) = (self.occupied(), self.king(S::INDEX));
        for to in targets {
            for from in self.movers::<S>(to, occupied) {
                if pinned.contains(from) && !line(king, from).contains(to) {
                    continue;
                }
                let cell = self.cell(from);
                let promotes = cell.can_promote() && (S::ZONE.contains(to) || S::ZONE.contains(from));
                if promotes {
                    sink.one(from, to, true);
                }
                let promotions = if promotes { Bitboard::of(to) } else { Bitboard::EMPTY };
                if !promoting_only::<S, ALL>(cell.kind_index(), promotions).contains(to) {
                    sink.one(from, to, false);
                }
            }
        }
    }

    /// Moves of pawns into `targets`, with both choices of promotion.
    #[inline(always)]
    pub(super) fn generate_pawns<S: Side, const ALL: bool>(
        &self,
        targets: Bitboard,
        pinned: Bitboard,
        sink: &mut impl Sink,
    ) {
        let to = self.pawn_targets::<S>(pinned) & targets;
        sink.pawns::<S>(to & S::ZONE, true);
        sink.pawns::<S>(to - if ALL { S::LAST_RANK } else { S::ZONE }, false);
    }

    /// Where the pawns can go as far as pins are concerned: a pawn that is pinned along its file may still advance.
    #[inline(always)]
    pub(super) fn pawn_targets<S: Side>(&self, pinned: Bitboard) -> Bitboard {
        let pawns = self.by_kind(kind::PAWN) & self.pieces_of(S::INDEX);
        let stuck = pawns & pinned;
        let mut movable = pawns - stuck;
        if stuck.any() {
            let king = self.king(S::INDEX);
            movable |= stuck & Bitboard::file(king.file());
        }
        S::forward(movable)
    }

    /// Moves of the king into `targets`.
    #[inline(always)]
    pub(super) fn generate_king<S: Side>(&self, targets: Bitboard, sink: &mut impl Sink) {
        let king = self.king(S::INDEX);
        let to = (king_steps(king) & targets) - self.effects().attacked(1 - S::INDEX);
        sink.moves(king, to, false);
    }
}

/// Splits the destinations of one piece into promotions and plain moves.
#[inline(always)]
pub(super) fn emit<S: Side, const ALL: bool>(kind: usize, from: Sq, to: Bitboard, sink: &mut impl Sink) {
    let promotions = match kind {
        kind::GOLD | kind::KING.. => Bitboard::EMPTY,
        _ if S::ZONE.contains(from) => to,
        _ => to & S::ZONE,
    };
    sink.moves(from, promotions, true);
    sink.moves(from, to - promoting_only::<S, ALL>(kind, promotions), false);
}

/// The destinations where a piece does not move without promoting.
#[inline(always)]
pub(super) fn promoting_only<S: Side, const ALL: bool>(kind: usize, promotions: Bitboard) -> Bitboard {
    match kind {
        kind::PAWN if ALL => S::LAST_RANK,
        kind::PAWN => S::ZONE,
        kind::LANCE if ALL => S::LAST_RANK,
        kind::LANCE | kind::KNIGHT => S::LAST_TWO_RANKS,
        kind::BISHOP | kind::ROOK if !ALL => promotions,
        _ => Bitboard::EMPTY,
    }
}

//! Moves of the pieces on the board.

use super::sink::MoveSink;
use crate::attacks::attacks;
use crate::side::Side;
use crate::tables::ray::line;
use crate::tables::slide::{bishop_attacks, lance_attacks, rook_attacks};
use crate::tables::step::{king_steps, steps_of};
use crate::{Bitboard, Cell, PieceKind, Position, Sq};

impl Position {
    /// Moves to `targets` of all pieces but pawns and the king. Pinned pieces stay on their line.
    #[inline(always)]
    pub(super) fn generate_pieces<S: Side, const ALL: bool>(
        &self,
        targets: Bitboard,
        pinned: Bitboard,
        sink: &mut impl MoveSink,
    ) {
        let us = S::COLOR;
        let occupied = self.occupied();
        let free = self.pieces_of(us) - pinned;
        for from in self.pieces(PieceKind::Lance) & free {
            emit::<S, ALL>(PieceKind::Lance, from, lance_attacks(us, from, occupied) & targets, sink);
        }
        for from in self.pieces(PieceKind::Knight) & free {
            emit::<S, ALL>(PieceKind::Knight, from, steps_of(PieceKind::Knight, us, from) & targets, sink);
        }
        for from in self.pieces(PieceKind::Silver) & free {
            emit::<S, ALL>(PieceKind::Silver, from, steps_of(PieceKind::Silver, us, from) & targets, sink);
        }
        for from in self.golds() & free {
            sink.moves(from, steps_of(PieceKind::Gold, us, from) & targets, false);
        }
        for from in self.pieces(PieceKind::Bishop) & free {
            emit::<S, ALL>(PieceKind::Bishop, from, bishop_attacks(from, occupied) & targets, sink);
        }
        for from in self.pieces(PieceKind::Rook) & free {
            emit::<S, ALL>(PieceKind::Rook, from, rook_attacks(from, occupied) & targets, sink);
        }
        for from in self.pieces(PieceKind::ProBishop) & free {
            sink.moves(from, (bishop_attacks(from, occupied) | king_steps(from)) & targets, false);
        }
        for from in self.pieces(PieceKind::ProRook) & free {
            sink.moves(from, (rook_attacks(from, occupied) | king_steps(from)) & targets, false);
        }
        let king = self.king(us);
        for from in pinned - self.pieces(PieceKind::Pawn) {
            let cell = self.cell(from);
            let to = attacks(cell, from, occupied) & targets & line(king, from);
            if let Some(kind) = cell.kind() {
                emit::<S, ALL>(kind, from, to, sink);
            }
        }
    }

    /// The same with pawns, target by target: faster for few targets.
    #[inline(always)]
    pub(super) fn generate_onto<S: Side, const ALL: bool>(
        &self,
        targets: Bitboard,
        pinned: Bitboard,
        sink: &mut impl MoveSink,
    ) {
        let (occupied, king) = (self.occupied(), self.king(S::COLOR));
        for to in targets {
            for from in self.movers::<S>(to, occupied) {
                if pinned.contains(from) && !line(king, from).contains(to) {
                    continue;
                }
                let cell = self.cell(from);
                let Some(kind) = cell.kind() else { continue };
                let promotes = cell.can_promote() && (S::ZONE.contains(to) || S::ZONE.contains(from));
                if promotes {
                    sink.one(from, to, true);
                }
                let promotions = if promotes { Bitboard::of(to) } else { Bitboard::EMPTY };
                if !promoting_only::<S, ALL>(kind, promotions).contains(to) {
                    sink.one(from, to, false);
                }
            }
        }
    }

    /// Moves of pawns to `targets`, with and without promotion.
    #[inline(always)]
    pub(super) fn generate_pawns<S: Side, const ALL: bool>(
        &self,
        targets: Bitboard,
        pinned: Bitboard,
        sink: &mut impl MoveSink,
    ) {
        let to = self.pawn_targets::<S>(pinned) & targets;
        sink.pawns::<S>(to & S::ZONE, true);
        sink.pawns::<S>(to - if ALL { S::LAST_RANK } else { S::ZONE }, false);
    }

    /// The squares before the pawns that may advance: a pinned pawn only if it is pinned along its file.
    #[inline(always)]
    pub(super) fn pawn_targets<S: Side>(&self, pinned: Bitboard) -> Bitboard {
        let pawns = self.pieces(PieceKind::Pawn) & self.pieces_of(S::COLOR);
        let stuck = pawns & pinned;
        let mut movable = pawns - stuck;
        if stuck.any() {
            let king = self.king(S::COLOR);
            movable |= stuck & Bitboard::file(king.file());
        }
        S::forward(movable)
    }

    /// Moves of the king to `targets`.
    #[inline(always)]
    pub(super) fn generate_king<S: Side>(&self, targets: Bitboard, sink: &mut impl MoveSink) {
        let king = self.king(S::COLOR);
        let to = (king_steps(king) & targets) - self.effects().attacked(S::Opponent::COLOR);
        sink.moves(king, to, false);
    }
}

/// Splits the destinations of one piece into promotions and plain moves.
#[inline(always)]
pub(super) fn emit<S: Side, const ALL: bool>(kind: PieceKind, from: Sq, to: Bitboard, sink: &mut impl MoveSink) {
    let promotions = match kind {
        _ if !Cell::new(kind, S::COLOR).can_promote() => Bitboard::EMPTY,
        _ if S::ZONE.contains(from) => to,
        _ => to & S::ZONE,
    };
    sink.moves(from, promotions, true);
    sink.moves(from, to - promoting_only::<S, ALL>(kind, promotions), false);
}

/// The destinations where a piece does not move without promoting.
#[inline(always)]
pub(super) fn promoting_only<S: Side, const ALL: bool>(kind: PieceKind, promotions: Bitboard) -> Bitboard {
    match kind {
        PieceKind::Pawn if ALL => S::LAST_RANK,
        PieceKind::Pawn => S::ZONE,
        PieceKind::Lance if ALL => S::LAST_RANK,
        PieceKind::Lance | PieceKind::Knight => S::LAST_TWO_RANKS,
        PieceKind::Bishop | PieceKind::Rook if !ALL => promotions,
        _ => Bitboard::EMPTY,
    }
}

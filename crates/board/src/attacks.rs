//! The squares that a piece attacks.

use crate::tables::slide::{bishop_attacks, lance_attacks, rook_attacks};
use crate::tables::step::step_attacks;
use crate::{Bitboard, Cell, PieceKind, Sq};

/// The squares that a piece attacks, lines being blocked by `occupied`.
#[inline(always)]
pub(crate) fn attacks(cell: Cell, sq: Sq, occupied: Bitboard) -> Bitboard {
    match cell.kind() {
        Some(PieceKind::Lance) => lance_attacks(cell.color(), sq, occupied),
        Some(PieceKind::Bishop) => bishop_attacks(sq, occupied),
        Some(PieceKind::Rook) => rook_attacks(sq, occupied),
        Some(PieceKind::ProBishop) => bishop_attacks(sq, occupied) | step_attacks(cell, sq),
        Some(PieceKind::ProRook) => rook_attacks(sq, occupied) | step_attacks(cell, sq),
        _ => step_attacks(cell, sq),
    }
}

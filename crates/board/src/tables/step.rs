//! Where a piece goes in one step, knights included.

use crate::{ALL_KINDS, Bitboard, Cell, Color, PieceKind, Sq};

/// Moves a square by files and ranks; `None` beyond the edge.
pub(crate) const fn shifted(sq: Sq, files: i32, ranks: i32) -> Option<Sq> {
    let file = sq.file() as i32 + files;
    let rank = sq.rank() as i32 + ranks;
    if file < 0 || file > 8 || rank < 0 || rank > 8 {
        return None;
    }
    Some(Sq::at(file as usize, rank as usize))
}

/// The steps of each kind for Black, (files, ranks); White's are turned round. A horse's and a dragon's are what they have
/// beyond the bishop and the rook; a lance's, a bishop's and a rook's are slides.
const fn steps(kind: PieceKind) -> &'static [(i32, i32)] {
    match kind {
        PieceKind::Pawn => &[(0, -1)],
        PieceKind::Knight => &[(-1, -2), (1, -2)],
        PieceKind::Silver => &[(0, -1), (-1, -1), (1, -1), (-1, 1), (1, 1)],
        PieceKind::Gold | PieceKind::ProPawn | PieceKind::ProLance | PieceKind::ProKnight | PieceKind::ProSilver => {
            &[(0, -1), (-1, -1), (1, -1), (-1, 0), (1, 0), (0, 1)]
        }
        PieceKind::King => &[(0, -1), (-1, -1), (1, -1), (-1, 0), (1, 0), (0, 1), (-1, 1), (1, 1)],
        PieceKind::ProBishop => &[(0, -1), (0, 1), (-1, 0), (1, 0)],
        PieceKind::ProRook => &[(-1, -1), (1, -1), (-1, 1), (1, 1)],
        PieceKind::Lance | PieceKind::Bishop | PieceKind::Rook => &[],
    }
}

const fn step_set(kind: PieceKind, color: Color, sq: Sq) -> Bitboard {
    let sign = match color {
        Color::Black => 1,
        Color::White => -1,
    };
    let steps = steps(kind);
    let mut bits = 0;
    let mut i = 0;
    while i < steps.len() {
        if let Some(to) = shifted(sq, sign * steps[i].0, sign * steps[i].1) {
            bits |= 1 << to.index();
        }
        i += 1;
    }
    Bitboard(bits)
}

/// `[cell][square]`; the last slot of each row, for [`Sq::NONE`], is empty.
static STEPS: [[Bitboard; 82]; Cell::COUNT] = {
    let mut table = [[Bitboard::EMPTY; 82]; Cell::COUNT];
    let mut number = 0;
    while number < ALL_KINDS.len() {
        let kind = ALL_KINDS[number];
        let mut index = 0;
        while index < 81 {
            let sq = Sq::new(index);
            table[Cell::new(kind, Color::Black).index()][index] = step_set(kind, Color::Black, sq);
            table[Cell::new(kind, Color::White).index()][index] = step_set(kind, Color::White, sq);
            index += 1;
        }
        number += 1;
    }
    table
};

/// The squares that a piece reaches in one step: all its attacks unless it slides.
#[inline(always)]
pub(crate) fn step_attacks(cell: Cell, sq: Sq) -> Bitboard {
    STEPS[cell.index()][sq.index()]
}

/// The steps of a kind and a colour.
#[inline(always)]
pub(crate) fn steps_of(kind: PieceKind, color: Color, sq: Sq) -> Bitboard {
    STEPS[Cell::new(kind, color).index()][sq.index()]
}

/// The eight squares round a king.
#[inline(always)]
pub(crate) fn king_steps(sq: Sq) -> Bitboard {
    STEPS[PieceKind::King as usize][sq.index()]
}

const fn box_round(sq: Sq, files: i32, ranks: i32) -> Bitboard {
    let mut bits = 0;
    let mut file = -files;
    while file <= files {
        let mut rank = -ranks;
        while rank <= ranks {
            if let Some(to) = shifted(sq, file, rank) {
                bits |= 1 << to.index();
            }
            rank += 1;
        }
        file += 1;
    }
    Bitboard(bits)
}

/// By square: what lies within two steps of it, and within two moves of a knight. The last slot, for [`Sq::NONE`], is empty.
static NEIGHBOURHOODS: [[Bitboard; 82]; 2] = {
    let mut table = [[Bitboard::EMPTY; 82]; 2];
    let mut index = 0;
    while index < 81 {
        table[0][index] = box_round(Sq::new(index), 2, 2);
        table[1][index] = box_round(Sq::new(index), 2, 4);
        index += 1;
    }
    table
};

/// The squares from which a piece that steps may come next to `sq`.
#[inline(always)]
pub(crate) fn two_steps(sq: Sq) -> Bitboard {
    NEIGHBOURHOODS[0][sq.index()]
}

/// The squares from which a knight may come within its own reach of `sq`.
#[inline(always)]
pub(crate) fn two_knight_moves(sq: Sq) -> Bitboard {
    NEIGHBOURHOODS[1][sq.index()]
}

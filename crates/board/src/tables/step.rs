//! Where a piece goes in one step, knights included.

use crate::cell::kind::{DRAGON, GOLD, HORSE, KING, KNIGHT, PAWN, PRO_KNIGHT, PRO_LANCE, PRO_PAWN, PRO_SILVER, SILVER};
use crate::{Bitboard, Cell, Sq};

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
const fn steps(kind: usize) -> &'static [(i32, i32)] {
    match kind {
        PAWN => &[(0, -1)],
        KNIGHT => &[(-1, -2), (1, -2)],
        SILVER => &[(0, -1), (-1, -1), (1, -1), (-1, 1), (1, 1)],
        GOLD | PRO_PAWN | PRO_LANCE | PRO_KNIGHT | PRO_SILVER => &[(0, -1), (-1, -1), (1, -1), (-1, 0), (1, 0), (0, 1)],
        KING => &[(0, -1), (-1, -1), (1, -1), (-1, 0), (1, 0), (0, 1), (-1, 1), (1, 1)],
        HORSE => &[(0, -1), (0, 1), (-1, 0), (1, 0)],
        DRAGON => &[(-1, -1), (1, -1), (-1, 1), (1, 1)],
        _ => &[],
    }
}

const fn step_set(cell: usize, sq: Sq) -> Bitboard {
    let sign = if cell >= 16 { -1 } else { 1 };
    let steps = steps(cell & 15);
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
    let mut cell = 0;
    while cell < Cell::COUNT {
        let mut index = 0;
        while index < 81 {
            table[cell][index] = step_set(cell, Sq::new(index));
            index += 1;
        }
        cell += 1;
    }
    table
};

/// The squares that a piece reaches in one step: all its attacks unless it slides.
#[inline(always)]
pub(crate) fn step_attacks(cell: Cell, sq: Sq) -> Bitboard {
    STEPS[cell.index()][sq.index()]
}

/// The steps of a kind and a colour index.
#[inline(always)]
pub(crate) fn steps_of(kind: usize, color: usize, sq: Sq) -> Bitboard {
    STEPS[kind | color << 4][sq.index()]
}

/// The eight squares round a king.
#[inline(always)]
pub(crate) fn king_steps(sq: Sq) -> Bitboard {
    STEPS[KING][sq.index()]
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

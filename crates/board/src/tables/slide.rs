//! Sliding attacks by arithmetic on 128 bits, without large tables.
//!
//! Along a line through a square, the squares with higher indices are reached up to the lowest occupied one:
//! `occupied ^ (occupied - 1)` keeps exactly the bits up to and including it. The squares with lower indices are treated the same
//! way after reversing the order of the bytes: on ranks and diagonals neighbours lie 8, 9 or 10 bits apart, so no two of them share
//! a byte. A file is nine bits in a row, so there the highest blocker is found by counting leading zeros.

use crate::{Bitboard, Color, Sq};

/// One line through a square, the square itself left out. `down` is stored with its bytes reversed, but for files.
#[derive(Clone, Copy)]
struct Line {
    up: u128,
    down: u128,
}

/// The lines through a square.
#[derive(Clone, Copy)]
struct Lines {
    file: Line,
    rank: Line,
    /// Index step 10: file and rank both grow.
    diagonal: Line,
    /// Index step 8: the file grows, the rank falls.
    antidiagonal: Line,
}

const fn walk(sq: Sq, files: i32, ranks: i32) -> u128 {
    let mut bits = 0;
    let mut at = sq;
    while let Some(next) = super::step::shifted(at, files, ranks) {
        bits |= 1 << next.index();
        at = next;
    }
    bits
}

const fn line(sq: Sq, files: i32, ranks: i32) -> Line {
    Line { up: walk(sq, files, ranks), down: walk(sq, -files, -ranks).swap_bytes() }
}

static LINES: [Lines; 82] = {
    const NOTHING: Line = Line { up: 0, down: 0 };
    let mut table = [Lines { file: NOTHING, rank: NOTHING, diagonal: NOTHING, antidiagonal: NOTHING }; 82];
    let mut index = 0;
    while index < 81 {
        let sq = Sq::new(index);
        table[index] = Lines {
            file: Line { up: walk(sq, 0, 1), down: walk(sq, 0, -1) },
            rank: line(sq, 1, 0),
            diagonal: line(sq, 1, 1),
            antidiagonal: line(sq, 1, -1),
        };
        index += 1;
    }
    table
};

/// All bits from one upwards: a shift of 128 bits takes longer than a look at this table.
static FROM: [u128; 128] = {
    let mut table = [0; 128];
    let mut bit = 0;
    while bit < 128 {
        table[bit] = u128::MAX << bit;
        bit += 1;
    }
    table
};

/// The squares of `mask` up to and including the first occupied one, counted from the lowest bit.
#[inline(always)]
pub(super) const fn until_lowest(mask: u128, occupied: u128) -> u128 {
    let blockers = occupied & mask;
    (blockers ^ blockers.wrapping_sub(1)) & mask
}

/// The same from the highest bit.
#[inline(always)]
pub(super) fn until_highest(mask: u128, occupied: u128) -> u128 {
    // Setting bit 0 changes nothing: if no square is occupied the walk may well go down to bit 0.
    let highest = 127 - ((occupied & mask) | 1).leading_zeros();
    FROM[highest as usize & 127] & mask
}

/// Attacks of a bishop.
#[inline(always)]
pub(crate) fn bishop_attacks(sq: Sq, occupied: Bitboard) -> Bitboard {
    let lines = &LINES[sq.index()];
    let (up, down) = (occupied.0, occupied.0.swap_bytes());
    let ups = until_lowest(lines.diagonal.up, up) | until_lowest(lines.antidiagonal.up, up);
    let downs = until_lowest(lines.diagonal.down, down) | until_lowest(lines.antidiagonal.down, down);
    Bitboard(ups | downs.swap_bytes())
}

/// Attacks of a rook.
#[inline(always)]
pub(crate) fn rook_attacks(sq: Sq, occupied: Bitboard) -> Bitboard {
    let lines = &LINES[sq.index()];
    let (up, down) = (occupied.0, occupied.0.swap_bytes());
    let ups = until_lowest(lines.rank.up, up) | until_lowest(lines.file.up, up);
    let downs = until_lowest(lines.rank.down, down);
    Bitboard(ups | downs.swap_bytes() | until_highest(lines.file.down, up))
}

/// Attacks of a lance of a colour.
#[inline(always)]
pub(crate) fn lance_attacks(color: Color, sq: Sq, occupied: Bitboard) -> Bitboard {
    let file = &LINES[sq.index()].file;
    Bitboard(match color {
        Color::Black => until_highest(file.down, occupied.0),
        Color::White => until_lowest(file.up, occupied.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng, rngs::StdRng};

    /// Step by step, as the rule reads.
    fn walked(sq: Sq, occupied: Bitboard, directions: &[(i32, i32)]) -> Bitboard {
        let mut set = Bitboard::EMPTY;
        for &(files, ranks) in directions {
            let mut at = sq;
            while let Some(next) = super::super::step::shifted(at, files, ranks) {
                set |= Bitboard::of(next);
                if occupied.contains(next) {
                    break;
                }
                at = next;
            }
        }
        set
    }

    #[test]
    fn slides_stop_at_the_first_blocker_on_every_square() {
        let mut random = StdRng::seed_from_u64(7);
        for round in 0..2000 {
            let mut bits: u128 = random.random::<u128>() & random.random::<u128>();
            if round % 3 == 0 {
                bits &= random.random::<u128>();
            }
            let occupied = Bitboard(bits & Bitboard::ALL.0);
            for sq in Sq::all() {
                let bishop = walked(sq, occupied, &[(1, 1), (1, -1), (-1, 1), (-1, -1)]);
                let rook = walked(sq, occupied, &[(1, 0), (-1, 0), (0, 1), (0, -1)]);
                assert_eq!(bishop_attacks(sq, occupied), bishop);
                assert_eq!(rook_attacks(sq, occupied), rook);
                assert_eq!(lance_attacks(Color::Black, sq, occupied), walked(sq, occupied, &[(0, -1)]));
                assert_eq!(lance_attacks(Color::White, sq, occupied), walked(sq, occupied, &[(0, 1)]));
            }
        }
    }
}

//! Tables made at compile time: steps and lines of pieces, and Zobrist keys.
//!
//! Sliding attacks are computed with 128-bit arithmetic, without large tables. Along a line through
//! a square, `occupied ^ (occupied - 1)` keeps exactly the squares up to and including the lowest
//! occupied one: those with higher indices. The squares with lower indices are treated the same way
//! after reversing the order of the bytes. On ranks and diagonals neighbours lie 8, 9 or 10 bits
//! apart, so no two of them share a byte. A file is nine bits in a row: there the highest blocker
//! is found by counting leading zeros.

use crate::{ALL_KINDS, Bitboard, ByColor, Cell, Color, PieceKind, Sq};

/// Moves a square by files and ranks; `None` beyond the edge.
pub(crate) const fn shifted(sq: Sq, files: i32, ranks: i32) -> Option<Sq> {
    let file = sq.file() as i32 + files;
    let rank = sq.rank() as i32 + ranks;
    if file < 0 || file > 8 || rank < 0 || rank > 8 {
        return None;
    }
    Some(Sq::at(file as usize, rank as usize))
}

/// The steps of each kind for Black, (files, ranks); White's are rotated. A horse's and a dragon's
/// are those beyond the bishop and the rook. A lance, a bishop and a rook have none.
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

/// By square: what lies within two steps of it, and within two moves of a knight. The last slot,
/// for [`Sq::NONE`], is empty.
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

/// One line through a square, without the square itself. `down` is stored with its bytes reversed,
/// except on files.
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

/// The squares in one direction from a square, up to the edge, as bits.
const fn ray(sq: Sq, files: i32, ranks: i32) -> u128 {
    let mut bits = 0;
    let mut at = sq;
    while let Some(next) = shifted(at, files, ranks) {
        bits |= 1 << next.index();
        at = next;
    }
    bits
}

const fn line_through(sq: Sq, files: i32, ranks: i32) -> Line {
    Line { up: ray(sq, files, ranks), down: ray(sq, -files, -ranks).swap_bytes() }
}

static LINES: [Lines; 82] = {
    const NOTHING: Line = Line { up: 0, down: 0 };
    let mut table = [Lines { file: NOTHING, rank: NOTHING, diagonal: NOTHING, antidiagonal: NOTHING }; 82];
    let mut index = 0;
    while index < 81 {
        let sq = Sq::new(index);
        table[index] = Lines {
            file: Line { up: ray(sq, 0, 1), down: ray(sq, 0, -1) },
            rank: line_through(sq, 1, 0),
            diagonal: line_through(sq, 1, 1),
            antidiagonal: line_through(sq, 1, -1),
        };
        index += 1;
    }
    table
};

/// By bit: it and all higher ones. A lookup is faster than a shift of 128 bits.
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
    // Setting bit 0 changes nothing: with no square occupied, the ray may reach bit 0 anyway.
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

const DIRECTIONS: [(i32, i32); 8] = [(0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (1, 1), (-1, 1), (1, -1)];

/// For each pair of squares that share a line, the whole line from edge to edge, or only the
/// squares strictly between.
const fn lines_of_pairs(whole: bool) -> [[Bitboard; 82]; 82] {
    let mut table = [[Bitboard::EMPTY; 82]; 82];
    let mut from = 0;
    while from < 81 {
        let mut direction = 0;
        while direction < 8 {
            let (files, ranks) = DIRECTIONS[direction];
            let ahead = ray(Sq::new(from), files, ranks);
            let line = 1 << from | ahead | ray(Sq::new(from), -files, -ranks);
            let mut at = Sq::new(from);
            while let Some(next) = shifted(at, files, ranks) {
                let beyond = 1 << next.index() | ray(next, files, ranks);
                table[from][next.index()] = Bitboard(if whole { line } else { ahead & !beyond });
                at = next;
            }
            direction += 1;
        }
        from += 1;
    }
    table
}

/// `[from][to]`: the squares strictly between, if the two share a line.
static BETWEEN: [[Bitboard; 82]; 82] = lines_of_pairs(false);

/// `[through][square]`: the whole line through both, edge to edge, if they share one.
static LINE: [[Bitboard; 82]; 82] = lines_of_pairs(true);

/// The open lines through one square, the square itself left out.
#[derive(Clone, Copy)]
pub(crate) struct OpenLines {
    /// All that a bishop reaches on an empty board.
    pub(crate) diagonals: Bitboard,
    /// All that a rook reaches on an empty board.
    pub(crate) orthogonals: Bitboard,
    /// By colour: where a lance of that colour stands if it looks at the square along its file.
    pub(crate) lances_behind: ByColor<Bitboard>,
}

static OPEN: [OpenLines; 82] = {
    const NOTHING: OpenLines = OpenLines {
        diagonals: Bitboard::EMPTY,
        orthogonals: Bitboard::EMPTY,
        lances_behind: ByColor::new(Bitboard::EMPTY, Bitboard::EMPTY),
    };
    let mut table = [NOTHING; 82];
    let mut from = 0;
    while from < 81 {
        let mut direction = 0;
        while direction < 8 {
            let (files, ranks) = DIRECTIONS[direction];
            let bits = ray(Sq::new(from), files, ranks);
            if files != 0 && ranks != 0 {
                table[from].diagonals.0 |= bits;
            } else {
                table[from].orthogonals.0 |= bits;
            }
            if files == 0 {
                // A black lance looks towards rank 1, so it stands on a higher rank.
                let color = if ranks == 1 { Color::Black } else { Color::White };
                table[from].lances_behind.0[color.array_index()].0 |= bits;
            }
            direction += 1;
        }
        from += 1;
    }
    table
};

/// The ray of a slider through a square.
#[derive(Clone, Copy)]
pub(crate) struct Through {
    /// The squares strictly between.
    pub(crate) before: Bitboard,
    /// The squares behind, to the edge.
    beyond: Bitboard,
}

impl Through {
    /// The squares behind, up to and including the first occupied one. `up`: whether their indices
    /// grow.
    #[inline(always)]
    pub(crate) fn reach(&self, up: bool, occupied: Bitboard) -> Bitboard {
        let (beyond, occupied) = (self.beyond.0, occupied.0);
        Bitboard(if up { until_lowest(beyond, occupied) } else { until_highest(beyond, occupied) })
    }
}

/// `[slider][square]`.
static THROUGH: [[Through; 82]; 82] = {
    let mut table = [[Through { before: Bitboard::EMPTY, beyond: Bitboard::EMPTY }; 82]; 82];
    let mut from = 0;
    while from < 81 {
        let mut to = 0;
        while to < 81 {
            let before = BETWEEN[from][to];
            let line = LINE[from][to];
            let behind = if to > from { u128::MAX << to << 1 } else { (1 << to) - 1 };
            table[from][to] = Through { before, beyond: Bitboard(line.0 & behind) };
            to += 1;
        }
        from += 1;
    }
    table
};

/// The line from a slider through a square; empty if they share none.
#[inline(always)]
pub(crate) fn through(slider: Sq, sq: Sq) -> &'static Through {
    &THROUGH[slider.index()][sq.index()]
}

/// The squares strictly between two squares that share a line; empty otherwise.
#[inline(always)]
pub(crate) fn between(from: Sq, to: Sq) -> Bitboard {
    BETWEEN[from.index()][to.index()]
}

/// The whole line through two squares that share one; empty otherwise.
#[inline(always)]
pub(crate) fn line(a: Sq, b: Sq) -> Bitboard {
    LINE[a.index()][b.index()]
}

/// The open lines through a square.
#[inline(always)]
pub(crate) fn open_lines(sq: Sq) -> &'static OpenLines {
    &OPEN[sq.index()]
}

/// One step of the generator splitmix64 (Steele, Lea and Flood 2014): the state it leaves and the
/// number it gives.
const fn splitmix(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (state, z ^ (z >> 31))
}

/// A hand never holds more than 18 of a kind.
const HAND_COUNTS: usize = 19;

struct ZobristKeys {
    board: [[u64; 81]; Cell::COUNT],
    hand: [[[u64; HAND_COUNTS]; 8]; 2],
    side: u64,
}

static KEYS: ZobristKeys = {
    let mut keys = ZobristKeys { board: [[0; 81]; Cell::COUNT], hand: [[[0; HAND_COUNTS]; 8]; 2], side: 0 };
    let mut state = 0x6b69_6b69; // "kiki"
    let mut cell = 1;
    while cell < Cell::COUNT {
        let mut sq = 0;
        while sq < 81 {
            (state, keys.board[cell][sq]) = splitmix(state);
            sq += 1;
        }
        cell += 1;
    }
    let mut color = 0;
    while color < 2 {
        let mut kind = 1;
        while kind < 8 {
            // An empty hand contributes nothing.
            let mut count = 1;
            while count < HAND_COUNTS {
                (state, keys.hand[color][kind][count]) = splitmix(state);
                count += 1;
            }
            kind += 1;
        }
        color += 1;
    }
    (_, keys.side) = splitmix(state);
    keys
};

/// The Zobrist key of a piece on a square.
#[must_use]
#[inline(always)]
pub fn piece_key(cell: Cell, sq: Sq) -> u64 {
    KEYS.board[cell.index()][sq.index()]
}

/// The Zobrist key of holding `count` pieces of a kind.
#[inline(always)]
pub(crate) fn hand_key(color: Color, kind: PieceKind, count: usize) -> u64 {
    KEYS.hand[color.array_index()][kind as usize][count]
}

/// The Zobrist key of White being to move; it belongs to the board key.
#[inline(always)]
pub(crate) fn side_key() -> u64 {
    KEYS.side
}

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

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng, rngs::StdRng};

    use super::*;

    /// Step by step, as the rule reads.
    fn walked(sq: Sq, occupied: Bitboard, directions: &[(i32, i32)]) -> Bitboard {
        let mut set = Bitboard::EMPTY;
        for &(files, ranks) in directions {
            let mut at = sq;
            while let Some(next) = shifted(at, files, ranks) {
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

//! Tables made at compile time: steps and lines of pieces, and Zobrist keys.
//!
//! Sliding attacks are computed with 128-bit arithmetic, without large tables. Along a line through
//! a square, `occupied ^ (occupied - 1)` keeps exactly the squares up to and including the lowest
//! occupied one: those with higher indices. The squares with lower indices are treated the same way
//! after reversing the order of the bytes. On ranks and diagonals neighbours lie 8, 9 or 10 bits
//! apart, so no two of them share a byte. A file is nine bits in a row: there the highest blocker
//! is found by counting leading zeros.

use crate::squares::table;
use crate::{Bitboard, ByColor, Cell, Color, PieceKind, Sq};

/// Moves a square by files and ranks; `None` beyond the edge, and for [`Sq::NONE`].
const fn shifted(sq: Sq, files: i32, ranks: i32) -> Option<Sq> {
    let (file, rank) = (sq.file() as i32 + files, sq.rank() as i32 + ranks);
    let stays = sq.index() < Sq::COUNT && 0 <= file && file < 9 && 0 <= rank && rank < 9;
    if stays { Some(Sq::at(file as usize, rank as usize)) } else { None }
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

/// The steps of the piece with this [`Cell::index`].
const fn step_set(cell: usize, sq: Sq) -> Bitboard {
    let Some(kind) = PieceKind::from_u8(cell as u8 & 15) else { return Bitboard::EMPTY };
    let sign = if cell < 16 { 1 } else { -1 };
    let mut set = Bitboard::EMPTY;
    let mut steps = steps(kind);
    while let [(files, ranks), rest @ ..] = steps {
        if let Some(to) = shifted(sq, sign * *files, sign * *ranks) {
            set.0 |= 1 << to.index();
        }
        steps = rest;
    }
    set
}

/// `[cell][square]`; the last slot of each row, for [`Sq::NONE`], is empty.
static STEPS: [[Bitboard; 82]; Cell::COUNT] =
    table!(Cell::COUNT, |cell| table!(82, |index| step_set(cell, Sq::new(index))));

/// The squares that a piece reaches in one step: all its attacks unless it slides.
#[inline(always)]
pub(crate) fn step_attacks(cell: Cell, sq: Sq) -> Bitboard {
    STEPS[cell.index()][sq.index()]
}

#[inline(always)]
pub(crate) fn steps_of(kind: PieceKind, color: Color, sq: Sq) -> Bitboard {
    STEPS[Cell::new(kind, color).index()][sq.index()]
}

#[inline(always)]
pub(crate) fn king_steps(sq: Sq) -> Bitboard {
    STEPS[PieceKind::King as usize][sq.index()]
}

/// The squares at most this many files and ranks away.
const fn box_round(sq: Sq, files: i32, ranks: i32) -> Bitboard {
    let mut set = Bitboard::EMPTY;
    let mut file = -files;
    while file <= files {
        let mut rank = -ranks;
        while rank <= ranks {
            if let Some(to) = shifted(sq, file, rank) {
                set.0 |= 1 << to.index();
            }
            rank += 1;
        }
        file += 1;
    }
    set
}

static TWO_STEPS: [Bitboard; 82] = table!(82, |index| box_round(Sq::new(index), 2, 2));
static TWO_KNIGHT_MOVES: [Bitboard; 82] = table!(82, |index| box_round(Sq::new(index), 2, 4));

/// The squares from which a piece that steps may come next to `sq`.
#[inline(always)]
pub(crate) fn two_steps(sq: Sq) -> Bitboard {
    TWO_STEPS[sq.index()]
}

/// The squares from which a knight may come within its own reach of `sq`.
#[inline(always)]
pub(crate) fn two_knight_moves(sq: Sq) -> Bitboard {
    TWO_KNIGHT_MOVES[sq.index()]
}

/// The two rays of a line through a square. `down` is stored with its bytes reversed, except on
/// files.
#[derive(Clone, Copy)]
struct RayPair {
    up: u128,
    down: u128,
}

#[derive(Clone, Copy)]
struct Rays {
    file: RayPair,
    rank: RayPair,
    /// Index step 10: file and rank both grow.
    diagonal: RayPair,
    /// Index step 8: the file grows, the rank falls.
    antidiagonal: RayPair,
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

const fn rays_from(sq: Sq) -> Rays {
    const fn pair(sq: Sq, files: i32, ranks: i32) -> RayPair {
        RayPair { up: ray(sq, files, ranks), down: ray(sq, -files, -ranks).swap_bytes() }
    }
    Rays {
        file: RayPair { up: ray(sq, 0, 1), down: ray(sq, 0, -1) },
        rank: pair(sq, 1, 0),
        diagonal: pair(sq, 1, 1),
        antidiagonal: pair(sq, 1, -1),
    }
}

static RAYS: [Rays; 82] = table!(82, |index| rays_from(Sq::new(index)));

/// By bit: it and all higher ones. A lookup is faster than a shift of 128 bits.
static FROM: [u128; 128] = table!(128, |bit| u128::MAX << bit);

/// The squares of `mask` up to and including the first occupied one, counted from the lowest bit.
#[inline(always)]
const fn until_lowest(mask: u128, occupied: u128) -> u128 {
    let blockers = occupied & mask;
    (blockers ^ blockers.wrapping_sub(1)) & mask
}

/// The same from the highest bit.
#[inline(always)]
fn until_highest(mask: u128, occupied: u128) -> u128 {
    // Setting bit 0 changes nothing: with no square occupied, the ray may reach bit 0 anyway.
    let highest = 127 - ((occupied & mask) | 1).leading_zeros();
    FROM[highest as usize & 127] & mask
}

#[inline(always)]
pub(crate) fn bishop_attacks(sq: Sq, occupied: Bitboard) -> Bitboard {
    let rays = &RAYS[sq.index()];
    let (up, down) = (occupied.0, occupied.0.swap_bytes());
    let ups = until_lowest(rays.diagonal.up, up) | until_lowest(rays.antidiagonal.up, up);
    let downs = until_lowest(rays.diagonal.down, down) | until_lowest(rays.antidiagonal.down, down);
    Bitboard(ups | downs.swap_bytes())
}

#[inline(always)]
pub(crate) fn rook_attacks(sq: Sq, occupied: Bitboard) -> Bitboard {
    let rays = &RAYS[sq.index()];
    let (up, down) = (occupied.0, occupied.0.swap_bytes());
    let ups = until_lowest(rays.rank.up, up) | until_lowest(rays.file.up, up);
    let downs = until_lowest(rays.rank.down, down);
    Bitboard(ups | downs.swap_bytes() | until_highest(rays.file.down, up))
}

#[inline(always)]
pub(crate) fn lance_attacks(color: Color, sq: Sq, occupied: Bitboard) -> Bitboard {
    let file = &RAYS[sq.index()].file;
    Bitboard(match color {
        Color::Black => until_highest(file.down, occupied.0),
        Color::White => until_lowest(file.up, occupied.0),
    })
}

/// What two squares on a line have in common; all empty if they share none.
struct SharedLine {
    between: Bitboard,
    /// The squares behind the second one, to the edge.
    beyond: Bitboard,
    whole: Bitboard,
}

const fn shared_line(from: usize, to: usize) -> SharedLine {
    let (from, to) = (Sq::new(from), Sq::new(to));
    let (files, ranks) = (to.file() as i32 - from.file() as i32, to.rank() as i32 - from.rank() as i32);
    let is_shared = files == 0 || ranks == 0 || files.abs() == ranks.abs();
    if !is_shared || from.index() == to.index() || from.index() == 81 || to.index() == 81 {
        return SharedLine { between: Bitboard::EMPTY, beyond: Bitboard::EMPTY, whole: Bitboard::EMPTY };
    }
    let (files, ranks) = (files.signum(), ranks.signum());
    let (ahead, back) = (ray(from, files, ranks), ray(to, -files, -ranks));
    SharedLine {
        between: Bitboard(ahead & back),
        beyond: Bitboard(ray(to, files, ranks)),
        whole: Bitboard(ahead | back),
    }
}

static BETWEEN: [[Bitboard; 82]; 82] = table!(82, |from| table!(82, |to| shared_line(from, to).between));

static LINE: [[Bitboard; 82]; 82] = table!(82, |from| table!(82, |to| shared_line(from, to).whole));

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

const fn open_lines_of(sq: Sq) -> OpenLines {
    OpenLines {
        diagonals: Bitboard(ray(sq, 1, 1) | ray(sq, 1, -1) | ray(sq, -1, 1) | ray(sq, -1, -1)),
        orthogonals: Bitboard(ray(sq, 0, 1) | ray(sq, 0, -1) | ray(sq, 1, 0) | ray(sq, -1, 0)),
        // A black lance looks towards rank 1, so it stands on a higher rank.
        lances_behind: ByColor::new(Bitboard(ray(sq, 0, 1)), Bitboard(ray(sq, 0, -1))),
    }
}

static OPEN: [OpenLines; 82] = table!(82, |index| open_lines_of(Sq::new(index)));

/// The ray of a slider through a square.
#[derive(Clone, Copy)]
pub(crate) struct Through {
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

static THROUGH: [[Through; 82]; 82] = table!(82, |from| table!(82, |to| {
    let SharedLine { between, beyond, .. } = shared_line(from, to);
    Through { before: between, beyond }
}));

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

#[inline(always)]
pub(crate) fn open_lines(sq: Sq) -> &'static OpenLines {
    &OPEN[sq.index()]
}

/// The random number of an index, from a seed, "kiki".
const fn random(index: usize) -> u64 {
    mix((index as u64).wrapping_mul(STEP).wrapping_add(0x6b69_6b69))
}

/// The increment of splitmix64.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A step of splitmix64 (Steele, Lea and Flood 2014).
#[inline]
#[must_use]
pub const fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(STEP);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A hand never holds more than 18 of a kind.
const MOST_HELD: usize = 18;
const BOARD_KEY_COUNT: usize = (Cell::COUNT - 1) * Sq::COUNT;

static BOARD_KEYS: [[u64; Sq::COUNT]; Cell::COUNT] = table!(Cell::COUNT, |cell| table!(Sq::COUNT, |sq| {
    if cell == 0 { 0 } else { random((cell - 1) * Sq::COUNT + sq) }
}));

/// `[color][kind][count]`. An empty hand contributes nothing.
static HAND_KEYS: [[[u64; MOST_HELD + 1]; 8]; 2] =
    table!(2, |color| table!(8, |kind| table!(MOST_HELD + 1, |count| {
        if kind == 0 || count == 0 {
            0
        } else {
            random(BOARD_KEY_COUNT + (color * 7 + kind - 1) * MOST_HELD + count - 1)
        }
    })));

/// The Zobrist key of White being to move; it belongs to the board key.
pub(crate) const SIDE_KEY: u64 = random(BOARD_KEY_COUNT + 2 * 7 * MOST_HELD);

/// The Zobrist key of a piece on a square.
#[must_use]
#[inline(always)]
pub fn piece_key(cell: Cell, sq: Sq) -> u64 {
    BOARD_KEYS[cell.index()][sq.index()]
}

/// The Zobrist key of holding `count` pieces of a kind.
#[inline(always)]
pub(crate) fn hand_key(color: Color, kind: PieceKind, count: usize) -> u64 {
    HAND_KEYS[color.array_index()][kind as usize][count]
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

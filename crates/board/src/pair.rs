//! A set of squares for each side, treated at once.
//!
//! The crate `wide` spells out the vectors of 256 bits. Plain arrays of four words do the same, but the compiler then mixes general
//! and vector registers, and making moves took a tenth longer (see `docs/decisions`).

use std::ops::{BitAnd, BitOr, BitXor};

use wide::{u8x32, u64x4};

use crate::{Bitboard, Sq};

/// Two sets of squares, Black's and White's, in one vector register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(crate) struct Pair(u64x4);

impl Pair {
    /// No square for either side.
    pub(crate) const EMPTY: Self = Self(u64x4::new([0; 4]));

    const fn new([black, white]: [Bitboard; 2]) -> Self {
        Self(u64x4::new([black.0 as u64, (black.0 >> 64) as u64, white.0 as u64, (white.0 >> 64) as u64]))
    }

    /// The set for a colour index, nothing for the other.
    #[inline(always)]
    pub(crate) fn for_color(color: usize, set: Bitboard) -> Self {
        const BOARD: [Pair; 2] =
            [Pair::new([Bitboard::ALL, Bitboard::EMPTY]), Pair::new([Bitboard::EMPTY, Bitboard::ALL])];
        Self::new([set, set]) & BOARD[color & 1]
    }

    /// The set of a colour index.
    #[inline(always)]
    pub(crate) fn of_color(&self, color: usize) -> Bitboard {
        let words = self.0.as_array();
        Bitboard(u128::from(words[2 * color]) | u128::from(words[2 * color + 1]) << 64)
    }

    /// Whether a square belongs to the set of a colour index.
    #[inline(always)]
    pub(crate) fn contains(&self, color: usize, sq: Sq) -> bool {
        let words = self.0.as_array();
        words[2 * color + sq.index() / 64] >> (sq.index() % 64) & 1 != 0
    }

    /// A byte for each square, 32 to a vector: all ones in the set of a colour index, zero outside.
    #[inline(always)]
    pub(crate) fn lanes(&self, color: usize) -> [u8x32; 3] {
        /// By third of the board and lane: the byte of the set in which the square has its bit.
        const BYTES: [u8x32; 3] = [u8x32::new(eighths(0)), u8x32::new(eighths(4)), u8x32::new(eighths(8))];
        const BITS: u8x32 = {
            let mut bits = [0; 32];
            let mut lane = 0;
            while lane < 32 {
                bits[lane] = 1 << (lane % 8);
                lane += 1;
            }
            u8x32::new(bits)
        };
        let set = self.of_color(color).0.to_le_bytes();
        let mut twice = [0; 32];
        twice[..16].copy_from_slice(&set);
        twice[16..].copy_from_slice(&set);
        let twice = u8x32::new(twice);
        BYTES.map(|bytes| (twice.swizzle_half_relaxed(bytes) & BITS).simd_eq(BITS))
    }

    /// The squares of either set.
    #[inline(always)]
    pub(crate) fn union(self) -> Bitboard {
        self.of_color(0) | self.of_color(1)
    }

    /// For each side, the squares that the other pair lacks.
    #[inline(always)]
    pub(crate) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

/// Each of four numbers from `first` on, eight times.
const fn eighths(first: u8) -> [u8; 32] {
    let mut lanes = [0; 32];
    let mut lane = 0;
    while lane < 32 {
        lanes[lane] = first + lane as u8 / 8;
        lane += 1;
    }
    lanes
}

impl BitAnd for Pair {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}
impl BitOr for Pair {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
impl BitXor for Pair {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_and_words_name_the_same_squares() {
        let black = Sq::all().filter(|sq| sq.index() % 7 < 3).collect();
        let white = Sq::all().filter(|sq| sq.index() % 5 == 1).collect();
        let pair = Pair::for_color(0, black) | Pair::for_color(1, white);
        for (color, set) in [black, white].into_iter().enumerate() {
            assert_eq!(pair.of_color(color), set);
            let lanes = pair.lanes(color).map(|third| *third.as_array());
            for (i, &lane) in lanes.as_flattened().iter().enumerate() {
                let within = i < 81 && set.contains(Sq::new(i));
                assert_eq!(lane, if within { 255 } else { 0 });
                assert!(i >= 81 || pair.contains(color, Sq::new(i)) == within);
            }
        }
    }
}

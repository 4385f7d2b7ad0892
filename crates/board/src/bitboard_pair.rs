//! A set of squares for each side, treated at once.
//!
//! The crate `wide` spells out the vectors of 256 bits. Plain arrays of four words do the same, but the compiler then mixes general
//! and vector registers, and making moves took a tenth longer (see `docs/decisions`).

use std::ops::{BitAnd, BitOr, BitXor};

use wide::{u8x32, u64x4};

use crate::{Bitboard, ByColor, Cell, Color, Sq};

/// Two sets of squares, Black's and White's, in one vector register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(crate) struct BitboardPair(u64x4);

/// All squares for one colour, none for the other.
const WHOLE_BOARD: ByColor<BitboardPair> =
    ByColor::new(BitboardPair::new(Bitboard::ALL, Bitboard::EMPTY), BitboardPair::new(Bitboard::EMPTY, Bitboard::ALL));

impl BitboardPair {
    /// No square for either side.
    pub(crate) const EMPTY: Self = Self(u64x4::new([0; 4]));

    const fn new(black: Bitboard, white: Bitboard) -> Self {
        Self(u64x4::new([black.0 as u64, (black.0 >> 64) as u64, white.0 as u64, (white.0 >> 64) as u64]))
    }

    /// A set for one colour, the empty set for the other.
    #[inline(always)]
    pub(crate) fn for_color(color: Color, set: Bitboard) -> Self {
        Self::new(set, set) & WHOLE_BOARD[color]
    }

    /// A set for the colour of a piece, the empty set for the other.
    #[inline(always)]
    pub(crate) fn for_color_of(piece: Cell, set: Bitboard) -> Self {
        Self::new(set, set) & WHOLE_BOARD[piece]
    }

    /// The set of a colour.
    #[inline(always)]
    pub(crate) fn of_color(&self, color: Color) -> Bitboard {
        let (words, first) = (self.0.as_array(), 2 * color.array_index());
        Bitboard(u128::from(words[first]) | u128::from(words[first + 1]) << 64)
    }

    /// Whether a square belongs to the set of a colour.
    #[inline(always)]
    pub(crate) fn contains(&self, color: Color, sq: Sq) -> bool {
        let words = self.0.as_array();
        words[2 * color.array_index() + sq.index() / 64] >> (sq.index() % 64) & 1 != 0
    }

    /// A byte for each square, 32 to a vector: all ones in the set of a colour, zero outside.
    #[inline(always)]
    pub(crate) fn lanes(&self, color: Color) -> [u8x32; 3] {
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
        self.of_color(Color::Black) | self.of_color(Color::White)
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

impl BitAnd for BitboardPair {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}
impl BitOr for BitboardPair {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
impl BitXor for BitboardPair {
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
        let pair = BitboardPair::for_color(Color::Black, black) | BitboardPair::for_color(Color::White, white);
        for (color, set) in [(Color::Black, black), (Color::White, white)] {
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

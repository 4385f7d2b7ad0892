//! Sets of squares in 81 bits.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Sub};

use crate::Sq;

/// A set of squares; bit `i` is the square of index `i`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct Bitboard(pub(crate) u128);

impl Bitboard {
    /// No square.
    pub const EMPTY: Self = Self(0);
    /// All 81 squares.
    pub const ALL: Self = Self((1 << 81) - 1);

    /// The set of one square; empty for [`Sq::NONE`].
    #[must_use]
    pub const fn of(sq: Sq) -> Self {
        SINGLE[sq.index()]
    }

    /// The nine squares of a rank, counted from 0.
    #[must_use]
    pub const fn rank(rank: usize) -> Self {
        let mut bits = 0;
        let mut file = 0;
        while file < 9 {
            bits |= 1 << (file * 9 + rank);
            file += 1;
        }
        Self(bits)
    }

    /// The nine squares of a file, counted from 0.
    #[must_use]
    pub const fn file(file: usize) -> Self {
        Self(0x1ff << (file * 9))
    }

    /// Whether the square belongs to the set.
    #[must_use]
    pub const fn contains(self, sq: Sq) -> bool {
        self.0 & SINGLE[sq.index()].0 != 0
    }

    /// Whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the set has a square.
    #[must_use]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether two sets share a square.
    #[must_use]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The number of squares.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the set has two squares or more.
    #[must_use]
    pub const fn several(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// The square of the lowest index.
    #[must_use]
    pub const fn first(self) -> Option<Sq> {
        if self.0 == 0 { None } else { Some(Sq::new(self.0.trailing_zeros() as usize)) }
    }

    /// The square of the highest index.
    #[must_use]
    pub const fn last(self) -> Option<Sq> {
        if self.0 == 0 { None } else { Some(Sq::new(127 - self.0.leading_zeros() as usize)) }
    }

    /// The set seen from the other side of the board.
    #[must_use]
    pub const fn rotated(self) -> Self {
        Self(self.0.reverse_bits() >> 47)
    }

    /// For each square of the set, all nine squares of its file.
    #[must_use]
    pub(crate) const fn files(self) -> Self {
        // A file is nine bits: with rank 1 taken out, adding eight ones to the other eight bits carries into the ninth
        // exactly when one of them is set; the carries spread back over the files by a subtraction.
        const LOW: u128 = Bitboard::rank(0).0;
        const HIGH: u128 = Bitboard::rank(8).0;
        let rest = self.0 & !HIGH;
        let carried = (rest + (HIGH - LOW)) | self.0;
        let tops = carried & HIGH;
        // Every top bit becomes the whole file: top + (top - bottom).
        Self(tops | (tops - (tops >> 8)))
    }
}

/// By square: its bit; the last slot, for [`Sq::NONE`], is empty.
static SINGLE: [Bitboard; 82] = {
    let mut table = [Bitboard(0); 82];
    let mut index = 0;
    while index < 81 {
        table[index] = Bitboard(1 << index);
        index += 1;
    }
    table
};

impl BitAnd for Bitboard {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}
impl BitOr for Bitboard {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
impl BitXor for Bitboard {
    type Output = Self;
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}
/// Set difference.
impl Sub for Bitboard {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}
impl Not for Bitboard {
    type Output = Self;
    fn not(self) -> Self {
        Self(self.0 ^ Self::ALL.0)
    }
}
impl BitAndAssign for Bitboard {
    fn bitand_assign(&mut self, other: Self) {
        self.0 &= other.0;
    }
}
impl BitOrAssign for Bitboard {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}
impl BitXorAssign for Bitboard {
    fn bitxor_assign(&mut self, other: Self) {
        self.0 ^= other.0;
    }
}

impl FromIterator<Sq> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Sq>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, |set, sq| set | Self::of(sq))
    }
}

impl IntoIterator for Bitboard {
    type Item = Sq;
    type IntoIter = Squares;
    fn into_iter(self) -> Squares {
        Squares { low: self.0 as u64, high: (self.0 >> 64) as u64 }
    }
}

/// The squares of a [`Bitboard`], lowest index first.
#[derive(Clone, Debug)]
pub struct Squares {
    low: u64,
    high: u64,
}

impl Iterator for Squares {
    type Item = Sq;

    #[inline(always)]
    fn next(&mut self) -> Option<Sq> {
        if self.low != 0 {
            let index = self.low.trailing_zeros() as usize;
            self.low &= self.low - 1;
            Some(Sq::new(index))
        } else if self.high != 0 {
            let index = self.high.trailing_zeros() as usize;
            self.high &= self.high - 1;
            Some(Sq::new(64 + index))
        } else {
            None
        }
    }
}

/// Nine rows as on a diagram: file 9 at the left, rank 1 at the top.
impl std::fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for rank in 0..9 {
            for file in (0..9).rev() {
                f.write_str(if self.contains(Sq::at(file, rank)) { " *" } else { " ." })?;
            }
            f.write_str("\n")?;
        }
        Ok(())
    }
}

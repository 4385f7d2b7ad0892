//! Squares as indices.

use shogi_core::Square;

/// A square as an index: `9 * (file - 1) + (rank - 1)`, the order of [`Square::array_index`].
///
/// Index 81 ([`Sq::NONE`]) stands for "no square": the king of a side that has none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Sq(u8);

impl Sq {
    /// The number of squares of the board.
    pub const COUNT: usize = 81;
    /// No square. Tables that are indexed by a king have a slot for it.
    pub const NONE: Self = Self(81);

    /// The square of an index.
    #[must_use]
    pub const fn new(index: usize) -> Self {
        debug_assert!(index <= 81);
        Self(index as u8)
    }

    /// The square on `file` and `rank`, both counted from 0.
    #[must_use]
    pub const fn at(file: usize, rank: usize) -> Self {
        debug_assert!(file < 9 && rank < 9);
        Self((file * 9 + rank) as u8)
    }

    /// The index, 0 to 80 (81 for [`Sq::NONE`]).
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The file counted from 0 (file 1, at Black's right, is 0).
    #[must_use]
    pub const fn file(self) -> usize {
        self.0 as usize / 9
    }

    /// The rank counted from 0 (rank a, White's home, is 0).
    #[must_use]
    pub const fn rank(self) -> usize {
        self.0 as usize % 9
    }

    /// The same square seen from the other side of the board.
    #[must_use]
    pub const fn rotated(self) -> Self {
        if self.0 == 81 { self } else { Self(80 - self.0) }
    }

    /// All squares in the order of their indices.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..81).map(Self)
    }

    /// The Chebyshev distance: the larger of the file and the rank difference, 0 to 8.
    #[must_use]
    pub const fn distance(self, other: Self) -> usize {
        let file = self.file().abs_diff(other.file());
        let rank = self.rank().abs_diff(other.rank());
        if file > rank { file } else { rank }
    }
}

impl From<Square> for Sq {
    fn from(square: Square) -> Self {
        Self::new(square.array_index())
    }
}

impl From<Sq> for Square {
    fn from(sq: Sq) -> Self {
        Self::new(sq.file() as u8 + 1, sq.rank() as u8 + 1).expect("a square of the board, not Sq::NONE")
    }
}

//! Squares as indices, sets of squares as bits, and the side to move as a type.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Sub};

use shogi_core::Square;
use wide::{u8x32, u64x4};

use crate::{ByColor, Cell, Color, PieceKind};

/// An array made at compile time: by index, the value of an expression.
macro_rules! table {
    ($length:expr, |$index:ident| $value:expr) => {{
        let mut $index = 0;
        let mut values = [$value; $length];
        while $index + 1 < $length {
            $index += 1;
            values[$index] = $value;
        }
        values
    }};
}

pub(crate) use table;

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
        // A file is nine bits. Rank 1 is taken out. Adding eight ones to the other eight bits
        // carries into the ninth exactly when one of them is set. A subtraction spreads the carries
        // back over the files.
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
static SINGLE: [Bitboard; 82] = table!(82, |index| Bitboard(if index < 81 { 1 << index } else { 0 }));

/// Set operations of types that hold their bits in a field.
macro_rules! set_operators {
    ($set:ident: $($operator:ident $method:ident $symbol:tt)*) => {
        $(impl $operator for $set {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0 $symbol other.0)
            }
        })*
    };
}

set_operators!(Bitboard: BitAnd bitand & BitOr bitor | BitXor bitxor ^);
set_operators!(BitboardPair: BitAnd bitand & BitOr bitor | BitXor bitxor ^);

macro_rules! set_assignments {
    ($($operator:ident $method:ident $symbol:tt)*) => {
        $(impl $operator for Bitboard {
            fn $method(&mut self, other: Self) {
                self.0 $symbol other.0;
            }
        })*
    };
}

set_assignments!(BitAndAssign bitand_assign &= BitOrAssign bitor_assign |= BitXorAssign bitxor_assign ^=);

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

/// Two sets of squares, Black's and White's, in one vector register.
///
/// The crate `wide` spells out the vectors of 256 bits. Plain arrays of four words do the same, but
/// the compiler then mixes general and vector registers, and making moves took a tenth longer (see
/// `docs/decisions`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(crate) struct BitboardPair(u64x4);

/// All squares for one colour, none for the other.
const WHOLE_BOARD: ByColor<BitboardPair> =
    ByColor::new(BitboardPair::new(Bitboard::ALL, Bitboard::EMPTY), BitboardPair::new(Bitboard::EMPTY, Bitboard::ALL));

impl BitboardPair {
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

    #[inline(always)]
    pub(crate) fn of_color(&self, color: Color) -> Bitboard {
        let (words, first) = (self.0.as_array(), 2 * color.array_index());
        Bitboard(u128::from(words[first]) | u128::from(words[first + 1]) << 64)
    }

    #[inline(always)]
    pub(crate) fn contains(&self, color: Color, sq: Sq) -> bool {
        let words = self.0.as_array();
        words[2 * color.array_index() + sq.index() / 64] >> (sq.index() % 64) & 1 != 0
    }

    /// A byte for each square, 32 to a vector: all ones in the set of a colour, zero outside.
    #[inline(always)]
    pub(crate) fn lanes(&self, color: Color) -> [u8x32; 3] {
        /// By third of the board and lane: the byte of the set in which the square has its bit.
        const BYTES: [u8x32; 3] = table!(3, |third| u8x32::new(table!(32, |lane| (4 * third + lane / 8) as u8)));
        const BITS: u8x32 = u8x32::new(table!(32, |lane| 1 << (lane % 8)));
        let set = self.of_color(color).0.to_le_bytes();
        let mut twice = [0; 32];
        twice[..16].copy_from_slice(&set);
        twice[16..].copy_from_slice(&set);
        let twice = u8x32::new(twice);
        BYTES.map(|bytes| (twice.swizzle_half_relaxed(bytes) & BITS).simd_eq(BITS))
    }

    /// For each side, the squares that the other pair lacks.
    #[inline(always)]
    pub(crate) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

/// The ranks farthest from a side's home.
pub(crate) const fn far_ranks(color: Color, count: usize) -> Bitboard {
    let mut set = Bitboard::EMPTY;
    let mut rank = 0;
    while rank < count {
        let seen = match color {
            Color::Black => rank,
            Color::White => 8 - rank,
        };
        set.0 |= Bitboard::rank(seen).0;
        rank += 1;
    }
    set
}

/// A colour known at compile time.
///
/// Hot code is `fn f<S: Side>`, entered through [`for_side`]. No body exists twice.
pub(crate) trait Side: Copy + 'static {
    const COLOR: Color;
    type Opponent: Side;

    /// The three ranks where this side promotes.
    const ZONE: Bitboard = far_ranks(Self::COLOR, 3);
    /// The rank where its pawns and lances can move no further.
    const LAST_RANK: Bitboard = far_ranks(Self::COLOR, 1);
    /// The two ranks where its knights can move no further.
    const LAST_TWO_RANKS: Bitboard = far_ranks(Self::COLOR, 2);

    /// Moves a set one rank forward; squares that would leave the board are dropped.
    fn forward(set: Bitboard) -> Bitboard {
        let set = set - Self::LAST_RANK;
        Bitboard(if Self::COLOR == Color::Black { set.0 >> 1 } else { set.0 << 1 })
    }

    /// The squares where a piece of a kind could never move again.
    #[inline(always)]
    fn dead_ends(kind: PieceKind) -> Bitboard {
        match kind {
            PieceKind::Pawn | PieceKind::Lance => Self::LAST_RANK,
            PieceKind::Knight => Self::LAST_TWO_RANKS,
            _ => Bitboard::EMPTY,
        }
    }

    /// Whether a move of a piece may promote.
    #[inline(always)]
    fn may_promote(piece: Cell, from: Sq, to: Sq) -> bool {
        piece.can_promote() && (Self::ZONE.contains(from) || Self::ZONE.contains(to))
    }
}

/// Black, who moves first and up the board (towards rank 1).
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlackSide;

/// White, who moves down the board (towards rank 9).
#[derive(Clone, Copy, Debug)]
pub(crate) struct WhiteSide;

impl Side for BlackSide {
    const COLOR: Color = Color::Black;
    type Opponent = WhiteSide;
}

impl Side for WhiteSide {
    const COLOR: Color = Color::White;
    type Opponent = BlackSide;
}

/// Evaluates an expression in which a type stands for the [`Side`] of a colour.
macro_rules! for_side {
    ($color:expr, $side:ident => $body:expr) => {
        match $color {
            $crate::Color::Black => {
                type $side = $crate::squares::BlackSide;
                $body
            }
            $crate::Color::White => {
                type $side = $crate::squares::WhiteSide;
                $body
            }
        }
    };
}

pub(crate) use for_side;

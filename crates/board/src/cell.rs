//! Squares as indices and the contents of a square as one byte.

use shogi_core::{Color, Piece, PieceKind, Square};

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

/// What stands on a square, in one byte: 0 for nothing, else the kind (1 to 14, `PieceKind as u8`) plus 16 for White.
///
/// The numbers are those of [`Piece::as_u8`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Cell(u8);

impl Cell {
    /// An empty square.
    pub const EMPTY: Self = Self(0);
    /// One more than the largest [`Cell::index`].
    pub const COUNT: usize = 32;

    /// The piece of a kind and a colour.
    #[must_use]
    pub const fn new(kind: PieceKind, color: Color) -> Self {
        Self::from_parts(kind as usize, color.array_index())
    }

    /// The piece of a kind number (1 to 14) and a colour index (0 Black, 1 White).
    #[must_use]
    pub(crate) const fn from_parts(kind: usize, color: usize) -> Self {
        debug_assert!(kind >= 1 && kind <= 14 && color < 2);
        Self((kind | color << 4) as u8)
    }

    /// An index for tables of 32 entries.
    #[must_use]
    pub const fn index(self) -> usize {
        (self.0 & 31) as usize
    }

    /// Whether nothing stands here.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The kind number, 1 to 14; 0 when empty.
    #[must_use]
    pub const fn kind_index(self) -> usize {
        (self.0 & 15) as usize
    }

    /// 0 for Black, 1 for White. An empty cell says Black: ask [`Cell::is_empty`] first.
    #[must_use]
    pub const fn color_index(self) -> usize {
        (self.0 >> 4) as usize
    }

    /// The piece, or nothing.
    #[must_use]
    pub fn piece(self) -> Option<Piece> {
        let kind = PieceKind::from_u8(self.0 & 15)?;
        let color = if self.0 < 16 { Color::Black } else { Color::White };
        Some(Piece::new(kind, color))
    }

    /// Whether a piece of this kind number may stand promoted: pawn, lance, knight, silver, bishop, rook.
    #[must_use]
    pub const fn can_promote(self) -> bool {
        // Bits 1, 2, 3, 4, 6, 7.
        0b1101_1110_u32 >> (self.0 & 15) & 1 != 0
    }

    /// The promoted piece of the same colour.
    #[must_use]
    pub(crate) const fn promoted(self) -> Self {
        debug_assert!(self.can_promote());
        Self::from_parts(PROMOTED[self.kind_index()] as usize, self.color_index())
    }

    /// The kind number that goes into the captor's hand.
    #[must_use]
    pub const fn hand_kind_index(self) -> usize {
        HAND_KIND[self.kind_index()] as usize
    }
}

impl From<Piece> for Cell {
    fn from(piece: Piece) -> Self {
        Self(piece.as_u8())
    }
}

/// Kind numbers, as `PieceKind as usize`, for code that indexes tables.
pub(crate) mod kind {
    use shogi_core::PieceKind;

    pub(crate) const PAWN: usize = PieceKind::Pawn as usize;
    pub(crate) const LANCE: usize = PieceKind::Lance as usize;
    pub(crate) const KNIGHT: usize = PieceKind::Knight as usize;
    pub(crate) const SILVER: usize = PieceKind::Silver as usize;
    pub(crate) const GOLD: usize = PieceKind::Gold as usize;
    pub(crate) const BISHOP: usize = PieceKind::Bishop as usize;
    pub(crate) const ROOK: usize = PieceKind::Rook as usize;
    pub(crate) const KING: usize = PieceKind::King as usize;
    pub(crate) const PRO_PAWN: usize = PieceKind::ProPawn as usize;
    pub(crate) const PRO_LANCE: usize = PieceKind::ProLance as usize;
    pub(crate) const PRO_KNIGHT: usize = PieceKind::ProKnight as usize;
    pub(crate) const PRO_SILVER: usize = PieceKind::ProSilver as usize;
    pub(crate) const HORSE: usize = PieceKind::ProBishop as usize;
    pub(crate) const DRAGON: usize = PieceKind::ProRook as usize;
}

/// By kind number: the promoted kind, or 0.
const PROMOTED: [u8; 16] = [0, 9, 10, 11, 12, 0, 13, 14, 0, 0, 0, 0, 0, 0, 0, 0];
/// By kind number: the kind in hand after a capture (a king is never captured).
const HAND_KIND: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 6, 7, 0];

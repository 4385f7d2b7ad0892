//! Colours, kinds of pieces and the contents of a square, each with its tables.

use std::ops::{Index, IndexMut};

use PieceKind::{
    Bishop, Gold, King, Knight, Lance, Pawn, ProBishop, ProKnight, ProLance, ProPawn, ProRook, ProSilver, Rook, Silver,
};
use shogi_core::{Color, Piece, PieceKind};

/// Both colours, Black first.
pub const COLORS: [Color; 2] = [Color::Black, Color::White];

/// The other colour. The same as [`Color::flip`], which is not inlined without link-time
/// optimisation.
#[must_use]
#[inline(always)]
pub const fn opponent(color: Color) -> Color {
    match color {
        Color::Black => Color::White,
        Color::White => Color::Black,
    }
}

/// One value for each colour, indexed by [`Color`].
///
/// ```
/// use kiki_board::{ByColor, Color};
///
/// let mut pieces = ByColor::new(20, 20);
/// pieces[Color::White] -= 1;
/// assert_eq!(pieces, ByColor::new(20, 19));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(transparent)]
pub struct ByColor<T>(pub(crate) [T; 2]);

impl<T> ByColor<T> {
    /// Black's value and White's.
    #[must_use]
    #[inline(always)]
    pub const fn new(black: T, white: T) -> Self {
        Self([black, white])
    }

    /// The same value for both.
    #[must_use]
    #[inline(always)]
    pub const fn both(value: T) -> Self
    where
        T: Copy,
    {
        Self([value; 2])
    }

    /// The values of a function of the colour; Black's is asked for first.
    #[must_use]
    #[inline(always)]
    pub fn from_fn(mut value: impl FnMut(Color) -> T) -> Self {
        let black = value(Color::Black);
        Self::new(black, value(Color::White))
    }

    /// The colours with their values, Black first.
    pub fn iter(&self) -> impl Iterator<Item = (Color, &T)> {
        COLORS.into_iter().zip(&self.0)
    }
}

/// The kinds that can be held in hand, in the order of their numbers.
pub const HAND_KINDS: [PieceKind; 7] = [Pawn, Lance, Knight, Silver, Gold, Bishop, Rook];

/// All kinds, in the order of their numbers.
pub const ALL_KINDS: [PieceKind; PieceKind::NUM] = [
    Pawn, Lance, Knight, Silver, Gold, Bishop, Rook, King, ProPawn, ProLance, ProKnight, ProSilver, ProBishop, ProRook,
];

/// How many pieces of an unpromoted kind a full set has: 18 pawns, 2 rooks, 2 kings. Of a promoted
/// kind: 0.
#[must_use]
pub const fn pieces_in_set(kind: PieceKind) -> usize {
    match kind {
        Pawn => 18,
        Lance | Knight | Silver | Gold => 4,
        Bishop | Rook | King => 2,
        _ => 0,
    }
}

/// The kind with its promotion undone: a pawn for a promoted pawn, a gold for a gold.
#[must_use]
#[inline(always)]
pub fn unpromoted(kind: PieceKind) -> PieceKind {
    kind.unpromote().unwrap_or(kind)
}

/// The character of a kind in Japanese diagrams, where each has one: 杏 is a promoted lance, 圭 a
/// promoted knight, 全 a promoted silver.
#[must_use]
pub const fn kanji(kind: PieceKind) -> char {
    match kind {
        Pawn => '歩',
        Lance => '香',
        Knight => '桂',
        Silver => '銀',
        Gold => '金',
        Bishop => '角',
        Rook => '飛',
        King => '玉',
        ProPawn => 'と',
        ProLance => '杏',
        ProKnight => '圭',
        ProSilver => '全',
        ProBishop => '馬',
        ProRook => '龍',
    }
}

/// One value for each kind of piece and one for "no piece", indexed by [`PieceKind`] or by
/// [`crate::Cell`].
///
/// ```
/// use kiki_board::{ByKind, Cell, PieceKind};
///
/// let mut letters = ByKind::new('-', ['P', 'L', 'N', 'S', 'G', 'B', 'R', 'K', 'p', 'l', 'n', 's', 'b', 'r']);
/// letters[PieceKind::ProRook] = 'd';
/// assert_eq!((letters[PieceKind::ProRook], letters[Cell::EMPTY]), ('d', '-'));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(transparent)]
pub struct ByKind<T>(pub(crate) [T; 16]);

impl<T: Copy> ByKind<T> {
    /// The value of "no piece" and those of [`ALL_KINDS`].
    #[must_use]
    pub const fn new(none: T, kinds: [T; PieceKind::NUM]) -> Self {
        let mut values = [none; 16];
        let mut kind = 0;
        while kind < kinds.len() {
            values[kind + 1] = kinds[kind];
            kind += 1;
        }
        Self(values)
    }

    /// The same value for all.
    #[must_use]
    pub const fn filled(value: T) -> Self {
        Self([value; 16])
    }

    /// The value of a kind, where [`Index`] cannot be used: in constants.
    #[must_use]
    #[inline(always)]
    pub const fn get(&self, kind: PieceKind) -> T {
        self.0[kind as usize]
    }
}

/// The contents of a square in one byte: 0 if empty, else the number of the kind (1 to 14,
/// `PieceKind as u8`) plus 16 for White.
///
/// The numbers are those of [`Piece::as_u8`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, bytemuck::NoUninit)]
#[repr(transparent)]
pub struct Cell(u8);

impl Cell {
    /// An empty square.
    pub const EMPTY: Self = Self(0);
    /// One more than the largest [`Cell::index`].
    pub const COUNT: usize = 32;

    /// The piece of a kind and a colour.
    #[must_use]
    #[inline(always)]
    pub const fn new(kind: PieceKind, color: Color) -> Self {
        Self::from_kind_index(kind as usize, color)
    }

    /// The piece of a [`Cell::kind_index`] from 1 to 14 and a colour.
    #[inline(always)]
    pub(crate) const fn from_kind_index(kind: usize, color: Color) -> Self {
        debug_assert!(kind >= 1 && kind <= 14);
        Self((kind | color.array_index() << 4) as u8)
    }

    /// An index for tables of [`Cell::COUNT`] entries.
    #[must_use]
    pub const fn index(self) -> usize {
        (self.0 & 31) as usize
    }

    /// Whether the square is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The kind of the piece; `None` for an empty square.
    #[must_use]
    #[inline(always)]
    pub const fn kind(self) -> Option<PieceKind> {
        PieceKind::from_u8(self.0 & 15)
    }

    /// Whether a piece of this kind stands here, of either colour.
    #[must_use]
    #[inline(always)]
    pub const fn is_kind(self, kind: PieceKind) -> bool {
        self.0 & 15 == kind as u8
    }

    /// The number of the kind, 1 to 14, or 0 for an empty square: an index for tables of 16
    /// entries.
    #[must_use]
    pub const fn kind_index(self) -> usize {
        (self.0 & 15) as usize
    }

    /// The colour of the piece. For an empty square it is Black: ask [`Cell::is_empty`] first.
    #[must_use]
    #[inline(always)]
    pub const fn color(self) -> Color {
        if self.0 < 16 { Color::Black } else { Color::White }
    }

    /// The piece, or nothing.
    #[must_use]
    pub fn piece(self) -> Option<Piece> {
        self.kind().map(|kind| Piece::new(kind, self.color()))
    }

    /// Whether a piece of this kind promotes: pawn, lance, knight, silver, bishop, rook.
    #[must_use]
    pub const fn can_promote(self) -> bool {
        // Bits 1, 2, 3, 4, 6, 7.
        0b1101_1110_u32 >> (self.0 & 15) & 1 != 0
    }

    /// The promoted piece of the same colour, for a piece that [`Cell::can_promote`].
    #[must_use]
    pub(crate) const fn promoted(self) -> Self {
        debug_assert!(self.can_promote());
        // The promoted kinds are numbered like the others, 8 higher, but without a gold: 13 and 14
        // are the horse and the dragon.
        Self(self.0 + if self.0 & 15 > Gold as u8 { 7 } else { 8 })
    }

    /// The kind that a capture of this piece puts into the captor's hand; `None` for an empty
    /// square and for a king.
    #[must_use]
    #[inline(always)]
    pub const fn hand_kind(self) -> Option<PieceKind> {
        HAND_KIND[self.kind_index()]
    }
}

impl From<Piece> for Cell {
    fn from(piece: Piece) -> Self {
        Self(piece.as_u8())
    }
}

macro_rules! indexed_by {
    ($table:ident[$key:ident: $type:ty] => $index:expr) => {
        impl<T> Index<$type> for $table<T> {
            type Output = T;

            #[inline(always)]
            fn index(&self, $key: $type) -> &T {
                &self.0[$index]
            }
        }

        impl<T> IndexMut<$type> for $table<T> {
            #[inline(always)]
            fn index_mut(&mut self, $key: $type) -> &mut T {
                &mut self.0[$index]
            }
        }
    };
}

indexed_by!(ByColor[color: Color] => color.array_index());
// The piece's colour, Black for an empty square: one shift instead of a comparison.
indexed_by!(ByColor[cell: Cell] => usize::from(cell.0 >> 4 & 1));
indexed_by!(ByKind[kind: PieceKind] => kind as usize);
// The piece's kind, or "no piece" for an empty square.
indexed_by!(ByKind[cell: Cell] => cell.kind_index());

const HAND_KIND: [Option<PieceKind>; 16] = {
    let mut table = [None; 16];
    let mut number = 0;
    while number < HAND_KINDS.len() {
        let kind = HAND_KINDS[number];
        table[kind as usize] = Some(kind);
        let piece = Cell::new(kind, Color::Black);
        if piece.can_promote() {
            table[piece.promoted().kind_index()] = Some(kind);
        }
        number += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use crate::{ALL_KINDS, COLORS};

    use super::*;

    #[test]
    fn pieces_promote_and_change_hands_as_the_kinds_of_shogi_core_do() {
        assert_eq!((Cell::EMPTY.kind(), Cell::EMPTY.hand_kind(), Cell::EMPTY.piece()), (None, None, None));
        for (kind, color) in ALL_KINDS.into_iter().flat_map(|kind| COLORS.map(|color| (kind, color))) {
            let cell = Cell::new(kind, color);
            assert_eq!((cell.kind(), cell.color(), cell.piece()), (Some(kind), color, Some(Piece::new(kind, color))));
            assert_eq!(cell.can_promote(), kind.promote().is_some());
            if let Some(promoted) = kind.promote() {
                assert_eq!(cell.promoted(), Cell::new(promoted, color));
            }
            assert_eq!(cell.hand_kind(), Some(unpromoted(kind)).filter(|&kind| kind != King));
        }
    }
}

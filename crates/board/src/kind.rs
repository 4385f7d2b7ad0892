//! The kinds of pieces: which of them are held in hand and promote, and tables with one value for each.
//!
//! The kinds are those of [`PieceKind`]: pawn, lance, knight, silver, gold, bishop, rook and king are numbered 1 to 8, the promoted
//! kinds 9 to 14, the last two of which are the horse (`ProBishop`) and the dragon (`ProRook`).

use std::ops::{Index, IndexMut};

use shogi_core::PieceKind;

/// The kinds that can be held in hand, in the order of their numbers.
pub const HAND_KINDS: [PieceKind; 7] = [
    PieceKind::Pawn,
    PieceKind::Lance,
    PieceKind::Knight,
    PieceKind::Silver,
    PieceKind::Gold,
    PieceKind::Bishop,
    PieceKind::Rook,
];

/// All kinds, in the order of their numbers.
pub const ALL_KINDS: [PieceKind; PieceKind::NUM] = [
    PieceKind::Pawn,
    PieceKind::Lance,
    PieceKind::Knight,
    PieceKind::Silver,
    PieceKind::Gold,
    PieceKind::Bishop,
    PieceKind::Rook,
    PieceKind::King,
    PieceKind::ProPawn,
    PieceKind::ProLance,
    PieceKind::ProKnight,
    PieceKind::ProSilver,
    PieceKind::ProBishop,
    PieceKind::ProRook,
];

/// How many pieces of an unpromoted kind a full set has: 18 pawns, 2 rooks, 2 kings. Of a promoted kind: 0.
#[must_use]
pub const fn pieces_in_set(kind: PieceKind) -> usize {
    match kind {
        PieceKind::Pawn => 18,
        PieceKind::Lance | PieceKind::Knight | PieceKind::Silver | PieceKind::Gold => 4,
        PieceKind::Bishop | PieceKind::Rook | PieceKind::King => 2,
        _ => 0,
    }
}

/// The kind with its promotion undone: a pawn for a promoted pawn, a gold for a gold.
#[must_use]
#[inline(always)]
pub fn unpromoted(kind: PieceKind) -> PieceKind {
    kind.unpromote().unwrap_or(kind)
}

/// The character of a kind in Japanese diagrams, where each has one: 杏 is a promoted lance, 圭 a promoted knight, 全 a promoted silver.
#[must_use]
pub const fn kanji(kind: PieceKind) -> char {
    match kind {
        PieceKind::Pawn => '歩',
        PieceKind::Lance => '香',
        PieceKind::Knight => '桂',
        PieceKind::Silver => '銀',
        PieceKind::Gold => '金',
        PieceKind::Bishop => '角',
        PieceKind::Rook => '飛',
        PieceKind::King => '玉',
        PieceKind::ProPawn => 'と',
        PieceKind::ProLance => '杏',
        PieceKind::ProKnight => '圭',
        PieceKind::ProSilver => '全',
        PieceKind::ProBishop => '馬',
        PieceKind::ProRook => '龍',
    }
}

/// One value for each kind of piece and one for "no piece", indexed by [`PieceKind`] or by [`crate::Cell`].
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

impl<T> Index<PieceKind> for ByKind<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, kind: PieceKind) -> &T {
        &self.0[kind as usize]
    }
}

impl<T> IndexMut<PieceKind> for ByKind<T> {
    #[inline(always)]
    fn index_mut(&mut self, kind: PieceKind) -> &mut T {
        &mut self.0[kind as usize]
    }
}

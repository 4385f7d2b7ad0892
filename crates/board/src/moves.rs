//! Moves in sixteen bits, and lists of them.

use std::fmt;
use std::str::FromStr;

use kiki_text::excerpt;
use shogi_core::{Color, Piece, PieceKind, Square, ToUsi};
use shogi_usi_parser::FromUsi as _;

use crate::{Cell, Sq};

/// A move in sixteen bits: destination (7), origin (7; for a drop 81 plus the kind number),
/// promotion (1).
///
/// It does not store the piece that moves or is captured: the position knows them.
/// [`Move::NONE`] (all bits zero) moves from 1a to 1a, so it is never legal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Move(u16);

const PROMOTE: u16 = 1 << 14;
const DROP: u16 = 81;

impl Move {
    /// No move.
    pub const NONE: Self = Self(0);

    /// A move of a piece on the board.
    #[must_use]
    #[inline(always)]
    pub const fn board(from: Sq, to: Sq, promote: bool) -> Self {
        Self(to.index() as u16 | (from.index() as u16) << 7 | if promote { PROMOTE } else { 0 })
    }

    /// A drop of a kind that can be held in hand.
    #[must_use]
    #[inline(always)]
    pub const fn drop(kind: PieceKind, to: Sq) -> Self {
        Self(to.index() as u16 | (DROP + kind as u16) << 7)
    }

    /// The sixteen bits.
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The inverse of [`Move::bits`]. Other bits (a damaged table entry) give a move that may be
    /// illegal everywhere: check it with [`crate::Position::is_legal`].
    #[must_use]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// Whether this is [`Move::NONE`].
    #[must_use]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// The destination.
    #[must_use]
    #[inline(always)]
    pub const fn to(self) -> Sq {
        Sq::new((self.0 & 127) as usize)
    }

    /// The origin of a move on the board. Ask [`Move::is_drop`] first.
    #[must_use]
    #[inline(always)]
    pub const fn from(self) -> Sq {
        debug_assert!(!self.is_drop());
        Sq::new(self.origin())
    }

    /// The origin's index, or for a drop 81 plus the kind number: an index for tables of 89
    /// entries.
    #[must_use]
    #[inline(always)]
    pub const fn origin(self) -> usize {
        (self.0 >> 7 & 127) as usize
    }

    /// The kind that is dropped; `None` for a move of a piece on the board.
    #[must_use]
    #[inline(always)]
    pub const fn dropped_kind(self) -> Option<PieceKind> {
        PieceKind::from_u8((self.origin() as u8).wrapping_sub(DROP as u8))
    }

    /// The piece that a drop by a player of this colour puts on the board. Ask [`Move::is_drop`]
    /// first.
    #[must_use]
    #[inline(always)]
    pub(crate) const fn dropped_piece(self, color: Color) -> Cell {
        debug_assert!(self.is_drop());
        Cell::from_kind_index(self.origin() - DROP as usize, color)
    }

    /// Whether a piece is dropped from the hand.
    #[must_use]
    #[inline(always)]
    pub const fn is_drop(self) -> bool {
        self.origin() > DROP as usize
    }

    /// Whether the piece promotes.
    #[must_use]
    #[inline(always)]
    pub const fn is_promotion(self) -> bool {
        self.0 & PROMOTE != 0
    }

    /// Whether the bits name valid squares and a valid kind. Says nothing about legality.
    #[must_use]
    pub(crate) const fn is_well_formed(self) -> bool {
        let origin = self.origin();
        (self.0 & 127) < 81
            && self.0 >> 15 == 0
            && (origin < 81 || (origin > 81 && origin <= 88 && !self.is_promotion()))
    }

    /// The move as a move of `shogi_core`. A drop needs the colour of its player.
    #[must_use]
    pub fn to_core(self, color: Color) -> shogi_core::Move {
        let to = Square::from(self.to());
        if let Some(kind) = self.dropped_kind() {
            return shogi_core::Move::Drop { piece: Piece::new(kind, color), to };
        }
        shogi_core::Move::Normal { from: self.from().into(), to, promote: self.is_promotion() }
    }
}

impl From<shogi_core::Move> for Move {
    fn from(mv: shogi_core::Move) -> Self {
        match mv {
            shogi_core::Move::Normal { from, to, promote } => Self::board(from.into(), to.into(), promote),
            shogi_core::Move::Drop { piece, to } => Self::drop(piece.piece_kind(), to.into()),
        }
    }
}

/// Reads USI. The move may be illegal everywhere.
impl FromStr for Move {
    type Err = MoveError;

    fn from_str(usi: &str) -> Result<Self, MoveError> {
        let core = shogi_core::Move::from_usi(usi).map_err(|_| MoveError::Malformed(usi.to_owned()))?;
        Ok(core.into())
    }
}

/// The move in USI: `7g7f`, `8h2b+`, `P*5e`; `none` for [`Move::NONE`] and for invalid bits.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn square(f: &mut fmt::Formatter<'_>, sq: Sq) -> fmt::Result {
            write!(f, "{}{}", sq.file() + 1, (b'a' + sq.rank() as u8) as char)
        }
        if self.is_none() || !self.is_well_formed() {
            return f.write_str("none");
        }
        if let Some(kind) = self.dropped_kind() {
            kind.to_usi(f)?;
            f.write_str("*")?;
            return square(f, self.to());
        }
        square(f, self.from())?;
        square(f, self.to())?;
        if self.is_promotion() { f.write_str("+") } else { Ok(()) }
    }
}

/// Why a text is not a move that can be played.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MoveError {
    /// The text is not of the form of a USI move.
    #[error("`{}` is not a move: expected the form 7g7f, 8h2b+ or P*5e", excerpt(.0))]
    Malformed(String),
    /// The move breaks a rule in this position.
    #[error("the move {mv} is illegal in the position {sfen}")]
    Illegal {
        /// The move, in USI.
        mv: String,
        /// The position it was tried in.
        sfen: String,
    },
}

/// No position is known to have more than 593 legal moves.
const CAPACITY: usize = 600;

/// Moves, in the order in which they were found.
///
/// Generators add at the end, so one list can hold the moves of a whole line of nodes: note its
/// length before generating, and [`MoveList::truncate`] to it when done. No memory is allocated or
/// cleared at a node.
#[derive(Clone, Debug)]
pub struct MoveList {
    moves: Vec<Move>,
}

impl MoveList {
    /// An empty list with room for the moves of any position.
    #[must_use]
    pub fn new() -> Self {
        Self { moves: Vec::with_capacity(CAPACITY) }
    }

    /// Adds a move at the end.
    #[inline(always)]
    pub fn push(&mut self, mv: Move) {
        self.moves.push(mv);
    }

    /// Forgets all moves behind the first `len`.
    #[inline(always)]
    pub fn truncate(&mut self, len: usize) {
        self.moves.truncate(len);
    }
}

impl Default for MoveList {
    fn default() -> Self {
        Self::new()
    }
}

impl std::ops::Deref for MoveList {
    type Target = [Move];
    fn deref(&self) -> &[Move] {
        &self.moves
    }
}

impl std::ops::DerefMut for MoveList {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [Move] {
        &mut self.moves
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = std::slice::Iter<'a, Move>;
    fn into_iter(self) -> Self::IntoIter {
        self.moves.iter()
    }
}

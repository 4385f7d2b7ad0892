//! A training position in 40 bytes.

use kiki_board::{Color, Move, PieceKind, Position, Sq};

use super::packed_sfen::{PackError, PackedSfen, UnpackError};

/// The kinds in the order of the numbers that drops are written with, from 1.
const DROP_NUMBERS: [PieceKind; 7] = [
    PieceKind::Pawn,
    PieceKind::Lance,
    PieceKind::Knight,
    PieceKind::Silver,
    PieceKind::Bishop,
    PieceKind::Rook,
    PieceKind::Gold,
];
const DROP: u16 = 1 << 14;
const PROMOTE: u16 = 1 << 15;

/// A position with its score, the move that was played and the result of the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TrainingRecord {
    /// The position.
    pub sfen: PackedSfen,
    /// For the side to move, in centipawns.
    pub score: i16,
    /// The move played: destination (7 bits), origin (7 bits; for a drop the kind: pawn 1, lance 2, knight 3, silver 4, bishop 5, rook 6,
    /// gold 7), drop (bit 14), promotion (bit 15).
    pub mv: u16,
    /// Which ply of the game was to be played, from 1.
    pub ply: u16,
    /// The result of the game for the side to move: 1, 0 or -1.
    pub result: i8,
}

/// Why a record is not one.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RecordError {
    /// The position.
    #[error("the position cannot be read: {0}")]
    Position(#[from] UnpackError),
    /// The move.
    #[error("the move {bits:#06x} ({mv}) is illegal in the position {sfen}")]
    Move {
        /// The sixteen bits.
        bits: u16,
        /// The move in USI, or `none` if the bits are no move.
        mv: Move,
        /// The position.
        sfen: String,
    },
    /// The result.
    #[error("the result {0} is none of 1, 0 and -1")]
    Result(i8),
}

impl TrainingRecord {
    /// The size of a record.
    pub const BYTES: usize = 40;

    /// A record of a position and the move played in it. Plies are cut to 65535.
    ///
    /// # Errors
    /// Positions without both kings.
    pub fn new(position: &Position, mv: Move, score: i16, result: i8) -> Result<Self, PackError> {
        let ply = u16::try_from(position.ply()).unwrap_or(u16::MAX);
        Ok(Self { sfen: PackedSfen::pack(position)?, score, mv: move_bits(mv), ply, result })
    }

    /// The bytes.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..32].copy_from_slice(&self.sfen.0);
        bytes[32..34].copy_from_slice(&self.score.to_le_bytes());
        bytes[34..36].copy_from_slice(&self.mv.to_le_bytes());
        bytes[36..38].copy_from_slice(&self.ply.to_le_bytes());
        bytes[38] = self.result.cast_unsigned();
        bytes
    }

    /// The record of 40 bytes, whatever they are: see [`TrainingRecord::check`]. The last byte is not kept.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let mut sfen = PackedSfen([0; 32]);
        sfen.0.copy_from_slice(&bytes[..32]);
        let number = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        Self { sfen, score: number(32).cast_signed(), mv: number(34), ply: number(36), result: bytes[38].cast_signed() }
    }

    /// The position.
    ///
    /// # Errors
    /// Bits that are no position, and positions that break a rule.
    pub fn position(&self) -> Result<Position, UnpackError> {
        self.sfen.position(self.ply)
    }

    /// The side to move, without reading the position.
    #[must_use]
    pub fn side_to_move(&self) -> Color {
        if self.sfen.0[0] & 1 == 0 { Color::Black } else { Color::White }
    }

    /// Points (0 to 1) of the side to move in Black's view, and the other way round.
    #[must_use]
    pub fn for_black(&self, points: f64) -> f64 {
        match self.side_to_move() {
            Color::Black => points,
            Color::White => 1.0 - points,
        }
    }

    /// The move played; [`Move::NONE`] if the bits are no move. Whether it is legal, the position knows.
    #[must_use]
    pub fn played(&self) -> Move {
        let (to, origin) = (usize::from(self.mv & 127), usize::from(self.mv >> 7 & 127));
        let promote = self.mv & PROMOTE != 0;
        if to > 80 {
            return Move::NONE;
        }
        if self.mv & DROP != 0 {
            let kind = origin.checked_sub(1).and_then(|number| DROP_NUMBERS.get(number));
            return kind.filter(|_| !promote).map_or(Move::NONE, |&kind| Move::drop(kind, Sq::new(to)));
        }
        if origin > 80 { Move::NONE } else { Move::board(Sq::new(origin), Sq::new(to), promote) }
    }

    /// Checks everything that can be checked, and returns the position and the move.
    ///
    /// # Errors
    /// A position that is none or breaks a rule, an illegal move, an unknown result.
    pub fn check(&self) -> Result<(Position, Move), RecordError> {
        let position = self.position()?;
        let mv = self.played();
        if !position.is_legal(mv) {
            return Err(RecordError::Move { bits: self.mv, mv, sfen: position.to_sfen() });
        }
        if self.result.abs() > 1 {
            return Err(RecordError::Result(self.result));
        }
        Ok((position, mv))
    }
}

/// The sixteen bits of a legal move.
fn move_bits(mv: Move) -> u16 {
    let to = mv.to().index() as u16;
    if let Some(kind) = mv.dropped_kind() {
        let number = DROP_NUMBERS.iter().position(|&other| other == kind).map_or(0, |place| place as u16 + 1);
        return to | number << 7 | DROP;
    }
    to | (mv.from().index() as u16) << 7 | if mv.is_promotion() { PROMOTE } else { 0 }
}

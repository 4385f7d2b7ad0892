//! Packed SFEN with value (PSV): the 40 bytes in which shogi programs keep a training position.
//!
//! | bytes | what |
//! |---|---|
//! | 0 to 31 | the position, see [`PackedSfen`] |
//! | 32, 33 | score for the side to move, in centipawns |
//! | 34, 35 | the move played, see [`Move::packed`] |
//! | 36, 37 | ply of the game, from 1 |
//! | 38 | result of the game for the side to move: 1, 0 or -1 |
//! | 39 | unused |
//!
//! Numbers are little-endian. The programs Apery and `YaneuraOu` use this form. It is derived from
//! the bytes that the Python package `cshogi` writes, and tested against them.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use kiki_board::{Color, Move, PackError, PackedSfen, Position, UnpackError};

/// Whether a file has such records, by its name.
pub(crate) fn is_psv(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("psv"))
}

/// A position with its score, the move that was played and the result of the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TrainingRecord {
    pub sfen: PackedSfen,
    /// For the side to move, in centipawns.
    pub score: i16,
    /// The move played, as [`Move::packed`].
    pub mv: u16,
    /// The ply of the move, from 1.
    pub ply: u16,
    /// The result of the game for the side to move: 1, 0 or -1.
    pub result: i8,
}

impl TrainingRecord {
    pub const BYTES: usize = 40;

    /// The record of a move. Plies are cut to 65535. Positions without both kings are refused.
    pub fn new(position: &Position, mv: Move, score: i16, result: i8) -> Result<Self, PackError> {
        let ply = u16::try_from(position.ply()).unwrap_or(u16::MAX);
        Ok(Self { sfen: PackedSfen::pack(position)?, score, mv: mv.packed(), ply, result })
    }

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

    /// The record of any 40 bytes, not checked ([`TrainingRecord::check`] does). Ignores the last
    /// byte.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let mut sfen = PackedSfen([0; 32]);
        sfen.0.copy_from_slice(&bytes[..32]);
        let number = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        Self { sfen, score: number(32).cast_signed(), mv: number(34), ply: number(36), result: bytes[38].cast_signed() }
    }

    /// The position; one that breaks a rule is refused.
    pub fn position(&self) -> Result<Position, UnpackError> {
        self.sfen.position(self.ply)
    }

    /// The side to move, without unpacking the position.
    #[must_use]
    pub fn side_to_move(&self) -> Color {
        if self.sfen.0[0] & 1 == 0 { Color::Black } else { Color::White }
    }

    /// Converts points (0 to 1) between the views of the side to move and of Black.
    #[must_use]
    pub fn for_black(&self, points: f64) -> f64 {
        match self.side_to_move() {
            Color::Black => points,
            Color::White => 1.0 - points,
        }
    }

    /// The move played, which may be illegal; [`Move::NONE`] if the bits are no move.
    #[must_use]
    pub fn played(&self) -> Move {
        Move::from_packed(self.mv)
    }

    /// Checks position, move and result; returns position and move.
    pub fn check(&self) -> Result<(Position, Move)> {
        let position = self.position().context("the position cannot be read")?;
        let mv = self.played();
        let is_legal = position.is_legal(mv);
        ensure!(is_legal, "the move {:#06x} ({mv}) is illegal in the position {}", self.mv, position.to_sfen());
        ensure!((-1..=1).contains(&self.result), "the result {} is not one of 1, 0 and -1", self.result);
        Ok((position, mv))
    }
}

//! The positions of a game while it is written.

use kiki_board::{Move, Position};

use crate::error::WriteError;
use crate::game::{Game, PlayedMove};

/// The position that a game starts from.
pub(crate) fn root(game: &Game) -> Result<Position, WriteError> {
    Ok(game.root.as_deref().map_or_else(|| Ok(Position::startpos()), Position::from_diagram)?)
}

/// Checks a move before it is made; `ply` is its number.
pub(crate) fn check(position: &Position, mv: Move, ply: usize) -> Result<(), WriteError> {
    if position.is_legal(mv) {
        return Ok(());
    }
    Err(WriteError::IllegalMove { ply, mv: mv.to_string(), sfen: position.to_sfen() })
}

/// The time that each player has used from the beginning of the game, in milliseconds: the one who began, and the other.
#[derive(Clone, Copy, Default)]
pub(crate) struct UsedTime([u64; 2]);

impl UsedTime {
    /// Adds the time of a move that has so many moves of the game before it; returns what its player has used then. `None` if the time is not known.
    pub(crate) fn add(&mut self, played: &PlayedMove, before: usize) -> Option<u64> {
        let total = self.0.get_mut(before % 2)?;
        *total = total.saturating_add(played.time_ms?);
        Some(*total)
    }
}

//! The positions of a game while it is written.

use kiki_board::{Move, Position};

use crate::error::WriteError;
use crate::game::Game;

/// The position that a game starts from.
pub(crate) fn root(game: &Game) -> Result<Position, WriteError> {
    Ok(game.root.as_deref().map_or_else(|| Ok(Position::startpos()), Position::from_sfen)?)
}

/// Checks a move before it is made; `ply` is its number.
pub(crate) fn check(position: &Position, mv: Move, ply: usize) -> Result<(), WriteError> {
    if position.is_legal(mv) {
        return Ok(());
    }
    Err(WriteError::IllegalMove { ply, mv: mv.to_string(), sfen: position.to_sfen() })
}

//! Positions drawn at random from what people have: matches, game records, training data, tables, openings.

mod reservoir;
mod sources;

use kiki_board::{Move, Position};

pub use sources::sampled_from;

/// A position, and the game that it comes from: positions of one game are not independent of each other.
#[derive(Clone)]
pub struct SampledPosition {
    /// The position.
    pub position: Position,
    /// The number of the game it comes from.
    pub game: u64,
    /// Which part of its game had been played, from 0 to 1; `None` if that is not known.
    pub progress: Option<f32>,
    /// The move that was played, if that is known.
    pub played: Option<Move>,
}

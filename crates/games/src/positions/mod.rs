//! Positions drawn at random from matches, game records, training data, tables and openings.

mod reservoir;
mod sources;

use kiki_board::{Move, Position};

pub use sources::sampled_from;

/// A position, and the game that it comes from: positions of one game are not independent of each
/// other.
#[derive(Clone)]
pub struct SampledPosition {
    pub position: Position,
    pub game: u64,
    /// The part of its game played before it, from 0 to 1; `None` if unknown.
    pub progress: Option<f32>,
    pub played: Option<Move>,
}

//! What is told.

use crate::game_length::{GameLengthModel, GammaLength, LengthErrors, LengthMoments, WeightedLength};

/// What is told.
pub(super) struct Answer {
    /// What was played, if anything.
    pub(super) played: Option<Played>,
    pub(super) model: GameLengthModel,
    pub(super) gamma: GammaLength,
    pub(super) simulated: Vec<WeightedLength>,
    /// Whether the ply that decides counts to the walk.
    pub(super) count_deciding_ply: bool,
}

/// Games that were played.
pub(super) struct Played {
    pub(super) games: Vec<WeightedLength>,
    pub(super) other_endings: u64,
    pub(super) out_of_range: u64,
    pub(super) moments: LengthMoments,
    pub(super) errors: LengthErrors,
    /// How many samples the errors were to have.
    pub(super) replicates: u32,
}

//! What the report tells.

use std::collections::BTreeMap;

use crate::{PlayerRating, Scale};

/// What is told.
pub(super) struct IntrinsicReport {
    pub(super) players: Vec<PlayerRating>,
    /// Ratings by results.
    pub(super) known: BTreeMap<String, f64>,
    pub(super) scale: Scale,
    /// Of mean errors and known ratings, turned so that 1 is full agreement.
    pub(super) rank_correlation: Option<f64>,
    /// The same of the shares of best moves that were played.
    pub(super) rank_correlation_of_best_moves: Option<f64>,
}

//! Players whose ratings are known beforehand.

use kiki_stats::logistic::{ELO_SCALE, MOST_RATING};
use kiki_stats::{Result, StatsError};

use super::table::ResultTable;

/// The anchor, and further players whose differences to it are fixed. For the likelihood they are one player: what any of them takes
/// from somebody counts, with its difference to the anchor added to the strength.
#[derive(Clone, Debug)]
pub(super) struct Anchors {
    /// By the table's numbers: the anchor for those that are fixed, else the player itself.
    nodes: Vec<usize>,
    /// By the table's numbers: the strength of a fixed player less that of the anchor, in log-odds.
    offsets: Vec<f64>,
}

impl Anchors {
    /// The anchor with its rating, and further players with theirs.
    ///
    /// # Errors
    /// If a player is unknown or named twice, or a rating is beyond a million.
    pub(super) fn new(table: &ResultTable, anchor: usize, rating: f64, fixed: &[(usize, f64)]) -> Result<Self> {
        table.check(anchor)?;
        let mut anchors = Self { nodes: (0..table.players()).collect(), offsets: vec![0.0; table.players()] };
        for &(player, fixed) in fixed {
            table.check(player)?;
            kiki_stats::error::check(
                "a rating",
                fixed,
                |rating| rating.abs() <= MOST_RATING,
                "between -1,000,000 and 1,000,000",
            )?;
            if player == anchor || anchors.nodes[player] != player {
                return Err(StatsError::OutOfDomain {
                    what: "an anchor",
                    value: player as f64,
                    domain: "a player that is no anchor already",
                });
            }
            anchors.nodes[player] = anchor;
            anchors.offsets[player] = (fixed - rating) / ELO_SCALE;
        }
        Ok(anchors)
    }

    /// The player that stands for this one in the likelihood.
    pub(super) fn node(&self, player: usize) -> usize {
        self.nodes[player]
    }

    /// What is added to that player's strength.
    pub(super) fn offset(&self, player: usize) -> f64 {
        self.offsets[player]
    }
}

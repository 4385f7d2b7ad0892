//! One line for each player.

use crate::bradley_terry::{Covariance, Fit, MonteCarlo, PlayerClass, PlayerScore, SimulatedSpread};
use anyhow::Result;

use crate::results::Results;

/// A player with all that is known about it.
#[derive(Clone, Debug)]
pub(super) struct PlayerRow {
    pub(super) player: usize,
    pub(super) name: String,
    pub(super) class: PlayerClass,
    pub(super) wins: f64,
    pub(super) draws: f64,
    pub(super) losses: f64,
    /// Only for rated players.
    pub(super) rated: Option<PlayerRating>,
}

/// The rating of a player, and what belongs to it.
#[derive(Clone, Debug)]
pub(super) struct PlayerRating {
    pub(super) rank: usize,
    pub(super) rating: f64,
    pub(super) anchored_error: f64,
    pub(super) centred_error: f64,
    pub(super) simulated_anchored: Option<SimulatedSpread>,
    pub(super) simulated_centred: Option<SimulatedSpread>,
    /// Games against rated players.
    pub(super) standing: PlayerScore,
}

impl PlayerRow {
    pub(super) fn games(&self) -> f64 {
        self.wins + self.draws + self.losses
    }

    /// Points per game, draws counting half; none without games.
    pub(super) fn share(&self) -> Option<f64> {
        (self.games() > 0.0).then(|| (self.wins + self.draws / 2.0) / self.games())
    }

    /// The order of the classes in the table.
    fn order(&self) -> usize {
        match self.class {
            PlayerClass::AboveCore => 0,
            PlayerClass::Rated => 1,
            PlayerClass::BelowCore => 2,
            PlayerClass::Incomparable => 3,
            PlayerClass::Disconnected => 4,
            PlayerClass::NoGames => 5,
        }
    }
}

/// The players in the order in which they are shown.
pub(super) fn rows(
    results: &Results,
    fit: &Fit,
    covariance: &Covariance<'_>,
    simulated: Option<&MonteCarlo>,
) -> Result<Vec<PlayerRow>> {
    let mut rows: Vec<PlayerRow> = Vec::with_capacity(results.names().len());
    for (player, name) in results.names().iter().enumerate() {
        let class = fit.classification().classes[player];
        let rated = match class {
            PlayerClass::Rated => Some(PlayerRating {
                rank: 0,
                rating: fit.rating(player)?,
                anchored_error: covariance.anchored_error(player)?,
                centred_error: covariance.centred_error(player)?,
                simulated_anchored: simulated.and_then(|simulated| simulated.anchored[player]),
                simulated_centred: simulated.and_then(|simulated| simulated.centred[player]),
                standing: fit.standing(player)?,
            }),
            _ => None,
        };
        rows.push(PlayerRow { player, name: name.clone(), class, wins: 0.0, draws: 0.0, losses: 0.0, rated });
    }
    for row in &results.rows {
        let (first, second) = (row.first, row.second);
        rows[first].wins += row.wins;
        rows[first].losses += row.losses;
        rows[first].draws += row.draws;
        rows[second].wins += row.losses;
        rows[second].losses += row.wins;
        rows[second].draws += row.draws;
    }
    let rating = |row: &PlayerRow| row.rated.as_ref().map_or(f64::NEG_INFINITY, |rated| rated.rating);
    rows.sort_by(|a, b| a.order().cmp(&b.order()).then(rating(b).total_cmp(&rating(a))).then(a.name.cmp(&b.name)));
    for (index, rated) in rows.iter_mut().filter_map(|row| row.rated.as_mut()).enumerate() {
        rated.rank = index + 1;
    }
    Ok(rows)
}

//! Residuals: the differences between results and ratings.

use super::fit::Fit;
use super::outcome::OutcomeModel;

/// The points of two players against each other, beside the points that their ratings predict.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Residual {
    /// The two players, the lower number first.
    pub players: [usize; 2],
    /// Their games.
    pub games: f64,
    /// The points of the first of them.
    pub observed: f64,
    /// The points that were to be expected of it.
    pub expected: f64,
    /// The difference in standard deviations of independent games, which draws make smaller if their share was estimated. It is a little
    /// too small where the pair has much weight in its players' ratings, as the fit has then followed the pair.
    pub z: f64,
}

/// What every pair of rated players scored, beside what was to be expected.
pub fn residuals(fit: &Fit) -> Vec<Residual> {
    let mut pairs: std::collections::BTreeMap<[usize; 2], [f64; 4]> = std::collections::BTreeMap::new();
    for (encounter, &points) in fit.games.encounters.iter().zip(&fit.games.observed.points) {
        let outcome = OutcomeModel::new(fit.games.log_odds(encounter, &fit.point), fit.point.ln_nu.exp());
        let (n, players) = (encounter.games, encounter.players);
        let variance = n * outcome.weight;
        let (players, sums) = if players[0] < players[1] {
            (players, [n, points, n * outcome.expected(), variance])
        } else {
            ([players[1], players[0]], [n, n - points, n * outcome.conceded(), variance])
        };
        let pair = pairs.entry(players).or_default();
        for (sum, value) in pair.iter_mut().zip(sums) {
            *sum += value;
        }
    }
    let residual = |(players, [games, observed, expected, variance]): ([usize; 2], [f64; 4])| {
        let z = (observed - expected) / variance.max(f64::MIN_POSITIVE).sqrt();
        Residual { players, games, observed, expected, z }
    };
    pairs.into_iter().map(residual).collect()
}

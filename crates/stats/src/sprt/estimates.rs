//! What is shown beside the ratio.

use crate::logistic::{ELO_SCALE, elo_of_share};
use crate::normal::{self, multiplier};
use crate::{Interval, Result, StatsError};

use super::{Counts, some_observations};

/// Estimates from counts, without any hypothesis. They take the number of observations as fixed beforehand, so that after a stopped
/// test they lean towards the bound that stopped it.
#[derive(Clone, PartialEq, Debug)]
pub struct Estimates {
    /// The mean score of an observation, 0 to 1.
    pub score: f64,
    /// The variance of the score of one observation: of a pair of games if pairs are counted.
    pub variance: f64,
    /// The rating difference in Elo; infinite for a score of 0 % or 100 %.
    pub elo: f64,
    /// The Elo of the ends of the interval of the score.
    pub elo_interval: Result<Interval>,
    /// The normalised Elo.
    pub normalized_elo: Result<f64>,
    /// Half the width of the interval of the normalised Elo.
    pub normalized_elo_half_width: f64,
    /// The likelihood of superiority: the normal probability that the true score is above one half.
    pub superiority: Result<f64>,
}

impl Counts {
    /// The estimates, with intervals at a level such as 0.95.
    ///
    /// # Errors
    /// Without observations, or if the level is not strictly between 0 and 1. What cannot be told because all observations are equal
    /// is an error in its own field.
    pub fn estimates(&self, level: f64) -> Result<Estimates> {
        let observations = some_observations(self)?;
        let r = multiplier(level)?;
        let (score, variance) = self.moments()?;
        let error = (variance / observations).sqrt();
        // A pair counts as two games: normalised Elo is defined by one game's deviation.
        let games_each = self.games_each() as f64;
        let spread = |value: f64| if variance > 0.0 { Ok(value) } else { Err(no_spread()) };
        Ok(Estimates {
            score,
            variance,
            elo: elo_of_share(score),
            elo_interval: spread(r * error).map(|half| Interval::of_share(score, half).to_elo()),
            normalized_elo: spread((score - 0.5) / (games_each * variance).sqrt() * 2.0 * ELO_SCALE),
            normalized_elo_half_width: r * 2.0 * ELO_SCALE / (games_each * observations).sqrt(),
            superiority: superiority(score, error),
        })
    }
}

/// Without spread the sign decides, if there is one.
fn superiority(score: f64, error: f64) -> Result<f64> {
    if error > 0.0 {
        Ok(normal::cdf((score - 0.5) / error))
    } else if score == 0.5 {
        Err(no_spread())
    } else {
        Ok(if score > 0.5 { 1.0 } else { 0.0 })
    }
}

fn no_spread() -> StatsError {
    StatsError::NotEstimable { what: "the error of the score", reason: "all results are equal" }
}

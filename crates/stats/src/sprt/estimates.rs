//! Estimates from counts: score, Elo, normalized Elo and their intervals.

use crate::error::check;
use crate::logistic::{ELO_SCALE, elo_of_share};
use crate::normal::{self, multiplier};
use crate::{Interval, Result, StatsError};

use super::counts::Counts;
use super::gaffke::{self, gaffke_interval};

/// The method for an interval of a mean score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MeanMethod {
    /// The estimate and its standard error (Wald). Too short for few or lopsided observations.
    Normal,
    /// Bounds that hold for few observations too; see [`gaffke_interval`].
    Gaffke,
}

impl MeanMethod {
    /// In one word: `normal`, `gaffke`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Gaffke => "gaffke",
        }
    }
}

/// The least number of observations for the normal interval.
const FEW_OBSERVATIONS: u64 = 30;
/// The greatest skewness of the mean for the normal interval. By the first term of Edgeworth's
/// expansion, beyond this one of its tails of 2.5 % is off by two thirds or more.
const MAX_SKEWNESS: f64 = 0.2;

/// Estimates from counts, without hypotheses. They assume a number of observations fixed in
/// advance. So after a stopped test they are biased towards the bound that stopped it.
#[derive(Clone, PartialEq, Debug)]
pub struct Estimates {
    /// The mean score of an observation, 0 to 1.
    pub score: f64,
    /// The variance of one observation's score: of a pair of games if pairs are counted.
    pub variance: f64,
    /// The standard error of the mean score; 0 if all observations are equal.
    pub standard_error: f64,
    /// The rating difference in Elo; infinite for a score of 0 % or 100 %.
    pub elo: f64,
    /// The standard error of the rating difference by first-order propagation; an error without
    /// spread, and for few or lopsided results.
    pub elo_standard_error: Result<f64>,
    /// The method of the interval and the superiority: the normal one from 30 observations on,
    /// unless they are lopsided.
    pub method: MeanMethod,
    /// The interval of the score, in Elo.
    pub elo_interval: Interval,
    /// The same by the normal method, for any number of observations; an error without spread.
    pub elo_interval_normal: Result<Interval>,
    /// The normalised Elo.
    pub normalized_elo: Result<f64>,
    /// Half the width of the interval of the normalised Elo; an error for few or lopsided results,
    /// as its theory needs many.
    pub normalized_elo_half_width: Result<f64>,
    /// The likelihood of superiority: the probability that the true score is above one half. The
    /// normal method uses the normal distribution around the estimate. The other method adds one
    /// lost and one won observation to the results, so it is never 0 or 1.
    pub superiority: f64,
}

impl Counts {
    /// The estimates, with intervals at a level such as 0.95. Fails without observations. Values
    /// that equal or few observations leave unknown are errors in their own fields.
    pub fn estimates(&self, level: f64) -> Result<Estimates> {
        let observations = self.some_observations()?;
        let r = multiplier(level)?;
        let (score, variance) = self.moments()?;
        let error = (variance / observations).sqrt();
        // A pair counts as two games: normalised Elo is defined by one game's deviation.
        let games_each = self.games_each() as f64;
        let spread = |value: f64| if variance > 0.0 { Ok(value) } else { Err(no_spread()) };
        let elo_interval_normal = spread(r * error).map(|half| Interval::of_share(score, half).to_elo());
        let method = self.mean_method();
        let normal_only = |value: f64| if method == MeanMethod::Normal { spread(value) } else { Err(too_few()) };
        let (elo_interval, superiority) = match (method, &elo_interval_normal) {
            (MeanMethod::Normal, Ok(ends)) => (*ends, normal::cdf((score - 0.5) / error)),
            _ => (gaffke_interval(self, level)?.to_elo(), gaffke::superiority(self)),
        };
        Ok(Estimates {
            score,
            variance,
            standard_error: error,
            elo: elo_of_share(score),
            elo_standard_error: normal_only(ELO_SCALE * error / (score * (1.0 - score))),
            method,
            elo_interval,
            elo_interval_normal,
            normalized_elo: spread((score - 0.5) / (games_each * variance).sqrt() * 2.0 * ELO_SCALE),
            normalized_elo_half_width: normal_only(r * 2.0 * ELO_SCALE / (games_each * observations).sqrt()),
            superiority,
        })
    }

    /// The number of games for a normal interval of the rating difference of half width
    /// `half_width` Elo, if score and spread stay the same: `(r C / h)^2 v / (q (1 - q))^2`
    /// observations for a score q of variance v, rounded up. Refuses counts without spread.
    pub fn games_needed(&self, half_width: f64, level: f64) -> Result<u64> {
        check("a half width", half_width, |half| half > 0.0, "above 0")?;
        let (score, variance) = self.moments()?;
        if variance == 0.0 {
            return Err(no_spread());
        }
        let width = multiplier(level)? * ELO_SCALE / half_width / (score * (1.0 - score));
        let observations = (width * width * variance).ceil();
        if observations >= u64::MAX as f64 / 2.0 {
            let domain = "large enough to reach";
            return Err(StatsError::OutOfDomain { what: "a half width", value: half_width, domain });
        }
        Ok(observations as u64 * self.games_each())
    }

    /// The method that suits these counts: the normal one for at least 30 observations whose mean
    /// has a skewness of at most 0.2. That is an observation's skewness over the square root of
    /// their number.
    pub fn mean_method(&self) -> MeanMethod {
        let few = self.observations() < FEW_OBSERVATIONS;
        let Ok((mean, variance)) = self.moments() else { return MeanMethod::Gaffke };
        if few || variance <= 0.0 {
            return MeanMethod::Gaffke;
        }
        let observations = self.observations() as f64;
        let cubes: f64 = self.scores().map(|(score, count)| count as f64 * (score - mean).powi(3)).sum();
        let skewness = cubes / observations / variance.powf(1.5) / observations.sqrt();
        if skewness.abs() <= MAX_SKEWNESS { MeanMethod::Normal } else { MeanMethod::Gaffke }
    }
}

fn no_spread() -> StatsError {
    StatsError::NotEstimable { what: "the error of the score", reason: "all results are equal" }
}

fn too_few() -> StatsError {
    StatsError::NotEstimable { what: "a normal error", reason: "the results are too few or too lopsided" }
}

//! The walk and the other plies together.

use super::moments::LengthMoments;
use super::walk::Walk;
use crate::Result;
use crate::error::check;
use crate::normal::cdf;

/// A model of how long games last.
#[derive(Clone, Debug)]
pub struct GameLengthModel {
    walk: Walk,
    /// The mean number of plies that are no walk, the deciding one among them.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
}

impl GameLengthModel {
    /// A walk with this standard deviation of a step, and a normal number of other plies.
    ///
    /// # Errors
    /// If the step is out of the range of [`Walk::new`], the mean is not finite or the deviation is negative.
    pub fn new(step: f64, mean: f64, deviation: f64) -> Result<Self> {
        let mean = check("the mean of the other plies", mean, |_| true, "finite")?;
        let deviation = check("the deviation of the other plies", deviation, |value| value >= 0.0, "0 or more")?;
        Ok(Self { walk: Walk::new(step)?, mean, deviation })
    }

    /// The walk.
    #[must_use]
    pub fn walk(&self) -> &Walk {
        &self.walk
    }

    /// The moments of the whole length.
    #[must_use]
    pub fn moments(&self) -> LengthMoments {
        let walk = self.walk.moments();
        let other = self.deviation * self.deviation;
        LengthMoments {
            mean: walk.mean - 1.0 + self.mean,
            variance: walk.variance + other,
            third: walk.third,
            fourth: walk.fourth + 6.0 * walk.variance * other + 3.0 * other * other,
        }
    }

    /// The distribution of the whole length.
    #[must_use]
    pub fn distribution(&self) -> LengthDistribution {
        LengthDistribution { walk: self.walk.distribution(), mean: self.mean, deviation: self.deviation }
    }
}

/// The distribution of the length of games.
#[derive(Clone, Debug)]
pub struct LengthDistribution {
    /// The probability that the walk ends with step 1, 2, ..
    walk: Vec<f64>,
    mean: f64,
    deviation: f64,
}

impl LengthDistribution {
    /// The probability of a game of so many plies or fewer.
    #[must_use]
    pub fn cdf(&self, plies: f64) -> f64 {
        let of_other = |other: f64| {
            if self.deviation > 0.0 { cdf((other - self.mean) / self.deviation) } else { f64::from(other >= self.mean) }
        };
        self.walk.iter().enumerate().map(|(before, probability)| probability * of_other(plies - before as f64)).sum()
    }

    /// The greatest difference to another distribution at whole and half plies from 0 to `longest`.
    #[must_use]
    pub fn greatest_gap(&self, other: impl Fn(f64) -> f64, longest: u32) -> f64 {
        let gap = |half: u32| {
            let plies = f64::from(half) / 2.0;
            (self.cdf(plies) - other(plies)).abs()
        };
        (0..=2 * longest).map(gap).fold(0.0, f64::max)
    }
}

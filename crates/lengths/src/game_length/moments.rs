//! Moments of a number of plies.

use kiki_stats::Result;
use kiki_stats::error::check;

/// The mean and the central moments of a number of plies.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LengthMoments {
    /// In plies.
    pub mean: f64,
    /// The mean square of the distance from the mean.
    pub variance: f64,
    /// The mean third power.
    pub third: f64,
    /// The mean fourth power.
    pub fourth: f64,
}

impl LengthMoments {
    /// The moments of a sample, each divided by the number of values.
    ///
    /// # Errors
    /// For fewer than two values, or if one is not finite.
    pub fn of(values: &[f64]) -> Result<Self> {
        Self::weighted(&values.iter().map(|&value| (value, 1.0)))
    }

    /// The moments of values with weights.
    pub(super) fn weighted(values: &(impl ExactSizeIterator<Item = (f64, f64)> + Clone)) -> Result<Self> {
        check("the number of lengths", values.len() as f64, |count| count >= 2.0, "2 or more")?;
        let sum: f64 = values.clone().map(|(_, weight)| weight).sum();
        check("the sum of the weights", sum, |sum| sum > 0.0, "above 0")?;
        let mean = values.clone().map(|(value, weight)| weight * value).sum::<f64>() / sum;
        check("the mean length", mean, |_| true, "finite")?;
        let power =
            |power: i32| values.clone().map(|(value, weight)| weight * (value - mean).powi(power)).sum::<f64>() / sum;
        Ok(Self { mean, variance: power(2), third: power(3), fourth: power(4) })
    }

    /// The standard deviation.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        self.variance.sqrt()
    }

    /// The third and fourth root of the third and fourth moment: in plies, as the seed compares them.
    #[must_use]
    pub fn roots(&self) -> (f64, f64) {
        (self.third.cbrt(), self.fourth.powf(0.25))
    }

    /// The third moment in units of the standard deviation.
    #[must_use]
    pub fn skewness(&self) -> f64 {
        self.third / self.variance.powf(1.5)
    }

    /// The fourth moment in units of the standard deviation, less the 3 of a normal distribution.
    #[must_use]
    pub fn excess_kurtosis(&self) -> f64 {
        self.fourth / (self.variance * self.variance) - 3.0
    }
}

//! Laws by which a quantity falls with a distance 0, 1, 2 .., fitted to values by least squares.

use kiki_stats::error::check;
use kiki_stats::{Result, StatsError};

/// A law with one or two numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DecayLaw {
    /// `scale / (d + 1)`.
    Harmonic,
    /// `scale exp(-rate d)`.
    Exponential,
    /// `scale / (d + 1)^rate`: the harmonic law is that of rate 1.
    Power,
}

impl DecayLaw {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Harmonic, Self::Exponential, Self::Power];

    /// The law with scale 1.
    fn shape(self, rate: f64, distance: f64) -> f64 {
        match self {
            Self::Harmonic => 1.0 / (distance + 1.0),
            Self::Exponential => (-rate * distance).exp(),
            Self::Power => (distance + 1.0).powf(-rate),
        }
    }

    /// How many numbers are fitted.
    fn freedom(self) -> usize {
        if self == Self::Harmonic { 1 } else { 2 }
    }
}

/// A law that fits values as well as it can.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DecayFit {
    /// The law.
    pub law: DecayLaw,
    /// The value at distance 0, in the unit of the values.
    pub scale: f64,
    /// How fast it falls; 1 for the harmonic law.
    pub rate: f64,
    /// The standard error of one value: the root of the squared differences over the number of values less that of fitted numbers.
    pub error: f64,
}

impl DecayFit {
    /// Fits `law` to the values at distance 0, 1, 2 .. without weights.
    ///
    /// # Errors
    /// With fewer than three values, or one that is not finite.
    pub fn new(law: DecayLaw, values: &[f64]) -> Result<Self> {
        if values.len() < 3 {
            return Err(StatsError::NotEstimable {
                what: "a law of distance",
                reason: "there are fewer than three values",
            });
        }
        for &value in values {
            check("a value", value, |_| true, "a number")?;
        }
        let rate = if law == DecayLaw::Harmonic { 1.0 } else { best_rate(|rate| scaled(law, rate, values).1) };
        let (scale, squares) = scaled(law, rate, values);
        Ok(Self { law, scale, rate, error: (squares / (values.len() - law.freedom()) as f64).sqrt() })
    }

    /// The value of the law at a distance.
    #[must_use]
    pub fn at(&self, distance: f64) -> f64 {
        self.scale * self.law.shape(self.rate, distance)
    }
}

/// The best scale for a rate, and the sum of the squared differences that it leaves.
fn scaled(law: DecayLaw, rate: f64, values: &[f64]) -> (f64, f64) {
    let pairs = || values.iter().enumerate().map(|(distance, &value)| (law.shape(rate, distance as f64), value));
    let scale =
        pairs().map(|(shape, value)| shape * value).sum::<f64>() / pairs().map(|(shape, _)| shape * shape).sum::<f64>();
    (scale, pairs().map(|(shape, value)| (value - scale * shape).powi(2)).sum())
}

/// The rate from -2 to 6 where `squares` is least: the best of a grid, then thirds of the interval around it.
fn best_rate(squares: impl Fn(f64) -> f64) -> f64 {
    const STEP: f64 = 0.05;
    let coarse = (-40..=120).map(|step| f64::from(step) * STEP);
    let best = coarse.min_by(|&one, &other| squares(one).total_cmp(&squares(other))).unwrap_or(0.0);
    let (mut low, mut high) = (best - STEP, best + STEP);
    for _ in 0..80 {
        let third = (high - low) / 3.0;
        if squares(low + third) < squares(high - third) { high -= third } else { low += third }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(law: impl Fn(f64) -> f64) -> Vec<f64> {
        (0..9).map(|distance| law(f64::from(distance))).collect()
    }

    #[test]
    fn each_law_is_found_in_its_own_values_and_fits_those_of_the_others_worse() {
        let curves = [
            values(|d| 68.0 / (d + 1.0)),
            values(|d| 96.0 * (-0.37 * d).exp()),
            values(|d| 50.0 * (d + 1.0).powf(-1.6)),
        ];
        for (own, (values, (scale, rate))) in curves.iter().zip([(68.0, 1.0), (96.0, 0.37), (50.0, 1.6)]).enumerate() {
            let fits = DecayLaw::ALL.map(|law| DecayFit::new(law, values).unwrap());
            assert!((fits[own].scale - scale).abs() < 1e-5 && (fits[own].rate - rate).abs() < 1e-6, "{:?}", fits[own]);
            assert!(fits[own].error < 1e-5 && (fits[own].at(3.0) - values[3]).abs() < 1e-5);
            // The power law holds the harmonic one.
            let others = (0..3).filter(|&other| other != own && (own, other) != (0, 2));
            others.for_each(|other| assert!(fits[other].error > 0.5, "{own}: {:?}", fits[other]));
        }
    }

    #[test]
    fn the_error_counts_the_numbers_that_were_fitted() {
        let noisy = [10.0, 6.0, 2.0, 3.0];
        let harmonic = DecayFit::new(DecayLaw::Harmonic, &noisy).unwrap();
        // By hand: (10 + 3 + 2/3 + 3/4) / (1 + 1/4 + 1/9 + 1/16) = 10.126829.
        assert!((harmonic.scale - 10.126_829).abs() < 1e-6, "{harmonic:?}");
        let squares: f64 = noisy.iter().enumerate().map(|(d, y)| (y - harmonic.at(d as f64)).powi(2)).sum();
        assert!((harmonic.error - (squares / 3.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_be_fitted_is_told() {
        assert!(DecayFit::new(DecayLaw::Power, &[1.0, 0.5]).is_err());
        assert!(DecayFit::new(DecayLaw::Power, &[1.0, 0.5, f64::NAN]).is_err());
    }
}

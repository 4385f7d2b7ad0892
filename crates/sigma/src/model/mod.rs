//! How far the value of a shallow search may be off: a normal distribution around it whose width, sigma, depends on the position.
//!
//! A [`SigmaSamples`] holds positions by their features, each with the difference between the values of a deep and a shallow search. [`fit`]
//! finds the weights under which the differences are most likely; [`Calibration`] shows whether sigma is right where it is small and where
//! it is large.

mod calibration;
mod fit;
mod samples;

pub use calibration::{Calibration, CalibrationGroup, excess_kurtosis};
pub use fit::{SigmaFit, fit};
pub use samples::SigmaSamples;

use std::f64::consts::PI;

use kiki_stats::Result;
use kiki_stats::error::check;

/// How sigma follows from the sum of weights.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SigmaLink {
    /// Sigma is the sum. It may fall below zero for features that were never seen together, so that it needs a floor.
    Linear,
    /// The sum is the logarithm of sigma, which then is never negative; the likelihood has a single maximum.
    Log,
}

impl SigmaLink {
    /// Sigma, in the unit of the differences, for a sum of weights.
    #[must_use]
    pub fn sigma(self, sum: f64) -> f64 {
        match self {
            Self::Linear => sum,
            Self::Log => sum.exp(),
        }
    }
}

/// The logarithm of the density of a difference under a sigma.
fn log_likelihood(difference: f64, sigma: f64) -> f64 {
    let z = difference / sigma;
    -0.5 * z * z - sigma.ln() - 0.5 * (2.0 * PI).ln()
}

/// The sigma that, were it the same everywhere, would have this mean log-likelihood: `exp(-L - 1/2) / sqrt(2 pi)`.
///
/// # Errors
/// If the log-likelihood is not finite.
pub fn equivalent_sigma(mean_log_likelihood: f64) -> Result<f64> {
    check("a mean log-likelihood", mean_log_likelihood, |_| true, "a number")?;
    Ok((-mean_log_likelihood - 0.5).exp() / (2.0 * PI).sqrt())
}

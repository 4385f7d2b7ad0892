//! The two hypotheses of a sequential test, and what a log-likelihood ratio says about them.

use crate::Result;
use crate::error::{check, open_probability};

/// The two hypotheses and the error rates that are accepted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Hypotheses {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

impl Hypotheses {
    /// H0: the player is `elo0` better than its opponent; H1: `elo1`. `alpha` is the probability of accepting H1 though H0 is true,
    /// `beta` the reverse.
    ///
    /// # Errors
    /// Unless `elo0 < elo1`, both error rates are strictly between 0 and 1, and their sum is below 1.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self> {
        check("elo0", elo0, |_| true, "a number")?;
        check("elo1", elo1, |elo1| elo1 > elo0, "a number above elo0")?;
        open_probability("alpha", alpha)?;
        open_probability("beta", beta)?;
        check("alpha + beta", alpha + beta, |sum| sum < 1.0, "below 1")?;
        Ok(Self { elo0, elo1, alpha, beta })
    }

    /// The rating difference under H0, in the Elo of the [`EloModel`].
    #[must_use]
    pub fn elo0(&self) -> f64 {
        self.elo0
    }

    /// The rating difference under H1, in the Elo of the [`EloModel`].
    #[must_use]
    pub fn elo1(&self) -> f64 {
        self.elo1
    }

    /// The accepted probability of accepting H1 though H0 is true.
    #[must_use]
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// The accepted probability of accepting H0 though H1 is true.
    #[must_use]
    pub fn beta(&self) -> f64 {
        self.beta
    }

    /// Wald's bounds: `ln(beta / (1 - alpha))` and `ln((1 - beta) / alpha)`.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        Bounds { lower: (self.beta / (1.0 - self.alpha)).ln(), upper: ((1.0 - self.beta) / self.alpha).ln() }
    }
}

/// Where the log-likelihood ratio stops the test.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bounds {
    /// At or below it H0 is accepted.
    pub lower: f64,
    /// At or above it H1 is accepted.
    pub upper: f64,
}

impl Bounds {
    /// What a log-likelihood ratio says.
    #[must_use]
    pub fn decide(&self, llr: f64) -> Decision {
        if llr >= self.upper {
            Decision::AcceptH1
        } else if llr <= self.lower {
            Decision::AcceptH0
        } else {
            Decision::Continue
        }
    }
}

/// What a test says after an observation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// Stop: the player is no better than `elo0` says.
    AcceptH0,
    /// Stop: the player is as good as `elo1` says.
    AcceptH1,
    /// Play on.
    Continue,
}

/// What the Elo of the hypotheses means.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum EloModel {
    /// The expected score is the logistic curve's.
    #[default]
    Logistic,
    /// Normalised Elo (Van den Bergh): the expected score above one half, in standard deviations of one game, times 800 / ln 10. The
    /// number of games that a test needs then depends hardly on the share of draws and the choice of openings.
    Normalized,
}

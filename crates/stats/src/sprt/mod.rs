//! Sequential tests: after every game, may the match stop?
//!
//! Wald's sequential probability ratio test (1945) between `elo0` and `elo1`, with the generalised likelihood ratio of Van den Bergh
//! where a game has more than two outcomes: win, draw and loss ([`Counts::Trinomial`]), or the five results of a pair of games on one
//! opening with colours exchanged ([`Counts::Pentanomial`]), which takes out the correlation of the two games.
//!
//! An *observation* is what is counted: a game for the first two kinds of counts, a pair of games for the third.
//!
//! ```
//! use kiki_stats::sprt::{Counts, Decision, Hypotheses, Model, Sprt};
//!
//! let sprt = Sprt { hypotheses: Hypotheses::new(0.0, 5.0, 0.05, 0.05)?, model: Model::Logistic };
//! let counts = Counts::Pentanomial([60, 10, 260, 12, 78]);
//! let llr = sprt.llr(&counts)?;
//! assert!((llr - 0.673856).abs() < 1e-6);
//! assert_eq!(sprt.hypotheses.bounds().decide(llr), Decision::Continue);
//! # Ok::<(), kiki_stats::StatsError>(())
//! ```

mod characteristic;
mod counts;
mod estimates;
mod gaffke;
mod llr;
mod remaining;
mod simulate;

pub use characteristic::{OperatingPoint, power_curve};
pub use counts::{Counts, Kind};
pub use estimates::{Estimates, MeanMethod};
pub use gaffke::gaffke_interval;
pub use remaining::Remaining;
pub use simulate::{Calibration, TruePlayer, simulate};

use std::ops::ControlFlow;

use crate::error::{check, open_probability};
use crate::{Result, StatsError};

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

    /// The rating difference under H0, in the Elo of the [`Model`].
    #[must_use]
    pub fn elo0(&self) -> f64 {
        self.elo0
    }

    /// The rating difference under H1, in the Elo of the [`Model`].
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
pub enum Model {
    /// The expected score is the logistic curve's.
    #[default]
    Logistic,
    /// Normalised Elo (Van den Bergh): the expected score above one half, in standard deviations of one game, times 800 / ln 10. The
    /// number of games that a test needs then depends hardly on the share of draws and the choice of openings.
    Normalized,
}

/// A sequential test.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    /// What is tested.
    pub hypotheses: Hypotheses,
    /// In which Elo.
    pub model: Model,
}

impl Sprt {
    /// The generalised log-likelihood ratio of H1 to H0. Zero without observations; zero counts weigh 1e-3 of an observation, as
    /// fishtest has it, unless only wins and losses are counted, where the plain ratio is defined.
    ///
    /// # Errors
    /// If the constrained maximum is not found, which takes hypotheses of many hundred Elo.
    pub fn llr(&self, counts: &Counts) -> Result<f64> {
        llr::llr(self, counts)
    }

    /// The normal approximation of the logistic ratio, `N (s1 - s0) (2 mean - s0 - s1) / (2 v)`. For display only, never for a
    /// decision: it explodes where the sample variance is small.
    ///
    /// # Errors
    /// Without observations, or if all of them are equal.
    pub fn llr_normal_approximation(&self, counts: &Counts) -> Result<f64> {
        llr::normal_approximation(self, counts)
    }

    /// What the counts say about the end of the test.
    ///
    /// # Errors
    /// As [`Sprt::llr`].
    pub fn decide(&self, counts: &Counts) -> Result<Decision> {
        Ok(self.hypotheses.bounds().decide(self.llr(counts)?))
    }

    /// How long the test will still take if things go on as they went.
    ///
    /// # Errors
    /// Without observations, or as [`Sprt::llr`].
    pub fn remaining(&self, counts: &Counts) -> Result<Remaining> {
        remaining::remaining(self, counts)
    }

    /// The exact error rates and the expected length of this test for a true difference of `elo` (logistic), if there are no draws:
    /// a dynamic programme over the number of wins.
    ///
    /// # Errors
    /// [`StatsError::TooLarge`] if the hypotheses are so close (below about half an Elo) that the programme would run for minutes.
    pub fn operating_point(&self, elo: f64) -> Result<OperatingPoint> {
        self.operating_point_with_progress(elo, &|_| ControlFlow::Continue(()))
    }

    /// The same, for hypotheses that take a while. `progress` is told from time to time what part of the work is done, from 0 to 1; if it
    /// breaks, the programme stops.
    ///
    /// # Errors
    /// As [`Sprt::operating_point`], and [`StatsError::Cancelled`] if `progress` broke.
    pub fn operating_point_with_progress(
        &self,
        elo: f64,
        progress: &dyn Fn(f64) -> ControlFlow<()>,
    ) -> Result<OperatingPoint> {
        characteristic::operating_point(self, elo, progress)
    }
}

/// The reason that observations are missing.
pub(crate) fn some_observations(counts: &Counts) -> Result<f64> {
    match counts.observations() {
        0 => Err(StatsError::NoGames),
        observations => Ok(observations as f64),
    }
}

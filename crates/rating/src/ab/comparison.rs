//! The posterior of two candidates.

use kiki_stats::beta::Beta;
use kiki_stats::error::{check, open_probability};
use kiki_stats::{Interval, Result, StatsError};

use super::candidate::{CandidateRecord, MOST_WINS};
use super::{closed_form, difference};

/// A beta prior of a win rate against the base.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Prior {
    alpha: f64,
    beta: f64,
}

impl Prior {
    /// All win rates alike: Beta(1, 1).
    pub const UNIFORM: Self = Self { alpha: 1.0, beta: 1.0 };

    /// As if `alpha - 1` games had been won and `beta - 1` lost before.
    ///
    /// # Errors
    /// Unless both are from 1e-6, below which a prior says nothing, to [`MOST_WINS`](super::MOST_WINS).
    pub fn new(alpha: f64, beta: f64) -> Result<Self> {
        for (what, shape) in [("the alpha of a prior", alpha), ("the beta of a prior", beta)] {
            check(what, shape, |shape| (1e-6..=MOST_WINS).contains(&shape), "from 0.000001 to 10,000,000,000")?;
        }
        Ok(Self { alpha, beta })
    }
}

/// Two candidates under one prior; their true win rates against the base are independent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CandidateComparison {
    candidates: [CandidateRecord; 2],
    posteriors: [Beta; 2],
}

/// A difference of two rating differences.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EloDifference {
    /// How much better A is, in Elo.
    pub elo: f64,
    /// The standard error: the root of the two squared standard errors, each by first-order propagation.
    pub standard_error: f64,
}

impl CandidateComparison {
    /// A comparison under a prior.
    #[must_use]
    pub fn new(a: CandidateRecord, b: CandidateRecord, prior: Prior) -> Self {
        let posterior = |candidate: CandidateRecord| {
            Beta::from_shapes(candidate.wins() + prior.alpha, candidate.losses() + prior.beta)
        };
        Self { candidates: [a, b], posteriors: [posterior(a), posterior(b)] }
    }

    /// A comparison under the uniform prior.
    #[must_use]
    pub fn uniform(a: CandidateRecord, b: CandidateRecord) -> Self {
        Self::new(a, b, Prior::UNIFORM)
    }

    /// What is known about the win rates of A and B.
    #[must_use]
    pub fn posteriors(&self) -> [Beta; 2] {
        self.posteriors
    }

    /// The probability that A's true win rate is the higher one: by the closed sum if all shapes are whole numbers (half wins and other
    /// priors have no such sum), else by quadrature.
    #[must_use]
    pub fn a_better(&self) -> f64 {
        let [a, b] = &self.posteriors;
        match closed_form::a_better(a, b) {
            Some(probability) => probability,
            None => difference::tails(a, b, 0.0).1,
        }
    }

    /// The posterior mean of A's win rate minus B's.
    #[must_use]
    pub fn mean_difference(&self) -> f64 {
        self.posteriors[0].mean() - self.posteriors[1].mean()
    }

    /// The posterior standard deviation of A's win rate minus B's.
    #[must_use]
    pub fn sd_difference(&self) -> f64 {
        (self.posteriors[0].variance() + self.posteriors[1].variance()).sqrt()
    }

    /// The probability that A's true win rate exceeds B's by more than `margin`.
    ///
    /// # Errors
    /// If the margin is not from -1 to 1.
    pub fn a_better_by(&self, margin: f64) -> Result<f64> {
        check("a margin", margin, |margin| margin.abs() <= 1.0, "between -1 and 1")?;
        Ok(difference::tails(&self.posteriors[0], &self.posteriors[1], margin).1)
    }

    /// The equal-tailed interval of A's win rate minus B's.
    ///
    /// # Errors
    /// If the level is not strictly between 0 and 1.
    pub fn difference_interval(&self, level: f64) -> Result<Interval> {
        let tail = 0.5 * (1.0 - open_probability("a level", level)?);
        let [a, b] = &self.posteriors;
        // The upper quantile is the lower one of the reversed difference.
        Ok(Interval { low: difference::quantile(a, b, tail), high: -difference::quantile(b, a, tail) })
    }

    /// How much better A is in Elo, by the win rates themselves; no prior enters.
    ///
    /// # Errors
    /// If a candidate has no games, or a score of 0 % or 100 %.
    pub fn elo_difference(&self) -> Result<EloDifference> {
        let [a, b] = self.candidates;
        let (elo_a, error_a) = elo(a)?;
        let (elo_b, error_b) = elo(b)?;
        Ok(EloDifference { elo: elo_a - elo_b, standard_error: error_a.hypot(error_b) })
    }
}

/// Rating difference to the base, and its standard error.
fn elo(candidate: CandidateRecord) -> Result<(f64, f64)> {
    let games = candidate.games();
    if games == 0.0 {
        return Err(StatsError::NoGames);
    }
    if candidate.wins() == 0.0 || candidate.losses() == 0.0 {
        let reason = "a candidate scored 0 % or 100 %";
        return Err(StatsError::NotEstimable { what: "the Elo difference", reason });
    }
    let elo = kiki_stats::logistic::ELO_SCALE * (candidate.wins() / candidate.losses()).ln();
    Ok((elo, kiki_stats::logistic::ELO_SCALE * (1.0 / candidate.wins() + 1.0 / candidate.losses()).sqrt()))
}

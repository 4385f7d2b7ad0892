//! Two candidates that played the same base engine: their games, the chi-square rule and the
//! posterior.

use std::cmp::Ordering;

use kiki_stats::beta::Beta;
use kiki_stats::error::{check, open_probability};
use kiki_stats::logistic::ELO_SCALE;
use kiki_stats::{Interval, Result, StatsError, normal};
use serde::Serialize;

use super::beta_difference;

/// Maximum wins, and maximum losses, of a candidate: the posterior of more takes seconds.
const MOST_WINS: f64 = 1e10;

/// The games of one candidate against the base. There may be none yet.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CandidateRecord {
    /// With the halves of draws, as the losses.
    pub(super) wins: f64,
    pub(super) losses: f64,
}

impl CandidateRecord {
    /// Wins and losses, from 0 to 1e10; halves are usual where draws count half.
    pub fn new(wins: f64, losses: f64) -> Result<Self> {
        for (what, number) in [("a number of wins", wins), ("a number of losses", losses)] {
            check(what, number, |number| (0.0..=MOST_WINS).contains(&number), "from 0 to 10,000,000,000")?;
        }
        Ok(Self { wins, losses })
    }

    pub fn games(&self) -> f64 {
        self.wins + self.losses
    }

    /// The same ratio with `factor` times the games.
    pub(super) fn scaled(&self, factor: f64) -> Self {
        Self { wins: self.wins * factor, losses: self.losses * factor }
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ChiSquare {
    /// Pearson's statistic of the two-by-two table, without continuity correction; 0 if a row or
    /// column is empty.
    pub statistic: f64,
    pub a_better: f64,
}

/// Pearson's chi-square test of the two-by-two table of wins and losses (1900), read as a
/// probability: with c the distribution function of one degree of freedom at the statistic, the
/// candidate with the better ratio has (1 + c) / 2. One half if a row or column is empty.
pub fn chi_square(a: &CandidateRecord, b: &CandidateRecord) -> ChiSquare {
    let (statistic, better) = signed_statistic(a, b);
    let root = statistic.sqrt();
    let a_better = match better {
        Ordering::Greater => normal::cdf(root),
        Ordering::Less => normal::cdf(-root),
        Ordering::Equal => 0.5,
    };
    ChiSquare { statistic, a_better }
}

/// The statistic and which candidate has the better ratio, compared by products so that nothing is
/// divided by zero.
pub(super) fn signed_statistic(a: &CandidateRecord, b: &CandidateRecord) -> (f64, Ordering) {
    let total = a.games() + b.games();
    let (wins, losses) = (a.wins + b.wins, a.losses + b.losses);
    if a.games() == 0.0 || b.games() == 0.0 || wins == 0.0 || losses == 0.0 {
        return (0.0, Ordering::Equal);
    }
    // The sum of (observed - expected)^2 / expected over the four cells, simplified. The margins
    // are divided one by one, because their product may overflow.
    let cross = a.wins * b.losses - b.wins * a.losses;
    let statistic = cross / a.games() * (cross / b.games()) * total / wins / losses;
    (statistic, cross.partial_cmp(&0.0).unwrap_or(Ordering::Equal))
}

/// A beta prior of a win rate against the base.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Prior {
    alpha: f64,
    beta: f64,
}

impl Prior {
    /// As if `alpha - 1` games had been won and `beta - 1` lost before: 1 and 1 make all win rates
    /// equally likely. Both are from 1e-6, below which a prior says nothing, to 1e10.
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
    pub(super) candidates: [CandidateRecord; 2],
    pub(super) prior: Prior,
    pub(super) posteriors: [Beta; 2],
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct EloDifference {
    /// How much better A is, in Elo.
    pub elo: f64,
    /// The root of the sum of both squared standard errors, each by first-order propagation.
    pub standard_error: f64,
}

impl CandidateComparison {
    pub fn new(a: CandidateRecord, b: CandidateRecord, prior: Prior) -> Self {
        let posterior =
            |candidate: CandidateRecord| Beta::new(candidate.wins + prior.alpha, candidate.losses + prior.beta);
        Self { candidates: [a, b], prior, posteriors: [posterior(a), posterior(b)] }
    }

    /// The probability that A's true win rate is the higher one.
    pub fn a_better(&self) -> f64 {
        beta_difference::a_better(&self.posteriors[0], &self.posteriors[1])
    }

    /// The posterior mean of A's win rate minus B's.
    pub fn mean_difference(&self) -> f64 {
        self.posteriors[0].mean() - self.posteriors[1].mean()
    }

    /// The posterior standard deviation of A's win rate minus B's.
    pub fn sd_difference(&self) -> f64 {
        (self.posteriors[0].variance() + self.posteriors[1].variance()).sqrt()
    }

    /// The equal-tailed interval of A's win rate minus B's; the level is strictly between 0 and 1.
    pub fn difference_interval(&self, level: f64) -> Result<Interval> {
        let tail = 0.5 * (1.0 - open_probability("a level", level)?);
        let [a, b] = &self.posteriors;
        // The upper quantile is the lower one of the reversed difference.
        Ok(Interval { low: beta_difference::quantile(a, b, tail), high: -beta_difference::quantile(b, a, tail) })
    }

    /// How much better A is in Elo, by the win rates themselves; no prior enters. Refuses a
    /// candidate without games, or with a score of 0 % or 100 %.
    pub fn elo_difference(&self) -> Result<EloDifference> {
        let [a, b] = self.candidates;
        let (elo_a, error_a) = elo(a)?;
        let (elo_b, error_b) = elo(b)?;
        Ok(EloDifference { elo: elo_a - elo_b, standard_error: error_a.hypot(error_b) })
    }
}

fn elo(candidate: CandidateRecord) -> Result<(f64, f64)> {
    let CandidateRecord { wins, losses } = candidate;
    if candidate.games() == 0.0 {
        return Err(StatsError::NoGames);
    }
    if wins == 0.0 || losses == 0.0 {
        let reason = "a candidate scored 0 % or 100 %";
        return Err(StatsError::NotEstimable { what: "the Elo difference", reason });
    }
    Ok((ELO_SCALE * (wins / losses).ln(), ELO_SCALE * (1.0 / wins + 1.0 / losses).sqrt()))
}

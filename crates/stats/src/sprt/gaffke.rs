//! The mean score of few observations, with bounds that hold whatever the results are distributed like.
//!
//! The normal interval needs many observations: it takes the variance of the sample for the true one, and of equal results makes a
//! point. The bounds of Gaffke ("Three test statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative variable",
//! Mathematical Methods of Statistics 14, 2005) take nothing for granted but that the observations are independent and lie between 0
//! and 1. For the lower bound one more observation of the worst possible score is added, and all are weighted at random, evenly over
//! all weights of sum 1 (a Dirichlet distribution): the bound is the quantile of the weighted mean. For the upper bound the best score
//! is added. With two outcomes these are the bounds of Clopper and Pearson (1934).
//!
//! For two outcomes it is proved that neither bound fails more often than promised; for more it is a conjecture, to which no
//! counterexample is known. The tests of this crate add up the exact coverage for many distributions.

use crate::error::open_probability;
use crate::{Interval, Result, StatsError};

use super::counts::Counts;

/// The interval of the mean score of an observation, 0 to 1, at a level such as 0.95: each of the two bounds fails with a probability
/// of at most half of what is missing to 1. The work grows with the square of the observations.
///
/// ```
/// use kiki_stats::sprt::{Counts, gaffke_interval};
///
/// // Two games won of two: the lower bound is the root of 0.025.
/// let ends = gaffke_interval(&Counts::Bernoulli([0, 2]), 0.95)?;
/// assert!((ends.low - 0.025f64.sqrt()).abs() < 1e-12 && ends.high == 1.0);
/// # Ok::<(), kiki_stats::StatsError>(())
/// ```
///
/// # Errors
/// Without observations, or if the level is not strictly between 0 and 1.
pub fn gaffke_interval(counts: &Counts, level: f64) -> Result<Interval> {
    open_probability("a level", level)?;
    if counts.observations() == 0 {
        return Err(StatsError::NoGames);
    }
    let tail = 0.5 * (1.0 - level);
    Ok(Interval { low: lower_bound(*counts, tail), high: 1.0 - lower_bound(counts.reversed(), tail) })
}

/// The probability that the mean score is above one half, if one pair of lost and one of won observations are all that was known
/// beforehand: the weighted mean of above, with both the worst and the best score added. For games without draws it is the posterior
/// probability of a uniform prior, Beta(wins + 1, losses + 1), and for any counts it and that of the opponent add up to 1.
pub(super) fn superiority(counts: &Counts) -> f64 {
    let mut mean = WeightedMean::new(counts);
    mean.add_worst();
    mean.add_best();
    mean.tails(0.5).1
}

/// By bisection, down to the spacing of the numbers.
fn lower_bound(counts: Counts, tail: f64) -> f64 {
    let mut mean = WeightedMean::new(&counts);
    if mean.weights[1..mean.outcomes].iter().all(|&weight| weight == 0) {
        return 0.0;
    }
    mean.add_worst();
    let (mut low, mut high) = (0.0, 1.0);
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return low;
        }
        if mean.tails(middle).0 < tail { low = middle } else { high = middle }
    }
}

/// The mean of scores with random weights: those of each outcome together have a weight from a Dirichlet distribution.
struct WeightedMean {
    outcomes: usize,
    scores: [f64; 5],
    weights: [u64; 5],
}

impl WeightedMean {
    fn new(counts: &Counts) -> Self {
        let mut mean = Self { outcomes: counts.scores().len(), scores: [0.0; 5], weights: [0; 5] };
        mean.scores[..mean.outcomes].copy_from_slice(counts.scores());
        mean.weights[..mean.outcomes].copy_from_slice(counts.as_slice());
        mean
    }

    fn add_worst(&mut self) {
        self.weights[0] += 1;
    }

    fn add_best(&mut self) {
        self.weights[self.outcomes - 1] += 1;
    }

    /// The probabilities that the mean is below `t`, and above it.
    ///
    /// The weights of a Dirichlet distribution are independent gamma variables divided by their sum, so that the mean is above t where
    /// the sum of `weight (score - t)` is positive. With whole numbers of observations each gamma variable is a sum of exponential
    /// ones: two runners, one for the scores above t and one for those below, go through stages of exponential length, and the mean is
    /// above t if the first of them takes longer. Which stage ends first does not depend on what happened before, so that the
    /// probabilities of all pairs of stages follow one from another, by additions of positive numbers only.
    fn tails(&self, t: f64) -> (f64, f64) {
        let stages = |side: f64| {
            let outcomes = self.scores[..self.outcomes].iter().zip(&self.weights);
            let stages = outcomes.map(move |(score, &weight)| (side * (score - t), weight));
            stages.filter(|&(length, weight)| length > 0.0 && weight > 0)
        };
        let below: Vec<f64> = stages(-1.0).flat_map(|(length, weight)| (0..weight).map(move |_| length)).collect();
        // By stages that the runner below has finished; the last entry is its end.
        let mut running = vec![0.0; below.len() + 1];
        running[0] = 1.0;
        for (above, weight) in stages(1.0) {
            for _ in 0..weight {
                for (stage, length) in below.iter().enumerate() {
                    let here = running[stage];
                    running[stage + 1] += here * above / (above + length);
                    running[stage] = here * length / (above + length);
                }
            }
        }
        let above = running.pop().unwrap_or_default();
        (running.iter().sum(), above)
    }
}

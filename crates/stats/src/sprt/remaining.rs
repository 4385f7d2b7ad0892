//! The expected number of further games of a running test.

use crate::{Result, StatsError};

use super::counts::Counts;
use super::hypotheses::Bounds;
use super::sequential_test::Sprt;

/// A forecast for a running test.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RemainingGames {
    /// What an observation has added to the ratio on average.
    pub drift: f64,
    /// The expected number of further games; 0 if the test is over. Taken is a Brownian motion between the bounds with the drift and
    /// the variance of the observations so far.
    pub games: f64,
    /// The probability that the test will accept H1, under the same assumption.
    pub accept_h1: f64,
}

/// How long the test will still take if things go on as they went.
///
/// # Errors
/// Without observations, as [`Sprt::llr`], or if the hypotheses are so close that no number of games would tell them apart.
pub fn remaining_games(sprt: &Sprt, counts: &Counts) -> Result<RemainingGames> {
    let observations = counts.some_observations()?;
    let llr = sprt.llr(counts)?;
    let drift = llr / observations;
    // The derivative of the ratio by the mean score is N (s1 - s0) / v in the normal approximation. As v may be 0, and the exact ratio
    // is bounded there, the spread is taken from what one further observation of each outcome would really change.
    let variance = increment_variance(sprt, counts, llr)?;
    let (accept_h1, further) = leave(sprt.hypotheses.bounds(), llr, drift, variance);
    let games = further * counts.games_each() as f64;
    if !games.is_finite() {
        return Err(StatsError::NotEstimable { what: "the number", reason: "the hypotheses are too close" });
    }
    Ok(RemainingGames { drift, games, accept_h1 })
}

/// The variance of the step that the next observation makes, by the shares of the outcomes so far, each outcome counted once more so
/// that a short run of equal results does not look certain.
fn increment_variance(sprt: &Sprt, counts: &Counts, llr: f64) -> Result<f64> {
    let mut sums = [0.0; 3];
    for (outcome, &count) in counts.as_slice().iter().enumerate() {
        let mut next = *counts;
        next.record(outcome);
        let step = sprt.llr(&next)? - llr;
        let weight = count as f64 + 1.0;
        sums = [sums[0] + weight, sums[1] + weight * step, sums[2] + weight * step * step];
    }
    let mean = sums[1] / sums[0];
    Ok((sums[2] / sums[0] - mean * mean).max(f64::MIN_POSITIVE))
}

/// Where a Brownian motion that is at `x` now leaves the bounds: the probability of the upper one, and the expected time.
fn leave(bounds: Bounds, x: f64, drift: f64, variance: f64) -> (f64, f64) {
    if x >= bounds.upper {
        return (1.0, 0.0);
    }
    if x <= bounds.lower {
        return (0.0, 0.0);
    }
    let (above, below) = (bounds.upper - x, x - bounds.lower);
    if drift < 0.0 {
        let (low, time) = leave_upwards(below, above, -drift, variance);
        (1.0 - low, time)
    } else {
        leave_upwards(above, below, drift, variance)
    }
}

/// The same for a drift upwards (or none), with the distances to both bounds.
fn leave_upwards(above: f64, below: f64, drift: f64, variance: f64) -> (f64, f64) {
    let rate = 2.0 * drift / variance;
    let width = above + below;
    if rate * width < 1e-6 {
        return (below / width, above * below / variance);
    }
    let upper = (-rate * below).exp_m1() / (-rate * width).exp_m1();
    (upper, (upper * width - below) / drift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_motion_without_drift_joins_one_with_little() {
        let bounds = Bounds { lower: -2.0, upper: 3.0 };
        let (still, time) = leave(bounds, 0.5, 0.0, 0.01);
        let (slow, longer) = leave(bounds, 0.5, 1.1e-9, 0.01);
        assert!((still - 0.5).abs() < 1e-12 && (time - 625.0).abs() < 1e-9);
        assert!((slow - still).abs() < 1e-5 && (longer - time).abs() < 1e-2 * time);
    }

    #[test]
    fn a_strong_drift_goes_straight() {
        let (upper, time) = leave(Bounds { lower: -3.0, upper: 3.0 }, 0.0, 0.1, 0.01);
        assert!((upper - 1.0).abs() < 1e-12 && (time - 30.0).abs() < 1e-9);
        let (upper, time) = leave(Bounds { lower: -3.0, upper: 3.0 }, 0.0, -0.1, 0.01);
        assert!(upper < 1e-12 && (time - 30.0).abs() < 1e-9);
    }
}

//! The generalised log-likelihood ratio (Michel Van den Bergh, "The generalized maximum likelihood ratio for the expectation value of
//! a distribution", and "Normalized Elo").

use crate::logistic::{ELO_SCALE, logistic};
use crate::numeric::decreasing_root;
use crate::{Result, StatsError};

use super::counts::Counts;
use super::hypotheses::{EloModel, Hypotheses};

/// What a zero count weighs.
const EMPTY_COUNT: f64 = 1e-3;
/// When the probabilities of the normalised model have settled.
const SETTLED: f64 = 1e-12;
/// Changes below this that no longer shrink are rounding.
const ROUNDING: f64 = 1e-9;
/// The normalised model settles in about ten rounds; hypotheses of several hundred Elo may need more, or never do.
const MAX_ROUNDS: usize = 400;

/// Values by outcome; counts with fewer than five outcomes leave the rest unused.
type Outcomes = [f64; 5];

/// An observed distribution of scores.
struct Sample {
    outcomes: usize,
    scores: Outcomes,
    shares: Outcomes,
    observations: f64,
}

impl Sample {
    fn new(counts: &Counts) -> Self {
        let mut sample =
            Self { outcomes: counts.scores().len(), scores: [0.0; 5], shares: [0.0; 5], observations: 0.0 };
        for (i, (&count, &score)) in counts.as_slice().iter().zip(counts.scores()).enumerate() {
            let weight = if count == 0 { EMPTY_COUNT } else { count as f64 };
            sample.scores[i] = score;
            sample.shares[i] = weight;
            sample.observations += weight;
        }
        sample.shares.iter_mut().for_each(|share| *share /= sample.observations);
        sample
    }

    /// The most likely distribution among those under which `phi` has mean 0: `p / (1 + theta phi)` with the theta that makes it so.
    /// `None` if phi has one sign only, so that there is no such distribution.
    ///
    /// Theta lies between two poles, at `-1 / phi` of the largest and the smallest phi, and where an outcome is rare it lies so close
    /// to one of them that `1 + theta phi` would lose half its digits. So the unknown is the distance to that pole.
    fn constrained(&self, phi: &Outcomes) -> Option<Outcomes> {
        let values = &phi[..self.outcomes];
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !(least < 0.0 && most > 0.0) {
            return None;
        }
        let mean: f64 = values.iter().zip(&self.shares).map(|(phi, share)| phi * share).sum();
        let extreme = if mean > 0.0 { least } else { most };
        // With theta = (distance - 1) / extreme, 1 + theta phi is (extreme - phi) / extreme + distance phi / extreme: exact for the
        // extreme itself. A distance of 1 means that the constraint holds already.
        let base = |phi: f64| (extreme - phi) / extreme;
        let slope = |phi: f64| phi / extreme;
        let distance = decreasing_root(1.0, |distance| {
            let (mut value, mut derivative) = (0.0, 0.0);
            for (&phi, &share) in values.iter().zip(&self.shares) {
                let ratio = slope(phi) / (base(phi) + distance * slope(phi));
                value += share * ratio;
                derivative -= share * ratio * ratio;
            }
            (value, derivative)
        });
        Some(std::array::from_fn(|i| self.shares[i] / (base(phi[i]) + distance * slope(phi[i]))))
    }

    /// The most likely distribution with the mean score `mean`.
    fn with_mean(&self, mean: f64) -> Option<Outcomes> {
        self.constrained(&self.scores.map(|score| score - mean))
    }

    /// The most likely distribution whose mean lies `t` standard deviations above one half. The constraint is linearised around the
    /// last distribution and solved again until it stays; rounding may keep it from staying altogether.
    fn with_effect(&self, t: f64) -> Result<Outcomes> {
        let mut p = [0.0; 5];
        p[..self.outcomes].fill(1.0 / self.outcomes as f64);
        if self.linearised(&p, t).is_none() {
            // So far from the uniform distribution, wins and losses alone are the better start: they can have any effect.
            p = [0.0; 5];
            p[self.outcomes - 1] = 0.5 + 0.5 * t / (1.0 + t * t).sqrt();
            p[0] = 1.0 - p[self.outcomes - 1];
        }
        let mut last = f64::INFINITY;
        for _ in 0..MAX_ROUNDS {
            let next = self.linearised(&p, t).ok_or_else(not_converged)?;
            let change = p.iter().zip(&next).map(|(old, new)| (old - new).abs()).fold(0.0, f64::max);
            p = next;
            if change < SETTLED || (change < ROUNDING && change >= last) {
                return Ok(p);
            }
            last = change;
        }
        Err(not_converged())
    }

    /// One round of [`Sample::with_effect`].
    fn linearised(&self, p: &Outcomes, t: f64) -> Option<Outcomes> {
        let (mean, deviation) = self.moments(p);
        self.constrained(&self.scores.map(|score| {
            let z = (score - mean) / deviation;
            score - 0.5 - 0.5 * t * deviation * (1.0 + z * z)
        }))
    }

    /// Mean and standard deviation of the score under a distribution.
    fn moments(&self, p: &Outcomes) -> (f64, f64) {
        let mean: f64 = p.iter().zip(&self.scores).map(|(p, score)| p * score).sum();
        let variance: f64 = p.iter().zip(&self.scores).map(|(p, score)| p * (score - mean).powi(2)).sum();
        (mean, variance.sqrt())
    }
}

fn not_converged() -> StatsError {
    StatsError::NotConverged { what: "the likelihood of normalised Elo", iterations: MAX_ROUNDS }
}

/// The effect of a normalised Elo in standard deviations of one observation: a pair has twice the variance of the mean of its games.
pub(super) fn effect(elo: f64, games_each: u64) -> f64 {
    0.5 * elo / ELO_SCALE * (games_each as f64).sqrt()
}

/// The log-likelihood ratio; see [`super::Sprt::llr`].
pub(super) fn llr(hypotheses: &Hypotheses, model: EloModel, counts: &Counts) -> Result<f64> {
    if counts.observations() == 0 {
        return Ok(0.0);
    }
    counts.some_observations()?;
    let (elo0, elo1) = (hypotheses.elo0(), hypotheses.elo1());
    if let Counts::Bernoulli([losses, wins]) = *counts {
        let (loss, win) = bernoulli_steps(hypotheses, model);
        return Ok(losses as f64 * loss + wins as f64 * win);
    }
    let sample = Sample::new(counts);
    let (p0, p1) = match model {
        EloModel::Logistic => {
            let with_elo = |elo: f64| sample.with_mean(logistic(elo / ELO_SCALE)).ok_or_else(extreme);
            (with_elo(elo0)?, with_elo(elo1)?)
        }
        EloModel::Normalized => {
            let with_elo = |elo| sample.with_effect(effect(elo, counts.games_each()));
            (with_elo(elo0)?, with_elo(elo1)?)
        }
    };
    let terms = (0..sample.outcomes).map(|i| sample.shares[i] * (p1[i] / p0[i]).ln());
    Ok(sample.observations * terms.sum::<f64>())
}

/// What one loss and one win add to the ratio if there are no draws: `ln((1 - p1) / (1 - p0))` and `ln(p1 / p0)`.
pub(super) fn bernoulli_steps(hypotheses: &Hypotheses, model: EloModel) -> (f64, f64) {
    // As log-odds. Without draws (p - 1/2) / sqrt(p (1-p)) = t means p = 1/2 + t / (2 sqrt(1 + t^2)), and the odds are
    // (sqrt(1 + t^2) + t)^2.
    let log_odds = |elo: f64| match model {
        EloModel::Logistic => elo / ELO_SCALE,
        EloModel::Normalized => 2.0 * effect(elo, 1).asinh(),
    };
    let (low, high) = (log_odds(hypotheses.elo0()), log_odds(hypotheses.elo1()));
    let ln_share = |log_odds: f64| -crate::logistic::softplus(-log_odds);
    (ln_share(-high) - ln_share(-low), ln_share(high) - ln_share(low))
}

fn extreme() -> StatsError {
    StatsError::NotEstimable { what: "the likelihood ratio", reason: "a hypothesis expects a score of 0 % or 100 %" }
}

/// See [`super::Sprt::llr_normal_approximation`].
pub(super) fn normal_approximation(hypotheses: &Hypotheses, counts: &Counts) -> Result<f64> {
    counts.some_observations()?;
    // With the same weights for empty counts as the ratio itself, so that the two differ by the approximation only.
    let sample = Sample::new(counts);
    let (mean, deviation) = sample.moments(&sample.shares);
    let s0 = logistic(hypotheses.elo0() / ELO_SCALE);
    let s1 = logistic(hypotheses.elo1() / ELO_SCALE);
    Ok(sample.observations * (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * deviation * deviation))
}

//! The sequential test: two hypotheses, and the generalised log-likelihood ratio compared with
//! their bounds (Michel Van den Bergh, "The generalized maximum likelihood ratio for the
//! expectation value of a distribution", and "Normalized Elo").

use crate::error::{check, open_probability};
use crate::logistic::{ELO_SCALE, logistic, softplus};
use crate::numeric::{decreasing_root, root_between};
use crate::{Result, StatsError};

use super::counts::Counts;

/// The two hypotheses and the accepted error rates.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Hypotheses {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

impl Hypotheses {
    /// H0: the player is `elo0` better than its opponent; H1: `elo1`. `alpha` is the probability of
    /// accepting H1 though H0 is true, `beta` the reverse. Refuses `elo0 >= elo1`, and error rates
    /// that add up to 1 or more.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self> {
        check("elo0", elo0, |_| true, "a number")?;
        check("elo1", elo1, |elo1| elo1 > elo0, "a number above elo0")?;
        open_probability("alpha", alpha)?;
        open_probability("beta", beta)?;
        check("alpha + beta", alpha + beta, |sum| sum < 1.0, "below 1")?;
        Ok(Self { elo0, elo1, alpha, beta })
    }

    /// Wald's bounds: `ln(beta / (1 - alpha))` and `ln((1 - beta) / alpha)`.
    pub fn bounds(&self) -> Bounds {
        Bounds { lower: (self.beta / (1.0 - self.alpha)).ln(), upper: ((1.0 - self.beta) / self.alpha).ln() }
    }
}

/// The log-likelihood ratios that stop the test.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bounds {
    /// At or below it, accept H0.
    pub lower: f64,
    /// At or above it, accept H1.
    pub upper: f64,
}

impl Bounds {
    /// The verdict for a log-likelihood ratio.
    pub fn decide(&self, llr: f64) -> SprtDecision {
        if llr >= self.upper {
            SprtDecision::AcceptH1
        } else if llr <= self.lower {
            SprtDecision::AcceptH0
        } else {
            SprtDecision::Continue
        }
    }
}

/// The verdict of a test after an observation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SprtDecision {
    /// Stop: the player is no better than `elo0`.
    AcceptH0,
    /// Stop: the player is as good as `elo1`.
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
    /// Normalised Elo (Van den Bergh): the expected score above one half, in standard deviations of
    /// one game, times 800 / ln 10. The length of a test then hardly depends on the share of draws
    /// and the choice of openings.
    Normalized,
}

/// A sequential test.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    /// The hypotheses.
    pub hypotheses: Hypotheses,
    /// What their Elo means.
    pub model: EloModel,
}

impl Sprt {
    /// The generalised log-likelihood ratio of H1 to H0. Zero without observations. Zero counts
    /// weigh 1e-3 of an observation, as in fishtest, unless only wins and losses are counted, where
    /// the plain ratio is defined. Fails only if a hypothesis is thousands of Elo from 0: its
    /// expected score then rounds to 0 or 1.
    pub fn llr(&self, counts: &Counts) -> Result<f64> {
        if counts.observations() == 0 {
            return Ok(0.0);
        }
        counts.some_observations()?;
        if let Counts::Bernoulli([losses, wins]) = *counts {
            let (loss, win) = bernoulli_steps(&self.hypotheses, self.model);
            return Ok(losses as f64 * loss + wins as f64 * win);
        }
        let observed = ObservedScores::new(counts);
        let with_elo = |elo: f64| match self.model {
            EloModel::Logistic => observed.with_mean(logistic(elo / ELO_SCALE)),
            EloModel::Normalized => observed.with_effect(effect(elo, counts.games_each())),
        };
        let (p0, p1) = (with_elo(self.hypotheses.elo0)?, with_elo(self.hypotheses.elo1)?);
        let terms = (0..observed.outcomes).map(|i| observed.shares[i] * (p1[i] / p0[i]).ln());
        Ok(observed.observations * terms.sum::<f64>())
    }

    /// The normal approximation of the logistic ratio, `N (s1 - s0) (2 mean - s0 - s1) / (2 v)`.
    /// For display only, never for a decision: it diverges where the sample variance is small.
    /// Fails without observations.
    pub fn llr_normal_approximation(&self, counts: &Counts) -> Result<f64> {
        counts.some_observations()?;
        // Weight empty counts as the ratio itself does, so that the two differ only by the
        // approximation.
        let observed = ObservedScores::new(counts);
        let (mean, deviation) = observed.moments(&observed.shares);
        let s0 = logistic(self.hypotheses.elo0 / ELO_SCALE);
        let s1 = logistic(self.hypotheses.elo1 / ELO_SCALE);
        Ok(observed.observations * (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * deviation * deviation))
    }

    /// The verdict of the counts.
    pub fn decide(&self, counts: &Counts) -> Result<SprtDecision> {
        Ok(self.hypotheses.bounds().decide(self.llr(counts)?))
    }
}

/// The weight of a zero count.
const EMPTY_COUNT: f64 = 1e-3;
/// Parts of the range of deviations in which the normalised model looks for the most likely one.
const GRID: usize = 16;
/// Halvings of such a part that has no distribution at one end.
const MAX_HALVINGS: usize = 100;
/// The error of a place, in such parts. It counts squared in the likelihood.
const PLACE_TOLERANCE: f64 = 1e-9;

/// Values by outcome; counts with fewer than five outcomes leave the rest unused.
type Outcomes = [f64; 5];

/// An observed distribution of scores.
struct ObservedScores {
    outcomes: usize,
    scores: Outcomes,
    shares: Outcomes,
    observations: f64,
}

impl ObservedScores {
    fn new(counts: &Counts) -> Self {
        let mut observed =
            Self { outcomes: counts.scores().len(), scores: [0.0; 5], shares: [0.0; 5], observations: 0.0 };
        for (i, (score, count)) in counts.scores().enumerate() {
            let weight = if count == 0 { EMPTY_COUNT } else { count as f64 };
            observed.scores[i] = score;
            observed.shares[i] = weight;
            observed.observations += weight;
        }
        observed.shares.iter_mut().for_each(|share| *share /= observed.observations);
        observed
    }

    /// The most likely distribution under which `phi` has mean 0: `p / (1 + theta phi)` with a
    /// suitable theta. `None` if all phi have one sign: no theta is suitable then.
    ///
    /// Theta lies between two poles, at `-1 / phi` of the largest and the smallest phi. For a rare
    /// outcome it is so close to one of them that `1 + theta phi` would lose half its digits. So
    /// the unknown is the distance to that pole.
    fn constrained(&self, phi: &Outcomes) -> Option<Outcomes> {
        let values = &phi[..self.outcomes];
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !(least < 0.0 && most > 0.0) {
            return None;
        }
        let mean: f64 = values.iter().zip(&self.shares).map(|(phi, share)| phi * share).sum();
        let extreme = if mean > 0.0 { least } else { most };
        // With theta = (distance - 1) / extreme, 1 + theta phi is (extreme - phi) / extreme +
        // distance phi / extreme: exact for the extreme itself. A distance of 1 means that the
        // constraint already holds.
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
    fn with_mean(&self, mean: f64) -> Result<Outcomes> {
        let reason = "a hypothesis expects a score of 0 % or 100 %";
        let extreme = StatsError::NotEstimable { what: "the likelihood ratio", reason };
        self.constrained(&self.scores.map(|score| score - mean)).ok_or(extreme)
    }

    /// The most likely distribution whose mean is `t` standard deviations above one half.
    ///
    /// For a positive t, `t * deviation` is the least of `t/2 (E (score - m)^2 / s + s)` over m and
    /// s, where m is the mean and s the deviation. So each s with `m = 1/2 + t s` gives a linear
    /// constraint: that the mean of `phi = score - 1/2 - t/2 ((score - m)^2 / s + s)` is 0. The
    /// wanted distribution is one of those of [`ObservedScores::constrained`] whose likelihood does
    /// not change with s: there, and only there, m and s are its own mean and deviation. Such an s
    /// lies where the mean slope of phi by s turns from positive to negative. There may be two, as
    /// effects of several hundred Elo come from draws with some wins or from wins with some losses;
    /// the more likely one counts.
    fn with_effect(&self, t: f64) -> Result<Outcomes> {
        if t == 0.0 {
            return self.with_mean(0.5);
        }
        if t < 0.0 {
            let mut p = self.reversed().with_effect(-t)?;
            p[..self.outcomes].reverse();
            return Ok(p);
        }
        // Distributions of two neighbouring scores have the least deviation, those of wins and losses
        // the greatest.
        let least = t / (self.outcomes - 1) as f64 / (1.0 + t * t);
        let most = 0.5 / (1.0 + t * t).sqrt();
        let step = (most / least).ln() / GRID as f64;
        let slope = |place: f64| self.slope_at(t, least * (place * step).exp());
        let slopes: [Option<f64>; GRID + 3] = std::array::from_fn(|place| slope(place as f64 - 1.0));
        let mut best: Option<(f64, Outcomes)> = None;
        for (place, pair) in slopes.windows(2).enumerate() {
            let place = place as f64 - 1.0;
            let Some(place) = turn((place, pair[0]), (place + 1.0, pair[1]), slope) else { continue };
            let Some(p) = self.linear(t, least * (place * step).exp()) else { continue };
            let likelihood = self.shares.iter().zip(&p).take(self.outcomes).map(|(share, p)| share * p.ln()).sum();
            if best.is_none_or(|(known, _)| likelihood > known) {
                best = Some((likelihood, p));
            }
        }
        let reason = "no distribution of results has the normalised Elo of a hypothesis";
        best.map(|(_, p)| p).ok_or(StatsError::NotEstimable { what: "the likelihood ratio", reason })
    }

    /// The distribution of the linear constraint for s in [`ObservedScores::with_effect`].
    fn linear(&self, t: f64, s: f64) -> Option<Outcomes> {
        self.constrained(&self.scores.map(|score| score - 0.5 - 0.5 * t * ((score - 0.5 - t * s).powi(2) / s + s)))
    }

    /// The mean slope of phi by s in [`ObservedScores::with_effect`], divided by t/2.
    fn slope_at(&self, t: f64, s: f64) -> Option<f64> {
        let p = self.linear(t, s)?;
        let slope = |score: f64| {
            let z = (score - 0.5 - t * s) / s;
            z * (z + 2.0 * t) - 1.0
        };
        Some(p.iter().zip(&self.scores).take(self.outcomes).map(|(p, &score)| p * slope(score)).sum())
    }

    /// The scores of the opponent.
    fn reversed(&self) -> Self {
        let mut shares = self.shares;
        shares[..self.outcomes].reverse();
        Self { shares, ..*self }
    }

    /// Mean and standard deviation of the score under a distribution.
    fn moments(&self, p: &Outcomes) -> (f64, f64) {
        let mean: f64 = p.iter().zip(&self.scores).map(|(p, score)| p * score).sum();
        let variance: f64 = p.iter().zip(&self.scores).map(|(p, score)| p * (score - mean).powi(2)).sum();
        (mean, variance.sqrt())
    }
}

/// Where a slope turns from positive to negative between two places, if it does. Next to places
/// without a slope, slopes lead away from them.
fn turn(low: (f64, Option<f64>), high: (f64, Option<f64>), slope: impl Fn(f64) -> Option<f64>) -> Option<f64> {
    let (mut low, mut high) = (low, high);
    for _ in 0..MAX_HALVINGS {
        let turns = low.1.is_none_or(|slope| slope >= 0.0) && high.1.is_none_or(|slope| slope < 0.0);
        match (low.1, high.1) {
            _ if !turns => return None,
            (None, None) => return None,
            (Some(at_low), Some(at_high)) => {
                let fall = |place| -slope(place).unwrap_or(f64::NAN);
                return Some(root_between((low.0, -at_low), (high.0, -at_high), PLACE_TOLERANCE, fall));
            }
            _ => {}
        }
        let middle = 0.5 * (low.0 + high.0);
        let found = (middle, slope(middle));
        let is_below = found.1.map_or(low.1.is_none(), |slope| slope >= 0.0);
        *(if is_below { &mut low } else { &mut high }) = found;
    }
    None
}

/// The effect of a normalised Elo in standard deviations of one observation. A pair has twice the
/// variance of the mean of its games.
pub(super) fn effect(elo: f64, games_each: u64) -> f64 {
    0.5 * elo / ELO_SCALE * (games_each as f64).sqrt()
}

/// The change of the ratio by one loss and by one win if there are no draws:
/// `ln((1 - p1) / (1 - p0))` and `ln(p1 / p0)`.
pub(super) fn bernoulli_steps(hypotheses: &Hypotheses, model: EloModel) -> (f64, f64) {
    // As log-odds. Without draws (p - 1/2) / sqrt(p (1-p)) = t means p = 1/2 + t / (2 sqrt(1 +
    // t^2)), and the odds are (sqrt(1 + t^2) + t)^2.
    let log_odds = |elo: f64| match model {
        EloModel::Logistic => elo / ELO_SCALE,
        EloModel::Normalized => 2.0 * effect(elo, 1).asinh(),
    };
    let (low, high) = (log_odds(hypotheses.elo0), log_odds(hypotheses.elo1));
    let ln_share = |log_odds: f64| -softplus(-log_odds);
    (ln_share(-high) - ln_share(-low), ln_share(high) - ln_share(low))
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng, rngs::StdRng};

    use super::*;

    /// Ln of the likelihood of an observation, less that of the observed shares.
    fn likelihood(observed: &ObservedScores, p: &Outcomes) -> f64 {
        (0..observed.outcomes).map(|i| observed.shares[i] * (p[i] / observed.shares[i]).ln()).sum()
    }

    /// The distribution has the wanted effect, and none of a fine grid that has at least as much is
    /// more likely.
    #[test]
    fn the_most_likely_distribution_of_an_effect_is_found() {
        let mut random = StdRng::seed_from_u64(4);
        for case in 0..3000 {
            let mut count =
                || if random.random::<f64>() < 0.3 { 0 } else { 3_f64.powf(6.0 * random.random::<f64>()) as u64 };
            let counts = if case % 3 == 0 {
                Counts::Trinomial(std::array::from_fn(|_| count()))
            } else {
                Counts::Pentanomial(std::array::from_fn(|_| count()))
            };
            if counts.observations() == 0 {
                continue;
            }
            let t = 0.002 * 1000_f64.powf(random.random());
            let observed = ObservedScores::new(&counts);
            let p = observed.with_effect(t).unwrap();
            let (mean, deviation) = observed.moments(&p);
            assert!((mean - 0.5 - t * deviation).abs() < 1e-9, "{counts:?} {t}: {mean} {deviation}");
            let (mean, deviation) = observed.moments(&observed.shares);
            if mean - 0.5 < t * deviation {
                let found = likelihood(&observed, &p);
                for step in 0..400 {
                    let s = 0.5 * 1e-4_f64.powf(f64::from(step) / 400.0);
                    let other = observed.linear(t, s).map_or(f64::NEG_INFINITY, |p| likelihood(&observed, &p));
                    assert!(other < found + 1e-10, "{counts:?} {t}: {found}, and {other} at {s}");
                }
            }
        }
    }
}

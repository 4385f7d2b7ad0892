//! The move that is likeliest to be the best, by a weighted vote.

use std::collections::BTreeSet;
use std::f64::consts::TAU;

use super::opinion::{MOST_VALUE, Opinion, SPREADS, check_opinions, strongest};
use kiki_stats::Result;
use kiki_stats::error::check;
use kiki_stats::normal::ln_cdf;

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum BestValue {
    Known(f64),
    /// Predicted: the mean of the members' values, and a part of the loss for those that are wrong.
    Predicted,
    /// The same with a mean weighted by inverse squares of the noises, so that noisy members count
    /// little.
    PredictedByPrecision,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CandidateEvidence {
    pub candidate: usize,
    pub votes: usize,
    pub score: f64,
    /// The probability that it is the best of the candidates that were named.
    pub posterior: f64,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Weighing {
    /// The value of the best move that the weights are based on.
    pub best_value: f64,
    /// The weight of each member's vote, in the order of the opinions; always above 0.
    pub weights: Vec<f64>,
    /// The candidates, best first; of equal ones that of the strongest member comes first.
    pub candidates: Vec<CandidateEvidence>,
}

impl Weighing {
    #[must_use]
    pub fn best(&self) -> usize {
        self.candidates[0].candidate
    }
}

/// Weighs votes by the likelihood of all opinions under each candidate, if errors are independent.
/// A vote weighs `h(y) - h(x)` with `x = (value - best value) / noise`, `y = x + loss / noise` and
/// `h(z) = z^2 / 2 + ln P(Z <= z)`. Refuses an empty list and numbers out of range.
pub fn weigh(opinions: &[Opinion], loss: f64, best_value: BestValue) -> Result<Weighing> {
    check_opinions(opinions)?;
    check("the loss of a wrong move", loss, |loss| SPREADS.contains(&loss), "from 1e-6 to 1e12")?;
    let best_value = value_of_best(opinions, loss, best_value);
    // A prediction may lie a loss above all values.
    let possible = |value: f64| value.abs() <= 2.0 * MOST_VALUE;
    check("the value of the best move", best_value, possible, "from -1e12 to 1e12")?;
    let weight = |opinion: &Opinion| {
        let x = (opinion.value - best_value) / opinion.noise;
        evidence_gain(x, loss / opinion.noise)
    };
    let weights: Vec<f64> = opinions.iter().map(weight).collect();
    let mut candidates: Vec<CandidateEvidence> = Vec::new();
    let mut by_strength: Vec<(&Opinion, f64)> = opinions.iter().zip(weights.iter().copied()).collect();
    by_strength.sort_by(|a, b| a.0.noise.total_cmp(&b.0.noise));
    for (opinion, weight) in by_strength {
        let same = |found: &&mut CandidateEvidence| found.candidate == opinion.candidate;
        if let Some(found) = candidates.iter_mut().find(same) {
            found.votes += 1;
            found.score += weight;
        } else {
            let candidate = opinion.candidate;
            candidates.push(CandidateEvidence { candidate, votes: 1, score: weight, posterior: 0.0 });
        }
    }
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
    let greatest = candidates[0].score;
    let sum: f64 = candidates.iter().map(|found| (found.score - greatest).exp()).sum();
    for found in &mut candidates {
        found.posterior = (found.score - greatest).exp() / sum;
    }
    Ok(Weighing { best_value, weights, candidates })
}

/// Below this the tail of the normal distribution is its asymptotic series, to 1e-13.
const FAR_BELOW: f64 = -25.0;

/// How much greater `z^2 / 2 + ln cdf(z)` is at `x + step` than at `x`. The squares cancel where
/// they are large.
fn evidence_gain(x: f64, step: f64) -> f64 {
    let squares = step * (x + 0.5 * step);
    match (x < FAR_BELOW, x + step < FAR_BELOW) {
        (false, _) => squares + ln_cdf(x + step) - ln_cdf(x),
        (true, true) => far_evidence(x + step) - far_evidence(x),
        (true, false) => (x + step).powi(2) / 2.0 + ln_cdf(x + step) - far_evidence(x),
    }
}

/// `z^2 / 2 + ln cdf(z)` far below 0 (Abramowitz and Stegun 26.2.12).
fn far_evidence(z: f64) -> f64 {
    let s = 1.0 / (z * z);
    let series = s * (-1.0 + s * (3.0 + s * (-15.0 + s * (105.0 - 945.0 * s))));
    series.ln_1p() - (-z).ln() - 0.5 * TAU.ln()
}

fn value_of_best(opinions: &[Opinion], loss: f64, best_value: BestValue) -> f64 {
    let least = strongest(opinions.iter()).map_or(1.0, |strongest| strongest.noise);
    let precision: &dyn Fn(&Opinion) -> f64 = match best_value {
        BestValue::Known(value) => return value,
        BestValue::Predicted => &|_| 1.0,
        // Relative to the strongest, so that nothing overflows.
        BestValue::PredictedByPrecision => &|opinion| (least / opinion.noise).powi(2),
    };
    let sum: f64 = opinions.iter().map(precision).sum();
    let mean = opinions.iter().map(|opinion| precision(opinion) * opinion.value).sum::<f64>() / sum;
    let named: BTreeSet<usize> = opinions.iter().map(|opinion| opinion.candidate).collect();
    let candidates = named.len() as f64;
    (candidates - 1.0) / candidates * loss + mean
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn opinion(candidate: usize, value: f64, noise: f64) -> Opinion {
        Opinion { candidate, value, noise }
    }

    fn weight(value: f64, noise: f64) -> f64 {
        weigh(&[opinion(0, value, noise)], 1.0, BestValue::Known(0.0)).unwrap().weights[0]
    }

    proptest! {
        #[test]
        fn weights_are_above_0_and_grow_with_the_value(value in -20.0..20.0, step in 0.01..5.0, noise in 0.2..10.0) {
            prop_assert!(weight(value, noise) > 0.0);
            prop_assert!(weight(value + step, noise) > weight(value, noise));
        }

        #[test]
        fn near_the_best_value_a_weight_shrinks_with_noise(value in 0.0..3.0, noise in 0.2..10.0, more in 1.05..4.0) {
            prop_assert!(weight(value, noise * more) < weight(value, noise));
        }

        #[test]
        fn posteriors_sum_to_one(values in prop::collection::vec((0..4_usize, -3.0..3.0, 0.5..4.0), 1..8)) {
            let opinions: Vec<Opinion> = values.into_iter().map(|(a, b, c)| opinion(a, b, c)).collect();
            let weighing = weigh(&opinions, 1.0, BestValue::Predicted).unwrap();
            let sum: f64 = weighing.candidates.iter().map(|found| found.posterior).sum();
            prop_assert!((sum - 1.0).abs() < 1e-12);
            prop_assert_eq!(weighing.candidates.iter().map(|found| found.votes).sum::<usize>(), opinions.len());
        }
    }

    #[test]
    fn members_without_noise_of_their_own_carry_the_precise_mean() {
        let opinions = [opinion(0, 0.0, 1.0), opinion(0, 100.0, 100.0)];
        let used = |best| weigh(&opinions, 1.0, best).unwrap().best_value;
        assert!((used(BestValue::Predicted) - 50.0).abs() < 1e-12);
        assert!(used(BestValue::PredictedByPrecision) < 0.02);
    }

    #[test]
    fn evidence_keeps_its_digits_far_from_the_best_value() {
        // Where both ways to compute it are good, they agree.
        for x in [-26.0, -27.5, -30.0] {
            for step in [0.5, 3.0, 40.0] {
                let whole = |z: f64| z * z / 2.0 + ln_cdf(z);
                let gain = evidence_gain(x, step);
                assert!((gain / (whole(x + step) - whole(x)) - 1.0).abs() < 1e-9, "{x} {step}: {gain}");
            }
        }
        // Far above, the square alone; far below, the logarithm of the distance.
        assert!((evidence_gain(1e9, 1e-3) / 1e6 - 1.0).abs() < 1e-9);
        assert!((evidence_gain(-1e12, 5e11) - 2.0_f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn numbers_without_end_never_make_a_weight_that_is_none() {
        for opinions in
            [[opinion(0, 1e12, 1e-6), opinion(1, -1e12, 1.0)], [opinion(0, 1.0, 1e12), opinion(1, 2.0, 1e12)]]
        {
            for loss in [1e-6, 80.0, 1e12] {
                for best in [BestValue::Predicted, BestValue::PredictedByPrecision, BestValue::Known(1e12)] {
                    let weighing = weigh(&opinions, loss, best).unwrap();
                    let sum: f64 = weighing.candidates.iter().map(|found| found.posterior).sum();
                    assert!(
                        (sum - 1.0).abs() < 1e-12 && weighing.weights.iter().all(|w| w.is_finite()),
                        "{weighing:?}"
                    );
                }
            }
        }
        for (value, noise, loss) in [
            (1e308, 1.0, 1.0),
            (1.0, 1e308, 1.0),
            (1.0, 1e-308, 1.0),
            (1.0, 1.0, 1e308),
            (f64::NAN, 1.0, 1.0),
            (1.0, 0.0, 1.0),
            (1.0, 1.0, 0.0),
        ] {
            assert!(weigh(&[opinion(0, value, noise)], loss, BestValue::Predicted).is_err(), "{value} {noise} {loss}");
        }
        assert!(weigh(&[], 1.0, BestValue::Predicted).is_err());
        assert!(weigh(&[opinion(0, 1.0, 1.0)], 1.0, BestValue::Known(f64::INFINITY)).is_err());
    }
}

//! How good a network is.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use super::sample::Sample;

/// How well values foretell, added up over samples.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Performance {
    samples: u64,
    loss: f64,
    result_loss: f64,
    decided: u64,
    right: u64,
}

impl Performance {
    /// All numbers, each in eight bytes.
    pub(super) fn to_words(self) -> [u64; 5] {
        [self.samples, self.loss.to_bits(), self.result_loss.to_bits(), self.decided, self.right]
    }

    pub(super) fn from_words([samples, loss, result_loss, decided, right]: [u64; 5]) -> Self {
        Self { samples, loss: f64::from_bits(loss), result_loss: f64::from_bits(result_loss), decided, right }
    }

    /// Of one sample, given the logarithm of the odds that the side to move wins.
    pub(super) fn of(sample: &Sample, log_odds: f32) -> Self {
        let log_odds = f64::from(log_odds);
        // -ln(p) and -ln(1 - p).
        let (of_win, of_loss) = (softplus(-log_odds), softplus(log_odds));
        let loss = |points: f64| points * of_win + (1.0 - points) * of_loss;
        let decided = sample.result != 0;
        Self {
            samples: 1,
            loss: loss(sample.target.into()),
            result_loss: loss((1.0 + f64::from(sample.result)) / 2.0),
            decided: decided.into(),
            right: (decided && (log_odds > 0.0) == (sample.result > 0)).into(),
        }
    }

    /// The mean cross entropy to the targets, in nats.
    #[must_use]
    pub fn loss(&self) -> f64 {
        self.loss / self.samples as f64
    }

    /// The mean cross entropy to the results alone, in nats: guessing has 0.693.
    #[must_use]
    pub fn result_loss(&self) -> f64 {
        self.result_loss / self.samples as f64
    }

    /// The part of the samples from games with a winner in which the value was on his side; a half if there are none.
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        if self.decided == 0 { 0.5 } else { self.right as f64 / self.decided as f64 }
    }
}

impl AddAssign for Performance {
    fn add_assign(&mut self, other: Self) {
        self.samples += other.samples;
        self.loss += other.loss;
        self.result_loss += other.result_loss;
        self.decided += other.decided;
        self.right += other.right;
    }
}

impl Add for Performance {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl Sum for Performance {
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms.fold(Self::default(), Add::add)
    }
}

/// ln(1 + exp(x)), for any size of x.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_cross_entropies_and_finite_for_any_value() {
        let sample = |target, result| Sample { target, result, ..Sample::NONE };
        let even = Performance::of(&sample(0.7, 1), 0.0);
        assert!((even.loss() - 2_f64.ln()).abs() < 1e-12 && (even.result_loss() - 2_f64.ln()).abs() < 1e-12);
        let sure = Performance::of(&sample(0.25, -1), 3_f32.ln());
        let expected = -0.25 * 0.75_f64.ln() - 0.75 * 0.25_f64.ln();
        assert!((sure.loss() - expected).abs() < 1e-6 && (sure.result_loss() - 4_f64.ln()).abs() < 1e-6);
        assert!((Performance::of(&sample(0.0, -1), 1000.0).loss() - 1000.0).abs() < 1e-9);
        assert_eq!((even + sure).accuracy(), 0.0, "an even value is on nobody's side");
        assert_eq!((sure + Performance::of(&sample(1.0, 1), 2.0)).accuracy(), 0.5);
        assert_eq!(Performance::of(&sample(0.5, 0), 2.0).accuracy(), 0.5, "a draw has no winner");
    }
}

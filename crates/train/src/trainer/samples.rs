//! Records as inputs of a network, the order of learning, and the quality of a network on them.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use kiki_board::{UnpackError, opponent};
use kiki_eval::{FeatureSet, PiecePlacement};
use rayon::prelude::*;

use super::settings::{PART, TrainingSettings};
use crate::psv::TrainingRecord;
use crate::shards::RecordBytes;

/// The active features of one side.
pub(super) type ActiveFeatures = [u32; FeatureSet::ACTIVE];

/// Reasons why records cannot be learned from.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum TrainingError {
    /// A record is no position.
    #[error("record {number} of the batch: {error}")]
    Record {
        /// Counted from 0.
        number: usize,
        /// What is wrong.
        error: UnpackError,
    },
    /// No records at all.
    #[error("there are no records")]
    Empty,
}

/// A record as input and target of a network.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrainingSample {
    /// `[side]`, the side to move first; numbered by [`piece_first`].
    pub(super) features: [ActiveFeatures; 2],
    /// The share of the points for the side to move.
    pub(super) target: f32,
    /// The result for the side to move: 1, 0, -1.
    pub(super) result: i8,
}

impl TrainingSample {
    /// A place for a sample.
    pub(super) const NONE: Self = Self { features: [[0; FeatureSet::ACTIVE]; 2], target: 0.5, result: 0 };

    /// # Errors
    /// If the bytes are no position.
    pub(super) fn new(bytes: &RecordBytes, settings: &TrainingSettings) -> Result<Self, UnpackError> {
        let record = TrainingRecord::from_bytes(bytes);
        let position = record.sfen.unpack()?;
        let set = settings.shape.features;
        let placement = PiecePlacement { cells: &position.cells, kings: position.kings, hands: position.hands };
        let side = position.side_to_move;
        let features = [side, opponent(side)]
            .map(|side| set.active(side, &placement).map(|feature| piece_first(set, feature as usize) as u32));
        let target = settings.target().points(record.score, record.result) as f32;
        Ok(Self { features, target, result: record.result.signum() })
    }
}

/// The samples of some records.
///
/// # Errors
/// Names the first record that is no position.
pub(super) fn samples(
    records: &[RecordBytes],
    settings: &TrainingSettings,
) -> Result<Vec<TrainingSample>, TrainingError> {
    let mut samples = vec![TrainingSample::NONE; records.len()];
    samples.par_iter_mut().zip(records).with_min_len(PART).enumerate().try_for_each(|(number, (sample, bytes))| {
        *sample = TrainingSample::new(bytes, settings).map_err(|error| TrainingError::Record { number, error })?;
        Ok(())
    })?;
    Ok(samples)
}

/// The number of a feature in training, `[piece][king]`, which keeps the weights of a piece together. In files it is `[king][piece]`.
pub(super) fn piece_first(set: FeatureSet, feature: usize) -> usize {
    feature % set.pieces() * set.king_squares() + feature / set.pieces()
}

/// The quality of predictions, summed over samples.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Performance {
    samples: u64,
    loss: f64,
    result_loss: f64,
    decided: u64,
    right: u64,
}

impl Performance {
    /// The sums as words, for a checkpoint.
    pub(super) fn to_words(self) -> [u64; 5] {
        [self.samples, self.loss.to_bits(), self.result_loss.to_bits(), self.decided, self.right]
    }

    pub(super) fn from_words([samples, loss, result_loss, decided, right]: [u64; 5]) -> Self {
        Self { samples, loss: f64::from_bits(loss), result_loss: f64::from_bits(result_loss), decided, right }
    }

    /// The performance on one sample, given the logarithm of the odds that the side to move wins.
    pub(super) fn of(sample: &TrainingSample, log_odds: f32) -> Self {
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

    /// The mean cross entropy to the results alone, in nats; 0.693 without any knowledge.
    #[must_use]
    pub fn result_loss(&self) -> f64 {
        self.result_loss / self.samples as f64
    }

    /// The share of the samples with a winner in which the value favours the winner; 0.5 if no sample has a winner.
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
        let sample = |target, result| TrainingSample { target, result, ..TrainingSample::NONE };
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

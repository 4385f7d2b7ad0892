//! Records as inputs of a network, and the quality of a network on them.

use std::iter::Sum;
use std::ops::{AddAssign, Range};

use anyhow::{Context as _, Result};
use kiki_board::{UnpackError, opponent};
use kiki_eval::{Architecture, FeatureSet};
use kiki_stats::logistic::softplus;
use rayon::prelude::*;

use super::settings::{PART, TrainingSettings};
use crate::psv::TrainingRecord;
use crate::shards::RecordBytes;

/// The target of a record, and the stack of the network that predicts it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label {
    /// The share of the points for the side to move.
    pub(super) target: f32,
    /// The result for the side to move: 1, 0, -1.
    pub(super) result: i8,
    /// The stack of layers; 0 for a network without stacks.
    pub(super) stack: u32,
}

impl Label {
    const NONE: Self = Self { target: 0.5, result: 0, stack: 0 };
}

/// Records as inputs and targets of a network.
#[derive(Clone, Default, Debug)]
pub(super) struct Samples {
    /// Number of features that are set for a side.
    active: usize,
    /// `[sample][side][feature]`, the side to move first. A feature is its piece times the number
    /// of king squares, plus the king's square, which keeps the weights of a piece together. In
    /// files it is `[king][piece]`.
    features: Vec<u32>,
    labels: Vec<Label>,
    /// Indices of all samples, in the order of their stacks.
    order: Vec<u32>,
    groups: Vec<SampleGroup>,
}

/// Samples of one stack, at most [`PART`], which a thread works on at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SampleGroup {
    pub(super) stack: usize,
    /// Their places in the order of all samples.
    pub(super) places: Range<usize>,
}

impl Samples {
    /// Replaces the samples by those of some records, and reuses the memory.
    pub(super) fn fill(&mut self, records: &[RecordBytes], settings: &TrainingSettings) -> Result<()> {
        let (set, _) = settings.shape.transformer();
        self.active = set.active_count();
        self.features.resize(2 * self.active * records.len(), 0);
        self.labels.resize(records.len(), Label::NONE);
        let places = self.features.par_chunks_exact_mut(2 * self.active).zip(&mut self.labels);
        let read_one = |(number, ((features, label), bytes)): (usize, ((&mut [u32], &mut Label), &RecordBytes))| {
            *label = read(bytes, settings, features).with_context(|| format!("record {number} of the batch"))?;
            anyhow::Ok(())
        };
        places.zip(records).with_min_len(PART / 4).enumerate().try_for_each(read_one)?;
        self.sort(settings.shape.stacks());
        Ok(())
    }

    fn sort(&mut self, stacks: usize) {
        self.order.clear();
        self.order.extend(0..self.labels.len() as u32);
        let stack = |&sample: &u32| self.labels[sample as usize].stack as usize;
        if stacks > 1 {
            self.order.sort_by_key(stack);
        }
        self.groups.clear();
        let mut start = 0;
        for same in self.order.chunk_by(|one, next| stack(one) == stack(next)) {
            let end = start + same.len();
            let parts = (start..end).step_by(PART).map(|start| start..end.min(start + PART));
            self.groups.extend(parts.map(|places| SampleGroup { stack: stack(&same[0]), places }));
            start = end;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.labels.len()
    }

    pub(super) fn features(&self) -> &[u32] {
        &self.features
    }

    pub(super) fn groups(&self) -> &[SampleGroup] {
        &self.groups
    }

    /// The features of each side of the samples in these places.
    pub(super) fn views(&self, places: Range<usize>) -> impl Iterator<Item = &[u32]> {
        let of_sample = |&sample: &u32| &self.features[2 * self.active * sample as usize..][..2 * self.active];
        self.order[places].iter().map(of_sample).flat_map(|both| both.chunks_exact(self.active))
    }

    pub(super) fn labels(&self, places: Range<usize>) -> impl Iterator<Item = &Label> {
        self.order[places].iter().map(|&sample| &self.labels[sample as usize])
    }

    /// Puts numbers of all samples back into the order of the records.
    pub(super) fn in_order_of_records<T: Copy + Default>(&self, numbers: impl Iterator<Item = T>) -> Vec<T> {
        let mut ordered = vec![T::default(); self.len()];
        self.order.iter().zip(numbers).for_each(|(&sample, number)| ordered[sample as usize] = number);
        ordered
    }
}

/// Reads a record, and writes its features.
fn read(bytes: &RecordBytes, settings: &TrainingSettings, features: &mut [u32]) -> Result<Label, UnpackError> {
    let record = TrainingRecord::from_bytes(bytes);
    let placement = record.sfen.unpack()?;
    let side = placement.side_to_move;
    let (set, _) = settings.shape.transformer();
    let (own, others) = features.split_at_mut(features.len() / 2);
    let kings = set.piece_views([side, opponent(side)], &placement, [&mut *own, &mut *others]);
    for (list, king) in [own, others].into_iter().zip(kings) {
        list.iter_mut().for_each(|piece| *piece = *piece * set.king_squares() as u32 + king as u32);
    }
    let stack = match &settings.shape {
        Architecture::Classic(_) => 0,
        Architecture::Sfnn(shape) => shape.choice.of_placement(&placement).unwrap_or_default() as u32,
    };
    let target = settings.target().points(record.score, record.result) as f32;
    Ok(Label { target, result: record.result.signum(), stack })
}

/// The number of a feature in training, given that in files.
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
    pub(super) fn of(label: &Label, log_odds: f32) -> Self {
        let log_odds = f64::from(log_odds);
        // -ln(1 - p) and -ln(p).
        let of_loss = softplus(log_odds);
        let of_win = of_loss - log_odds;
        let loss = |points: f64| points * of_win + (1.0 - points) * of_loss;
        let decided = label.result != 0;
        Self {
            samples: 1,
            loss: loss(label.target.into()),
            result_loss: loss((1.0 + f64::from(label.result)) / 2.0),
            decided: decided.into(),
            right: (decided && (log_odds > 0.0) == (label.result > 0)).into(),
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

    /// The share of the samples with a winner in which the value favours the winner; 0.5 if no
    /// sample has a winner.
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

impl Sum for Performance {
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        let mut sum = Self::default();
        terms.for_each(|term| sum += term);
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_cross_entropies_and_finite_for_any_value() {
        let sample = |target, result| Label { target, result, ..Label::NONE };
        let even = Performance::of(&sample(0.7, 1), 0.0);
        assert!((even.loss() - 2_f64.ln()).abs() < 1e-12 && (even.result_loss() - 2_f64.ln()).abs() < 1e-12);
        let sure = Performance::of(&sample(0.25, -1), 3_f32.ln());
        let expected = -0.25 * 0.75_f64.ln() - 0.75 * 0.25_f64.ln();
        assert!((sure.loss() - expected).abs() < 1e-6 && (sure.result_loss() - 4_f64.ln()).abs() < 1e-6);
        assert!((Performance::of(&sample(0.0, -1), 1000.0).loss() - 1000.0).abs() < 1e-9);
        assert_eq!([even, sure].into_iter().sum::<Performance>().accuracy(), 0.0, "an even value is on nobody's side");
        let right = Performance::of(&sample(1.0, 1), 2.0);
        assert_eq!([sure, right].into_iter().sum::<Performance>().accuracy(), 0.5);
        assert_eq!(Performance::of(&sample(0.5, 0), 2.0).accuracy(), 0.5, "a draw has no winner");
    }
}

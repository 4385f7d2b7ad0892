//! A training, step by step.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use kiki_eval::NetworkParameters;

use super::adam::{Adam, EPSILON};
use super::batch::{BatchGradients, performance, samples};
use super::model::Model;
use super::sample::Sample;
use super::settings::{TrainingSettings, TrainingSettingsError};
use crate::psv::UnpackError;
use crate::shards::RecordBytes;

/// Why records cannot be learned from.
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

    /// The part of the games with a winner in which the value was on his side.
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        self.right as f64 / self.decided as f64
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

/// A training: the model, and how far it is.
pub struct Learner {
    pub(super) settings: TrainingSettings,
    pub(super) model: Model,
    /// The steps done.
    pub(super) steps: u64,
    /// How good the model was in the steps since this was taken.
    pub(super) recent: Performance,
    gradients: BatchGradients,
}

impl Learner {
    /// A training at its beginning.
    ///
    /// # Errors
    /// Settings that make no sense.
    pub fn new(settings: TrainingSettings) -> Result<Self, TrainingSettingsError> {
        settings.check()?;
        let model = Model::new(settings.shape, settings.factorised, settings.seed);
        Ok(Self { settings, model, steps: 0, recent: Performance::default(), gradients: BatchGradients::default() })
    }

    /// A training that begins with the numbers that another one has come to.
    ///
    /// # Errors
    /// Settings that make no sense, or that ask for another shape than the other training's.
    pub fn after(settings: TrainingSettings, other: Self) -> Result<Self, TrainingSettingsError> {
        let mut learner = Self::new(settings)?;
        let form = |learner: &Self| (learner.settings.shape, learner.settings.factorised);
        if form(&learner) != form(&other) {
            return Err(TrainingSettingsError::Start(other.settings.shape));
        }
        learner.model = other.model.without_moments();
        Ok(learner)
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &TrainingSettings {
        &self.settings
    }

    /// The steps done.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// How good the model was, each time before it learned from the batch, since this was asked for last.
    pub fn take_recent(&mut self) -> Performance {
        std::mem::take(&mut self.recent)
    }

    /// Learns from a batch.
    ///
    /// # Errors
    /// A record that is no position, or no record; nothing has changed then.
    pub fn step(&mut self, records: &[RecordBytes]) -> Result<(), TrainingError> {
        let samples = samples(records, &self.settings)?;
        if samples.is_empty() {
            return Err(TrainingError::Empty);
        }
        let Self { settings, model, steps, recent, gradients } = self;
        let (gradient, performance) = gradients.compute(model, &samples, settings);
        let adam = [settings.row_epsilon, EPSILON].map(|epsilon| Adam::new(settings.rate(*steps), epsilon, *steps));
        model.update(&gradient, &gradients.index, &gradients.of_views, adam, *steps);
        *steps += 1;
        *recent += performance;
        Ok(())
    }

    /// How good the model is on some records.
    ///
    /// # Errors
    /// A record that is no position.
    pub fn evaluate(&self, records: &[RecordBytes]) -> Result<Performance, TrainingError> {
        Ok(performance(&self.model, &samples(records, &self.settings)?, &self.settings))
    }

    /// The output for each record, in units of a network file's output.
    ///
    /// # Errors
    /// A record that is no position.
    pub fn outputs(&self, records: &[RecordBytes]) -> Result<Vec<f64>, TrainingError> {
        Ok(self.model.outputs(&samples(records, &self.settings)?))
    }

    /// The network in the form of a file.
    #[must_use]
    pub fn network(&self) -> NetworkParameters {
        self.model.to_network()
    }
}

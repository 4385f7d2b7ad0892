//! A training, step by step.

use kiki_eval::NetworkParameters;

use super::adam::{Adam, EPSILON};
use super::batch::{BatchGradients, performance, samples};
use super::model::Model;
use super::performance::Performance;
use super::sample::TrainingError;
use super::settings::{TrainingSettings, TrainingSettingsError};
use crate::shards::RecordBytes;

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

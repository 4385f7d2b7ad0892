//! The course of a training: one step after the other.

use anyhow::{Result, ensure};
use kiki_eval::{Architecture, NetworkFile};

use super::adam::{Adam, EPSILON};
use super::batch::Batch;
use super::model::Model;
use super::samples::{Performance, Samples};
use super::settings::TrainingSettings;
use crate::shards::RecordBytes;

pub struct Learner {
    settings: TrainingSettings,
    pub(super) model: Model,
    pub(super) steps: u64,
    /// Performance in the steps since the last call of [`Self::take_recent`].
    pub(super) recent: Performance,
    samples: Samples,
    batch: Batch,
}

impl Learner {
    pub fn new(settings: TrainingSettings) -> Result<Self> {
        settings.check()?;
        let model = Model::new(settings.shape, settings.factorised, settings.seed);
        let (samples, batch) = (Samples::default(), Batch::default());
        Ok(Self { settings, model, steps: 0, recent: Performance::default(), samples, batch })
    }

    /// A training that begins with the numbers of another one. Shape and factorisation must agree.
    pub fn after(settings: TrainingSettings, other: Self) -> Result<Self> {
        let mut learner = Self::new(settings)?;
        let is_alike = learner.settings.factorised == other.settings.factorised;
        learner.check_start(other.settings.shape, is_alike)?;
        learner.model = other.model.without_moments();
        Ok(learner)
    }

    /// A training that begins with the network of a file, which must have the shape of the
    /// settings. Its numbers are integers: what was learned in smaller steps is lost.
    pub fn after_network(settings: TrainingSettings, network: &NetworkFile) -> Result<Self> {
        let mut learner = Self::new(settings)?;
        learner.check_start(network.architecture, true)?;
        learner.model = Model::of_network(network, learner.settings.factorised);
        Ok(learner)
    }

    fn check_start(&self, shape: Architecture, is_alike: bool) -> Result<()> {
        ensure!(
            shape == self.settings.shape && is_alike,
            "the network to begin with is {shape}, or its features are factorised otherwise: shape and factors must agree"
        );
        Ok(())
    }

    #[must_use]
    pub fn settings(&self) -> &TrainingSettings {
        &self.settings
    }

    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Performance since the last call, on each batch before the model learned from it.
    pub fn take_recent(&mut self) -> Performance {
        std::mem::take(&mut self.recent)
    }

    /// Learns from a batch. An error leaves the model as it is.
    pub fn step(&mut self, records: &[RecordBytes]) -> Result<()> {
        let Self { settings, model, steps, recent, samples, batch } = self;
        samples.fill(records, settings)?;
        ensure!(!records.is_empty(), "there are no records");
        let (gradient, performance) = batch.gradients(model, samples, settings);
        let adam = [settings.row_epsilon, EPSILON]
            .map(|epsilon| Adam::new(settings.rate(*steps), epsilon, settings.weight_decay, *steps));
        model.update(&gradient, batch.of_features(), adam, *steps);
        *steps += 1;
        *recent += performance;
        Ok(())
    }

    pub fn evaluate(&self, records: &[RecordBytes]) -> Result<Performance> {
        let parts =
            self.for_batches(records, |batch, samples| batch.performance(&self.model, samples, &self.settings))?;
        Ok(parts.into_iter().sum())
    }

    /// The output for each record, in units of a network file's output.
    pub fn outputs(&self, records: &[RecordBytes]) -> Result<Vec<f64>> {
        let parts = self.for_batches(records, |batch, samples| batch.outputs(&self.model, samples))?;
        Ok(parts.concat())
    }

    fn for_batches<T>(
        &self,
        records: &[RecordBytes],
        mut function: impl FnMut(&mut Batch, &Samples) -> T,
    ) -> Result<Vec<T>> {
        let (mut samples, mut batch) = (Samples::default(), Batch::default());
        let mut of_batch = |records| {
            samples.fill(records, &self.settings)?;
            Ok(function(&mut batch, &samples))
        };
        records.chunks(self.settings.batch).map(&mut of_batch).collect()
    }

    #[must_use]
    pub fn network(&self) -> NetworkFile {
        self.model.to_network()
    }
}

//! One batch: its samples, how good the model is on them, and the gradients.

use kiki_eval::DEFAULT_FV_SCALE;
use nalgebra::DMatrix;
use rayon::prelude::*;

use super::blocks::PART;
use super::model::{ACTIVATION, Model, ModelGradient, WEIGHT};
use super::performance::Performance;
use super::sample::{Sample, TrainingError};
use super::settings::TrainingSettings;
use super::table::FeatureIndex;
use crate::shards::RecordBytes;

/// The centipawns of an output of 1.
const CENTIPAWNS: f32 = ACTIVATION * WEIGHT / DEFAULT_FV_SCALE as f32;

/// The samples of some records.
///
/// # Errors
/// Names the first record that is no position.
pub(super) fn samples(records: &[RecordBytes], settings: &TrainingSettings) -> Result<Vec<Sample>, TrainingError> {
    let mut samples = vec![Sample::NONE; records.len()];
    samples.par_iter_mut().zip(records).with_min_len(PART).enumerate().try_for_each(|(number, (sample, bytes))| {
        *sample = Sample::new(bytes, settings).map_err(|error| TrainingError::Record { number, error })?;
        Ok(())
    })?;
    Ok(samples)
}

/// The logarithm of the odds that an output of 1 stands for.
fn log_odds_of_one(settings: &TrainingSettings) -> f32 {
    CENTIPAWNS * 3_f32.ln() / settings.network_scale as f32
}

/// How good the model is on some samples.
pub(super) fn performance(model: &Model, samples: &[Sample], settings: &TrainingSettings) -> Performance {
    let unit = log_odds_of_one(settings);
    let parts: Vec<Performance> = samples
        .par_chunks(PART)
        .map(|samples| {
            let outputs = model.forward(samples).outputs;
            samples.iter().zip(&outputs).map(|(sample, output)| Performance::of(sample, unit * output)).sum()
        })
        .collect();
    parts.into_iter().sum()
}

/// The gradients of a batch, in memory that is used again.
#[derive(Default)]
pub(super) struct BatchGradients {
    pub(super) index: FeatureIndex,
    /// By view, those of the sums of its features.
    pub(super) of_views: Vec<f32>,
}

impl BatchGradients {
    /// Computes the gradients of the mean loss. Returns those of all numbers but the features', which `index` and `of_views` are for.
    pub(super) fn compute(
        &mut self,
        model: &Model,
        samples: &[Sample],
        settings: &TrainingSettings,
    ) -> (ModelGradient, Performance) {
        let Self { index, of_views } = self;
        let views = 2 * model.shape.l1;
        of_views.resize(samples.len() * views, 0.0);
        let unit = log_odds_of_one(settings);
        let gradients = of_views.par_chunks_mut(PART * views).zip(samples.par_chunks(PART)).map(|(of_views, part)| {
            let activations = model.forward(part);
            let mut performance = Performance::default();
            let mut of_outputs = DMatrix::zeros(1, part.len());
            for (sample, (output, gradient)) in part.iter().zip(activations.outputs.iter().zip(&mut of_outputs)) {
                let log_odds = unit * output;
                performance += Performance::of(sample, log_odds);
                *gradient = (sigmoid(log_odds) - sample.target) * unit / samples.len() as f32;
            }
            (model.backward(&activations, &of_outputs, of_views), performance)
        });
        let features = samples.iter().flat_map(|sample| &sample.features);
        let ((), parts) = rayon::join(
            || index.fill(model.shape.features.count(), features),
            || gradients.collect::<Vec<(ModelGradient, Performance)>>(),
        );
        let sum = parts.into_iter().reduce(|(mut gradient, performance), (of_part, part)| {
            gradient.add(&of_part);
            (gradient, performance + part)
        });
        sum.expect("a batch is a multiple of a part")
    }
}

/// The probability of these logarithmic odds.
fn sigmoid(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds).exp())
}

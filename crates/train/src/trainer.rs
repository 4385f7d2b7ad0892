//! A trainer for networks: records in, a network file's numbers out.
//!
//! A step takes a batch of records and changes the numbers of a [`Model`] so that its value agrees better with their scores and results.
//!
//! | file | what |
//! |---|---|
//! | `settings` | what a training depends on |
//! | `samples` | which records make which batch; a record as features and target; losses |
//! | `table`, `layers`, `model` | the network: the transformer's rows, the dense layers behind it, the whole; Adam |
//! | this one | a batch, the steps, checkpoints |
//!
//! Results do not depend on the number of threads: a batch is divided into parts of a fixed size, and sums are made in a fixed order.

pub mod command;
mod layers;
mod model;
mod samples;
mod settings;
mod table;
#[cfg(test)]
mod tests;

pub use model::Model;
pub use samples::{Performance, TrainingError};
pub use settings::{TrainingSettings, TrainingSettingsError};

use std::io::{self, Read, Write};

use kiki_eval::{ClassicParameters, DEFAULT_FV_SCALE};
use nalgebra::DMatrix;
use rayon::prelude::*;

use crate::shards::RecordBytes;
use layers::{Adam, EPSILON};
use model::{ACTIVATION, ModelGradient, WEIGHT};
use samples::{TrainingSample, samples};
use settings::PART;
use table::FeatureIndex;

/// A training: the model and its progress.
pub struct Learner {
    settings: TrainingSettings,
    model: Model,
    /// The steps done.
    steps: u64,
    /// Performance in the steps since the last call of [`Self::take_recent`].
    recent: Performance,
    gradients: BatchGradients,
}

impl Learner {
    /// A training at its beginning.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn new(settings: TrainingSettings) -> Result<Self, TrainingSettingsError> {
        settings.check()?;
        let model = Model::new(settings.shape, settings.factorised, settings.seed);
        Ok(Self { settings, model, steps: 0, recent: Performance::default(), gradients: BatchGradients::default() })
    }

    /// A training that begins with the numbers of another one.
    ///
    /// # Errors
    /// If a setting is out of range, or shape or factors differ from the other training's.
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

    /// Performance since the last call, on each batch before the model learned from it.
    pub fn take_recent(&mut self) -> Performance {
        std::mem::take(&mut self.recent)
    }

    /// Learns from a batch.
    ///
    /// # Errors
    /// If a record is no position, or there is no record. The model stays as it is.
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

    /// Performance of the model on some records.
    ///
    /// # Errors
    /// If a record is no position.
    pub fn evaluate(&self, records: &[RecordBytes]) -> Result<Performance, TrainingError> {
        Ok(performance(&self.model, &samples(records, &self.settings)?, &self.settings))
    }

    /// The output for each record, in units of a network file's output.
    ///
    /// # Errors
    /// If a record is no position.
    pub fn outputs(&self, records: &[RecordBytes]) -> Result<Vec<f64>, TrainingError> {
        Ok(self.model.outputs(&samples(records, &self.settings)?))
    }

    /// The network in the form of a file.
    #[must_use]
    pub fn network(&self) -> ClassicParameters {
        self.model.to_network()
    }
}

/// The centipawns of an output of 1.
const CENTIPAWNS: f32 = ACTIVATION * WEIGHT / DEFAULT_FV_SCALE as f32;

/// The logarithm of the odds for an output of 1.
fn log_odds_of_one(settings: &TrainingSettings) -> f32 {
    CENTIPAWNS * 3_f32.ln() / settings.network_scale as f32
}

/// Performance of the model on some samples.
fn performance(model: &Model, samples: &[TrainingSample], settings: &TrainingSettings) -> Performance {
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

/// The gradients of a batch. Batches share the memory.
#[derive(Default)]
struct BatchGradients {
    index: FeatureIndex,
    /// Gradients of the sums of the features, `[sample][side][unit]`.
    of_views: Vec<f32>,
}

impl BatchGradients {
    /// Computes the gradients of the mean loss. Returns those of all numbers behind the features; those of the features follow from `index`
    /// and `of_views`.
    fn compute(
        &mut self,
        model: &Model,
        samples: &[TrainingSample],
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

/// The first bytes of a checkpoint.
const MAGIC: [u8; 8] = *b"KIKITRN1";
/// Number of values written at once.
const CHUNK: usize = 1 << 16;

/// Why a training cannot go on from a checkpoint.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The bytes cannot be read, or there are too few.
    #[error("the checkpoint cannot be read: {0}")]
    Io(#[from] io::Error),
    /// Other bytes than a checkpoint's.
    #[error("this is no checkpoint")]
    Magic,
    /// More bytes than these settings need.
    #[error("the checkpoint is longer than these settings ask for")]
    TooLong,
    /// The settings are out of range.
    #[error(transparent)]
    Settings(#[from] TrainingSettingsError),
}

/// All floating-point numbers of a training, always in the same order.
fn numbers(model: &mut Model) -> Vec<&mut [f32]> {
    let mut all: Vec<&mut [f32]> = Vec::new();
    for rows in [&mut model.table.rows, &mut model.table.pieces] {
        all.extend([&mut rows.numbers[..], &mut rows.moments.first, &mut rows.moments.second]);
    }
    all.extend([&mut model.biases[..], &mut model.bias_moments.first, &mut model.bias_moments.second]);
    for layer in &mut model.layers {
        all.extend([layer.weights.as_mut_slice(), &mut layer.weight_moments.first, &mut layer.weight_moments.second]);
        all.extend([&mut layer.biases[..], &mut layer.bias_moments.first, &mut layer.bias_moments.second]);
    }
    all
}

/// The last change of each row.
fn changed(model: &mut Model) -> [&mut [u64]; 2] {
    [&mut model.table.rows.changed, &mut model.table.pieces.changed]
}

impl Learner {
    /// Writes all that the next steps depend on, without settings and records. `self` is mutable only because one list of the numbers serves
    /// for writing and reading.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn save(&mut self, writer: &mut impl Write) -> io::Result<()> {
        writer.write_all(&MAGIC)?;
        for word in [self.steps].into_iter().chain(self.recent.to_words()) {
            writer.write_all(&word.to_le_bytes())?;
        }
        for chunk in numbers(&mut self.model).iter().flat_map(|numbers| numbers.chunks(CHUNK)) {
            writer.write_all(&chunk.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>())?;
        }
        for chunk in changed(&mut self.model).iter().flat_map(|steps| steps.chunks(CHUNK)) {
            writer.write_all(&chunk.iter().flat_map(|step| step.to_le_bytes()).collect::<Vec<u8>>())?;
        }
        Ok(())
    }

    /// Reads a saved training, given its settings.
    ///
    /// # Errors
    /// If the bytes are no checkpoint of a training with these settings.
    pub fn load(settings: TrainingSettings, reader: &mut impl Read) -> Result<Self, CheckpointError> {
        let mut learner = Self::new(settings)?;
        if array(reader)? != MAGIC {
            return Err(CheckpointError::Magic);
        }
        let mut word = || array(reader).map(u64::from_le_bytes);
        learner.steps = word()?;
        learner.recent = Performance::from_words([word()?, word()?, word()?, word()?, word()?]);
        let mut bytes = Vec::new();
        for chunk in numbers(&mut learner.model).into_iter().flat_map(|numbers| numbers.chunks_mut(CHUNK)) {
            bytes.resize(4 * chunk.len(), 0);
            reader.read_exact(&mut bytes)?;
            let (words, _) = bytes.as_chunks();
            chunk.iter_mut().zip(words).for_each(|(number, word)| *number = f32::from_le_bytes(*word));
        }
        for chunk in changed(&mut learner.model).into_iter().flat_map(|steps| steps.chunks_mut(CHUNK)) {
            bytes.resize(8 * chunk.len(), 0);
            reader.read_exact(&mut bytes)?;
            let (words, _) = bytes.as_chunks();
            chunk.iter_mut().zip(words).for_each(|(step, word)| *step = u64::from_le_bytes(*word));
        }
        if reader.read(&mut [0])? > 0 {
            return Err(CheckpointError::TooLong);
        }
        Ok(learner)
    }
}

fn array(reader: &mut impl Read) -> io::Result<[u8; 8]> {
    let mut bytes = [0; 8];
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
}

//! A training written down, so that it can be gone on with as if it had not been interrupted.

use std::io::{self, Read, Write};

use super::learner::Learner;
use super::model::Model;
use super::performance::Performance;
use super::settings::{TrainingSettings, TrainingSettingsError};

/// What a checkpoint begins with.
const MAGIC: [u8; 8] = *b"KIKITRN1";
/// Numbers that are written at once.
const CHUNK: usize = 1 << 16;

/// Why a checkpoint cannot be gone on with.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The bytes cannot be read; too few are such an error too.
    #[error("the checkpoint cannot be read: {0}")]
    Io(#[from] io::Error),
    /// Something else.
    #[error("this is no checkpoint")]
    Magic,
    /// More than the settings ask for.
    #[error("the checkpoint is longer than these settings ask for")]
    TooLong,
    /// The settings it was made with.
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

/// When each row was changed last.
fn changed(model: &mut Model) -> [&mut [u64]; 2] {
    [&mut model.table.rows.changed, &mut model.table.pieces.changed]
}

impl Learner {
    /// Writes all that the next steps depend on but settings and records. Takes `self` mutably only because the numbers are listed once
    /// for writing and reading.
    ///
    /// # Errors
    /// If it cannot be written.
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

    /// The training that was saved, given its settings.
    ///
    /// # Errors
    /// Bytes that are no checkpoint of a training with these settings.
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

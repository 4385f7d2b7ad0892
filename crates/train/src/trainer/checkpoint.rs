//! The state of a training in bytes.

use std::io::{self, Read, Write};

use anyhow::{Context as _, Result, ensure};

use super::Learner;
use super::model::Model;
use super::samples::Performance;
use super::settings::TrainingSettings;

const MAGIC: [u8; 8] = *b"KIKITRN2";
const CHUNK: usize = 1 << 16;

/// All floating-point numbers of a training, always in the same order.
fn numbers(model: &mut Model) -> Vec<&mut [f32]> {
    let mut all: Vec<&mut [f32]> = Vec::new();
    for rows in [&mut model.table.rows, &mut model.table.pieces, &mut model.table.relations] {
        all.extend([&mut rows.numbers[..], &mut rows.moments.first, &mut rows.moments.second]);
    }
    all.extend([&mut model.biases[..], &mut model.bias_moments.first, &mut model.bias_moments.second]);
    let rows = &mut model.stacks.rows;
    let mut lists = [&mut rows.numbers[..], &mut rows.moments.first, &mut rows.moments.second];
    while !lists[0].is_empty() {
        // The moments of weights and of biases follow the numbers that they belong to.
        for size in model.stacks.layers.iter().flat_map(|layer| [layer.weights().len(), layer.biases().len()]) {
            all.extend(lists.each_mut().map(|list| list.split_off_mut(..size).expect("lists of the same length")));
        }
    }
    all.extend([&mut model.stacks.common.first[..], &mut model.stacks.common.second]);
    all
}

/// The last change of each row and stack. A single stack changes in every step and is left out.
fn changed(model: &mut Model) -> Vec<&mut [u64]> {
    let table = &mut model.table;
    let mut all = vec![&mut table.rows.changed[..], &mut table.pieces.changed, &mut table.relations.changed];
    if model.stacks.rows.changed.len() > 1 {
        all.push(&mut model.stacks.rows.changed);
    }
    all
}

impl Learner {
    /// Writes all that the next steps depend on, without settings and records. `self` is mutable
    /// only because `numbers` serves for writing and reading.
    pub fn save(&mut self, writer: &mut impl Write) -> Result<()> {
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

    pub fn load(settings: TrainingSettings, reader: &mut impl Read) -> Result<Self> {
        let mut learner = Self::new(settings)?;
        learner.read(reader).context("the checkpoint cannot be read")?;
        Ok(learner)
    }

    fn read(&mut self, reader: &mut impl Read) -> Result<()> {
        ensure!(word(reader)? == MAGIC, "its first bytes are those of another file");
        let mut number = || word(reader).map(u64::from_le_bytes);
        self.steps = number()?;
        self.recent = Performance::from_words([number()?, number()?, number()?, number()?, number()?]);
        let mut bytes = Vec::new();
        for chunk in numbers(&mut self.model).into_iter().flat_map(|numbers| numbers.chunks_mut(CHUNK)) {
            bytes.resize(4 * chunk.len(), 0);
            reader.read_exact(&mut bytes)?;
            let (words, _) = bytes.as_chunks();
            chunk.iter_mut().zip(words).for_each(|(number, word)| *number = f32::from_le_bytes(*word));
        }
        for chunk in changed(&mut self.model).into_iter().flat_map(|steps| steps.chunks_mut(CHUNK)) {
            bytes.resize(8 * chunk.len(), 0);
            reader.read_exact(&mut bytes)?;
            let (words, _) = bytes.as_chunks();
            chunk.iter_mut().zip(words).for_each(|(step, word)| *step = u64::from_le_bytes(*word));
        }
        if let [changed] = &mut self.model.stacks.rows.changed[..] {
            *changed = self.steps;
        }
        ensure!(reader.read(&mut [0])? == 0, "it is longer than these settings ask for");
        Ok(())
    }
}

fn word(reader: &mut impl Read) -> io::Result<[u8; 8]> {
    let mut bytes = [0; 8];
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
}

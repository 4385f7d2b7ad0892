//! The settings of a training and its result.

use std::path::{Path, PathBuf};

use crate::data::ReturnsWeights;
use crate::trainer::TrainingSettings;
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use super::arguments::{EvaluationPlan, TrainArgs};
use kiki_run::PROGRAM;
use kiki_run::files::blake3_of;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TrainingNote {
    program: String,
    commit: Option<String>,
    pub(super) settings: TrainingSettings,
    /// The checkpoint or network with whose numbers this training began.
    start: Option<NotedFile>,
    /// The earlier trainings of those numbers, the last one first; none for a network without note.
    #[serde(default)]
    ancestors: Vec<Ancestor>,
    pub(super) data: Vec<NotedFile>,
    pub(super) held_out: Vec<NotedFile>,
    /// How the scores of games are mixed with later ones.
    #[serde(default)]
    pub(super) returns: ReturnsWeights,
    #[serde(flatten)]
    pub(super) evaluation: EvaluationPlan,
    pub(super) result: TrainingResult,
}

/// A training whose numbers another one began with.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ancestor {
    /// Records that the numbers have learned from.
    positions: u64,
    data: Vec<NotedFile>,
    /// The checksum of its best network, if it has one.
    blake3: Option<String>,
}

/// A file that the training depends on.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NotedFile {
    /// An absolute path, because a later run may continue from another folder.
    file: PathBuf,
    blake3: String,
}

impl NotedFile {
    pub(super) fn new(file: PathBuf) -> Result<Self> {
        Ok(Self { blake3: blake3_of(&file)?, file: std::path::absolute(file)? })
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TrainingResult {
    /// Whether it has ended: all positions were learned from, or `patience` ran out.
    pub(super) ended: bool,
    pub(super) positions: u64,
    /// Seconds of all runs.
    pub(super) seconds: f64,
    pub(super) best: Option<BestNetwork>,
}

/// A network that was written, and its quality on the held-out records.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BestNetwork {
    pub(super) positions: u64,
    /// Cross entropy to the targets, in nats.
    pub(super) loss: f64,
    /// Cross entropy to the results alone.
    pub(super) result_loss: f64,
    /// Share of the positions of decided games in which the value favours the winner.
    pub(super) accuracy: f64,
    /// Mean difference of integer and floating-point values, in centipawns at FV_SCALE 16.
    pub(super) integer_error: f64,
    /// The greatest such difference.
    pub(super) greatest_integer_error: f64,
    pub(super) blake3: String,
}

fn data_files(paths: &[PathBuf]) -> Result<Vec<NotedFile>> {
    paths.iter().map(|path| NotedFile::new(path.clone())).collect()
}

impl TrainingNote {
    /// The note of a training that begins; `before` is that of the training whose numbers it begins
    /// with. Refuses a file that is both learned from and held out.
    pub(super) fn new(
        arguments: &TrainArgs,
        settings: TrainingSettings,
        start: Option<NotedFile>,
        before: Option<Self>,
    ) -> Result<Self> {
        let (data, held_out) = (data_files(&arguments.data)?, data_files(&arguments.held_out)?);
        for file in &held_out {
            let same = data.iter().any(|other| other.blake3 == file.blake3);
            ensure!(!same, "{} is among the files to learn from: it cannot be held out too", file.file.display());
        }
        let options = &arguments.options;
        Ok(Self {
            program: PROGRAM.to_owned(),
            commit: options.commit.clone(),
            settings,
            start,
            ancestors: before.map(Self::into_ancestors).unwrap_or_default(),
            data,
            held_out,
            returns: options.returns,
            evaluation: options.evaluation,
            result: TrainingResult::default(),
        })
    }

    fn into_ancestors(self) -> Vec<Ancestor> {
        let TrainingResult { positions, best, .. } = self.result;
        let own = Ancestor { positions, data: self.data, blake3: best.map(|best| best.blake3) };
        std::iter::once(own).chain(self.ancestors).collect()
    }

    /// The same training as if it had ended with its best network.
    pub(super) fn up_to_best(mut self) -> Self {
        if let Some(best) = &self.result.best {
            self.result.positions = best.positions;
        }
        self
    }

    /// Whether the network of this file is the best of the training.
    pub(super) fn is_of(&self, network: &NotedFile) -> bool {
        self.result.best.as_ref().is_some_and(|best| best.blake3 == network.blake3)
    }

    /// Refuses data that have changed since the training began.
    pub(super) fn check_data(&self) -> Result<()> {
        for NotedFile { file, blake3 } in self.data.iter().chain(&self.held_out) {
            ensure!(blake3_of(file)? == *blake3, "{} has changed since the training began", file.display());
        }
        Ok(())
    }
}

pub(super) fn paths(files: &[NotedFile]) -> impl Iterator<Item = PathBuf> {
    files.iter().map(|file| Path::to_owned(&file.file))
}

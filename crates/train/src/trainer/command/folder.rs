//! The files of a training.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use crate::trainer::{Learner, TrainingSettings};
use anyhow::{Context as _, Result, ensure};
use kiki_platform::{MOST_RECORDS, MOST_SETTINGS, lock_file, open_regular_file, read_regular_text};

use super::curve::CurvePoint;
use super::note::{NotedFile, TrainingNote};
use kiki_run::files::{write_atomically, write_atomically_by, write_json};
use kiki_run::journal::TRAINING;

pub(super) struct TrainingFolder {
    pub(super) path: PathBuf,
    note: PathBuf,
    checkpoint: PathBuf,
    curve: PathBuf,
    pub(super) picture: PathBuf,
    pub(super) network: PathBuf,
}

impl TrainingFolder {
    fn at(path: PathBuf) -> Self {
        let file = |name| path.join(name);
        let (note, checkpoint, curve) = (file(TRAINING), file("checkpoint.bin"), file("curve.jsonl"));
        Self { note, checkpoint, curve, picture: file("curves.svg"), network: file("nn.bin"), path }
    }

    /// Creates the folder, which must not exist yet.
    pub(super) fn create(path: PathBuf) -> Result<Self> {
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
        }
        fs::create_dir(&path).with_context(|| format!("--out {}", path.display()))?;
        Ok(Self::at(path))
    }

    pub(super) fn open(path: PathBuf) -> Result<Self> {
        fs::read_dir(&path).with_context(|| path.display().to_string())?;
        Ok(Self::at(path))
    }

    /// Keeps other processes from training here as long as the file is open.
    pub(super) fn lock(&self) -> Result<File> {
        let path = self.path.join("lock");
        let file = File::create(&path).with_context(|| path.display().to_string())?;
        ensure!(lock_file(&file), "{}: another process trains here", self.path.display());
        Ok(file)
    }

    /// Whether a folder has a note and a checkpoint to resume from.
    pub(super) fn has_begun(path: &Path) -> bool {
        let folder = Self::at(path.to_owned());
        folder.note.is_file() && folder.checkpoint.is_file()
    }

    pub(super) fn read_note(&self) -> Result<TrainingNote> {
        let place = || self.note.display().to_string();
        serde_json::from_str(&read_regular_text(&self.note, MOST_SETTINGS).with_context(place)?).with_context(place)
    }

    pub(super) fn write_note(&self, note: &TrainingNote) -> Result<()> {
        write_json(&self.note, note)
    }

    pub(super) fn checkpoint_file(&self) -> Result<NotedFile> {
        NotedFile::new(self.checkpoint.clone())
    }

    pub(super) fn read_checkpoint(&self, settings: &TrainingSettings) -> Result<Learner> {
        let place = || self.checkpoint.display().to_string();
        let file = open_regular_file(&self.checkpoint).with_context(place)?;
        Learner::load(settings.clone(), &mut BufReader::new(file)).with_context(place)
    }

    pub(super) fn write_checkpoint(&self, learner: &mut Learner) -> Result<()> {
        let place = || self.checkpoint.display().to_string();
        write_atomically_by(&self.checkpoint, |writer| learner.save(writer).with_context(place))
    }

    /// The points of the curve up to a number of positions.
    pub(super) fn read_curve(&self, positions: u64) -> Result<Vec<CurvePoint>> {
        if !self.curve.exists() {
            return Ok(Vec::new());
        }
        let place = || self.curve.display().to_string();
        let text = read_regular_text(&self.curve, MOST_RECORDS).with_context(place)?;
        let points = text.lines().map(|line| serde_json::from_str(line).with_context(place));
        points.filter(|point| point.as_ref().map_or(true, |point: &CurvePoint| point.positions <= positions)).collect()
    }

    pub(super) fn write_curve(&self, curve: &[CurvePoint]) -> Result<()> {
        let lines: Result<Vec<String>, _> = curve.iter().map(serde_json::to_string).collect();
        write_atomically(&self.curve, (lines?.join("\n") + "\n").as_bytes())
    }
}

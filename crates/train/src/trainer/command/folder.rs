//! The files of a training.

use std::fs;
use std::io::{BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use crate::trainer::{Learner, TrainingSettings};
use anyhow::{Context as _, Result};
use kiki_platform::{MOST_RECORDS, MOST_SETTINGS, open_regular_file, read_regular_text};

use super::curve::CurvePoint;
use super::note::{NotedFile, TrainingNote};
use kiki_run::files::{write_atomically, write_json};

/// The name of the note, which identifies the folder of a training.
pub(super) const NOTE: &str = "training.json";

pub(super) struct TrainingFolder(PathBuf);

impl TrainingFolder {
    /// Creates the folder, which must not exist yet.
    pub(super) fn create(path: PathBuf) -> Result<Self> {
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
        }
        fs::create_dir(&path).with_context(|| format!("--out {}", path.display()))?;
        Ok(Self(path))
    }

    pub(super) fn open(path: PathBuf) -> Result<Self> {
        fs::read_dir(&path).with_context(|| path.display().to_string())?;
        Ok(Self(path))
    }

    /// Whether a folder has a note and a checkpoint to resume from.
    pub(super) fn has_begun(path: &Path) -> bool {
        let folder = Self(path.to_owned());
        folder.note().is_file() && folder.checkpoint().is_file()
    }

    fn note(&self) -> PathBuf {
        self.0.join(NOTE)
    }

    fn checkpoint(&self) -> PathBuf {
        self.0.join("checkpoint.bin")
    }

    fn curve(&self) -> PathBuf {
        self.0.join("curve.jsonl")
    }

    pub(super) fn picture(&self) -> PathBuf {
        self.0.join("curves.svg")
    }

    pub(super) fn network(&self) -> PathBuf {
        self.0.join("nn.bin")
    }

    pub(super) fn read_note(&self) -> Result<TrainingNote> {
        let place = || self.note().display().to_string();
        serde_json::from_str(&read_regular_text(self.note(), MOST_SETTINGS).with_context(place)?).with_context(place)
    }

    pub(super) fn write_note(&self, note: &TrainingNote) -> Result<()> {
        write_json(&self.note(), note)
    }

    /// The checkpoint with its checksum.
    pub(super) fn checkpoint_file(&self) -> Result<NotedFile> {
        NotedFile::new(self.checkpoint())
    }

    pub(super) fn read_checkpoint(&self, settings: &TrainingSettings) -> Result<Learner> {
        let path = self.checkpoint();
        let place = || path.display().to_string();
        let file = open_regular_file(&path).with_context(place)?;
        Learner::load(settings.clone(), &mut BufReader::new(file)).with_context(place)
    }

    pub(super) fn write_checkpoint(&self, learner: &mut Learner) -> Result<()> {
        let place = || self.checkpoint().display().to_string();
        let mut file = tempfile::NamedTempFile::new_in(&self.0).with_context(place)?;
        let mut writer = BufWriter::new(&mut file);
        learner.save(&mut writer).with_context(place)?;
        writer.flush().with_context(place)?;
        drop(writer);
        file.as_file().sync_all().with_context(place)?;
        file.persist(self.checkpoint()).with_context(place)?;
        Ok(())
    }

    /// The points of the curve up to a number of positions.
    pub(super) fn read_curve(&self, positions: u64) -> Result<Vec<CurvePoint>> {
        if !self.curve().exists() {
            return Ok(Vec::new());
        }
        let place = || self.curve().display().to_string();
        let text = read_regular_text(self.curve(), MOST_RECORDS).with_context(place)?;
        let points = text.lines().map(|line| serde_json::from_str(line).with_context(place));
        points.filter(|point| point.as_ref().map_or(true, |point: &CurvePoint| point.positions <= positions)).collect()
    }

    pub(super) fn write_curve(&self, curve: &[CurvePoint]) -> Result<()> {
        let lines: Result<Vec<String>, _> = curve.iter().map(serde_json::to_string).collect();
        write_atomically(&self.curve(), (lines?.join("\n") + "\n").as_bytes())
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

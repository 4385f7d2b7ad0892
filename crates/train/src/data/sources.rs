//! Reads files of games or records one after the other, with progress; stops at Ctrl-C.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::psv::TrainingRecord;
use crate::recorded::TrainingFile;
use anyhow::{Context as _, Result, ensure};
use kiki_platform::{MOST_SETTINGS, read_regular_text};
use rayon::prelude::*;
use serde::Serialize;

use kiki_run::files::blake3_of;
use kiki_run::interrupt::stop_flag;
use kiki_run::output::ProgressLine;

/// Approximate number of records that are read and checked at once.
const BATCH: usize = 1 << 14;

#[derive(Clone, Copy)]
pub(super) struct RecordPlace<'a> {
    pub(super) file: &'a Path,
    /// From 0.
    pub(super) record: u64,
    /// Whether the file holds whole games, which are checked as they are read.
    pub(super) in_games: bool,
    /// The scale of the file's scores, if it states one.
    pub(super) score_scale: Option<f64>,
}

impl RecordPlace<'_> {
    /// The place `records` records further.
    pub(super) fn later(&self, records: usize) -> Self {
        Self { record: self.record + records as u64, ..*self }
    }
}

impl fmt::Display for RecordPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, record {}", self.file.display(), self.record)?;
        if self.in_games {
            return Ok(());
        }
        write!(f, " (from byte {})", self.record * TrainingRecord::BYTES as u64)
    }
}

#[derive(Debug, Serialize)]
pub(super) struct SourceFile {
    /// An absolute path, for the note.
    pub(super) file: PathBuf,
    pub(super) records: u64,
    pub(super) blake3: String,
    /// Bytes after the last whole block of a file of games.
    #[serde(skip)]
    pub(super) torn: u64,
}

impl SourceFile {
    /// The checksum in the note beside the file, if there is one.
    pub(super) fn noted_sum(&self) -> Result<Option<String>> {
        let path = note_path(&self.file);
        if !path.exists() {
            return Ok(None);
        }
        let place = || path.display().to_string();
        let text = read_regular_text(&path, MOST_SETTINGS).with_context(place)?;
        let note: serde_json::Value = serde_json::from_str(&text).with_context(place)?;
        Ok(note.get("blake3").and_then(|sum| sum.as_str()).map(str::to_owned))
    }
}

/// `FILE.json`, the note beside `FILE`.
pub(super) fn note_path(file: &Path) -> PathBuf {
    let mut path = file.as_os_str().to_owned();
    path.push(".json");
    path.into()
}

/// Ctrl-C ended the work.
#[derive(Debug, thiserror::Error)]
#[error("interrupted")]
pub(super) struct Interrupted;

/// Files to read. A process can have only one such list, because it handles Ctrl-C.
pub(super) struct Sources {
    paths: Vec<PathBuf>,
    /// The records in all files.
    pub(super) records: u64,
    stop: Arc<AtomicBool>,
}

impl Sources {
    /// Counts the records of all files. From now on Ctrl-C ends the reading, not the process.
    pub(super) fn open(paths: &[PathBuf]) -> Result<Self> {
        let mut records = 0;
        for path in paths {
            records += TrainingFile::open(path).with_context(|| path.display().to_string())?.records();
        }
        Ok(Self { paths: paths.to_vec(), records, stop: stop_flag()? })
    }

    /// The error is [`Interrupted`].
    pub(super) fn check_not_stopped(&self) -> Result<()> {
        ensure!(!self.stop.load(Ordering::Relaxed), Interrupted);
        Ok(())
    }

    /// Checks each record. Calls `each` with the records of each game and the place of the first.
    /// The error names the first wrong record. Returns the files.
    pub(super) fn read_sound(
        &self,
        mut each: impl FnMut(RecordPlace<'_>, &[TrainingRecord]) -> Result<()>,
    ) -> Result<Vec<SourceFile>> {
        self.read(|mut place, games| {
            if !place.in_games {
                check_all(place, games)?;
            }
            for game in games {
                each(place, game)?;
                place = place.later(game.len());
            }
            Ok(())
        })
    }

    /// Calls `each` with some games at a time and the place of the first record. Returns the files.
    pub(super) fn read(
        &self,
        mut each: impl FnMut(RecordPlace<'_>, &[Vec<TrainingRecord>]) -> Result<()>,
    ) -> Result<Vec<SourceFile>> {
        let mut line = ProgressLine::new("records", self.records, 0);
        let (mut sources, mut done) = (Vec::new(), 0);
        for path in &self.paths {
            let named = || path.display().to_string();
            let file = TrainingFile::open(path).with_context(named)?;
            let score_scale = file.note().map(|note| note.score_scale);
            let torn = if let TrainingFile::Games(file) = &file { file.torn() } else { 0 };
            let mut place = RecordPlace { file: path, record: 0, in_games: score_scale.is_some(), score_scale };
            let mut games = file.into_games();
            loop {
                let (mut batch, mut records) = (Vec::new(), 0);
                while records < BATCH {
                    let Some(game) = games.next().transpose().with_context(named)? else { break };
                    records += game.len();
                    batch.push(game);
                }
                if batch.is_empty() {
                    break;
                }
                each(place, &batch)?;
                place = place.later(records);
                done += records as u64;
                line.show(done, named);
                self.check_not_stopped().inspect_err(|_| line.finish())?;
            }
            let (records, blake3) = (place.record, blake3_of(path)?);
            sources.push(SourceFile { file: std::path::absolute(path)?, records, blake3, torn });
        }
        line.finish();
        self.check_not_stopped()?;
        Ok(sources)
    }
}

/// Checks records; `place` is that of the first one.
fn check_all(place: RecordPlace<'_>, games: &[Vec<TrainingRecord>]) -> Result<()> {
    let records: Vec<&TrainingRecord> = games.iter().flatten().collect();
    let wrong = records.par_iter().enumerate().find_map_first(|(index, record)| {
        let error = record.check().err()?;
        Some(error.context(place.later(index).to_string()))
    });
    wrong.map_or(Ok(()), Err)
}

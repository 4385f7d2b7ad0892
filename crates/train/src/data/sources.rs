//! Files of records read one after the other, with progress and an end at Ctrl-C.

use std::fmt;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::psv::TrainingRecord;
use crate::shards::{RecordBytes, RecordStream};
use anyhow::{Context as _, Result, anyhow};
use kiki_platform::{MOST_SETTINGS, open_regular_file, read_regular_text};
use rayon::prelude::*;
use serde::Serialize;

use super::result_file::note_path;
use kiki_run::interrupt::stop_flag;
use kiki_run::output::ProgressLine;

/// Records that are read and checked at once.
const BATCH: usize = 1 << 14;
/// Bytes read at once.
const BUFFER: usize = 1 << 18;

/// Where a record stands.
pub(super) struct RecordPlace<'a> {
    pub(super) file: &'a Path,
    /// From 0.
    pub(super) record: u64,
}

impl fmt::Display for RecordPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let byte = self.record * TrainingRecord::BYTES as u64;
        write!(f, "{}, record {} (from byte {byte})", self.file.display(), self.record)
    }
}

/// A file that has been read.
#[derive(Debug, Serialize)]
pub(super) struct SourceFile {
    /// An absolute path, for the note.
    pub(super) file: PathBuf,
    pub(super) records: u64,
    /// The sum of its bytes.
    pub(super) blake3: String,
}

impl SourceFile {
    /// The sum in the note beside the file, if there is one.
    ///
    /// # Errors
    /// If a note is there and cannot be read.
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

/// Files to be read. There may be only one such list in a process.
pub(super) struct Sources {
    files: Vec<(PathBuf, File)>,
    /// The records in all files, by their length.
    pub(super) records: u64,
    stop: Arc<AtomicBool>,
}

impl Sources {
    /// Opens all files. From now on Ctrl-C ends the reading instead of the process.
    ///
    /// # Errors
    /// If one cannot be opened.
    pub(super) fn open(paths: &[PathBuf]) -> Result<Self> {
        let mut files = Vec::new();
        let mut bytes = 0;
        for path in paths {
            let file = open_regular_file(path).with_context(|| path.display().to_string())?;
            bytes += file.metadata().with_context(|| path.display().to_string())?.len();
            files.push((path.clone(), file));
        }
        let stop = stop_flag()?;
        Ok(Self { files, records: bytes / TrainingRecord::BYTES as u64, stop })
    }

    /// Whether Ctrl-C was pressed.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Shows all records, each checked first. Returns the files, or `None` at Ctrl-C.
    ///
    /// # Errors
    /// Those of [`Sources::read`], and the first record whose position, move or result is wrong, with its place.
    pub(super) fn read_sound(
        &mut self,
        each: impl FnMut(&RecordPlace<'_>, &RecordBytes) -> Result<()>,
    ) -> Result<Option<Vec<SourceFile>>> {
        self.read_batches(check_all, each)
    }

    /// Shows all records. Returns the files, or `None` at Ctrl-C.
    ///
    /// # Errors
    /// If a file cannot be read or ends within a record, or `each` fails.
    pub(super) fn read(
        &mut self,
        each: impl FnMut(&RecordPlace<'_>, &RecordBytes) -> Result<()>,
    ) -> Result<Option<Vec<SourceFile>>> {
        self.read_batches(|_, _| Ok(()), each)
    }

    fn read_batches(
        &mut self,
        check: fn(&RecordPlace<'_>, &[RecordBytes]) -> Result<()>,
        mut each: impl FnMut(&RecordPlace<'_>, &RecordBytes) -> Result<()>,
    ) -> Result<Option<Vec<SourceFile>>> {
        let mut line = ProgressLine::new("records", self.records, 0);
        let (mut sources, mut done) = (Vec::new(), 0);
        let mut batch = Vec::with_capacity(BATCH);
        for (path, file) in &self.files {
            let mut hasher = blake3::Hasher::new();
            let mut place = RecordPlace { file: path, record: 0 };
            let mut stream = RecordStream::new(BufReader::with_capacity(BUFFER, file));
            loop {
                batch.clear();
                for record in stream.by_ref().take(BATCH) {
                    batch.push(record.map_err(|error| anyhow!("{}: {error}", path.display()))?);
                }
                if batch.is_empty() {
                    break;
                }
                check(&place, &batch)?;
                hasher.update(batch.as_flattened());
                for record in &batch {
                    each(&place, record)?;
                    place.record += 1;
                }
                done += batch.len() as u64;
                line.show(done, || path.display().to_string());
                if self.is_stopped() {
                    line.finish();
                    return Ok(None);
                }
            }
            let (records, blake3) = (place.record, hasher.finalize().to_string());
            sources.push(SourceFile { file: std::path::absolute(path)?, records, blake3 });
        }
        line.finish();
        Ok((!self.is_stopped()).then_some(sources))
    }
}

/// Checks records; `place` is that of the first one.
fn check_all(place: &RecordPlace<'_>, records: &[RecordBytes]) -> Result<()> {
    let wrong = records.par_iter().enumerate().find_map_first(|(index, record)| {
        let error = TrainingRecord::from_bytes(record).check().err()?;
        Some((RecordPlace { file: place.file, record: place.record + index as u64 }, error))
    });
    wrong.map_or(Ok(()), |(place, error)| Err(anyhow!("{place}: {error}")))
}

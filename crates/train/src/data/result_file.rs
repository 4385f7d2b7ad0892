//! Files of records that get their names when they are complete, with a note beside each.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use kiki_run::PROGRAM;
use kiki_run::files::{write_json, write_new_by};
use serde::Serialize;
use serde_json::Value;

use super::sources::{SourceFile, note_path};
use crate::shards::RecordBytes;

/// Where records come from and where they go.
#[derive(Args, Debug)]
pub(super) struct RewriteArgs {
    /// Files of games or records
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    /// The file for the result; it must not exist yet
    #[arg(long, value_name = "FILE")]
    pub(super) out: PathBuf,
}

/// Writes records to a file without a name.
pub(super) struct RecordWriter<'a> {
    out: &'a Path,
    writer: &'a mut BufWriter<File>,
    hasher: blake3::Hasher,
    positions: u64,
}

impl RecordWriter<'_> {
    pub(super) fn write(&mut self, records: &[RecordBytes]) -> Result<()> {
        let bytes = records.as_flattened();
        self.hasher.update(bytes);
        self.positions += records.len() as u64;
        self.writer.write_all(bytes).with_context(|| self.out.display().to_string())
    }
}

/// The note beside a file of records.
#[derive(Serialize)]
struct RecordsNote {
    made_by: &'static str,
    #[serde(flatten)]
    details: Value,
    sources: Vec<SourceFile>,
    format: &'static str,
    program: &'static str,
    positions: u64,
    blake3: String,
}

/// Makes a file of records and its note. `write` writes the records, and returns the files read and
/// what else the note says. Returns the number of records.
pub(super) fn write_records(
    out: &Path,
    made_by: &'static str,
    write: impl FnOnce(&mut RecordWriter<'_>) -> Result<(Vec<SourceFile>, Value)>,
) -> Result<u64> {
    refuse_existing(out)?;
    let note = write_new_by(out, |writer| {
        let mut records = RecordWriter { out, writer, hasher: blake3::Hasher::new(), positions: 0 };
        let (sources, details) = write(&mut records)?;
        let (positions, blake3) = (records.positions, records.hasher.finalize().to_string());
        Ok(RecordsNote { made_by, details, sources, format: "psv", program: PROGRAM, positions, blake3 })
    })?;
    write_json(&note_path(out), &note)?;
    Ok(note.positions)
}

pub(super) fn refuse_existing(out: &Path) -> Result<()> {
    ensure!(!out.exists(), "{} exists already", out.display());
    Ok(())
}

pub(super) fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

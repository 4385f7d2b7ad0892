//! A file of records that gets its name when it is complete, with a note beside it.

use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use crate::shards::RecordBytes;
use anyhow::{Context as _, Result, anyhow, ensure};
use serde::Serialize;
use tempfile::NamedTempFile;

use kiki_run::files::write_json;

/// What a note says of the records.
#[derive(Debug, Serialize)]
pub(super) struct ResultCounts {
    format: &'static str,
    program: &'static str,
    pub(super) positions: u64,
    blake3: String,
}

/// The unfinished file. It is deleted unless [`ResultFile::publish`] is called.
pub(super) struct ResultFile {
    out: PathBuf,
    writer: BufWriter<NamedTempFile>,
    hasher: blake3::Hasher,
    positions: u64,
}

impl ResultFile {
    /// Refuses an `out` that exists.
    pub(super) fn new(out: &Path) -> Result<Self> {
        ensure!(!out.exists(), "{} exists already", out.display());
        let file = NamedTempFile::new_in(folder_of(out)).with_context(|| out.display().to_string())?;
        let writer = BufWriter::with_capacity(1 << 18, file);
        Ok(Self { out: out.to_path_buf(), writer, hasher: blake3::Hasher::new(), positions: 0 })
    }

    pub(super) fn write(&mut self, records: &[RecordBytes]) -> Result<()> {
        let bytes = records.as_flattened();
        self.hasher.update(bytes);
        self.positions += records.len() as u64;
        self.writer.write_all(bytes).with_context(|| self.out.display().to_string())
    }

    /// Gives the complete file its name.
    pub(super) fn publish(self) -> Result<ResultCounts> {
        let place = || self.out.display().to_string();
        let file = self.writer.into_inner().map_err(|error| anyhow!("{}: {error}", place()))?;
        #[cfg(unix)]
        {
            // Temporary files are readable by their owner alone; results are for all.
            use std::os::unix::fs::PermissionsExt as _;
            file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644)).with_context(place)?;
        }
        file.as_file().sync_all().with_context(place)?;
        file.persist_noclobber(&self.out).with_context(place)?;
        let program = concat!("kiki-lab ", env!("CARGO_PKG_VERSION"));
        let blake3 = self.hasher.finalize().to_string();
        Ok(ResultCounts { format: "psv", program, positions: self.positions, blake3 })
    }
}

pub(super) fn write_note(out: &Path, note: &impl Serialize) -> Result<()> {
    write_json(&note_path(out), note)
}

/// `FILE.json`, the note beside `FILE`.
pub(super) fn note_path(file: &Path) -> PathBuf {
    let mut path = file.as_os_str().to_owned();
    path.push(".json");
    path.into()
}

pub(super) fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

//! Where converted games go.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};

use crate::records::RecordSource;
use kiki_run::files::write_atomically;
use kiki_run::journal::CONTEST;
use kiki_run::output::print_bytes;

pub(super) struct OutputFiles<'a> {
    /// `None` is standard output.
    output: Option<&'a Path>,
    is_folder: bool,
    inputs: Vec<PathBuf>,
    /// Whether files in folders of matches may be overwritten.
    overwrite: bool,
    /// The source of each written file.
    written: HashMap<PathBuf, PathBuf>,
}

impl<'a> OutputFiles<'a> {
    pub(super) fn new(output: Option<&'a Path>, is_folder: bool, sources: &[RecordSource], overwrite: bool) -> Self {
        let inputs = sources.iter().filter_map(|source| fs::canonicalize(&source.path).ok()).collect();
        Self { output, is_folder, inputs, overwrite, written: HashMap::new() }
    }

    /// Writes to `place` below the output folder, or to the output file.
    pub(super) fn write(&mut self, place: &Path, bytes: &[u8], source: &RecordSource) -> Result<()> {
        let Some(output) = self.output else {
            print_bytes(bytes);
            return Ok(());
        };
        let path = if self.is_folder { output.join(place) } else { output.to_owned() };
        self.check(&path)?;
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        write_atomically(&path, bytes)?;
        // The real path: links lead to one file, and some systems ignore case.
        let real = fs::canonicalize(&path).with_context(|| path.display().to_string())?;
        self.written.insert(real, source.path.clone());
        Ok(())
    }

    /// Refuses a path whose file would be lost.
    fn check(&self, path: &Path) -> Result<()> {
        let Ok(real) = fs::canonicalize(path) else { return Ok(()) };
        let place = path.display();
        if let Some(other) = self.written.get(&real) {
            bail!("it would become {place} too, as {} did: convert them apart", other.display());
        }
        ensure!(!self.inputs.contains(&real), "{place} is an input: name another output");
        // The records of a match stand in a folder below its own.
        let in_match = real.ancestors().skip(1).take(2).any(|folder| CONTEST.is_in(folder));
        ensure!(self.overwrite || !in_match, "{place} is a file of a match: name another output, or say --overwrite");
        Ok(())
    }
}

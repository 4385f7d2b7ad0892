//! Files of records read at any place, as if they were one.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::PathBuf;

use crate::psv::TrainingRecord;
use crate::shards::RecordBytes;
use anyhow::{Context as _, Result, ensure};
use kiki_platform::open_regular_file;

/// The records of some files, one after the other.
pub(super) struct RecordFiles {
    files: Vec<RecordFile>,
}

struct RecordFile {
    path: PathBuf,
    file: File,
    /// The numbers of its records in all files.
    records: Range<u64>,
}

impl RecordFiles {
    /// # Errors
    /// If one cannot be opened or its length is not that of whole records.
    pub(super) fn open(paths: impl IntoIterator<Item = PathBuf>) -> Result<Self> {
        let mut files = Vec::new();
        let mut count = 0;
        for path in paths {
            let place = || path.display().to_string();
            let file = open_regular_file(&path).with_context(place)?;
            let bytes = file.metadata().with_context(place)?.len();
            let record = TrainingRecord::BYTES as u64;
            ensure!(bytes % record == 0, "{}: {bytes} bytes are no whole records of {record}", path.display());
            let records = count..count + bytes / record;
            count = records.end;
            files.push(RecordFile { path, file, records });
        }
        Ok(Self { files })
    }

    /// The records of all files.
    pub(super) fn count(&self) -> u64 {
        self.files.last().map_or(0, |file| file.records.end)
    }

    /// Adds the records with these numbers to a list.
    ///
    /// # Errors
    /// If a file cannot be read, or has become shorter.
    pub(super) fn read(&mut self, wanted: &Range<u64>, records: &mut Vec<RecordBytes>) -> Result<()> {
        for RecordFile { path, file, records: present } in &mut self.files {
            let (start, end) = (wanted.start.max(present.start), wanted.end.min(present.end));
            if start < end {
                let place = || path.display().to_string();
                let before = records.len();
                records.resize(before + (end - start) as usize, [0; TrainingRecord::BYTES]);
                let offset = (start - present.start) * TrainingRecord::BYTES as u64;
                file.seek(SeekFrom::Start(offset)).with_context(place)?;
                file.read_exact(records[before..].as_flattened_mut()).with_context(place)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_across_the_borders_of_files() {
        let folder = tempfile::tempdir().unwrap();
        let paths = [3_u8, 1, 2].map(|records| {
            let path = folder.path().join(records.to_string());
            let bytes: Vec<u8> = (0..records).flat_map(|record| [16 * records + record; 40]).collect();
            std::fs::write(&path, bytes).unwrap();
            path
        });
        let mut files = RecordFiles::open(paths.clone()).unwrap();
        assert_eq!(files.count(), 6);
        let mut records = Vec::new();
        files.read(&(2..5), &mut records).unwrap();
        files.read(&(0..1), &mut records).unwrap();
        assert_eq!(records.iter().map(|record| record[39]).collect::<Vec<_>>(), [0x32, 0x10, 0x20, 0x30]);
        std::fs::write(&paths[1], [0; 41]).unwrap();
        let error = RecordFiles::open(paths).err().unwrap();
        assert!(error.to_string().contains("41 bytes"), "{error}");
    }
}

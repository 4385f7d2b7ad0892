//! A file of records with its journal of games, written game by game.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;

use crate::selfplay::{GameEntry, SelfPlayGame, ShardProgress};
use anyhow::{Context as _, Result, anyhow};
use kiki_platform::{MOST_RECORDS, open_regular_file, read_regular_file};

use super::note::beside;

/// An open file of records. No other process can open it for writing.
pub(super) struct ShardFile {
    data: File,
    journal: File,
    progress: ShardProgress,
    /// Of all games so far.
    hashes: HashSet<u64>,
}

impl ShardFile {
    /// Creates a file and its journal.
    ///
    /// # Errors
    /// If one of them exists already, or cannot be written.
    pub(super) fn create(path: &Path) -> Result<Self> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        Self::open(path, &options)
            .context("the file for the records must be a new one; `kiki-lab resume` goes on with one that exists")
    }

    /// Opens a file of an earlier process and cuts off what belongs to no complete game.
    ///
    /// # Errors
    /// If it does not exist, another process writes it, or its journal is damaged.
    pub(super) fn resume(path: &Path) -> Result<Self> {
        let place = || path.display().to_string();
        open_regular_file(path).with_context(place)?;
        let mut shard = Self::open(path, OpenOptions::new().write(true))?;
        let journal = read_regular_file(beside(path, "games"), MOST_RECORDS).with_context(place)?;
        let data_bytes = shard.data.metadata().with_context(place)?.len();
        shard.progress = ShardProgress::read(&journal, data_bytes).with_context(place)?;
        for (file, len) in
            [(&mut shard.data, shard.progress.data_bytes()), (&mut shard.journal, shard.progress.journal_bytes())]
        {
            file.set_len(len).with_context(place)?;
            file.seek(SeekFrom::End(0)).with_context(place)?;
        }
        shard.hashes = shard.progress.games.iter().map(|game| game.hash).collect();
        Ok(shard)
    }

    fn open(path: &Path, options: &OpenOptions) -> Result<Self> {
        let open = |path: &Path| options.open(path).with_context(|| path.display().to_string());
        let shard = Self {
            data: open(path)?,
            journal: open(&beside(path, "games"))?,
            progress: ShardProgress::default(),
            hashes: HashSet::new(),
        };
        shard.data.try_lock().map_err(|_| anyhow!("{}: another process is writing it", path.display()))?;
        Ok(shard)
    }

    /// What is complete.
    pub(super) fn progress(&self) -> &ShardProgress {
        &self.progress
    }

    /// Appends the next game; its records only if none before had the same moves.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub(super) fn append(&mut self, game: &SelfPlayGame) -> Result<()> {
        let records = if self.hashes.insert(game.hash) { game.records.as_slice() } else { &[] };
        let bytes: Vec<u8> = records.iter().flat_map(|record| record.to_bytes()).collect();
        let entry = GameEntry::new(game, records.len());
        // The records come first: an entry in the journal says that they are there.
        self.data.write_all(&bytes).context("records")?;
        self.journal.write_all(&entry.to_bytes()).context("journal of games")?;
        self.progress.add(entry);
        Ok(())
    }

    /// Puts everything on the disk.
    pub(super) fn sync(&self) -> Result<()> {
        self.data.sync_data().context("records")?;
        self.journal.sync_data().context("journal of games")
    }
}

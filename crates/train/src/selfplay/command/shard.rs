//! A file of games of self-play: its note, and how it is begun and continued.

use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::games::{BlockGames, GameFile, GameFileError, GameFileNote, GameFileWriter, RecordRule, TrainingGame};
use crate::selfplay::SelfPlaySettings;
use anyhow::{Context as _, Error, Result};
use kiki_run::evaluation::EvaluationNote;
use serde::{Deserialize, Serialize};

/// The part of a file's note that is about self-play.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfPlayNote {
    /// The commit of the program, if given.
    pub commit: Option<String>,
    /// The signature of the search, if given.
    pub signature: Option<u64>,
    pub evaluation: EvaluationNote,
    pub settings: SelfPlaySettings,
    /// The number of positions first asked for.
    pub positions: u64,
}

/// A file of self-play that grows game by game.
pub struct Shard {
    path: PathBuf,
    note: SelfPlayNote,
    writer: GameFileWriter,
    /// Of all games so far.
    hashes: HashSet<u64>,
    counts: ShardCounts,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ShardCounts {
    /// Positions to learn from.
    pub positions: u64,
    /// Games, those left out included.
    pub games: u64,
    /// Games that repeat the moves of an earlier one.
    pub left_out: u64,
}

const RULE: RecordRule = RecordRule::Quiet;

impl Shard {
    /// Creates a file. An existing one is refused.
    pub fn create(path: PathBuf, note: SelfPlayNote, score_scale: f64) -> Result<Self> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        let of_file = GameFileNote {
            program: concat!("kiki-lab ", env!("CARGO_PKG_VERSION")).to_owned(),
            records: RULE,
            score_scale,
            origin: serde_json::to_value(&note)?,
        };
        let writer = GameFileWriter::create(&path, &of_file).map_err(|error| {
            let place = path.display();
            let place = match &error {
                GameFileError::Io(error) if error.kind() == ErrorKind::AlreadyExists => {
                    format!("{place}: name a new file; `kiki-lab resume` goes on with this one")
                }
                _ => place.to_string(),
            };
            Error::new(error).context(place)
        })?;
        Ok(Self { path, note, writer, hashes: HashSet::new(), counts: ShardCounts::default() })
    }

    /// Opens a file of an earlier process and reads its games.
    pub fn resume(path: &Path) -> Result<Self> {
        let place = || path.display().to_string();
        let mut file = GameFile::open(path).with_context(place)?;
        let note = note_of(&file).with_context(place)?;
        let (mut hashes, mut counts) = (HashSet::new(), ShardCounts::default());
        for block in file.blocks().to_vec() {
            let mut games = BlockGames::new(file.read(block).with_context(place)?);
            let block_place = || format!("{}, block from byte {}", path.display(), block.offset);
            while let Some(game) = games.next_game().with_context(block_place)? {
                counts.games += 1;
                match game {
                    Some(game) => {
                        hashes.insert(game.hash());
                    }
                    None => counts.left_out += 1,
                }
            }
        }
        counts.positions = file.records();
        let writer = GameFileWriter::resume(path).with_context(place)?;
        Ok(Self { path: path.to_owned(), note, writer, hashes, counts })
    }

    #[must_use]
    pub fn note(&self) -> &SelfPlayNote {
        &self.note
    }

    #[must_use]
    pub fn counts(&self) -> ShardCounts {
        self.counts
    }

    /// Appends the next game, without its moves if it repeats an earlier one.
    pub(super) fn append(&mut self, game: &TrainingGame) -> Result<()> {
        let is_new = self.hashes.insert(game.hash());
        let positions = if is_new { game.records(RULE)?.len() } else { 0 };
        self.writer.append(is_new.then_some(game), positions).with_context(|| self.path.display().to_string())?;
        self.counts.games += 1;
        self.counts.left_out += u64::from(!is_new);
        self.counts.positions += positions as u64;
        Ok(())
    }

    /// Writes the last games and syncs the file.
    pub fn finish(self) -> Result<()> {
        self.writer.finish().with_context(|| self.path.display().to_string())
    }
}

fn note_of(file: &GameFile) -> Result<SelfPlayNote> {
    serde_json::from_value(file.note().origin.clone()).context("no file of self-play")
}

pub(super) fn is_self_play(path: &Path) -> bool {
    GameFile::open(path).is_ok_and(|file| note_of(&file).is_ok())
}

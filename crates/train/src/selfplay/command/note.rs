//! The note beside a file of records: what it was made with and what it holds.

use std::path::{Path, PathBuf};

use crate::selfplay::{SelfPlaySettings, ShardProgress};
use anyhow::{Context as _, Result};
use kiki_board::Color;
use kiki_platform::{MOST_SETTINGS, read_regular_text};
use serde::{Deserialize, Serialize};

use kiki_run::evaluation::EvaluationNote;
use kiki_run::files::{blake3_of, write_json};

/// The note of a file made by self-play.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ShardNote {
    /// `psv`.
    format: String,
    /// Name and version of the program.
    program: String,
    commit: Option<String>,
    signature: Option<u64>,
    pub(super) evaluation: EvaluationNote,
    pub(super) settings: SelfPlaySettings,
    /// The positions asked for.
    pub(super) wanted: u64,
    /// Whether they are there.
    pub(super) complete: bool,
    pub(super) positions: u64,
    /// Games, those without records included.
    pub(super) games: u64,
    /// Games whose moves an earlier game had: they have no records.
    pub(super) games_played_before: u64,
    black_wins: u64,
    white_wins: u64,
    draws: u64,
    /// The sum of the plies of all games.
    plies: u64,
    /// The sum of the file's bytes, once it is complete.
    blake3: Option<String>,
}

/// The note of a file of records.
pub(super) fn note_path(data: &Path) -> PathBuf {
    beside(data, "json")
}

/// The path of a file that belongs to a file of records.
pub(super) fn beside(data: &Path, extension: &str) -> PathBuf {
    let mut name = data.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}

impl ShardNote {
    /// The note of a file without records.
    pub(super) fn new(
        evaluation: EvaluationNote,
        settings: SelfPlaySettings,
        wanted: u64,
        commit: Option<String>,
        signature: Option<u64>,
    ) -> Self {
        Self {
            format: "psv".to_owned(),
            program: concat!("kiki-lab ", env!("CARGO_PKG_VERSION")).to_owned(),
            commit,
            signature,
            evaluation,
            settings,
            wanted,
            complete: false,
            positions: 0,
            games: 0,
            games_played_before: 0,
            black_wins: 0,
            white_wins: 0,
            draws: 0,
            plies: 0,
            blake3: None,
        }
    }

    /// # Errors
    /// If the file is missing or not a note.
    pub(super) fn read(data: &Path) -> Result<Self> {
        let path = note_path(data);
        let place = || format!("note {}", path.display());
        serde_json::from_str(&read_regular_text(&path, MOST_SETTINGS).with_context(place)?).with_context(place)
    }

    pub(super) fn write(&self, data: &Path) -> Result<()> {
        write_json(&note_path(data), self)
    }

    /// Takes over the counts, and the sum if the file is complete.
    pub(super) fn count(&mut self, progress: &ShardProgress, data: &Path) -> Result<()> {
        let games =
            |winner: Option<Color>| progress.games.iter().filter(|game| game.ending.winner() == winner).count() as u64;
        self.positions = progress.positions;
        self.games = progress.games.len() as u64;
        self.black_wins = games(Some(Color::Black));
        self.white_wins = games(Some(Color::White));
        self.draws = games(None);
        self.plies = progress.games.iter().map(|game| u64::from(game.plies)).sum();
        let mut hashes: Vec<u64> = progress.games.iter().map(|game| game.hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        self.games_played_before = self.games - hashes.len() as u64;
        self.complete = self.positions >= self.wanted;
        self.blake3 = if self.complete { Some(blake3_of(data)?) } else { None };
        Ok(())
    }
}

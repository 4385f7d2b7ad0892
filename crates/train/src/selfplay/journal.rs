//! The journal of the games in a file of records: one entry for each game, in the order of their numbers.

use kiki_board::Color;

use super::{SelfPlayEnding, SelfPlayGame};
use crate::psv::TrainingRecord;

/// One finished game, 16 bytes in a file: its hash (8), the number of its records (4), its length in plies (2), its ending (1), its winner (1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameEntry {
    /// Games with the same moves have the same hash.
    pub hash: u64,
    /// Number of its records in the file: 0 for the repetition of an earlier game.
    pub records: u32,
    /// Its length; longer games are cut to 65535 plies.
    pub plies: u16,
    /// How it ended.
    pub ending: SelfPlayEnding,
}

/// Why a journal cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("entry {entry} of the journal of games is damaged")]
pub struct JournalError {
    /// Its number, from 0.
    pub entry: usize,
}

impl GameEntry {
    /// The size of an entry in a file.
    pub const BYTES: usize = 16;

    /// The entry of a game with `records` records in the file.
    #[must_use]
    pub fn new(game: &SelfPlayGame, records: usize) -> Self {
        Self {
            hash: game.hash,
            records: u32::try_from(records).unwrap_or(u32::MAX),
            plies: u16::try_from(game.plies).unwrap_or(u16::MAX),
            ending: game.ending,
        }
    }

    /// The bytes.
    #[must_use]
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.hash.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.records.to_le_bytes());
        bytes[12..14].copy_from_slice(&self.plies.to_le_bytes());
        bytes[14] = match self.ending {
            SelfPlayEnding::Mate { .. } => 1,
            SelfPlayEnding::Adjudication { .. } => 2,
            SelfPlayEnding::Declaration { .. } => 3,
            SelfPlayEnding::PerpetualCheck { .. } => 4,
            SelfPlayEnding::Repetition => 5,
            SelfPlayEnding::MaxPlies => 6,
        };
        bytes[15] = u8::from(self.ending.winner() == Some(Color::White));
        bytes
    }

    /// The entry of these bytes; `None` if winner or ending is unknown.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        let number = |at: usize, len: usize| {
            bytes[at..at + len].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
        };
        let winner = match bytes[15] {
            0 => Color::Black,
            1 => Color::White,
            _ => return None,
        };
        let ending = match bytes[14] {
            1 => SelfPlayEnding::Mate { winner },
            2 => SelfPlayEnding::Adjudication { winner },
            3 => SelfPlayEnding::Declaration { winner },
            4 => SelfPlayEnding::PerpetualCheck { winner },
            5 => SelfPlayEnding::Repetition,
            6 => SelfPlayEnding::MaxPlies,
            _ => return None,
        };
        Some(Self { hash: number(0, 8), records: number(8, 4) as u32, plies: number(12, 2) as u16, ending })
    }
}

/// The complete part of a file of records.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ShardProgress {
    /// The games that are complete in journal and data.
    pub games: Vec<GameEntry>,
    /// The records that belong to them.
    pub positions: u64,
}

impl ShardProgress {
    /// The progress by a journal and the length of the data in bytes. A process may end between two writes or within one: only games that are
    /// complete in both count, and the caller cuts off the rest.
    ///
    /// # Errors
    /// If a whole entry is damaged.
    pub fn read(journal: &[u8], data_bytes: u64) -> Result<Self, JournalError> {
        let mut progress = Self::default();
        for (entry, bytes) in journal.as_chunks().0.iter().enumerate() {
            let game = GameEntry::from_bytes(bytes).ok_or(JournalError { entry })?;
            if progress.data_bytes() + u64::from(game.records) * TrainingRecord::BYTES as u64 > data_bytes {
                break;
            }
            progress.add(game);
        }
        Ok(progress)
    }

    /// One more game is complete.
    pub fn add(&mut self, game: GameEntry) {
        self.positions += u64::from(game.records);
        self.games.push(game);
    }

    /// The length of the data that counts.
    #[must_use]
    pub fn data_bytes(&self) -> u64 {
        self.positions * TrainingRecord::BYTES as u64
    }

    /// The length of the journal that counts.
    #[must_use]
    pub fn journal_bytes(&self) -> u64 {
        (self.games.len() * GameEntry::BYTES) as u64
    }
}

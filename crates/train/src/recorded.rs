//! Files of training data in either form, read part by part or game by game.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use kiki_platform::open_regular_file;

use crate::games::{BlockGames, GameFile, GameFileNote};
use crate::is_same_game;
use crate::psv::TrainingRecord;
use crate::shards::RecordBytes;

/// Records of a part of a file of records.
pub(crate) const PART_RECORDS: u64 = 1 << 14;

/// A block of games, or as many records.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FilePart {
    /// Of the parts of the file, from 0.
    number: usize,
    pub(crate) records: u64,
}

/// A file of games or of records.
pub enum TrainingFile {
    Games(Box<GameFile>),
    Records {
        file: File,
        /// The length of the file.
        bytes: u64,
    },
}

impl TrainingFile {
    pub fn open(path: &Path) -> Result<Self> {
        if GameFile::is_one(path)? {
            return Ok(Self::Games(Box::new(GameFile::open(path)?)));
        }
        let file = open_regular_file(path)?;
        Ok(Self::Records { bytes: file.metadata()?.len(), file })
    }

    /// Number of records, by the file's blocks or its length.
    #[must_use]
    pub fn records(&self) -> u64 {
        match self {
            Self::Games(file) => file.records(),
            Self::Records { bytes, .. } => bytes / TrainingRecord::BYTES as u64,
        }
    }

    #[must_use]
    pub fn note(&self) -> Option<&GameFileNote> {
        match self {
            Self::Games(file) => Some(file.note()),
            Self::Records { .. } => None,
        }
    }

    /// Refuses a file of records with a part of a record at its end. A part of a block is no error:
    /// it may still be written.
    pub(crate) fn check_end(&self) -> Result<()> {
        if let Self::Records { bytes, .. } = self {
            let (records, rest) = (self.records(), bytes % TrainingRecord::BYTES as u64);
            ensure!(rest == 0, "{rest} bytes follow the last whole record, number {records}: records have 40 bytes");
        }
        Ok(())
    }

    /// The parts that can be read at once.
    pub(crate) fn parts(&self) -> Vec<FilePart> {
        let counts: Vec<u64> = match self {
            Self::Games(file) => file.blocks().iter().map(|block| block.records.into()).collect(),
            Self::Records { .. } => {
                let firsts = (0..self.records()).step_by(PART_RECORDS as usize);
                firsts.map(|first| PART_RECORDS.min(self.records() - first)).collect()
            }
        };
        counts.into_iter().enumerate().map(|(number, records)| FilePart { number, records }).collect()
    }

    /// The records of a part: game by game, without games that have none, or of a file of records
    /// all as one game. Only the form is checked.
    pub(crate) fn read(&mut self, part: FilePart) -> Result<Vec<Vec<TrainingRecord>>> {
        match self {
            Self::Games(file) => {
                let rule = file.note().records;
                let block = file.blocks()[part.number];
                let mut block_games = BlockGames::new(file.read(block)?);
                let mut games = Vec::with_capacity(block.games as usize);
                let place = || format!("the block from byte {} on", block.offset);
                while let Some(records) = block_games.next_records(rule).with_context(place)? {
                    games.push(records);
                }
                games.retain(|game| !game.is_empty());
                Ok(games)
            }
            Self::Records { file, .. } => {
                let mut records: Vec<RecordBytes> = vec![[0; TrainingRecord::BYTES]; part.records as usize];
                let first = part.number as u64 * PART_RECORDS;
                file.seek(SeekFrom::Start(first * TrainingRecord::BYTES as u64))?;
                file.read_exact(records.as_flattened_mut())?;
                Ok(vec![records.iter().map(TrainingRecord::from_bytes).collect()])
            }
        }
    }

    /// The games of the file, each as its records to learn from. Records of 40 bytes do not say
    /// where a game ends: it is taken to end where the ply does not rise or the winner changes.
    /// Ends after an error.
    pub fn into_games(mut self) -> impl Iterator<Item = Result<Vec<TrainingRecord>>> {
        let (mut parts, mut games) = (self.parts().into_iter(), VecDeque::new());
        let mut ended = false;
        std::iter::from_fn(move || {
            if ended {
                return None;
            }
            let next = self.next_game(&mut parts, &mut games).transpose();
            ended = !matches!(next, Some(Ok(_)));
            next
        })
    }

    /// The first of the games read; reads on if it may have no end yet.
    fn next_game(
        &mut self,
        parts: &mut impl Iterator<Item = FilePart>,
        games: &mut VecDeque<Vec<TrainingRecord>>,
    ) -> Result<Option<Vec<TrainingRecord>>> {
        let is_of_games = matches!(self, Self::Games(_));
        while games.len() < if is_of_games { 1 } else { 2 } {
            let Some(part) = parts.next() else { break };
            let read = self.read(part)?;
            if is_of_games {
                games.extend(read);
            } else {
                let records = games.pop_back().into_iter().chain(read).collect::<Vec<_>>().concat();
                games.extend(records.chunk_by(is_same_game).map(<[_]>::to_vec));
            }
        }
        let next = games.pop_front();
        if next.is_none() {
            self.check_end()?;
        }
        Ok(next)
    }
}

//! The games of a file, record by record, whatever its form.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use kiki_platform::open_regular_file;

use crate::games::{BlockGames, BlockPlace, GameFile, GameFileError, GameFileNote};
use crate::is_same_game;
use crate::psv::TrainingRecord;
use crate::shards::{RecordStream, StreamError};

/// Bytes read at once.
const BUFFER: usize = 1 << 18;

/// Why a file gives no more games.
#[derive(Debug, thiserror::Error)]
pub enum RecordedError {
    #[error(transparent)]
    Records(#[from] StreamError),
    #[error(transparent)]
    Games(#[from] GameFileError),
}

impl From<io::Error> for RecordedError {
    fn from(error: io::Error) -> Self {
        Self::Records(error.into())
    }
}

/// The games of a file, each as its records to learn from. Records of 40 bytes do not say where a
/// game ends: it is taken to end where the ply does not rise or the winner changes. Only the form
/// is checked. Ends after an error.
pub struct RecordedGames {
    source: Source,
    records: u64,
    ended: bool,
}

enum Source {
    Records {
        stream: RecordStream<BufReader<File>>,
        /// The first record of the next game.
        next: Option<TrainingRecord>,
    },
    Games {
        file: Box<GameFile>,
        blocks: std::vec::IntoIter<BlockPlace>,
        /// Of the current block, the last game first.
        games: Vec<Vec<TrainingRecord>>,
    },
}

impl RecordedGames {
    /// Opens a file of records or of games.
    pub fn open(path: &Path) -> Result<Self, RecordedError> {
        let (source, records) = if GameFile::is_one(path)? {
            let file = GameFile::open(path)?;
            let (blocks, records) = (file.blocks().to_vec().into_iter(), file.records());
            (Source::Games { file: Box::new(file), blocks, games: Vec::new() }, records)
        } else {
            let file = open_regular_file(path)?;
            let records = file.metadata()?.len() / TrainingRecord::BYTES as u64;
            let stream = RecordStream::new(BufReader::with_capacity(BUFFER, file));
            (Source::Records { stream, next: None }, records)
        };
        Ok(Self { source, records, ended: false })
    }

    /// Number of records, by the file's length or its blocks.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }

    /// The file of games, if it is one.
    #[must_use]
    pub fn game_file(&self) -> Option<&GameFile> {
        match &self.source {
            Source::Records { .. } => None,
            Source::Games { file, .. } => Some(file),
        }
    }

    /// The note of a file of games.
    #[must_use]
    pub fn note(&self) -> Option<&GameFileNote> {
        self.game_file().map(GameFile::note)
    }
}

impl Source {
    fn next_game(&mut self) -> Result<Option<Vec<TrainingRecord>>, RecordedError> {
        match self {
            Self::Records { stream, next } => {
                let mut game: Vec<TrainingRecord> = next.take().into_iter().collect();
                for bytes in stream {
                    let record = TrainingRecord::from_bytes(&bytes?);
                    if game.last().is_some_and(|last| !is_same_game(last, &record)) {
                        *next = Some(record);
                        break;
                    }
                    game.push(record);
                }
                Ok((!game.is_empty()).then_some(game))
            }
            Self::Games { file, blocks, games } => {
                while games.is_empty() {
                    let Some(block) = blocks.next() else { return Ok(None) };
                    *games = records_of(file, block)?;
                    games.reverse();
                }
                Ok(games.pop())
            }
        }
    }
}

/// The records of a block, game by game, without games that have none.
pub fn records_of(file: &mut GameFile, block: BlockPlace) -> Result<Vec<Vec<TrainingRecord>>, GameFileError> {
    let rule = file.note().records;
    let mut block_games = BlockGames::new(file.read(block)?);
    let damaged = |error| GameFileError::Game { block: block.offset, error };
    let mut games = Vec::with_capacity(block.games as usize);
    while let Some(records) = block_games.next_records(rule).map_err(damaged)? {
        if !records.is_empty() {
            games.push(records);
        }
    }
    Ok(games)
}

impl Iterator for RecordedGames {
    type Item = Result<Vec<TrainingRecord>, RecordedError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = self.source.next_game().transpose();
        self.ended = !matches!(next, Some(Ok(_)));
        next
    }
}

//! Files of games: written block by block, read in any order.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use kiki_platform::{lock_file, open_regular_file};
use serde::{Deserialize, Serialize};

use super::code::{GameError, encode};
use super::game::{RecordRule, TrainingGame};

const MAGIC: [u8; 8] = *b"KIKIGAM1";
const BLOCK_MAGIC: [u8; 4] = *b"GAME";
/// The bytes of a block before its games.
const BLOCK_HEADER: usize = 24;
/// Bytes of games at which a block is full.
const FULL_BLOCK: usize = 1 << 16;
/// Maximum bytes of games that a reader accepts: a full block and one very long game.
const MOST_BLOCK: u32 = 1 << 24;
/// Maximum bytes by which the last game overfills a block, unless it is very long.
const MOST_OVER: u64 = 1 << 14;
/// Maximum bytes of a note.
const MOST_NOTE: u32 = 1 << 20;

/// What a file says of its games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameFileNote {
    /// Name and version of the program that made it.
    pub program: String,
    /// Which plies are positions to learn from.
    pub records: RecordRule,
    /// The score that means 75 percent of the points, in centipawns.
    pub score_scale: f64,
    /// What it was made from and with which settings.
    pub origin: serde_json::Value,
}

/// Why a file of games cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum GameFileError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("no file of games")]
    Magic,
    #[error("the note at its start is damaged")]
    Note,
    #[error("the block from byte {0} on is damaged")]
    Block(u64),
    /// The checksum of a block is right, but its content is no game.
    #[error("the block from byte {block} on: {error}")]
    Game {
        /// The first byte of the block.
        block: u64,
        error: GameError,
    },
    #[error("another process is writing it")]
    Busy,
}

/// Where a block stands, and what it holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockPlace {
    /// The first byte of the block.
    pub offset: u64,
    /// Bytes of its games.
    pub bytes: u32,
    /// Games, those left out included.
    pub games: u32,
    /// Positions to learn from.
    pub records: u32,
}

impl BlockPlace {
    /// Whether no more games will be added to it.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.bytes as usize >= FULL_BLOCK
    }

    /// The first byte after the block.
    fn end(&self) -> u64 {
        self.offset + BLOCK_HEADER as u64 + u64::from(self.bytes)
    }
}

fn sum(parts: [&[u8]; 2]) -> [u8; 8] {
    let mut hasher = blake3::Hasher::new();
    parts.into_iter().for_each(|part| {
        hasher.update(part);
    });
    let mut sum = [0; 8];
    sum.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    sum
}

fn header(bytes: &[u8], games: u32, records: u32) -> [u8; BLOCK_HEADER] {
    let mut header = [0; BLOCK_HEADER];
    header[..4].copy_from_slice(&BLOCK_MAGIC);
    for (at, number) in [(4, bytes.len() as u32), (8, games), (12, records)] {
        header[at..at + 4].copy_from_slice(&number.to_le_bytes());
    }
    let sum = sum([&header[..16], bytes]);
    header[16..].copy_from_slice(&sum);
    header
}

/// A file of games, open for reading. Blocks that are written later are not seen.
#[derive(Debug)]
pub struct GameFile {
    file: File,
    /// The bytes before the first block.
    start: Vec<u8>,
    note: GameFileNote,
    blocks: Vec<BlockPlace>,
    /// Bytes after the last whole block.
    torn: u64,
    bytes: Vec<u8>,
}

impl GameFile {
    /// Whether a file is a file of games, by its first bytes.
    pub fn is_one(path: &Path) -> io::Result<bool> {
        let mut start = [0; MAGIC.len()];
        match open_regular_file(path)?.read_exact(&mut start) {
            Ok(()) => Ok(start == MAGIC),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Opens a file and finds its blocks by their headers. Bytes after them are an error unless
    /// they may be the start of one more block.
    pub fn open(path: &Path) -> Result<Self, GameFileError> {
        let mut file = open_regular_file(path)?;
        let len = file.metadata()?.len();
        let mut start = [0; 12];
        file.read_exact(&mut start).map_err(|_| GameFileError::Magic)?;
        let (magic, length) = start.split_at(MAGIC.len());
        if magic != MAGIC {
            return Err(GameFileError::Magic);
        }
        let length = length.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte));
        let mut text = vec![0; length.min(MOST_NOTE) as usize];
        let mut noted_sum = [0; 8];
        file.read_exact(&mut text).and_then(|()| file.read_exact(&mut noted_sum)).map_err(|_| GameFileError::Note)?;
        if length > MOST_NOTE || sum([&start, &text]) != noted_sum {
            return Err(GameFileError::Note);
        }
        let note = serde_json::from_slice(&text).map_err(|_| GameFileError::Note)?;
        let start = [&start[..], &text, &noted_sum].concat();
        let first = start.len() as u64;
        let mut opened = Self { file, start, note, blocks: Vec::new(), torn: 0, bytes: Vec::new() };
        opened.find_blocks(first, len)?;
        Ok(opened)
    }

    fn find_blocks(&mut self, first: u64, len: u64) -> Result<(), GameFileError> {
        let mut offset = first;
        while offset < len {
            self.torn = len - offset;
            let mut header = [0; BLOCK_HEADER];
            if self.torn < BLOCK_HEADER as u64 {
                break;
            }
            self.file.seek(SeekFrom::Start(offset))?;
            self.file.read_exact(&mut header)?;
            let number =
                |at: usize| header[at..at + 4].iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte));
            let block = BlockPlace { offset, bytes: number(4), games: number(8), records: number(12) };
            let begun = header[..4] == BLOCK_MAGIC && block.bytes <= MOST_BLOCK;
            if begun && block.end() <= len {
                self.blocks.push(block);
                offset = block.end();
                self.torn = 0;
                continue;
            }
            // A killed process leaves the start of one block, a machine that crashes perhaps zeros.
            let one_block = self.torn <= (FULL_BLOCK + BLOCK_HEADER) as u64 + MOST_OVER;
            let torn = one_block && (begun || header == [0; BLOCK_HEADER]);
            return if torn { Ok(()) } else { Err(GameFileError::Block(offset)) };
        }
        Ok(())
    }

    #[must_use]
    pub fn note(&self) -> &GameFileNote {
        &self.note
    }

    /// Its whole blocks.
    #[must_use]
    pub fn blocks(&self) -> &[BlockPlace] {
        &self.blocks
    }

    /// Bytes after the last whole block: of one that was not written to its end.
    #[must_use]
    pub fn torn(&self) -> u64 {
        self.torn
    }

    /// Number of games in whole blocks, those left out included.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.blocks.iter().map(|block| u64::from(block.games)).sum()
    }

    /// Positions to learn from in whole blocks.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.blocks.iter().map(|block| u64::from(block.records)).sum()
    }

    /// The bytes of the games of a block, for [`super::BlockGames`]. Verifies the checksum.
    pub fn read(&mut self, block: BlockPlace) -> Result<&[u8], GameFileError> {
        self.file.seek(SeekFrom::Start(block.offset))?;
        self.bytes.resize(BLOCK_HEADER + block.bytes as usize, 0);
        self.file.read_exact(&mut self.bytes)?;
        let (found, games) = self.bytes.split_at(BLOCK_HEADER);
        if found != header(games, block.games, block.records) {
            return Err(GameFileError::Block(block.offset));
        }
        Ok(games)
    }

    /// The bytes of a file with the same note and only some of the blocks.
    pub fn extract(&mut self, blocks: &[BlockPlace]) -> Result<Vec<u8>, GameFileError> {
        let mut bytes = self.start.clone();
        for &block in blocks {
            self.read(block)?;
            bytes.extend_from_slice(&self.bytes);
        }
        Ok(bytes)
    }
}

/// A file of games, open for writing. No other process can open it for writing.
pub struct GameFileWriter {
    file: File,
    /// Games that fill no block yet.
    pending: Vec<u8>,
    games: u32,
    records: u32,
}

impl GameFileWriter {
    /// Creates a file without games. An existing file is refused.
    pub fn create(path: &Path, note: &GameFileNote) -> Result<Self, GameFileError> {
        let mut file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        lock(&file)?;
        let text = serde_json::to_vec(note).map_err(io::Error::from)?;
        let start = [&MAGIC[..], &(text.len() as u32).to_le_bytes()].concat();
        file.write_all(&[&start[..], &text, &sum([&start, &text])].concat())?;
        Ok(Self { file, pending: Vec::new(), games: 0, records: 0 })
    }

    /// Continues a file: cuts off bytes after the last whole block, and fills a last block that is
    /// not full. The file becomes the same as if written at once.
    pub fn resume(path: &Path) -> Result<Self, GameFileError> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        lock(&file)?;
        let mut opened = GameFile::open(path)?;
        let mut writer = Self { file, pending: Vec::new(), games: 0, records: 0 };
        let mut end = writer.file.metadata()?.len() - opened.torn();
        if let Some(last) = opened.blocks().last().copied().filter(|last| (last.bytes as usize) < FULL_BLOCK) {
            writer.pending.extend_from_slice(opened.read(last)?);
            (writer.games, writer.records) = (last.games, last.records);
            end = last.offset;
        }
        writer.file.set_len(end)?;
        writer.file.seek(SeekFrom::End(0))?;
        Ok(writer)
    }

    /// Appends a game; `None` for one that is left out because it repeats an earlier one. `records`
    /// is its number of positions to learn from. Illegal moves are refused.
    pub fn append(&mut self, game: Option<&TrainingGame>, records: usize) -> Result<(), GameFileError> {
        let offset = self.file.stream_position()?;
        self.pending.extend(encode(game).map_err(|error| GameFileError::Game { block: offset, error })?);
        self.games += 1;
        self.records += records as u32;
        if self.pending.len() >= FULL_BLOCK {
            self.end_block()?;
        }
        Ok(())
    }

    fn end_block(&mut self) -> io::Result<()> {
        let header = header(&self.pending, self.games, self.records);
        self.file.write_all(&[&header[..], &self.pending].concat())?;
        self.pending.clear();
        (self.games, self.records) = (0, 0);
        Ok(())
    }

    /// Writes the last games as a block that is not full, and syncs the file.
    pub fn finish(mut self) -> Result<(), GameFileError> {
        if self.games > 0 {
            self.end_block()?;
        }
        Ok(self.file.sync_all()?)
    }
}

fn lock(file: &File) -> Result<(), GameFileError> {
    lock_file(file).then_some(()).ok_or(GameFileError::Busy)
}

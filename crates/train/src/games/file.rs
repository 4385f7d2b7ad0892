//! Files of games: written block by block, read in any order.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use kiki_platform::{lock_file, open_regular_file};
use serde::{Deserialize, Serialize};

use super::code::encode;
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
const MOST_NOTE: u32 = 1 << 20;

/// What a file says of its games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameFileNote {
    pub program: String,
    pub records: RecordRule,
    /// The score that means 75 percent of the points, in centipawns.
    pub score_scale: f64,
    /// What it was made from and with which settings.
    pub origin: serde_json::Value,
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

    fn end(&self) -> u64 {
        self.offset + BLOCK_HEADER as u64 + u64::from(self.bytes)
    }
}

fn sum(parts: [&[u8]; 2]) -> [u8; 8] {
    let mut hasher = blake3::Hasher::new();
    let mut sum = [0; 8];
    hasher.update(parts[0]).update(parts[1]).finalize_xof().fill(&mut sum);
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
    pub fn is_one(path: &Path) -> Result<bool> {
        let mut start = Vec::new();
        open_regular_file(path)?.take(MAGIC.len() as u64).read_to_end(&mut start)?;
        Ok(start == MAGIC)
    }

    /// Opens a file and finds its blocks by their headers. Bytes after them are an error unless
    /// they may be the start of one more block.
    pub fn open(path: &Path) -> Result<Self> {
        const DAMAGED: &str = "the note at its start is damaged";
        let mut file = open_regular_file(path)?;
        let len = file.metadata()?.len();
        let mut start = vec![0; 12];
        let is_read = file.read_exact(&mut start).is_ok();
        ensure!(is_read && start.starts_with(&MAGIC), "no file of games");
        let length = start[MAGIC.len()..].iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte));
        ensure!(length <= MOST_NOTE, DAMAGED);
        let mut text = vec![0; length as usize];
        let mut noted_sum = [0; 8];
        file.read_exact(&mut text).and_then(|()| file.read_exact(&mut noted_sum)).context(DAMAGED)?;
        ensure!(sum([&start, &text]) == noted_sum, DAMAGED);
        let note = serde_json::from_slice(&text).context(DAMAGED)?;
        start.extend([&text[..], &noted_sum].concat());
        let mut opened = Self { file, start, note, blocks: Vec::new(), torn: 0, bytes: Vec::new() };
        opened.find_blocks(len)?;
        Ok(opened)
    }

    fn find_blocks(&mut self, len: u64) -> Result<()> {
        let mut offset = self.start.len() as u64;
        while offset < len {
            self.torn = len - offset;
            let mut header = [0; BLOCK_HEADER];
            if self.torn < BLOCK_HEADER as u64 {
                break;
            }
            self.file.seek(SeekFrom::Start(offset))?;
            self.file.read_exact(&mut header)?;
            let number = |place: usize| u32::from_le_bytes(header.as_chunks().0[place]);
            let block = BlockPlace { offset, bytes: number(1), games: number(2), records: number(3) };
            let begun = header.starts_with(&BLOCK_MAGIC) && block.bytes <= MOST_BLOCK;
            if begun && block.end() <= len {
                self.blocks.push(block);
                offset = block.end();
                self.torn = 0;
                continue;
            }
            // A killed process leaves the start of one block, a machine that crashes perhaps zeros.
            let one_block = self.torn <= (FULL_BLOCK + BLOCK_HEADER) as u64 + MOST_OVER;
            ensure!(one_block && (begun || header == [0; BLOCK_HEADER]), "the block from byte {offset} on is damaged");
            break;
        }
        Ok(())
    }

    #[must_use]
    pub fn note(&self) -> &GameFileNote {
        &self.note
    }

    #[must_use]
    pub fn blocks(&self) -> &[BlockPlace] {
        &self.blocks
    }

    /// Bytes after the last whole block: of one that was not written to its end.
    #[must_use]
    pub fn torn(&self) -> u64 {
        self.torn
    }

    /// Positions to learn from in whole blocks.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.blocks.iter().map(|block| u64::from(block.records)).sum()
    }

    /// The bytes of the games of a block, for [`super::BlockGames`]. Verifies the checksum.
    pub fn read(&mut self, block: BlockPlace) -> Result<&[u8]> {
        self.file.seek(SeekFrom::Start(block.offset))?;
        self.bytes.resize(BLOCK_HEADER + block.bytes as usize, 0);
        self.file.read_exact(&mut self.bytes)?;
        let (found, games) = self.bytes.split_at(BLOCK_HEADER);
        let is_sound = found == header(games, block.games, block.records);
        ensure!(is_sound, "the block from byte {} on is damaged", block.offset);
        Ok(games)
    }

    /// The bytes of a file with the same note and only some of the blocks.
    pub fn extract(&mut self, blocks: &[BlockPlace]) -> Result<Vec<u8>> {
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
    /// The games of a block that is not full yet.
    pending: Vec<u8>,
    games: u32,
    records: u32,
}

impl GameFileWriter {
    /// Creates a file without games. An existing file is refused.
    pub fn create(path: &Path, note: &GameFileNote) -> Result<Self> {
        let mut file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        lock(&file)?;
        let text = serde_json::to_vec(note)?;
        let start = [&MAGIC[..], &(text.len() as u32).to_le_bytes()].concat();
        file.write_all(&[&start[..], &text, &sum([&start, &text])].concat())?;
        Ok(Self { file, pending: Vec::new(), games: 0, records: 0 })
    }

    /// Continues a file: cuts off bytes after the last whole block, and fills a last block that is
    /// not full. The file becomes the same as if written at once. `read` may read it before, when no
    /// other process can write it any more.
    pub fn resume<T>(path: &Path, read: impl FnOnce() -> Result<T>) -> Result<(Self, T)> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        lock(&file)?;
        let found = read()?;
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
        Ok((writer, found))
    }

    /// Appends a game; `None` for one that is left out because it repeats an earlier one. `records`
    /// is its number of positions to learn from. Illegal moves are refused.
    pub fn append(&mut self, game: Option<&TrainingGame>, records: usize) -> Result<()> {
        let offset = self.file.stream_position()?;
        self.pending.extend(encode(game).with_context(|| format!("the block from byte {offset} on"))?);
        self.games += 1;
        self.records += records as u32;
        if self.pending.len() >= FULL_BLOCK {
            self.end_block()?;
        }
        Ok(())
    }

    fn end_block(&mut self) -> Result<()> {
        let header = header(&self.pending, self.games, self.records);
        self.file.write_all(&[&header[..], &self.pending].concat())?;
        self.pending.clear();
        (self.games, self.records) = (0, 0);
        Ok(())
    }

    /// Writes the last games as a block that is not full, and syncs the file.
    pub fn finish(mut self) -> Result<()> {
        if self.games > 0 {
            self.end_block()?;
        }
        Ok(self.file.sync_all()?)
    }
}

fn lock(file: &File) -> Result<()> {
    ensure!(lock_file(file), "another process is writing it");
    Ok(())
}

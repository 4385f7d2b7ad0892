//! A book that stays in its file: positions are found by binary search, with a few dozen reads each.

use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _, SeekFrom};
use std::sync::{Mutex, PoisonError};

use crate::check::{LONGEST_LINE, check_beginning, check_text};
use crate::entry::{BookEntry, BookLine, split};
use crate::error::LookupError;
use crate::read::read_line;

/// How many bytes are checked when a file is opened: enough for a complete first line.
const CHECKED: usize = 2 * LONGEST_LINE;

/// A sorted book file.
#[derive(Debug)]
pub(crate) struct BookFile {
    reader: Mutex<BufReader<File>>,
    length: u64,
}

/// A position and where the line after it begins.
struct FoundPosition {
    board: String,
    ply: Option<u32>,
    after: u64,
}

impl BookFile {
    /// Checks the beginning of the file.
    pub(crate) fn new(mut file: File) -> Result<Self, LookupError> {
        let length = file.metadata()?.len();
        let mut beginning = Vec::new();
        file.by_ref().take(CHECKED as u64).read_to_end(&mut beginning)?;
        if beginning.len() < CHECKED { check_text(&beginning) } else { check_beginning(&beginning) }?;
        Ok(Self { reader: Mutex::new(BufReader::new(file)), length })
    }

    /// The first entry of a position for which `wanted` returns true.
    pub(crate) fn find(
        &self,
        board: &str,
        wanted: impl Fn(&BookEntry) -> bool,
    ) -> Result<Option<BookEntry>, LookupError> {
        // A panic of another thread does no harm to the reader: every lookup begins with a seek.
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let mut at = first_not_before(&mut reader, self.length, board)?;
        // The entries of a position at several plies follow each other.
        while let Some(found) = next_position(&mut reader, at)?.filter(|found| found.board == board) {
            let entry = BookEntry { ply: found.ply, moves: Vec::new() };
            if wanted(&entry) {
                return read_moves(&mut reader, found.after, entry).map(Some);
            }
            at = found.after;
        }
        Ok(None)
    }
}

/// The offset from which the first position read is the first one that is not sorted before `board`.
fn first_not_before(reader: &mut BufReader<File>, length: u64, board: &str) -> Result<u64, LookupError> {
    // Positions before `low` are sorted before `board`; the first one from `high` on is not.
    let (mut low, mut high) = (0, length);
    while low < high {
        let middle = low + (high - low) / 2;
        let line = start_of_line(reader, middle)?;
        match next_position(reader, line)? {
            // Positions are sorted as texts, including the blank after the hands.
            Some(found) if found.board.as_str() < board => low = found.after,
            _ => high = middle,
        }
    }
    Ok(low)
}

/// The first line that begins at `offset` or later.
fn start_of_line(reader: &mut BufReader<File>, offset: u64) -> Result<u64, LookupError> {
    let Some(before) = offset.checked_sub(1) else { return Ok(0) };
    reader.seek(SeekFrom::Start(before))?;
    Ok(before + read_line(reader, &mut Vec::new(), before)? as u64)
}

/// The first position at `offset`, which begins a line, or later.
fn next_position(reader: &mut BufReader<File>, mut offset: u64) -> Result<Option<FoundPosition>, LookupError> {
    reader.seek(SeekFrom::Start(offset))?;
    let mut line = Vec::new();
    loop {
        let read = read_line(reader, &mut line, offset)?;
        if read == 0 {
            return Ok(None);
        }
        offset += read as u64;
        if let BookLine::Position(sfen) = BookLine::read(&String::from_utf8_lossy(&line))
            && let Some((board, ply)) = split(sfen)
        {
            return Ok(Some(FoundPosition { board, ply, after: offset }));
        }
    }
}

/// The moves up to the next position.
fn read_moves(reader: &mut BufReader<File>, mut offset: u64, mut entry: BookEntry) -> Result<BookEntry, LookupError> {
    reader.seek(SeekFrom::Start(offset))?;
    let mut line = Vec::new();
    loop {
        let read = read_line(reader, &mut line, offset)?;
        if read == 0 {
            return Ok(entry);
        }
        offset += read as u64;
        match BookLine::read(&String::from_utf8_lossy(&line)) {
            BookLine::Position(_) => return Ok(entry),
            BookLine::Move(book_move) => entry.moves.push(book_move),
            BookLine::Nothing | BookLine::Unknown(_) => {}
        }
    }
}

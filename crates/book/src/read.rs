//! Books read from the beginning to the end, an entry at a time, so that they may be larger than memory.

use std::io::{BufRead, Read as _};

use crate::check::{LONGEST_LINE, check_line};
use crate::entry::{BookEntry, BookLine, sfen_of, split};
use crate::error::LookupError;

/// Reads the rest of the line at `offset`, where the reader stands, and returns its length; 0 at the end of the file.
pub(crate) fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>, offset: u64) -> Result<usize, LookupError> {
    line.clear();
    let read = reader.by_ref().take(LONGEST_LINE as u64 + 2).read_until(b'\n', line)?;
    check_line(line.strip_suffix(b"\n").unwrap_or(line), offset)?;
    Ok(read)
}

/// The lines of a book from one position up to the next; the first of a book may be what stands before any position.
#[derive(Clone, Debug)]
pub struct EntryText {
    /// The number of its first line, from 1.
    pub line: u64,
    pub(crate) text: Vec<u8>,
}

impl EntryText {
    /// Board, side and hands, and the entry; `None` if this is no position. Lines that cannot be understood are left out.
    #[must_use]
    pub fn entry(&self) -> Option<(String, BookEntry)> {
        let text = String::from_utf8_lossy(&self.text);
        let mut lines = text.lines().map(BookLine::read);
        let BookLine::Position(sfen) = lines.next()? else { return None };
        let (board, ply) = split(sfen)?;
        let moves = lines.filter_map(|line| if let BookLine::Move(book_move) = line { Some(book_move) } else { None });
        Some((board, BookEntry { ply, moves: moves.collect() }))
    }
}

/// The entries of a book in its order, as they are written; ends after the first error.
pub struct EntryTexts<R> {
    reader: R,
    /// The number of the line that was read ahead.
    line: u64,
    offset: u64,
    /// The first line of the next entry; `None` at the end.
    ahead: Option<Vec<u8>>,
}

impl<R: BufRead> EntryTexts<R> {
    /// The entries of what the reader reads.
    pub fn new(reader: R) -> Self {
        Self { reader, line: 1, offset: 0, ahead: Some(Vec::new()) }
    }

    fn read(&mut self, mut text: Vec<u8>) -> Result<Option<EntryText>, LookupError> {
        let first = self.line;
        let mut line = Vec::new();
        self.line += u64::from(!text.is_empty());
        loop {
            let read = read_line(&mut self.reader, &mut line, self.offset).map_err(|error| error.in_line(self.line))?;
            if read == 0 {
                break;
            }
            self.offset += read as u64;
            if sfen_of(&String::from_utf8_lossy(&line)).is_some() && !text.is_empty() {
                self.ahead = Some(line);
                break;
            }
            self.line += 1;
            text.append(&mut line);
        }
        Ok((!text.is_empty()).then_some(EntryText { line: first, text }))
    }
}

impl<R: BufRead> Iterator for EntryTexts<R> {
    type Item = Result<EntryText, LookupError>;

    fn next(&mut self) -> Option<Self::Item> {
        let text = self.ahead.take()?;
        self.read(text).transpose()
    }
}

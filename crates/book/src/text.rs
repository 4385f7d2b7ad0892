//! The text of books. Read one entry at a time, so that a book may exceed memory. Written so that
//! every program that knows the format reads it and finds positions on the fly.

use std::io::{self, BufRead, Read as _, Write};

use crate::check::{LONGEST_LINE, LookupError, check_line};
use crate::entry::{BookEntry, BookLine, BookMove, is_move, sfen_of, split};

/// Reads the rest of the line at `offset`, where the reader is, and returns its length; 0 at the
/// end of the file.
pub(crate) fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>, offset: u64) -> Result<usize, LookupError> {
    line.clear();
    let read = reader.by_ref().take(LONGEST_LINE as u64 + 2).read_until(b'\n', line)?;
    check_line(line.strip_suffix(b"\n").unwrap_or(line), offset)?;
    Ok(read)
}

/// The lines of a book from one position to the next. The first may be the text before any
/// position.
#[derive(Clone, Debug)]
pub struct EntryText {
    /// The number of its first line, from 1.
    pub line: u64,
    pub(crate) text: Vec<u8>,
}

impl EntryText {
    /// Board, side and hands, and the entry; `None` if this is not a position. Skips lines that are
    /// neither positions nor moves.
    pub fn entry(&self) -> Option<(String, BookEntry)> {
        let text = String::from_utf8_lossy(&self.text);
        let mut lines = text.lines().map(BookLine::read);
        let BookLine::Position(sfen) = lines.next()? else { return None };
        let (board, ply) = split(sfen)?;
        let moves = lines.filter_map(|line| if let BookLine::Move(book_move) = line { Some(book_move) } else { None });
        Some((board, BookEntry { ply, moves: moves.collect() }))
    }
}

/// The entries of a book as text, in order, up to the first error.
pub struct EntryTexts<R> {
    reader: R,
    /// The number of the line read ahead.
    line: u64,
    offset: u64,
    /// The first line of the next entry; `None` at the end.
    ahead: Option<Vec<u8>>,
}

impl<R: BufRead> EntryTexts<R> {
    /// The entries of the text from a reader.
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

/// The first line of a book.
pub const HEADER: &str = "#YANEURAOU-DB2016 1.00";

/// Why an entry is not written.
#[derive(Debug, thiserror::Error)]
pub enum BookWriteError {
    /// The file cannot be written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Positions must be in the order of their texts, each once.
    #[error("the position `{position}` does not come after `{before}`")]
    Order {
        /// Board, side, hands and ply.
        position: String,
        /// The same for the previous entry.
        before: String,
    },
    /// Neither a move nor a word in place of one.
    #[error("`{0}` is no move")]
    Move(String),
}

/// Writes a book entry by entry, in the order of their texts.
pub struct BookWriter<W> {
    out: W,
    last: Option<String>,
}

impl<W: Write> BookWriter<W> {
    /// Writes the header.
    pub fn new(mut out: W) -> io::Result<Self> {
        writeln!(out, "{HEADER}")?;
        Ok(Self { out, last: None })
    }

    /// Writes the entry of a position, given as board, side and hands. Unknown fields are omitted
    /// at the end of a line, and are `none` before a known one.
    /// Refuses an entry that does not sort after the last one, and words that do not look like moves.
    pub fn write(&mut self, board: &str, entry: &BookEntry) -> Result<(), BookWriteError> {
        let position = BookEntry::sort_text(board, entry.ply);
        if let Some(before) = self.last.as_ref().filter(|before| **before >= position) {
            return Err(BookWriteError::Order { position, before: before.clone() });
        }
        writeln!(self.out, "sfen {position}")?;
        for book_move in &entry.moves {
            let words = std::iter::once(&book_move.mv).chain(&book_move.ponder);
            if let Some(wrong) = words.into_iter().find(|word| !is_move(word)) {
                return Err(BookWriteError::Move(wrong.clone()));
            }
            writeln!(self.out, "{}", line_of(book_move))?;
        }
        self.last = Some(position);
        Ok(())
    }

    /// Ends the book.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}

/// `move ponder value depth count`.
fn line_of(book_move: &BookMove) -> String {
    let fields = [
        book_move.ponder.clone(),
        book_move.value.map(|value| value.to_string()),
        book_move.depth.map(|depth| depth.to_string()),
        book_move.count.map(|count| count.to_string()),
    ];
    let known = fields.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    let mut line = book_move.mv.clone();
    for field in &fields[..known] {
        line.push(' ');
        line.push_str(field.as_deref().unwrap_or("none"));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_left_out_or_none() {
        let mut book_move = BookMove::new("7g7f");
        assert_eq!(line_of(&book_move), "7g7f");
        book_move.count = Some(12);
        assert_eq!(line_of(&book_move), "7g7f none none none 12");
        book_move.value = Some(-30);
        book_move.ponder = Some("3c3d".to_owned());
        assert_eq!(line_of(&book_move), "7g7f 3c3d -30 none 12");
    }

    #[test]
    fn what_would_not_be_found_is_not_written() {
        let mut writer = BookWriter::new(Vec::new()).unwrap();
        let entry = |ply| BookEntry { ply: Some(ply), moves: vec![BookMove::new("5i5h")] };
        writer.write("4k4/9/9/9/9/9/9/9/4K4 b -", &entry(2)).unwrap();
        assert!(matches!(writer.write("4k4/9/9/9/9/9/9/9/4K4 b -", &entry(2)), Err(BookWriteError::Order { .. })));
        let wrong = BookEntry { ply: Some(3), moves: vec![BookMove::new("5i 5h")] };
        assert!(matches!(writer.write("4k4/9/9/9/9/9/9/9/4K4 b -", &wrong), Err(BookWriteError::Move(_))));
    }
}

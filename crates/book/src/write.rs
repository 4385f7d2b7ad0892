//! Books written so that every program that knows the format reads them, and finds positions on the fly.

use std::io::{self, Write};

use crate::entry::{BookEntry, BookMove};
use crate::move_shape::is_move;

/// The first line of a book.
pub const HEADER: &str = "#YANEURAOU-DB2016 1.00";

/// Why an entry is not written.
#[derive(Debug, thiserror::Error)]
pub enum BookWriteError {
    /// The file cannot be written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Positions are written in the order of their texts, each once.
    #[error("the position `{position}` does not come after `{before}`")]
    Order {
        /// Board, side, hands and ply.
        position: String,
        /// The same of the one before.
        before: String,
    },
    /// Neither a move nor a word in place of one.
    #[error("`{0}` is no move")]
    Move(String),
}

/// Writes a book, entry by entry in the order of their texts.
pub struct BookWriter<W> {
    out: W,
    last: Option<String>,
}

impl<W: Write> BookWriter<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn new(mut out: W) -> io::Result<Self> {
        writeln!(out, "{HEADER}")?;
        Ok(Self { out, last: None })
    }

    /// Writes the entry of a position, given as board, side and hands. What is not known about a move is left out at the end of its line, and
    /// `none` before something known.
    ///
    /// # Errors
    /// If it does not come after the entry before, a move is none, or the file cannot be written.
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
    ///
    /// # Errors
    /// If the end cannot be written.
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

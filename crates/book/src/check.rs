//! Why a book is refused or unreadable. Books with mistakes are read as far as possible; images,
//! programs and other texts are refused.

use std::io;
use std::path::PathBuf;

use kiki_text::excerpt;

use crate::binary::BinaryProblem;
use crate::entry::{BookLine, is_move_or_word, split};

/// Greatest length of a line in bytes; a position takes about a hundred.
pub(crate) const LONGEST_LINE: usize = 1 << 16;

/// Why a file is not a book, and where in the file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}offset {offset}: {reason}", line.map_or_else(String::new, |line| format!("line {line}, ")))]
pub struct NotABook {
    /// The line, from 1; `None` if lines are not counted.
    pub line: Option<u64>,
    /// The offset in bytes from the beginning of the file.
    pub offset: u64,
    /// The fault.
    pub reason: NotABookReason,
}

/// Evidence that a file is not a book.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotABookReason {
    /// A control character other than white space.
    #[error("the byte 0x{0:02x} does not occur in text")]
    Byte(u8),
    /// The byte order mark of UTF-16.
    #[error("the text is UTF-16; save it as UTF-8")]
    Utf16,
    /// A line that is too long.
    #[error("a line of more than {LONGEST_LINE} bytes")]
    LongLine,
    /// Text that is not a book: it has no position, and a line that books do not have.
    #[error("neither a position (`sfen ..`) nor a move: `{0}`")]
    Content(String),
    /// An unusable binary book.
    #[error("{0}")]
    Binary(BinaryProblem),
}

/// Checks a whole book.
pub(crate) fn check_text(text: &[u8]) -> Result<(), NotABook> {
    if text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff") {
        return Err(NotABook { line: Some(1), offset: 0, reason: NotABookReason::Utf16 });
    }
    // The first line before any position that no book has.
    let (mut strange, mut has_position) = (None, false);
    let mut offset = 0;
    for (index, line) in text.split(|&byte| byte == b'\n').enumerate() {
        let number = Some(index as u64 + 1);
        check_line(line, offset).map_err(|error| NotABook { line: number, ..error })?;
        if !has_position {
            let line = String::from_utf8_lossy(line);
            has_position = matches!(BookLine::read(&line), BookLine::Position(sfen) if split(sfen).is_some());
            if strange.is_none() && !is_book_line(&line) {
                strange =
                    Some(NotABook { line: number, offset, reason: NotABookReason::Content(excerpt(line.trim())) });
            }
        }
        offset += line.len() as u64 + 1;
    }
    strange.filter(|_| !has_position).map_or(Ok(()), Err)
}

/// Checks the beginning of a book, except its last line, which may be cut off.
pub(crate) fn check_beginning(text: &[u8]) -> Result<(), NotABook> {
    match text.iter().rposition(|&byte| byte == b'\n') {
        Some(end) => check_text(&text[..end]),
        None => check_text(text),
    }
}

/// Checks that a line at `offset` is text.
pub(crate) fn check_line(line: &[u8], offset: u64) -> Result<(), NotABook> {
    if let Some(at) = line.iter().position(|&byte| is_binary(byte)) {
        return Err(NotABook { line: None, offset: offset + at as u64, reason: NotABookReason::Byte(line[at]) });
    }
    if line.len() > LONGEST_LINE {
        return Err(NotABook { line: None, offset, reason: NotABookReason::LongLine });
    }
    Ok(())
}

/// Whether a byte never occurs in text: a control character other than white space, the end-of-file
/// mark of DOS and the escape character of ISO-2022-JP.
fn is_binary(byte: u8) -> bool {
    byte < b' ' && !matches!(byte, b'\t'..=b'\r' | 0x1a | 0x1b)
}

/// Whether a line may occur in a book: blank, comment, position or move.
fn is_book_line(line: &str) -> bool {
    let line = line.trim_start_matches('\u{feff}').trim();
    let Some(word) = line.split_ascii_whitespace().next() else { return true };
    word.starts_with('#') || word.starts_with("//") || word == "sfen" || is_move_or_word(word)
}

/// Why a book cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("the book {path} {}: {cause}", if matches!(cause, LookupError::Io(_)) { "cannot be read" } else { "is refused" })]
pub struct BookError {
    /// The file.
    pub path: PathBuf,
    /// The system's error, or the place and the reason of the first part that is not a book.
    pub cause: LookupError,
}

/// Why a lookup in a book file failed.
#[derive(Debug, thiserror::Error)]
pub enum LookupError {
    /// The file can no longer be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A part of the file is not book text.
    #[error(transparent)]
    NotABook(#[from] NotABook),
}

impl LookupError {
    /// Adds the line number to an error.
    pub(crate) fn in_line(self, line: u64) -> Self {
        match self {
            Self::NotABook(error) => Self::NotABook(NotABook { line: Some(line), ..error }),
            Self::Io(_) => self,
        }
    }
}

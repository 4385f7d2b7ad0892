//! Why a book cannot be used.

use std::io;
use std::path::PathBuf;

use crate::check::NotABook;

/// Why a book cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// The file is missing or cannot be read.
    #[error("the book {path} cannot be read: {cause}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// The file is not a book.
    #[error("the book {path} is refused: {cause}")]
    NotABook {
        /// The file.
        path: PathBuf,
        /// Where it is no book, and why.
        cause: NotABook,
    },
}

/// Why a lookup in a book file failed.
#[derive(Debug, thiserror::Error)]
pub enum LookupError {
    /// The file can no longer be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A part of the file is not a book's.
    #[error("{0}")]
    NotABook(#[from] NotABook),
}

impl LookupError {
    /// The same with the number of the line, if the error is about one.
    pub(crate) fn in_line(self, line: u64) -> Self {
        match self {
            Self::NotABook(error) => Self::NotABook(NotABook { line: Some(line), ..error }),
            Self::Io(_) => self,
        }
    }
}

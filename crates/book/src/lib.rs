//! Opening books in the text format `#YANEURAOU-DB2016 1.00`, read leniently, as users' files come from many programs.
//!
//! A book lists moves under positions, one position as `sfen <board> <side> <hands> <ply>` and under it its moves as
//! `move ponder [value [depth [count]]]`. A [`Book`] is kept in memory, or left in the file and searched there, for files of
//! gigabytes; [`BookPolicy`] chooses one of the moves to play.
//!
//! Books are made here too: counted from games ([`PlayedMoves`]), grown by search ([`Expansion`]), merged ([`MergedEntries`]), written
//! ([`BookWriter`]) and checked ([`EntryText::check`]). The searching itself is left to the caller.
//!
//! ```
//! use kiki_book::{Book, BookKey};
//!
//! let text = "#YANEURAOU-DB2016 1.00\nsfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n7g7f 3c3d 50 20\n";
//! let book = Book::from_text(text.as_bytes())?;
//! let key = BookKey::new("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1").unwrap();
//! let moves = book.moves(&key, false)?;
//! assert_eq!(moves[0].mv, "7g7f");
//! assert_eq!(moves[0].value, Some(50));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod counts;
mod entry;
mod error;
mod expansion;
mod faults;
mod file;
mod flip;
mod merge;
mod move_shape;
mod policy;
mod read;
mod statistics;
mod write;

pub use check::{NotABook, NotABookReason};
pub use counts::{ColourRule, CountFilter, MoveCounts, MoveResult, PlayedMoves};
pub use entry::{BookEntry, BookKey, BookMove};
pub use error::{BookError, LookupError};
pub use expansion::{Expansion, ExpansionError, ExpansionSettings};
pub use faults::{BookFault, BookProblem, CheckedEntry, DuplicateCheck, GREATEST_VALUE, OrderCheck};
pub use merge::{MergedEntries, PlyRule, PositionedEntry};
pub use policy::BookPolicy;
pub use read::{EntryText, EntryTexts};
pub use statistics::{BookLines, BookStatistics, DepthCounts, EntryCounts};
pub use write::{BookWriteError, BookWriter, HEADER};

use std::collections::HashMap;
use std::path::Path;

use file::BookFile;
use kiki_platform::{open_regular_file, read_regular_file};

/// The most bytes of a book that is read into memory: larger ones stay in their files.
const MOST_BOOK: u64 = 4 << 30;

/// A book.
#[derive(Debug)]
pub struct Book {
    source: BookSource,
}

#[derive(Debug)]
enum BookSource {
    /// By board, side and hands: the entries, one for each ply.
    Memory(HashMap<String, Vec<BookEntry>>),
    File(BookFile),
}

impl Book {
    /// Reads a book into memory or, with `on_the_fly`, leaves it in its file, which must then be sorted by position. Only the beginning of
    /// such a file is checked now, and the rest when it is read, so that a file of gigabytes opens at once.
    ///
    /// # Errors
    /// If the file cannot be read, or is no book.
    pub fn open(path: &Path, on_the_fly: bool) -> Result<Self, BookError> {
        Self::try_open(path, on_the_fly).map_err(|error| {
            let path = path.to_owned();
            match error {
                LookupError::Io(cause) => BookError::Io { path, cause },
                LookupError::NotABook(cause) => BookError::NotABook { path, cause },
            }
        })
    }

    fn try_open(path: &Path, on_the_fly: bool) -> Result<Self, LookupError> {
        Ok(if on_the_fly {
            Self { source: BookSource::File(BookFile::new(open_regular_file(path)?)?) }
        } else {
            Self::from_text(&read_regular_file(path, MOST_BOOK)?)?
        })
    }

    /// Reads a book. Lines that cannot be understood are skipped.
    ///
    /// # Errors
    /// If this is no book: bytes that no text has, or no position although there is text.
    pub fn from_text(text: &[u8]) -> Result<Self, NotABook> {
        check::check_text(text)?;
        let mut entries: HashMap<String, Vec<BookEntry>> = HashMap::new();
        // Memory can always be read, and what is no text was refused above.
        for (board, entry) in EntryTexts::new(text).map_while(Result::ok).filter_map(|text| text.entry()) {
            entries.entry(board).or_default().push(entry);
        }
        Ok(Self { source: BookSource::Memory(entries) })
    }

    /// The moves of a position at its ply or, if `any_ply`, at the first ply that the book has. Often there are none.
    ///
    /// # Errors
    /// If the file cannot be read any more, or is no book where it was read.
    pub fn moves(&self, key: &BookKey, any_ply: bool) -> Result<Vec<BookMove>, LookupError> {
        let fits = |entry: &BookEntry| any_ply || entry.ply.is_none_or(|ply| ply == key.ply);
        let found = match &self.source {
            BookSource::Memory(entries) => {
                entries.get(&key.board).and_then(|entries| entries.iter().find(|entry| fits(entry))).cloned()
            }
            BookSource::File(file) => file.find(&key.board, fits)?,
        };
        Ok(found.map(|entry| entry.moves).unwrap_or_default())
    }

    /// The same; if there are none, the moves of the position with colours exchanged and the board turned, at any ply: the other side
    /// reaches it a move earlier or later.
    ///
    /// # Errors
    /// If the file cannot be read any more, or is no book where it was read.
    pub fn moves_of_either_colour(&self, key: &BookKey, any_ply: bool) -> Result<Vec<BookMove>, LookupError> {
        let direct = self.moves(key, any_ply)?;
        if !direct.is_empty() {
            return Ok(direct);
        }
        let mut moves = self.moves(&key.flipped(), true)?;
        moves.iter_mut().for_each(BookMove::flip);
        Ok(moves)
    }
}

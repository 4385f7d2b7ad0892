//! Opening books in the text format `#YANEURAOU-DB2016 1.00` and in the binary form `.ybb`. Reading
//! is lenient, as users' files come from many programs.
//!
//! A book lists moves under positions: a line `sfen <board> <side> <hands> <ply>`, then its moves
//! as `move ponder [value [depth [count]]]`. A binary book ([`BinaryBook`]) has the same without
//! replies and counts. A [`Book`] is kept in memory, or searched in its file, for files of
//! gigabytes. [`BookPolicy`] chooses the move to play. The program has a book of its own,
//! [`Book::built_in`].
//!
//! Books are also made here: counted from games ([`PlayedMoves`]), grown by search ([`Expansion`]),
//! merged ([`MergedEntries`]), written ([`BookWriter`], [`BinaryWriter`]) and checked
//! ([`EntryText::check`]). The caller does the searching.
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

#![warn(missing_docs)]

mod binary;
mod built_in;
mod check;
mod counts;
mod entry;
mod expansion;
mod faults;
mod lookup;
mod merge;
mod statistics;
mod text;

pub use binary::{BinaryBook, BinaryEntry, BinaryFault, BinaryProblem, BinaryWriter, LostData};
pub use built_in::BUILT_IN;
pub use check::{BookError, LookupError, NotABook, NotABookReason};
pub use counts::{ColourRule, CountFilter, MoveCounts, PlayedMoves};
pub use entry::{BookEntry, BookKey, BookMove};
pub use expansion::{Expansion, ExpansionError, ExpansionSettings};
pub use faults::{BookFault, BookProblem, CheckedEntry, DuplicateCheck, GREATEST_VALUE, OrderCheck};
pub use lookup::{Book, BookPolicy};
pub use merge::{MergedEntries, PlyRule, PositionedEntry};
pub use statistics::{BookLines, BookStatistics, DepthCounts, EntryCounts};
pub use text::{BookWriteError, BookWriter, EntryText, EntryTexts, HEADER};

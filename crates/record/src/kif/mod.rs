//! KIF and KI2 records, the formats of Kakinoki's programs and of most Japanese programs for
//! people.
//!
//! The crate rsshogi reads and writes them too, but fails on real files: it refuses bookmarks
//! (`&`), a board with its move number (`手数＝`), digits for ranks, and an illegal last move. It
//! reads only the first game of a file, and loses variations after the result, where Kakinoki's
//! programs write them. Its errors have no line.

mod lines;
mod position;
mod read;
mod result;
mod tree;
mod write;

pub(crate) use lines::numbered;
pub(crate) use read::read;
pub(crate) use write::{write_ki2, write_ki2_digits, write_kif};

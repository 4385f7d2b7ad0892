//! The transposition table and the memory that it lies in.

mod entry;
mod memory;
mod transposition;

pub(crate) use entry::TableEntry;
pub(crate) use memory::prefer_large_pages;
pub(crate) use transposition::TranspositionTable;

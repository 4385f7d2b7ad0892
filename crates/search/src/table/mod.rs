//! The transposition table.

mod entry;
mod transposition;

pub(crate) use entry::TableEntry;
pub(crate) use transposition::TranspositionTable;

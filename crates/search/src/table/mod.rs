//! The transposition table.

mod entry;
mod slot;
mod transposition;

pub(crate) use entry::TableEntry;
pub(crate) use transposition::TranspositionTable;

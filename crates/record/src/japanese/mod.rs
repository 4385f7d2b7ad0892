//! Moves as Japanese records, books and people write them: `▲７六歩`, `△同銀右上成`, `☗5五角打`.

mod notation;
mod read;
mod write;

pub(crate) use notation::{KANJI_DIGITS, Notation, WIDE_DIGITS, digit, mark, skip_blanks};
pub use read::read_japanese_move;
pub(crate) use read::resolve;
pub(crate) use write::NAMES;
pub use write::{JapaneseLine, japanese_move};

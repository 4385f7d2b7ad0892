//! JKF, the JSON Kifu Format of programs for the web.
//!
//! The crate rsshogi reads and writes it too. It lacks scores, line numbers in errors, moves
//! without an origin, and results in which the side to move does not lose.

mod games;
mod json;
mod read;
mod write;

pub(crate) use read::{read, read_before};
pub(crate) use write::write;

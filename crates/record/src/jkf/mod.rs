//! JKF, the JSON Kifu Format of programs for the web.
//!
//! The crate rsshogi reads and writes it too, but without scores, line numbers in errors, moves that name no origin, and results that
//! the side to move does not lose by; see tests/record/jkf_files.rs.

mod games;
mod read;
mod write;

pub(crate) use read::read;
pub(crate) use write::write;

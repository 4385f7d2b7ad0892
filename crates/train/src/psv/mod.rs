//! Packed SFEN with value (PSV): the 40 bytes in which shogi programs keep a training position.
//!
//! | bytes | what |
//! |---|---|
//! | 0 to 31 | the position, see [`PackedSfen`] |
//! | 32, 33 | score for the side to move, in centipawns |
//! | 34, 35 | the move played, see [`TrainingRecord::mv`] |
//! | 36, 37 | ply of the game, from 1 |
//! | 38 | result of the game for the side to move: 1, 0 or -1 |
//! | 39 | unused |
//!
//! Numbers are little-endian. The form is that of the programs Apery and `YaneuraOu`; it was found out from the bytes that the Python package
//! `cshogi` writes, and is tested against them.

mod bits;
mod packed_sfen;
mod record;

pub use packed_sfen::{PackError, PackedSfen, UnpackError, UnpackedPosition};
pub use record::{RecordError, TrainingRecord};

//! Whole games in 3 to 4 bytes a position: where they began, their moves and scores, how they
//! ended.
//!
//! A file is a note, in JSON, and blocks of games. Each block has a checksum and can be read alone.
//! Numbers are little-endian; a sum is the first 8 bytes of BLAKE3.
//!
//! | bytes of a file | what |
//! |---|---|
//! | 8 | `KIKIGAM1` |
//! | 4 | length of the note |
//! | that length | the note |
//! | 8 | sum of all bytes before |
//! | | blocks |
//!
//! | bytes of a block | what |
//! |---|---|
//! | 4 | `GAME` |
//! | 4 | length of the games |
//! | 4 | number of games, those left out included |
//! | 4 | number of records: positions to learn from |
//! | 8 | sum of the 16 bytes before and of the games |
//! | that length | the games, each in whole bytes |
//!
//! A game is a row of bits, the lowest bit of a byte first:
//!
//! | bits | what |
//! |---|---|
//! | 3 | ending: 0 left out (nothing follows), 1 mate, 2 adjudication, 3 declaration, 4 perpetual check, 5 repetition, 6 longest length, 7 unknown |
//! | 2 | winner: 0 Black, 1 White, 2 nobody |
//! | parts | with a 1 between two of them, and a 0 after the last |
//!
//! | bits of a part | what |
//! |---|---|
//! | 1 | 0: from the start of the game, 1: from another position |
//! | 256 and 16 | this position ([`kiki_board::PackedSfen`]) and its ply |
//! | 4 | `low`, the parameter of the scores |
//! | 2 | plies follow: 0 without search, 1 drawn among the best, 2 best of a search; 3: the part ends |
//! | gamma | number of plies of this kind: n zeros, a one, and the n bits below the highest of the number |
//! | plies | then again the 2 bits |
//!
//! | bits of a ply | what |
//! |---|---|
//! | below | the piece: a number of those on the board in the order of squares, then of the kinds in hand |
//! | below | the square: a number of those that the piece attacks, or may be dropped on (pawns one on a file) |
//! | 1 | promotion, if the kind promotes and one of both squares lies in the camp |
//! | Rice | unless without search: difference of the score, in centipawns for the side to move, from the score before; 0, -1, 1, -2 .. are 0, 1, 2, 3 .. |
//!
//! *Below* is truncated binary. `2^w` is the least power of two that is not below `n`. The first
//! `2^w - n` of the `n` numbers take `w - 1` bits. Any other number plus `2^w - n` takes `w` bits:
//! first the bits above the lowest, then the lowest. *Rice*: the number without its `low` lowest
//! bits in unary (ones, then a zero), then these bits. From 16 ones on: 16 ones, then 17 bits of
//! the number.

mod bits;
mod code;
mod file;
mod game;

pub use code::{BlockGames, encode};
pub use file::{BlockPlace, GameFile, GameFileNote, GameFileWriter};
pub use game::{GamePart, GamePly, PlacedSfen, PlySource, RecordRule, SelfPlayEnding, TrainingGame, is_tactical};

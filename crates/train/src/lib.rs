//! Training data for evaluations: how it is made and how it is kept.
//!
//! | folder | what it has |
//! |---|---|
//! | [`fit`] | how often each term of the formula, and others that might join it, is there in a position |
//! | [`psv`] | records of 40 bytes: a packed position, its score, the move played, the result of the game |
//! | [`selfplay`] | games of an evaluator against itself |
//! | [`shards`] | files of records, larger than memory: read, shuffled, merged, counted |
//! | [`trainer`] | networks learned from records |
//!
//! The library reads and writes bytes and opens no file: the commands `selfplay` and `data` of `kiki-lab` do.

pub mod data;
pub mod fit;
pub mod psv;
pub mod selfplay;
pub mod shards;
pub mod trainer;

mod random;
mod returns;
mod target;

pub use returns::{LambdaReturn, is_same_game};
pub use target::{ScoreScale, Target};

//! Training data for evaluations: how it is made and stored.
//!
//! | folder | what it has |
//! |---|---|
//! | [`duel`] | games of one evaluation against another |
//! | [`fit`] | counts of the terms of the formula, and of candidate terms, in a position |
//! | [`games`] | whole games with their scores, in 3 to 4 bytes a position |
//! | [`psv`] | records of 40 bytes: a packed position, its score, the move played, the result of the game |
//! | [`recorded`] | files of either form, read game by game or in parts |
//! | [`selfplay`] | games of an evaluator against itself |
//! | [`shards`] | records of files larger than memory: shuffled, merged, counted |
//! | [`trainer`] | networks learned from records |
//!
//! The commands `selfplay`, `data` and `train` of `kiki-lab` are here too.

pub mod data;
pub mod duel;
pub mod fit;
pub mod games;
pub mod psv;
pub mod recorded;
pub mod selfplay;
pub mod shards;
pub mod trainer;

mod target;

pub use target::{LambdaReturn, ScoreScale, TrainingTarget, is_same_game};

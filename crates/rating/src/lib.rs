//! How strong are the players? Ratings and tests from results.
//!
//! | module | question |
//! |---|---|
//! | [`bradley_terry`], [`rate`] | how strong are the players of a whole table, and how sure is that? |
//! | [`series`], [`sequential`] | how would an incremental rating have moved? |
//! | [`elo`] | what does a score say? |
//! | [`llr`] | what does a sequential test say, and how long will it take? |
//! | [`ab`] | two candidates played the same base engine: which one is better? |
//! | [`coverage`] | does a "95 %" interval hold the truth 95 times in 100? |
//! | [`results`] | results of finished games, read from files of all kinds |

pub mod ab;
pub mod bradley_terry;
pub mod coverage;
pub mod elo;
pub mod llr;
pub mod rate;
mod results;
pub mod sequential;
pub mod series;

//! How strong are the players? Ratings and tests from results. Each file holds a command of
//! `kiki-lab` and its mathematics.
//!
//! | module | question | method |
//! |---|---|---|
//! | [`rate`], [`bradley_terry`] | how strong are the players of a whole table, and how sure is that? | Bradley and Terry 1952, Ford 1957, Davidson 1970 |
//! | [`series`] | how would an incremental rating have moved? | Elo 1978 |
//! | [`elo`] | what does the score of one match say? | intervals of Wilson, Clopper and Pearson, Jeffreys |
//! | [`llr`] | what does a sequential test say, and how long will it take? | Wald 1945, Van den Bergh |
//! | [`ab`] | two candidates played the same base engine: which one is better? | Pearson 1900, beta posteriors |
//! | [`coverage`] | does a "95 %" interval hold the truth 95 times in 100? | exact sums |
//! | `results` | which results of finished games do files of all kinds hold? | |

pub mod ab;
pub mod bradley_terry;
pub mod coverage;
pub mod elo;
pub mod llr;
pub mod rate;
mod results;
pub mod series;

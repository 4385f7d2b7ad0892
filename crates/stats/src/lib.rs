//! The mathematics of measuring engines: ratings, errors of matches, sequential tests.
//!
//! | module | question |
//! |---|---|
//! | [`bradley_terry`] | how strong are the players of a whole table, and how sure is that? |
//! | [`match_error`] | what does one long match say? |
//! | [`coverage`] | does a "95 %" interval hold the truth 95 times in 100? |
//! | [`ab`] | two candidates played the same base engine: which one is better? |
//! | [`sprt`] | may the match be stopped now? |
//! | [`spsa`] | which numbers of an engine play best? |
//! | [`game_tree`] | how much of a game tree does alpha-beta look at? |
//! | [`game_length`] | how long do games last, as a random walk until they are decided? |
//! | [`regression`] | under which numbers are many results most likely? |
//! | [`sigma`] | how far may a shallow search be off, in a given position? |
//! | [`probcut`] | does a shallow value allow a cut, and how often is such a cut wrong? |
//! | [`gamble`] | which move has the best chance, rather than the best value? |
//! | [`council`] | several engines name moves: which one to play, and how good is that? |
//! | [`intrinsic`] | how strong is a player by the moves alone? |
//! | [`decay`] | which law does a quantity follow that falls with a distance? |
//! | [`interpolation`] | what does a curve look like of which some points are known? |
//! | [`sequential`] | how would an incremental rating have moved? |
//!
//! Everything here is a pure function: nothing is printed, read or timed. Ratings and rating differences are in Elo points of the
//! 400-point base-10 logistic curve. What cannot be computed is a [`StatsError`] with its reason, never a NaN; infinity stands only
//! for the rating of a score of 0 % or 100 %, its standard error, and the interval ends that belong to it. Simulations take a seed
//! and give every replicate a random stream of its own, so that the answer does not depend on the number of threads.
//!
//! ```
//! use kiki_stats::match_error::{IntervalMethod, MatchEstimate};
//! use kiki_stats::tally::{DrawPolicy, Tally};
//!
//! let tally = Tally { wins: 530, draws: 20, losses: 450 };
//! let estimate = MatchEstimate::from(tally.score(DrawPolicy::Half)?);
//! assert!((estimate.elo() - 27.854).abs() < 1e-3);
//! let elo = estimate.elo_interval(IntervalMethod::Wilson, 0.95)?;
//! assert!(elo.contains(estimate.elo()));
//! # Ok::<(), kiki_stats::StatsError>(())
//! ```

pub mod ab;
pub mod beta;
pub mod binomial;
pub mod bradley_terry;
pub mod council;
pub mod coverage;
pub mod decay;
mod error;
pub mod gamble;
pub mod game_length;
pub mod game_tree;
pub mod interpolation;
mod interval;
pub mod intrinsic;
pub mod logistic;
pub mod match_error;
pub mod normal;
mod numeric;
pub mod probcut;
mod quadrature;
mod random;
pub mod regression;
pub mod sequential;
pub mod sigma;
mod sparse_rows;
pub mod sprt;
pub mod spsa;
pub mod tally;

pub use error::{Result, StatsError};
pub use interval::Interval;

//! The mathematics of measuring engines: ratings, errors of matches, sequential tests.
//!
//! | module | question |
//! |---|---|
//! | [`match_error`] | what does one long match say? |
//! | [`line`] | which line runs through points, and how surely? |
//! | [`means`] | what is the error of a mean over moves, if those of one game depend on each other? |
//! | [`sprt`] | may the match be stopped now? |
//! | [`regression`] | under which numbers are many results most likely? |
//! | [`normal`], [`binomial`], [`beta`], [`logistic`] | how are scores and win rates distributed? |
//! | [`numeric`], [`random`], [`sparse_rows`] | methods that several modules use |
//!
//! Everything here is a pure function: nothing is printed, read or timed. Ratings and rating
//! differences are in Elo points of the 400-point base-10 logistic curve. A [`StatsError`] says why
//! a number cannot be computed; there is never a NaN. Only three things can be infinite: the rating
//! of a score of 0 % or 100 %, its standard error, and its interval ends. Simulations take a seed
//! and give every replicate its own random stream, so that the result does not depend on the number
//! of threads.
//!
//! ```
//! use kiki_stats::match_error::IntervalMethod;
//! use kiki_stats::tally::Tally;
//!
//! let tally = Tally { wins: 530, draws: 20, losses: 450 };
//! let estimate = tally.score()?;
//! assert!((estimate.elo() - 27.854).abs() < 1e-3);
//! let elo = estimate.elo_interval(IntervalMethod::Wilson, 0.95)?;
//! assert!(elo.contains(estimate.elo()));
//! # Ok::<(), kiki_stats::StatsError>(())
//! ```

#![warn(missing_docs)]

pub mod beta;
pub mod binomial;
pub mod error;
pub mod line;
pub mod logistic;
pub mod match_error;
pub mod means;
pub mod normal;
pub mod numeric;
pub mod random;
pub mod regression;
pub mod sparse_rows;
pub mod sprt;
pub mod tally;

pub use error::{Result, StatsError};
pub use logistic::Interval;

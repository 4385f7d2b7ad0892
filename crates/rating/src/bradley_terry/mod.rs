//! Ratings of a whole table of players at once, by maximum likelihood.
//!
//! The model is Zermelo's (1929) and Bradley and Terry's (1952): a player that is R points better
//! than its opponent wins with the probability of the Elo curve at R. All games count alike,
//! whatever their order, and every player is taken to be of constant strength. A finite maximum
//! exists for players of whom each group has taken something from the rest (Ford 1957): they are
//! one *strong component* of the graph of points taken, see [`Classification`].
//!
//! ```
//! use kiki_rating::bradley_terry::{Covariance, FitOptions, ResultTable, fit};
//!
//! let mut table = ResultTable::new(2);
//! table.add(0, 1, 60.0, 40.0)?;
//! let fit = fit(&table, &FitOptions::anchored(1, 0.0))?;
//! assert!((fit.rating(0)? - 70.4365).abs() < 1e-4);
//! assert!((Covariance::new(&fit)?.anchored_error(0)? - 35.45999).abs() < 1e-4);
//! # Ok::<(), kiki_stats::StatsError>(())
//! ```

mod classes;
mod covariance;
mod fit;
mod likelihood;
mod monte_carlo;
mod options;
mod predictions;
mod solver;
mod table;
#[cfg(test)]
mod tests;

pub use classes::{Classification, PlayerClass, default_anchor};
pub use covariance::Covariance;
pub use fit::{Fit, PlayerScore, fit};
pub use likelihood::DrawShare;
pub use monte_carlo::{MonteCarlo, MonteCarloPlan, SimulatedSpread, monte_carlo};
pub use options::{FitOptions, Scale};
pub use predictions::{CalibrationBin, HoldOut, Residual, hold_out, residuals};
pub use table::{PairResult, ResultTable};

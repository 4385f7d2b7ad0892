//! Is candidate A better than candidate B, when both played the same base engine?
//!
//! Two answers stand side by side: the [`chi_square`] rule, which is the pooled two-proportion test, and the posterior probability of
//! a [`CandidateComparison`] under beta priors. Both are meant for a number of games fixed beforehand. Whoever looks again and again and stops
//! at 95 % errs far more often than 5 %: [`peek`] shows how often, and [`kiki_stats::sprt`] is the test to stop by.
//!
//! ```
//! use kiki_rating::ab::{CandidateRecord, CandidateComparison, chi_square};
//!
//! let (a, b) = (CandidateRecord::new(1000.0, 500.0)?, CandidateRecord::new(1000.0, 490.0)?);
//! assert!((chi_square(&a, &b).a_better - 0.39746).abs() < 1e-5);
//! assert!((CandidateComparison::uniform(a, b).a_better() - 0.39753).abs() < 1e-5);
//! # Ok::<(), kiki_stats::StatsError>(())
//! ```

mod candidate;
mod chi_square;
mod closed_form;
pub mod command;
mod comparison;
mod difference;
mod forecast;
mod peek;

pub use candidate::{CandidateRecord, MOST_WINS};
pub use chi_square::{ChiSquare, chi_square};
pub use comparison::{CandidateComparison, EloDifference, Prior};
pub use forecast::{DecisionRule, GamesForecast, games_to_decide};
pub use peek::{PeekPlan, PeekReport, peek};

//! Intrinsic ratings: strength from moves instead of results (LFICS, intrinsic, after Regan and Haworth 2011 and Regan, Macieja and Haworth 2012).
//!
//! A stronger program judges every legal move of a position. The scaled error of a move is how much worse it is than the best one, on a scale where a
//! pawn counts less the more one side is ahead. A player's mean scaled error follows from a model of how moves are chosen, whose two parameters are
//! fitted to the moves that were played, and a line relates it to ordinary ratings.
//!
//! ```
//! use kiki_intrinsic::model::{CHESS_LINE, ChoiceModel, scaled_error};
//!
//! // From half a pawn ahead to 0.3 behind.
//! assert!((scaled_error(50.0, -30.0, 100.0)? - 0.667829).abs() < 1e-6);
//! let probabilities = ChoiceModel::new(0.1, 0.5)?.probabilities(&[0.0, 0.2, 0.5, 1.0]);
//! assert!((probabilities[0] - 0.7116).abs() < 1e-3);
//! // On the scale of chess, which is not that of shogi.
//! assert!((CHESS_LINE.rating(0.05) - 2800.35).abs() < 1e-9);
//! # Ok::<(), kiki_stats::StatsError>(())
//! ```

mod choice;
mod fit;
mod games;
mod line;
mod percentile;
mod projection;

pub use choice::{Choice, ChoiceModel, scaled_error};
pub use fit::{ChoiceFit, fit, log_likelihood};
pub use games::mean_error_deviation;
pub use line::{CHESS_LINE, LineFit, RatingLine, fit_line};
pub use percentile::{PercentileFit, fit_percentiles, percentile_curve};
pub use projection::{ChoiceTest, Projection};

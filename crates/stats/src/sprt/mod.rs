//! Sequential tests: may the match stop after this game?
//!
//! Wald's sequential probability ratio test (1945) between `elo0` and `elo1`, with the generalised
//! likelihood ratio of Van den Bergh where a game has more than two outcomes: win, draw and loss
//! ([`Counts::Trinomial`]), or the five results of a pair of games on one opening with colours
//! exchanged ([`Counts::Pentanomial`]), which takes out the correlation of the two games.
//!
//! An *observation* is the unit of counts: a game for the first two kinds, a pair of games for the
//! third.
//!
//! ```
//! use kiki_stats::sprt::{Counts, SprtDecision, Hypotheses, EloModel, Sprt};
//!
//! let sprt = Sprt { hypotheses: Hypotheses::new(0.0, 5.0, 0.05, 0.05)?, model: EloModel::Logistic };
//! let counts = Counts::Pentanomial([60, 10, 260, 12, 78]);
//! let llr = sprt.llr(&counts)?;
//! assert!((llr - 0.673856).abs() < 1e-6);
//! assert_eq!(sprt.hypotheses.bounds().decide(llr), SprtDecision::Continue);
//! # Ok::<(), kiki_stats::StatsError>(())
//! ```

mod behaviour;
mod counts;
mod estimates;
mod gaffke;
mod ratio;

pub use behaviour::{
    OperatingPoint, RemainingGames, SprtSimulation, TruePlayer, operating_point, power_curve, remaining_games, simulate,
};
pub use counts::{CountKind, Counts};
pub use estimates::{Estimates, MeanMethod};
pub use gaffke::gaffke_interval;
pub use ratio::{Bounds, EloModel, Hypotheses, Sprt, SprtDecision};

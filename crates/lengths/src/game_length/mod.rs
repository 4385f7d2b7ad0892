//! How long games last: a random walk until the game is decided, plus plies that are no walk (LFICS, lengths).
//!
//! The evaluation, on a scale where a decided game stands at 1 or -1, moves each ply by an independent normal step from 0. Opening moves,
//! forced moves and the moves after the decision take a normal number of plies beside that. The ply that decides belongs to them: a game lasts
//! `T - 1` plies of the walk, T being the first step at 1 or beyond, and the others.
//!
//! ```
//! use kiki_lengths::game_length::{GameLengthModel, GammaLength};
//!
//! let model = GameLengthModel::new(0.2474, 95.46, 21.72)?;
//! let moments = model.moments();
//! assert!((moments.mean - 116.097).abs() < 1e-3 && (moments.deviation() - 27.879).abs() < 1e-3);
//! let gamma = GammaLength::with(moments.mean, moments.deviation())?;
//! assert!((model.distribution().cdf(120.0) - gamma.cdf(120.0)).abs() < 0.004);
//! # Ok::<(), kiki_stats::StatsError>(())
//! ```

mod fit;
mod games;
mod gamma;
mod model;
mod moments;
mod simulation;
mod walk;

pub use fit::{LengthFit, fit, fit_pure_walk};
pub use games::{LengthErrors, WeightedLength, bootstrap};
pub use gamma::GammaLength;
pub use model::{GameLengthModel, LengthDistribution};
pub use moments::LengthMoments;
pub use simulation::{SimulatedGame, simulate};
pub use walk::{LEAST_STEP, Walk};

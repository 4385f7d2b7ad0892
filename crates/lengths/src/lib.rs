//! How long do games last, and how large are game trees?
//!
//! | file | contents |
//! |---|---|
//! | [`length`] | `kiki-lab lengths`: arguments, run, report and picture |
//! | `games` | the lengths of games that were played |
//! | [`walk`] | the random walk of the evaluation, and moments of lengths |
//! | [`model`] | the walk and the other plies together, simulated games, the gamma distribution |
//! | [`fit`] | the model of given moments, and of games, with its errors |
//! | [`tree`] | `kiki-lab tree`: the leaves that alpha-beta looks at (Knuth and Moore 1975) |
//!
//! The model is that of LFICS, lengths. The evaluation, on a scale where a decided game stands at 1
//! or -1, moves each ply by an independent normal step from 0. Opening moves, forced moves and the
//! moves after the decision take a normal number of plies beside that. The ply that decides belongs
//! to them: a game lasts `T - 1` plies of the walk, T being the first step at 1 or beyond, and the
//! others.
//!
//! ```
//! use kiki_lengths::model::{GameLengthModel, GammaLength};
//!
//! let model = GameLengthModel::new(0.2474, 95.46, 21.72)?;
//! let moments = model.moments();
//! assert!((moments.mean - 116.097).abs() < 1e-3 && (moments.deviation() - 27.879).abs() < 1e-3);
//! let gamma = GammaLength::with(moments.mean, moments.deviation())?;
//! assert!((model.distribution().cdf(120.0) - gamma.cdf(120.0)).abs() < 0.004);
//! # Ok::<(), kiki_stats::StatsError>(())
//! ```

pub mod fit;
mod games;
pub mod length;
pub mod model;
pub mod tree;
pub mod walk;

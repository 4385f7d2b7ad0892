//! Static evaluation.
//!
//! [`Evaluator`] is the interface that the search uses; [`Formula`] is the hand-crafted evaluation:
//! material, where a piece in hand counts more than on the board, and effects weighted by their
//! distance to the kings.
//!
//! ```
//! use kiki_board::Position;
//! use kiki_eval::{Evaluator, Formula, Weights};
//!
//! let position = Position::from_sfen("lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2")?;
//! let mut formula = Formula::new(&Weights::default().into(), &position);
//! assert!(formula.evaluate(&position) < 0); // White is to move, and Black's bishop is free.
//! # Ok::<(), kiki_board::SfenError>(())
//! ```

#![warn(missing_docs)]

mod formula;
mod network;
mod selected;
pub mod sigma;
mod tunables;
mod weights;

pub use formula::{Explanation, Formula, Term};
pub use network::{
    Activations, Architecture, ArchitectureError, DEFAULT_FV_SCALE, FeatureSet, GameProgress, HandChoice, KingChoice,
    LayerParameters, Network, NetworkError, NetworkEvaluator, NetworkFile, NetworkHead, SfnnShape, Shape, Shards,
    StackChoice,
};
pub use selected::{SelectedEvaluator, SelectedWeights};
pub use tunables::{TUNABLES, Tunable};
pub use weights::{EffectWeights, KingDirection, Weights, Zone};

use std::sync::Arc;

use kiki_board::{Delta, Position};

/// Centipawns from the view of the side to move.
pub type Value = i32;

/// An evaluation that is updated move by move.
///
/// Each search thread has its own. Every [`Position::make`] is followed by [`Evaluator::push`],
/// every [`Position::unmake`] by [`Evaluator::pop`]; null moves are not reported.
pub trait Evaluator: Sized {
    /// The parameters of the evaluation, shared by all threads.
    type Weights: Send + Sync + 'static;

    /// An evaluator for `position`.
    fn new(weights: &Arc<Self::Weights>, position: &Position) -> Self;

    /// Starts anew at another position; moves pushed before are forgotten.
    fn reset(&mut self, position: &Position);

    /// Updates after a move was made.
    fn push(&mut self, delta: &Delta);

    /// Undoes the last push, after the move was taken back.
    fn pop(&mut self);

    /// Does part of the work of [`Evaluator::evaluate`], while the caller waits for memory.
    fn prepare(&mut self, _position: &Position) {}

    /// The value of the position that the pushed moves led to, in centipawns for the side to move.
    fn evaluate(&mut self, position: &Position) -> Value;

    /// Whether the change of value by a quiet move shows how good the move was. False for values
    /// that ignore whose turn it is.
    fn judges_moves(&self) -> bool {
        true
    }
}

//! What a position is worth.
//!
//! [`Evaluator`] is the interface that the search knows; [`Formula`] is the evaluation that a person can read: material, with pieces
//! in hand dearer than on the board, and effects weighed by their distance to the kings.
//!
//! ```
//! use kiki_board::Position;
//! use kiki_eval::{Evaluator, Formula, Weights};
//!
//! let position = Position::from_sfen("lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2")?;
//! let mut formula = Formula::new(&Weights::default().into(), &position);
//! assert_eq!(formula.evaluate(&position), -140); // White is to move, and Black's bishop is free.
//! # Ok::<(), kiki_board::SfenError>(())
//! ```

mod explain;
mod formula;
mod network;
mod selected;
mod weights;

pub use explain::{Explanation, Term};
pub use formula::Formula;
pub use network::{
    DEFAULT_FV_SCALE, FeatureSet, LayerParameters, Network, NetworkError, NetworkEvaluator, NetworkParameters, Shape,
};
pub use selected::{SelectedEvaluator, SelectedWeights};
pub use weights::Weights;

use std::sync::Arc;

use kiki_board::{Delta, Position};

/// Centipawns from the view of the side to move.
pub type Value = i32;

/// An evaluation that follows a position move by move.
///
/// It belongs to one searching thread. Every [`Position::make`] is followed by [`Evaluator::push`], every unmake by
/// [`Evaluator::pop`]; a null move changes nothing that an evaluator keeps.
pub trait Evaluator: Sized {
    /// The numbers of the evaluation, shared by all threads.
    type Weights: Send + Sync + 'static;

    /// An evaluator that stands at `position`.
    fn new(weights: &Arc<Self::Weights>, position: &Position) -> Self;

    /// Moves to another position, forgetting the way.
    fn reset(&mut self, position: &Position);

    /// A move was made.
    fn push(&mut self, delta: &Delta);

    /// The last move was taken back.
    fn pop(&mut self);

    /// The value of the position that the pushed moves led to, in centipawns for the side to move.
    fn evaluate(&mut self, position: &Position) -> Value;
}

//! The evaluator selected at run time: the formula or a network.

use std::fmt;
use std::sync::Arc;

use kiki_board::{Delta, Position};

use crate::{Evaluator, Formula, Network, NetworkEvaluator, Value, Weights};

/// The weights of the selected evaluator.
#[derive(Clone, Debug)]
pub enum SelectedWeights {
    /// Of [`Formula`].
    Formula(Arc<Weights>),
    /// Of [`NetworkEvaluator`].
    Network(Arc<Network>),
}

impl Default for SelectedWeights {
    fn default() -> Self {
        Self::Formula(Arc::default())
    }
}

impl fmt::Display for SelectedWeights {
    /// `formula`, or `network` with its shape.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Formula(_) => formatter.write_str("formula"),
            Self::Network(network) => write!(formatter, "network {}", network.architecture()),
        }
    }
}

/// Evaluates by the formula or by a network.
///
/// One type for both, so that the search is compiled once. The variant never changes during a
/// search, so the branch predicts well.
#[derive(Clone)]
pub enum SelectedEvaluator {
    /// The formula.
    Formula(Formula),
    /// A network.
    Network(Box<NetworkEvaluator>),
}

/// Evaluates an expression of the selected evaluator.
macro_rules! of_selected {
    ($selected:expr, $evaluator:ident => $value:expr) => {
        match $selected {
            Self::Formula($evaluator) => $value,
            Self::Network($evaluator) => $value,
        }
    };
}

impl Evaluator for SelectedEvaluator {
    type Weights = SelectedWeights;

    fn new(weights: &Arc<SelectedWeights>, position: &Position) -> Self {
        match &**weights {
            SelectedWeights::Formula(weights) => Self::Formula(Formula::new(weights, position)),
            SelectedWeights::Network(network) => Self::Network(Box::new(NetworkEvaluator::new(network, position))),
        }
    }

    fn reset(&mut self, position: &Position) {
        of_selected!(self, evaluator => evaluator.reset(position));
    }

    #[inline(always)]
    fn push(&mut self, delta: &Delta) {
        of_selected!(self, evaluator => evaluator.push(delta));
    }

    #[inline(always)]
    fn pop(&mut self) {
        of_selected!(self, evaluator => evaluator.pop());
    }

    #[inline(always)]
    fn prepare(&mut self, position: &Position) {
        of_selected!(self, evaluator => evaluator.prepare(position));
    }

    #[inline(always)]
    fn evaluate(&mut self, position: &Position) -> Value {
        of_selected!(self, evaluator => evaluator.evaluate(position))
    }

    fn judges_moves(&self) -> bool {
        of_selected!(self, evaluator => evaluator.judges_moves())
    }
}

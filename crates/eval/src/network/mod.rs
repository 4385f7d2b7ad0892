//! Evaluation by a network (NNUE) in the form that shogi programs share: HalfKP features, a transformer that is updated move by
//! move, two small hidden layers (Yu Nasu, 2018).

mod affine;
mod features;
mod file;
mod layers;
mod transformer;
mod vnni;

use std::sync::Arc;

use kiki_board::{Delta, Position};

use crate::{Evaluator, Value};
use layers::{Buffers, Layers};
use transformer::{Accumulators, Transformer};

pub use features::{FeatureSet, PiecePlacement};
pub use file::{LayerParameters, NetworkError, NetworkParameters, Shape, ShapeError};

/// The divisor that turns the output of most networks into centipawns.
pub const DEFAULT_FV_SCALE: i32 = 16;

/// A network ready for use, shared by all threads.
#[derive(Clone, Debug)]
pub struct Network {
    shape: Shape,
    transformer: Transformer,
    layers: Layers,
    /// The divisor that turns the output into centipawns.
    fv_scale: i32,
}

impl Network {
    /// A network with these numbers. `fv_scale` is the divisor that turns its output into centipawns.
    #[must_use]
    pub fn new(parameters: &NetworkParameters, fv_scale: i32) -> Self {
        Self {
            shape: parameters.shape,
            transformer: parameters.transformer(),
            layers: parameters.hidden_and_last_layers(),
            fv_scale: fv_scale.max(1),
        }
    }

    /// Features and sizes of layers.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }
}

/// Evaluates positions by a [`Network`].
#[derive(Clone)]
pub struct NetworkEvaluator {
    network: Arc<Network>,
    accumulators: Accumulators,
    buffers: Buffers,
}

impl NetworkEvaluator {
    /// The network's output for the side to move, before it is divided by the scale.
    #[must_use]
    pub fn output(&mut self, position: &Position) -> i32 {
        let Self { network, accumulators, buffers } = self;
        network.layers.output(accumulators.sums(&network.transformer, position), buffers)
    }
}

impl Evaluator for NetworkEvaluator {
    type Weights = Network;

    fn new(network: &Arc<Network>, _: &Position) -> Self {
        let accumulators = Accumulators::new(network.shape.features);
        Self { network: Arc::clone(network), accumulators, buffers: network.layers.buffers() }
    }

    fn reset(&mut self, _: &Position) {
        self.accumulators.reset();
    }

    #[inline(always)]
    fn push(&mut self, delta: &Delta) {
        self.accumulators.push(delta);
    }

    #[inline(always)]
    fn pop(&mut self) {
        self.accumulators.pop();
    }

    #[inline(always)]
    fn evaluate(&mut self, position: &Position) -> Value {
        self.output(position) / self.network.fv_scale
    }
}

#[cfg(test)]
mod tests;

//! Evaluation by a network (NNUE) in the form that shogi programs share: HalfKP features, a transformer that is kept up to date move by
//! move, two small hidden layers (Yu Nasu, 2018).

mod accumulator;
mod block;
mod features;
mod file;
mod layers;
mod shape;
mod transformer;
mod vnni;

use std::sync::Arc;

use kiki_board::{Delta, Position, opponent};

use crate::{Evaluator, Value};
use accumulator::Accumulators;
use layers::{Affine, clipped_relu};
use transformer::{LINE, Transformer, clip};

pub use features::{FeatureSet, PiecePlacement};
pub use file::{LayerParameters, NetworkError, NetworkParameters};
pub use shape::{Shape, ShapeError};

/// By what the output of most networks is divided to give centipawns.
pub const DEFAULT_FV_SCALE: i32 = 16;

/// A network ready for use, shared by all threads.
#[derive(Clone, Debug)]
pub struct Network {
    shape: Shape,
    transformer: Transformer,
    layers: [Affine; 3],
    /// By what the output is divided to give centipawns.
    fv_scale: i32,
}

impl Network {
    /// A network with these numbers. `fv_scale` is what its output is divided by to give centipawns.
    #[must_use]
    pub fn new(parameters: &NetworkParameters, fv_scale: i32) -> Self {
        Self {
            shape: parameters.shape,
            transformer: parameters.transformer(),
            layers: parameters.affine_layers(),
            fv_scale: fv_scale.max(1),
        }
    }

    /// Features and sizes of layers.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }
}

/// Room for the numbers between the layers.
#[derive(Clone)]
struct Buffers {
    /// The first layer's inputs: the side to move's, then the opponent's.
    inputs: Vec<u8>,
    sums: Vec<[i32; 8]>,
    hidden: [Vec<u8>; 2],
}

impl Buffers {
    fn new(network: &Network) -> Self {
        let [first, second, last] = network.layers.each_ref().map(Affine::blocks);
        Self {
            inputs: vec![0; 2 * LINE * network.transformer.lines()],
            sums: vec![[0; 8]; first.max(second).max(last)],
            hidden: [vec![0; 8 * first], vec![0; 8 * second]],
        }
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
        let Network { transformer, layers: [first, second, last], .. } = &**network;
        let side = position.side_to_move();
        let (own, others) = buffers.inputs.split_at_mut(LINE * transformer.lines());
        clip(accumulators.sums(transformer, position, side), own);
        clip(accumulators.sums(transformer, position, opponent(side)), others);
        let (sums, [hidden_one, hidden_two]) = (&mut buffers.sums, &mut buffers.hidden);
        first.forward(&buffers.inputs, &mut sums[..first.blocks()]);
        clipped_relu(&sums[..first.blocks()], hidden_one);
        second.forward(hidden_one, &mut sums[..second.blocks()]);
        clipped_relu(&sums[..second.blocks()], hidden_two);
        last.forward(hidden_two, &mut sums[..last.blocks()]);
        sums[0][0]
    }
}

impl Evaluator for NetworkEvaluator {
    type Weights = Network;

    fn new(network: &Arc<Network>, _: &Position) -> Self {
        let accumulators = Accumulators::new(network.shape.features);
        Self { network: Arc::clone(network), accumulators, buffers: Buffers::new(network) }
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

//! Evaluation by a network (NNUE) in the forms that shogi programs share: features of pieces and
//! kings, a transformer updated move by move, and a few small layers (Yu Nasu, 2018).

mod accumulators;
mod affine;
mod architecture;
mod classic;
mod features;
mod file;
mod layers;
mod leb128;
mod numbers;
mod parts;
mod sfnn;
mod trace;
mod transformer;
mod unpacked;
mod vnni;

use std::path::Path;
use std::sync::Arc;

use kiki_board::{Delta, Position};
use kiki_platform::{MOST_NETWORK, read_regular_file};

use crate::{Evaluator, Value};
use accumulators::Accumulators;
use layers::{Buffers, LayerStack};
use transformer::Transformer;
use unpacked::UnpackedCopy;

pub use architecture::Architecture;
pub use classic::Shape;
pub use features::FeatureSet;
pub use file::NetworkError;
pub use numbers::NetworkFile;
pub use parts::{ArchitectureError, LayerParameters, NetworkHead};
pub use sfnn::{GameProgress, HandChoice, KingChoice, SfnnShape, Shards, StackChoice};
pub use trace::Activations;

/// The divisor that turns the output of most networks into centipawns.
pub const DEFAULT_FV_SCALE: i32 = 16;

/// The greatest value of a position, in centipawns. Values beyond it are mates.
const GREATEST_VALUE: Value = 31_753;

/// A network ready for use, shared by all threads.
#[derive(Clone, Debug)]
pub struct Network {
    architecture: Architecture,
    transformer: Transformer,
    progress: Option<GameProgress>,
    stacks: Vec<LayerStack>,
    /// The divisor that turns the output into centipawns.
    fv_scale: i32,
}

impl Network {
    /// A network with these numbers. `fv_scale` is the divisor that turns its output into
    /// centipawns.
    #[must_use]
    pub fn new(file: NetworkFile, fv_scale: i32) -> Self {
        let NetworkFile { architecture, transformer, progress, stacks } = file;
        let stacks = stacks.iter().map(|stack| LayerStack::new(&architecture, stack)).collect();
        Self { architecture, transformer, progress, stacks, fv_scale: fv_scale.max(1) }
    }

    /// Reads a network file, of the wanted architecture if one is given. Also returns warnings
    /// about oddities.
    pub fn read(
        file: &[u8],
        wanted: Option<&Architecture>,
        fv_scale: i32,
    ) -> Result<(Self, Vec<String>), NetworkError> {
        let (file, notes) = NetworkFile::from_bytes(file, wanted)?;
        Ok((Self::new(file, fv_scale), notes))
    }

    /// Loads a network file like [`Network::read`]. All processes that load it share one copy of
    /// its weights in memory, through an unpacked copy beside the file, unless that cannot be
    /// written.
    pub fn load(
        path: &Path,
        wanted: Option<&Architecture>,
        fv_scale: i32,
    ) -> Result<(Self, Vec<String>), NetworkError> {
        let copy = UnpackedCopy::of(path, wanted)?;
        let (file, notes) = match copy.read() {
            Some(read) => read,
            None => {
                let (file, notes) = NetworkFile::from_bytes(&read_regular_file(path, MOST_NETWORK)?, wanted)?;
                (copy.share(file, &notes), notes)
            }
        };
        Ok((Self::new(file, fv_scale), notes))
    }

    /// The architecture.
    #[must_use]
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// The stack of layers that evaluates a position, counted from 0; `None` for a network without
    /// stacks.
    #[must_use]
    #[inline(always)]
    pub fn stack(&self, position: &Position) -> Option<usize> {
        match &self.architecture {
            Architecture::Classic(_) => None,
            Architecture::Sfnn(shape) => Some(shape.choice.bucket(position, self.progress.as_ref())),
        }
    }

    fn features(&self) -> FeatureSet {
        self.architecture.transformer().0
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
        let sums = accumulators.sums(&network.transformer, position);
        network.stacks[network.stack(position).unwrap_or(0)].output(sums, buffers)
    }
}

impl Evaluator for NetworkEvaluator {
    type Weights = Network;

    fn new(network: &Arc<Network>, _: &Position) -> Self {
        let accumulators = Accumulators::new(network.features());
        Self { network: Arc::clone(network), accumulators, buffers: network.stacks[0].buffers() }
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
    fn prepare(&mut self, position: &Position) {
        let _ = self.accumulators.sums(&self.network.transformer, position);
    }

    #[inline(always)]
    fn evaluate(&mut self, position: &Position) -> Value {
        (self.output(position) / self.network.fv_scale).clamp(-GREATEST_VALUE, GREATEST_VALUE)
    }
}

#[cfg(test)]
mod tests;

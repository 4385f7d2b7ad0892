//! The newer form of networks (SFNN): products of pairs of sums, one of several stacks of layers chosen by the position, each with two
//! kinds of activation and mostly a shortcut from the first layer to the output. YaneuraOu calls it SFNNwoP; it began in Stockfish.

mod choice;
mod file;
mod layers;
mod leb128;
mod shape;
mod vnni;

use kiki_board::Position;

use super::transformer::{CacheLine, Transformer};
use layers::Stack;

pub use choice::{HandChoice, KingChoice, Progress};
pub use file::{SfnnError, SfnnParameters};
pub(super) use file::{is_sfnn, read};
pub(super) use layers::Buffers;
pub use leb128::Leb128Error;
pub use shape::{ArchitectureError, SfnnShape, Shards, StackChoice};

/// All layers behind the transformer.
#[derive(Clone, Debug)]
pub(super) struct Stacks {
    choice: StackChoice,
    progress: Option<Progress>,
    stacks: Vec<Stack>,
}

impl Stacks {
    /// Room for the numbers between layers.
    pub(super) fn buffers(&self) -> Buffers {
        self.stacks[0].buffers()
    }

    /// The stack that speaks in a position.
    #[inline(always)]
    pub(super) fn chosen(&self, position: &Position) -> usize {
        self.choice.bucket(position, self.progress.as_ref())
    }

    /// The network's output from the sums of both sides, the side to move's first.
    #[inline(always)]
    pub(super) fn output(&self, position: &Position, sums: [&[CacheLine]; 2], buffers: &mut Buffers) -> i32 {
        self.stacks[self.chosen(position)].output(sums, buffers)
    }
}

impl SfnnParameters {
    /// The network, ready for use.
    pub(super) fn into_parts(self) -> (Transformer, Stacks) {
        let Self { shape, transformer, progress, stacks } = self;
        let stacks = stacks.iter().map(|stack| Stack::new(&shape, stack)).collect();
        (transformer, Stacks { choice: shape.choice, progress, stacks })
    }
}

#[cfg(test)]
mod tests;

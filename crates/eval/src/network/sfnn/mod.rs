//! The newer form of networks (SFNN). Products of pairs of sums feed one of several stacks of
//! layers, chosen by the position. A stack has two kinds of activation and mostly a shortcut from
//! the first layer to the output. YaneuraOu calls it SFNNwoP; it began in Stockfish.

mod choice;
mod file;
mod layers;
mod shape;
mod vnni;

use kiki_board::Position;

use super::parts::LayerParameters;
use super::transformer::CacheLine;
use layers::Stack;

pub use choice::{HandChoice, KingChoice, Progress};
pub use file::{SfnnError, SfnnParameters};
pub(super) use file::{is_sfnn, read};
pub(super) use layers::Buffers;
pub use shape::{ArchitectureError, SfnnShape, Shards, StackChoice};

/// All layers behind the transformer.
#[derive(Clone, Debug)]
pub(super) struct Stacks {
    choice: StackChoice,
    progress: Option<Progress>,
    stacks: Vec<Stack>,
}

impl Stacks {
    /// The layers of a shape, as a file holds them.
    pub(super) fn of_shape(shape: &SfnnShape, progress: Option<Progress>, stacks: &[[LayerParameters; 3]]) -> Self {
        let stacks = stacks.iter().map(|stack| Stack::new(shape, stack)).collect();
        Self { choice: shape.choice, progress, stacks }
    }

    /// Room for the numbers between layers.
    pub(super) fn buffers(&self) -> Buffers {
        self.stacks[0].buffers()
    }

    /// The stack that evaluates a position.
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

#[cfg(test)]
mod tests;

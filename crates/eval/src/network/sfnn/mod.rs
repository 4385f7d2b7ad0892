//! The newer form of networks (SFNN). Products of pairs of sums feed one of several stacks of
//! layers, chosen by the position. A stack has two kinds of activation and mostly a shortcut from
//! the first layer to the output. YaneuraOu calls it SFNNwoP; it began in Stockfish.

mod choice;
mod file;
mod shape;
pub(super) mod vnni;

pub use choice::{GameProgress, HandChoice, KingChoice};
pub(super) use file::{is_sfnn, read};
pub use shape::{SfnnShape, Shards, StackChoice};

#[cfg(test)]
mod tests;

//! The classic form of networks: three layers with clipped ReLU behind the transformer (Yu Nasu,
//! 2018).

mod file;
mod layers;
mod shape;
mod vnni;

pub use file::{ClassicError, ClassicParameters};
pub(super) use layers::{Buffers, Layers};
pub use shape::{Shape, ShapeError};

//! The classic form of networks: three layers with clipped ReLU behind the transformer (Yu Nasu,
//! 2018).

mod file;
mod shape;
pub(super) mod vnni;

pub(super) use file::read;
pub use shape::Shape;

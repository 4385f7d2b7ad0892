//! Tables made at compile time: no start-up cost, no build script.

pub(crate) mod ray;
pub(crate) mod slide;
pub(crate) mod step;
pub(crate) mod zobrist;

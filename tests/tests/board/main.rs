//! What positions promise, each file named by the promise. One program, because each costs seconds to link.

mod mates;
mod mirror;
mod moves;
mod playouts;
mod rules;
mod see;
mod sfen;

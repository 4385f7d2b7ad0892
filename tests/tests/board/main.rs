//! What positions promise, each file named by the promise. One program, because each costs seconds to link.

mod effects;
mod legal_moves;
mod mate;
mod mates;
mod mirror;
mod perft;
mod playouts;
mod repetition;
mod rules;
mod see;
mod sfen;

//! Properties of positions, each file named by what it verifies. One program, because each takes
//! seconds to link.

mod mates;
mod moves;
mod playouts;
mod rules;
mod see;
mod sfen;

//! CSA records: the format of the Computer Shogi Association, of floodgate and of most programs.

mod notes;
mod pieces;
mod read;
mod result;
mod setup;
mod write;

pub use pieces::{csa_move, read_csa_move};
pub use read::{CsaGames, read_csa};
pub use write::to_csa;

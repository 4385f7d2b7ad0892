//! CSA records: the format of the Computer Shogi Association, of floodgate and of most programs.

mod moves;
mod position;
mod read;
mod result;
mod write;

pub(crate) use moves::{code_of_kind, kind_of_code};
pub use moves::{csa_comment, csa_move, read_csa_move};
pub use read::{CsaGames, read_csa};
pub use result::csa_server_reason;
pub(crate) use result::{of_statement, statement};
pub use write::to_csa;
pub(crate) use write::{write, write_v3};

/// The keyword of a note, in which version 3 writes `\n` for the end of a line.
const NOTE: &str = "NOTE";

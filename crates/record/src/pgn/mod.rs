//! PGN result stubs, for programs that rate players (Ordo and its like).
//!
//! PGN is of chess, where White moves first. Kiki's Black, the first mover of shogi, is PGN's White: so the side that rating programs
//! give an advantage of the first move to is the right one. The reader maps it back.

mod read;
mod scan;
mod write;

pub use read::{PgnGame, read_pgn};
pub use write::{PgnMoves, to_pgn};

use crate::ending::GameOutcome;

/// The result of PGN's White, Kiki's Black.
const RESULTS: [(&str, GameOutcome); 4] = [
    ("1-0", GameOutcome::BlackWins),
    ("0-1", GameOutcome::WhiteWins),
    ("1/2-1/2", GameOutcome::Draw),
    ("*", GameOutcome::Unknown),
];

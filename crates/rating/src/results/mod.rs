//! Results of games from files of any kind: this laboratory's records, ShogiArena's, CSA, PGN and plain lines.

mod collection;
mod identity;
mod least_games;
mod raw_result;
mod result_file;
mod selection;
mod shogi_arena;

pub(crate) use collection::Results;
pub(crate) use least_games::{LeftOutPlayer, with_least_games};
pub(crate) use selection::PlayerSelection;

//! Players rated by their moves: positions of their games judged by a search of all moves, and what follows by [`kiki_stats::intrinsic`].

mod judging;
mod pictures;
mod players;
mod strip;
mod turns;

pub(crate) use judging::{Judging, JudgingSettings};
pub(crate) use pictures::write_pictures;
pub(crate) use players::{PlayerMoves, PlayerRating, RatingSettings, Scale, players_of, rank_correlation, rate_player};
pub(crate) use strip::{JudgedMove, moves_of_game, write_strip};
pub(crate) use turns::{TurnFilter, turns_of};

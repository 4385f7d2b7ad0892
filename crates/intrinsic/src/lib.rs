//! Players rated by their moves: positions of their games judged by a search of all moves, and what follows by [`crate::model`].

pub mod command;
mod judging;
pub mod model;
mod pictures;
mod players;
mod strip;
mod turns;

use judging::{Judging, JudgingSettings};
use pictures::write_pictures;
use players::{PlayerMoves, PlayerRating, RatingSettings, Scale, players_of, rank_correlation, rate_player};
use strip::{JudgedMove, moves_of_game, write_strip};
use turns::{TurnFilter, turns_of};

//! The moves of games, counted.

use std::path::PathBuf;

use clap::Args;
use kiki_board::Color;
use kiki_book::{BookKey, PlayedMoves};
use kiki_games::played_games::{GameMoves, for_each_game};
use kiki_run::input_errors::InputErrors;

/// Whose moves of games count.
#[derive(Args, Debug)]
pub(crate) struct GameSelection {
    /// Count only the moves of this player
    #[arg(long, value_name = "NAME", conflicts_with = "expand")]
    player: Option<String>,
    /// Count only the moves of the winning side
    #[arg(long, conflicts_with = "expand")]
    winners: bool,
}

impl GameSelection {
    fn has(&self, game: &GameMoves, side: Color) -> bool {
        let player = &game.players[usize::from(side == Color::White)];
        self.player.as_ref().is_none_or(|wanted| wanted == player)
            && (!self.winners || game.outcome.winner() == Some(side))
    }
}

/// Counts the moves of the games of all paths up to a ply; returns the number of games. Reports
/// unreadable games and counts the others.
pub(crate) fn count_games(
    paths: &[PathBuf],
    selection: &GameSelection,
    last_ply: u32,
    played: &mut PlayedMoves,
    errors: &mut InputErrors,
) -> u64 {
    let mut games = 0;
    for_each_game(paths, errors, |game| {
        count_game(&game, selection, last_ply, played);
        games += 1;
        Ok(())
    });
    games
}

fn count_game(game: &GameMoves, selection: &GameSelection, last_ply: u32, played: &mut PlayedMoves) {
    played.begin_game();
    let mut position = game.root.clone();
    for (index, &mv) in game.moves.iter().enumerate() {
        if position.ply() > last_ply {
            return;
        }
        let side = position.side_to_move();
        if selection.has(game, side)
            && let Some(key) = BookKey::new(&position.to_sfen())
        {
            let reply = game.moves.get(index + 1).map(ToString::to_string);
            let points = game.outcome.points_of_black();
            let points = points.map(|points| if side == Color::Black { points } else { 1.0 - points });
            played.add(&key, &mv.to_string(), reply.as_deref(), points);
        }
        position.make(mv);
    }
}

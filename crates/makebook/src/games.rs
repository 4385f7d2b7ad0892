//! The moves of games, counted.

use std::path::PathBuf;

use kiki_board::Color;
use kiki_book::{BookKey, MoveResult, PlayedMoves};

use kiki_games::played_games::{GameMoves, for_each_game};
use kiki_run::input_errors::InputErrors;

/// Which moves of games are counted.
pub(crate) struct GameSelection {
    /// Moves at later plies are not counted.
    pub(crate) last_ply: u32,
    /// Only the moves of this player.
    pub(crate) player: Option<String>,
    /// Only the moves of the side that won.
    pub(crate) winners: bool,
}

impl GameSelection {
    fn has(&self, game: &GameMoves, side: Color) -> bool {
        let player = &game.players[usize::from(side == Color::White)];
        self.player.as_ref().is_none_or(|wanted| wanted == player)
            && (!self.winners || game.outcome.winner() == Some(side))
    }
}

/// Counts the moves of the games of all paths; returns the number of games. Reports unreadable
/// games and counts the others.
pub(crate) fn count_games(
    paths: &[PathBuf],
    selection: &GameSelection,
    played: &mut PlayedMoves,
    errors: &mut InputErrors,
) -> u64 {
    let mut games = 0;
    for_each_game(paths, errors, |game| {
        count_game(&game, selection, played);
        games += 1;
        Ok(())
    });
    games
}

fn count_game(game: &GameMoves, selection: &GameSelection, played: &mut PlayedMoves) {
    played.begin_game();
    let mut position = game.root.clone();
    for (index, &mv) in game.moves.iter().enumerate() {
        if position.ply() > selection.last_ply {
            return;
        }
        let side = position.side_to_move();
        if selection.has(game, side)
            && let Some(key) = BookKey::new(&position.to_sfen())
        {
            let reply = game.moves.get(index + 1).map(ToString::to_string);
            played.add(&key, &mv.to_string(), reply.as_deref(), result_of(game, side));
        }
        position.make(mv);
    }
}

fn result_of(game: &GameMoves, side: Color) -> MoveResult {
    match (game.outcome.winner(), game.outcome.points_of_black()) {
        (Some(winner), _) if winner == side => MoveResult::Win,
        (Some(_), _) => MoveResult::Loss,
        (None, Some(_)) => MoveResult::Draw,
        (None, None) => MoveResult::Unknown,
    }
}

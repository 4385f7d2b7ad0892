//! Games that were played, from folders of matches and from game records.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use kiki_board::{Move, Position};
use kiki_play::game::PlayedGame;
use kiki_play::openings;
use kiki_record::{Game, GameOutcome};

use crate::contest::settings::ContestSettings;
use crate::files::{is_record, read_games, record_files};
use crate::input_errors::InputErrors;
use crate::journal::{CONTEST, Journal};

/// A game with its moves.
#[derive(Clone)]
pub(crate) struct GameMoves {
    /// Who played Black and White; empty if nobody says so.
    pub(crate) players: [String; 2],
    /// The position that the moves start from.
    pub(crate) root: Position,
    pub(crate) moves: Vec<Move>,
    /// How many of the moves belong to a given opening.
    pub(crate) opening_plies: usize,
    pub(crate) outcome: GameOutcome,
}

/// Whether a path may hold such games: a folder, or a game record. A file `.sfen` is a list of openings or positions.
pub(crate) fn holds_games(path: &Path) -> bool {
    let is_list = path.extension().is_some_and(|extension| extension == "sfen");
    path.is_dir() || is_record(path) && !is_list
}

/// Calls `each` with the games of the folder of a match, of a game record of any form, or of a folder of records.
///
/// # Errors
/// What cannot be read, with its place, and those of `each`.
pub(crate) fn for_each_game(path: &Path, mut each: impl FnMut(GameMoves) -> Result<()>) -> Result<()> {
    let mut each = |game: Result<GameMoves>| each(game?);
    if !path.is_dir() || CONTEST.is_in(path) {
        return of_part(path, &mut each);
    }
    record_files(path)?.iter().try_for_each(|path| of_part(path, &mut each).with_context(|| path.display().to_string()))
}

/// The same for several paths, but what cannot be read is told with its place, and the others go on.
pub(crate) fn for_each_readable_game(paths: &[PathBuf], errors: &mut InputErrors, mut each: impl FnMut(GameMoves)) {
    for path in paths {
        let is_folder = path.is_dir() && !CONTEST.is_in(path);
        let parts = if is_folder { record_files(path) } else { Ok(vec![path.clone()]) };
        let parts = errors.readable(parts.with_context(|| path.display().to_string()));
        for part in parts.into_iter().flatten() {
            let place = || part.display().to_string();
            let outcome = of_part(&part, &mut |game| {
                errors.readable(game.with_context(place)).into_iter().for_each(&mut each);
                Ok(())
            });
            errors.readable(outcome.with_context(place));
        }
    }
}

/// Calls `each` with the games of the folder of a match or of a game record, and with the errors of those of a record that cannot be read.
fn of_part(path: &Path, each: &mut impl FnMut(Result<GameMoves>) -> Result<()>) -> Result<()> {
    if path.is_dir() { of_match(path, each) } else { of_record(path, each) }
}

fn of_match(folder: &Path, each: &mut impl FnMut(Result<GameMoves>) -> Result<()>) -> Result<()> {
    let (mut journal, _, _) = Journal::read::<ContestSettings>(folder, CONTEST)?;
    journal.replay(|game: PlayedGame| {
        if game.voided {
            return Ok(());
        }
        let (_, root) = openings::position(&game.root)?;
        let mut position = root.clone();
        let mut moves = Vec::with_capacity(game.moves.len());
        for (index, text) in game.moves.iter().enumerate() {
            let illegal = |_| anyhow!("game {}, move {}: `{text}` is illegal", game.game, index + 1);
            let mv = position.parse_move(text).map_err(illegal)?;
            position.make(mv);
            moves.push(mv);
        }
        let players = [game.black, game.white];
        each(Ok(GameMoves { players, root, moves, opening_plies: game.opening_plies, outcome: game.outcome }))
    })
}

fn of_record(path: &Path, each: &mut impl FnMut(Result<GameMoves>) -> Result<()>) -> Result<()> {
    read_games(path)?.into_iter().try_for_each(|game| each(game.and_then(moves_of)))
}

fn moves_of(game: Game) -> Result<GameMoves> {
    let root = game.root.as_deref().map_or_else(|| Ok(Position::startpos()), Position::from_sfen)?;
    let moves = game.moves.iter().map(|played| played.mv).collect();
    let players = [game.black, game.white];
    Ok(GameMoves { players, root, moves, opening_plies: 0, outcome: game.outcome })
}

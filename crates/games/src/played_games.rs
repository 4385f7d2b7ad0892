//! Games that were played, from folders of matches and from game records.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use kiki_board::{Move, Position};
use kiki_play::game::PlayedGame;
use kiki_record::{EndReason, Game, GameOutcome};

use crate::records::{RecordSource, find_at};
use kiki_contest::export::legal_moves;
use kiki_contest::settings::ContestSettings;
use kiki_run::files::{is_record, read_games};
use kiki_run::input_errors::InputErrors;
use kiki_run::journal::{CONTEST, JOURNAL, Journal};
use kiki_run::repeats::{GameIdentity, IdentityFacts, MovesHash, SeenGames, number_of_record};

#[derive(Clone)]
pub struct GameMoves {
    /// The names of Black and White; empty if unknown.
    pub players: [String; 2],
    pub root: Position,
    pub moves: Vec<Move>,
    /// How many of the moves belong to a given opening.
    pub opening_plies: usize,
    pub outcome: GameOutcome,
    pub reason: Option<EndReason>,
}

/// Whether a path may hold such games: a folder, or a game record. A file `.sfen` is a list of
/// openings or positions.
pub fn holds_games(path: &Path) -> bool {
    path.is_dir() || is_record(path) && !holds_openings(path)
}

/// Calls `each` with the games of these matches and records, and of those in folders and below,
/// each game once. Reports unreadable input and errors of `each` with their place, continues with
/// the others, and warns of games that were read twice.
pub fn for_each_game(paths: &[PathBuf], errors: &mut InputErrors, mut each: impl FnMut(GameMoves) -> Result<()>) {
    let mut seen = SeenGames::default();
    for path in paths {
        for_each_new_game(path, &mut seen, errors, &mut each);
    }
    seen.repeats.warn();
}

/// The same for one path, without the games that were seen before.
pub fn for_each_new_game(
    path: &Path,
    seen: &mut SeenGames,
    errors: &mut InputErrors,
    mut each: impl FnMut(GameMoves) -> Result<()>,
) {
    for source in errors.readable(sources(path)).into_iter().flatten() {
        let part = &source.path;
        if !seen.is_new_file(part) {
            continue;
        }
        let of_source = if source.is_match { of_match } else { of_record };
        let read = of_source(part, seen, errors, &mut each);
        errors.readable(read.with_context(|| part.display().to_string()));
    }
}

type Each<'a> = dyn FnMut(GameMoves) -> Result<()> + 'a;

fn sources(path: &Path) -> Result<Vec<RecordSource>> {
    let mut sources = find_at(path)?;
    // Openings in USI lie beside matches and are not games; a user who wants them names the file.
    sources.retain(|source| source.path == path || !holds_openings(&source.path));
    ensure!(!sources.is_empty(), "{}: there are no game records in this folder", path.display());
    Ok(sources)
}

fn holds_openings(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("sfen"))
}

fn of_match(folder: &Path, seen: &mut SeenGames, errors: &mut InputErrors, each: &mut Each<'_>) -> Result<()> {
    let group = seen.group(folder);
    let journal = Journal::<ContestSettings>::read(folder, CONTEST)?;
    let place = folder.join(JOURNAL).display().to_string();
    journal.replay_lines(|number, line: Result<PlayedGame>| {
        let done = line.and_then(|game| match !game.voided && seen.counts(group, identity(&game)) {
            true => moves_of_played(game).and_then(&mut *each).with_context(|| format!("line {number}")),
            false => Ok(()),
        });
        errors.readable(done.with_context(|| place.clone()));
        Ok(())
    })
}

fn identity(game: &PlayedGame) -> GameIdentity {
    let facts = IdentityFacts {
        players: [&game.black, &game.white],
        outcome: game.outcome,
        root: &game.root,
        moves: MovesHash::of(&game.moves),
        started: &game.started,
        times: None,
        number: Some(game.game as u64),
    };
    facts.identity()
}

fn moves_of_played(game: PlayedGame) -> Result<GameMoves> {
    let (root, moves) = legal_moves(&game)?;
    Ok(GameMoves {
        players: [game.black, game.white],
        root,
        moves,
        opening_plies: game.opening_plies,
        outcome: game.outcome,
        reason: Some(game.reason),
    })
}

fn of_record(path: &Path, seen: &mut SeenGames, errors: &mut InputErrors, each: &mut Each<'_>) -> Result<()> {
    let games = read_games(path)?;
    let number = number_of_record(path, games.len());
    let group = seen.group(path.parent().unwrap_or(path));
    for game in games {
        let done = game.and_then(|game| match seen.counts(group, GameIdentity::of_record(&game, number)) {
            true => moves_of(game).and_then(&mut *each),
            false => Ok(()),
        });
        errors.readable(done.with_context(|| path.display().to_string()));
    }
    Ok(())
}

fn moves_of(game: Game) -> Result<GameMoves> {
    Ok(GameMoves {
        players: [game.black, game.white],
        root: game.root.as_deref().map_or_else(|| Ok(Position::startpos()), Position::from_sfen)?,
        moves: game.moves.iter().map(|played| played.mv).collect(),
        opening_plies: 0,
        outcome: game.outcome,
        reason: game.reason,
    })
}

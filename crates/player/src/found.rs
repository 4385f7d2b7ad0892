//! The player's games in records.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use kiki_analysis::game::AnalyzedGame;
use kiki_analysis::search::{PlayedMoveSearch, SearchKey};
use kiki_games::records::{RecordSource, find};
use kiki_record::Game;
use kiki_run::input_errors::InputErrors;

use crate::moves::Mover;
use crate::names::{PlayerName, near_names};

/// The player's games at these paths and below, each once: all, or `most` of them, spread evenly
/// over the games of each colour. Reports what cannot be read. If the player has no game, the error
/// lists similar names.
pub(crate) fn games_of(
    paths: &[PathBuf],
    player: &PlayerName,
    most: Option<usize>,
    errors: &mut InputErrors,
) -> Result<Vec<AnalyzedGame>> {
    let mut finder = GameFinder { player, names: BTreeMap::new(), games: Vec::new() };
    for source in find(paths, errors) {
        let place = || source.path.display().to_string();
        let records = errors.readable(source.games().with_context(place)).unwrap_or_default();
        let count = records.len();
        for (number, record) in (1..).zip(records) {
            let number = (count > 1).then_some(number);
            let taken = record.and_then(|record| finder.take(name_of(&source, number), &record));
            errors.readable(taken.with_context(place));
        }
    }
    let near = near_names(&player.name, &finder.names);
    ensure!(!near.is_empty(), "no game that can be read has the names of its players");
    ensure!(!finder.games.is_empty(), "no game is by `{}`; other players (games): {}", player.name, near.join(", "));
    Ok(spread(without_copies(finder.games), player, most))
}

/// The place of the source, and the number of the game if there are several.
fn name_of(source: &RecordSource, number: Option<usize>) -> String {
    let place = source.place_with_extension("");
    let place = place.to_string_lossy();
    let place = place.trim_end_matches('.');
    number.map_or_else(|| place.to_owned(), |number| format!("{place}-{number:04}"))
}

struct GameFinder<'a> {
    player: &'a PlayerName,
    /// How many games everybody played.
    names: BTreeMap<String, usize>,
    games: Vec<AnalyzedGame>,
}

impl GameFinder<'_> {
    /// Counts the names, and takes a game of the player.
    fn take(&mut self, name: String, record: &Game) -> Result<()> {
        let names = [&record.black, &record.white];
        for name in names.into_iter().filter(|name| !name.is_empty()) {
            *self.names.entry(name.clone()).or_default() += 1;
        }
        if !record.moves.is_empty() && names.into_iter().any(|name| self.player.is(name)) {
            let game = AnalyzedGame::from_record(name, record)?;
            // The comments and variations of the record are not shown.
            self.games.push(AnalyzedGame { record: String::new(), ..game });
        }
        Ok(())
    }
}

/// Drops games that equal or begin another: folders hold games in several forms, some broken off.
fn without_copies(games: Vec<AnalyzedGame>) -> Vec<AnalyzedGame> {
    let mut order: Vec<usize> = (0..games.len()).collect();
    // The beginning of a game sorts right before it.
    order.sort_by_key(|&place| (&games[place].start, &games[place].moves));
    let goes_on =
        |game: &AnalyzedGame, next: &AnalyzedGame| game.start == next.start && next.moves.starts_with(&game.moves);
    let pairs = order.windows(2).filter(|pair| goes_on(&games[pair[0]], &games[pair[1]]));
    let copies: HashSet<usize> = pairs.map(|pair| pair[0]).collect();
    filtered(games, |place| !copies.contains(&place))
}

/// All games, or `most` of them, spread evenly over the games of each colour: in a match the colours
/// alternate.
fn spread(games: Vec<AnalyzedGame>, player: &PlayerName, most: Option<usize>) -> Vec<AnalyzedGame> {
    let count = games.len();
    let most = most.unwrap_or(count).min(count);
    let mut by_colour: Vec<usize> = (0..count).collect();
    by_colour.sort_by_key(|&place| !player.is(&games[place].head.black));
    let chosen: HashSet<usize> = (0..most).map(|place| by_colour[place * count / most]).collect();
    filtered(games, |place| chosen.contains(&place))
}

fn filtered(games: Vec<AnalyzedGame>, is_kept: impl Fn(usize) -> bool) -> Vec<AnalyzedGame> {
    games.into_iter().enumerate().filter(|(place, _)| is_kept(*place)).map(|(_, game)| game).collect()
}

/// Whether Black is to move after `ply` moves.
pub(crate) fn is_black_to_move(game: &AnalyzedGame, ply: usize) -> bool {
    (game.start.split(' ').nth(1) != Some("w")) == ply.is_multiple_of(2)
}

/// Who makes the move after `ply` moves. `None` at the end of the game and in a given opening: in a
/// record with times, the moves before the first timed one. If both sides are the player's, there
/// is no opponent.
pub(crate) fn mover(game: &AnalyzedGame, ply: usize, player: &PlayerName) -> Option<Mover> {
    let is_player = player.is(if is_black_to_move(game, ply) { &game.head.black } else { &game.head.white });
    let mover = if is_player { Mover::Player } else { Mover::Opponent };
    (own_moves_from(game)..game.moves.len()).contains(&ply).then_some(mover)
}

/// Number of given moves, before the first one that a side chose.
fn own_moves_from(game: &AnalyzedGame) -> usize {
    game.times.iter().position(Option::is_some).unwrap_or(0)
}

/// The positions in which a side chose its move, and with [`PlayedMoveSearch::Next`] the last one.
pub(crate) fn keys_of(games: &[AnalyzedGame], played: PlayedMoveSearch) -> Result<Vec<SearchKey>> {
    let mut keys = Vec::new();
    for (game, facts) in games.iter().enumerate() {
        let plies = facts.searchable_plies().with_context(|| facts.head.name.clone())?;
        let end = facts.moves.len() + usize::from(played == PlayedMoveSearch::Next);
        let wanted = plies.into_iter().filter(|ply| (own_moves_from(facts)..end).contains(ply));
        keys.extend(wanted.map(|ply| SearchKey { game, ply, engine: 0 }));
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(black: &str, white: &str) -> AnalyzedGame {
        let text = format!("N+{black}\nN-{white}\nPI\n+\n+7776FU\n-3334FU\n+2726FU\n%TORYO\n");
        let record = kiki_record::read_records("x.csa", text.as_bytes()).remove(0).unwrap();
        AnalyzedGame::from_record("x".to_owned(), &record).unwrap()
    }

    #[test]
    fn positions_of_both_sides_are_searched_after_a_given_opening() {
        let plies = |game: &AnalyzedGame, played| -> Vec<usize> {
            keys_of(std::slice::from_ref(game), played).unwrap().iter().map(|key| key.ply).collect()
        };
        let whole = game("a", "b");
        assert_eq!(plies(&whole, PlayedMoveSearch::Searchmoves), [0, 1, 2]);
        assert_eq!(plies(&whole, PlayedMoveSearch::Next), [0, 1, 2, 3]);
        let opened = AnalyzedGame { times: vec![None, None, Some(0)], ..whole };
        assert_eq!(plies(&opened, PlayedMoveSearch::Searchmoves), [2]);
    }

    #[test]
    fn the_player_moves_for_one_side_or_both() {
        let player = PlayerName { name: "a".to_owned(), part: false };
        let movers = |game: &AnalyzedGame| [0, 1, 2, 3].map(|ply| mover(game, ply, &player));
        let [player_moves, opponent_moves] = [Some(Mover::Player), Some(Mover::Opponent)];
        assert_eq!(movers(&game("a", "b")), [player_moves, opponent_moves, player_moves, None]);
        assert_eq!(movers(&game("a", "a")), [player_moves, player_moves, player_moves, None]);
        let opened = AnalyzedGame { times: vec![None, None, Some(0)], ..game("b", "a") };
        assert_eq!(movers(&opened), [None, None, opponent_moves, None], "the opening was given");
    }

    #[test]
    fn the_same_game_and_its_beginning_count_once() {
        let [whole, other] = [game("a", "b"), AnalyzedGame { start: "other".to_owned(), ..game("a", "b") }];
        let begun = AnalyzedGame { moves: whole.moves[..2].to_vec(), ..whole.clone() };
        assert_eq!(without_copies(vec![begun, whole.clone(), other.clone(), whole.clone()]).len(), 2);
        assert_eq!(without_copies(vec![other.clone(), whole.clone()]), [other, whole]);
    }

    #[test]
    fn a_number_of_games_is_taken_evenly_from_both_colours() {
        let player = PlayerName { name: "a".to_owned(), part: false };
        let taken = |colours: &str, most| {
            let games = colours.chars().zip('0'..).map(|(colour, name)| {
                let names = if colour == 'b' { ["a", "c"] } else { ["c", "a"] };
                AnalyzedGame { remark: name.to_string(), ..game(names[0], names[1]) }
            });
            spread(games.collect(), &player, most).iter().map(|game| game.remark.clone()).collect::<String>()
        };
        assert_eq!([None, Some(2), Some(99)].map(|most| taken("bwbwbw", most)), ["012345", "01", "012345"]);
        assert_eq!(taken("wbwbwbwb", Some(4)), "0145", "two of each colour, in the order found");
        assert_eq!(taken("wwwwww", Some(3)), "024");
        assert_eq!(taken("wwwwbw", Some(3)), "134", "the only game with Black has its share");
    }
}

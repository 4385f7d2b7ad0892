//! The positions in which players moved.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, ensure};
use clap::Args;
use kiki_board::{Color, Position};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;
use strum::{EnumString, IntoStaticStr};

use kiki_games::played_games::{GameMoves, for_each_game, holds_games};
use kiki_run::input_errors::InputErrors;

/// Why a position is not judged.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum SkipReason {
    /// It belongs to the opening.
    Opening,
    /// There is one legal move.
    Forced,
    /// It occurred before in the game.
    Repeated,
    /// The draw took other positions of its player.
    NotDrawn,
}

impl SkipReason {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A position in which a player moved.
#[derive(Clone)]
pub(crate) struct PlayerTurn {
    /// The position alone: the judge knows nothing of the moves before, and a million positions fit
    /// in memory.
    pub(crate) sfen: String,
    /// The number of the move to be played, as the SFEN counts it.
    pub(crate) ply: u32,
    /// The number of the game, from 0.
    pub(crate) game: u64,
    pub(crate) player: String,
    pub(crate) played: String,
    pub(crate) unjudged: Option<SkipReason>,
}

/// Plies at the start of each game that are the opening.
pub const OPENING_PLIES: u32 = 16;

/// Which positions are judged.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct TurnFilter {
    /// Number of plies at the start of each game to leave out as the opening
    #[arg(long, value_name = "PLIES", default_value_t = OPENING_PLIES)]
    pub(crate) opening_plies: u32,
    /// Number of positions of each player, drawn at random
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) per_player: usize,
    /// The seed of the draw
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

/// The turns of all games of these folders and records. Reports unreadable input in `errors` and
/// uses the rest.
pub(crate) fn turns_of(sources: &[PathBuf], filter: TurnFilter, errors: &mut InputErrors) -> Result<Vec<PlayerTurn>> {
    let mut turns = Vec::new();
    let mut games = 0;
    let sources: Vec<PathBuf> = sources.iter().filter_map(|path| errors.readable(checked(path))).collect();
    for_each_game(&sources, errors, |game| {
        add_game(&mut turns, games, game, filter.opening_plies);
        games += 1;
        Ok(())
    });
    draw(&mut turns, filter);
    ensure!(turns.iter().any(|turn| turn.unjudged.is_none()), "there are no positions to judge");
    Ok(turns)
}

fn checked(path: &Path) -> Result<PathBuf> {
    ensure!(path.exists(), "{}: there is no such file or folder", path.display());
    ensure!(holds_games(path), "{}: neither a folder nor a game record", path.display());
    Ok(path.to_owned())
}

fn add_game(turns: &mut Vec<PlayerTurn>, number: u64, game: GameMoves, opening_plies: u32) {
    let mut position = game.root;
    let mut before = HashSet::new();
    let names = game.players.map(|name| if name.is_empty() { "unknown".to_owned() } else { name });
    for (index, &mv) in game.moves.iter().enumerate() {
        // Names may hold anything, and the list has a line for each turn.
        let player = &names[usize::from(position.side_to_move() == Color::White)];
        let is_new = before.insert(position.key());
        let is_opening = index < game.opening_plies || position.ply() <= opening_plies;
        let unjudged = unjudged(&position, is_opening, is_new);
        let player = player.replace(['\t', '\n', '\r'], " ");
        turns.push(PlayerTurn {
            sfen: position.to_sfen(),
            ply: position.ply(),
            game: number,
            player,
            played: mv.to_string(),
            unjudged,
        });
        position.make(mv);
    }
}

/// Why a position does not count, if it does not.
pub fn unjudged(position: &Position, is_opening: bool, is_new: bool) -> Option<SkipReason> {
    let is_forced = || position.legal_moves().iter().count() == 1;
    match (is_opening, is_new) {
        (true, _) => Some(SkipReason::Opening),
        _ if is_forced() => Some(SkipReason::Forced),
        (_, false) => Some(SkipReason::Repeated),
        _ => None,
    }
}

/// Draws `per_player` positions of each player at random and leaves out the others.
fn draw(turns: &mut [PlayerTurn], filter: TurnFilter) {
    let mut of_player: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, turn) in turns.iter().enumerate() {
        if turn.unjudged.is_none() {
            of_player.entry(turn.player.clone()).or_default().push(index);
        }
    }
    let mut random = Pcg64::seed_from_u64(filter.seed);
    for indices in of_player.values_mut() {
        for place in 0..indices.len() {
            let other = random.random_range(place..indices.len());
            indices.swap(place, other);
        }
        for &index in indices.iter().skip(filter.per_player) {
            turns[index].unjudged = Some(SkipReason::NotDrawn);
        }
    }
}

pub(crate) fn text_of(turn: &PlayerTurn) -> String {
    let unjudged = turn.unjudged.map_or("-", SkipReason::name);
    format!("{}\t{}\t{}\t{}\t{unjudged}", turn.sfen, turn.game, turn.player, turn.played)
}

pub(crate) fn turn_of(line: &str) -> Result<PlayerTurn> {
    let cells: Vec<&str> = line.split('\t').collect();
    let [sfen, game, player, played, unjudged] = cells[..] else { return Err(anyhow!("five cells are expected")) };
    let unjudged = match unjudged {
        "-" => None,
        name => Some(name.parse().with_context(|| format!("`{name}` is no reason to leave a position out"))?),
    };
    Ok(PlayerTurn {
        ply: Position::from_sfen(sfen)?.ply(),
        sfen: sfen.to_owned(),
        game: game.parse().with_context(|| format!("`{game}` is no number of a game"))?,
        player: player.to_owned(),
        played: played.to_owned(),
        unjudged,
    })
}

#[cfg(test)]
mod tests {
    use kiki_record::GameOutcome;

    use super::*;

    fn game(moves: &[&str]) -> GameMoves {
        let root = Position::startpos();
        GameMoves {
            players: ["a\tb".to_owned(), String::new()],
            moves: root.legal_line(moves),
            root,
            opening_plies: 1,
            outcome: GameOutcome::Unknown,
            reason: None,
        }
    }

    #[test]
    fn openings_and_repeated_positions_are_left_out() {
        let mut turns = Vec::new();
        // The position after the second move comes back after the sixth.
        let moves = ["2h3h", "8b7b", "3h2h", "7b8b", "2h3h", "8b7b", "3h2h"];
        add_game(&mut turns, 5, game(&moves), 2);
        let reasons: Vec<Option<SkipReason>> = turns.iter().map(|turn| turn.unjudged).collect();
        let (opening, repeated) = (Some(SkipReason::Opening), Some(SkipReason::Repeated));
        assert_eq!(reasons, [opening, opening, None, None, repeated, repeated, repeated]);
        assert_eq!((turns[2].player.as_str(), turns[3].player.as_str()), ("a b", "unknown"));
        for turn in &turns {
            let again = turn_of(&text_of(turn)).unwrap();
            assert_eq!(text_of(&again), text_of(turn));
        }
    }

    #[test]
    fn the_wanted_number_of_each_player_is_drawn() {
        let mut turns = Vec::new();
        add_game(&mut turns, 0, game(&["2h3h", "8b7b", "3h4h", "7b6b", "4h5h", "6b5b", "5h6h", "5b4b"]), 0);
        draw(&mut turns, TurnFilter { opening_plies: 0, per_player: 2, seed: 1 });
        let drawn = |player: &str| turns.iter().filter(|turn| turn.player == player && turn.unjudged.is_none()).count();
        assert_eq!((drawn("a b"), drawn("unknown")), (2, 2));
    }
}

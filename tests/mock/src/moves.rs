//! Moves that the engine plays and accepts.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use kiki_board::{GameRepetition, Position};
use kiki_usi::{PositionSpec, set_up};

/// The legal move that a number chooses. `None` if mated.
pub(crate) fn pick(position: &Position, number: u64) -> Option<String> {
    let mut moves: Vec<String> = position.legal_moves().iter().map(ToString::to_string).collect();
    moves.sort();
    (!moves.is_empty()).then(|| moves.swap_remove(number as usize % moves.len()))
}

/// A legal move that depends only on the position. It does not lose by perpetual check, or with
/// `loses` does. `None` if mated.
pub(crate) fn choose(position: &Position, allowed: &[String], loses: bool) -> Option<String> {
    let mut moves: Vec<String> = position.legal_moves().iter().map(ToString::to_string).collect();
    moves.sort();
    let is_loss = |text: &String| {
        let after = after(position, text);
        after.is_some_and(|after| after.game_repetition() == GameRepetition::SideToMoveWins)
    };
    // Without a history there is no repetition.
    if position.moves_made() > 7
        && let Some(loss) = moves.iter().find(|text| is_loss(text))
    {
        let loss = loss.clone();
        if loses {
            return Some(loss);
        }
        moves.retain(|text| *text != loss);
    }
    if moves.iter().any(|text| allowed.contains(text)) {
        moves.retain(|text| allowed.contains(text));
    }
    let mut hasher = DefaultHasher::new();
    position.to_sfen().hash(&mut hasher);
    (!moves.is_empty()).then(|| moves.swap_remove(hasher.finish() as usize % moves.len()))
}

/// The position after a legal move.
pub(crate) fn after(position: &Position, text: &str) -> Option<Position> {
    let mut position = position.clone();
    let mv = position.parse_move(text).ok()?;
    position.make(mv);
    Some(position)
}

/// Lead of the side to move in pieces, times 100.
pub(crate) fn material(position: &Position) -> i64 {
    let sfen = position.to_sfen();
    let words: Vec<&str> = sfen.split(' ').collect();
    let count = |is_own: fn(&char) -> bool| [words[0], words[2]].concat().chars().filter(is_own).count() as i64;
    let more_of_black = count(char::is_ascii_uppercase) - count(char::is_ascii_lowercase);
    100 * if words[1] == "b" { more_of_black } else { -more_of_black }
}

/// The moves up to the first by a piece that could have been promoted.
pub(crate) fn without_unpromoted(mut spec: PositionSpec) -> PositionSpec {
    let root = PositionSpec { root: spec.root.clone(), moves: Vec::new() };
    let Ok(mut position) = set_up(&root) else { return spec };
    let mut known = Vec::new();
    for text in spec.moves {
        let could = position.parse_move(&format!("{text}+")).is_ok();
        match position.parse_move(&text) {
            Ok(mv) if !could => {
                position.make(mv);
                known.push(text);
            }
            _ => break,
        }
    }
    spec.moves = known;
    spec
}

/// A mate in one or three plies, by exhaustive search.
pub(crate) fn mate(position: &Position, plies: usize) -> Option<Vec<String>> {
    for mv in position.legal_moves().iter() {
        let mut next = position.clone();
        next.make(*mv);
        if !next.in_check() {
            continue;
        }
        let replies = next.legal_moves();
        let mut line = vec![mv.to_string()];
        if replies.is_empty() {
            return Some(line);
        }
        if plies < 3 {
            continue;
        }
        let answers = replies.iter().map(|reply| {
            let mut after = next.clone();
            after.make(*reply);
            mate(&after, plies - 2).map(|rest| (reply.to_string(), rest))
        });
        if let Some((reply, rest)) = answers.collect::<Option<Vec<_>>>().and_then(|all| all.into_iter().next()) {
            line.push(reply);
            line.extend(rest);
            return Some(line);
        }
    }
    None
}

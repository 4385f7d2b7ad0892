//! Positions in SFEN.

use kiki_board::Position;
use kiki_tests::fixtures;

use crate::any_position;
use crate::error_text::check_error;

/// A text is a position with which everything can be done, or is refused in one line.
pub fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Position::from_sfen(text) {
        Ok(mut position) => any_position::check(&mut position),
        Err(error) => check_error(&error),
    }
}

/// Positions of all kinds: of games, of rules, of mates.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let midgame = fixtures::midgame().into_iter().step_by(20).map(|row| row.sfen);
    let rules = fixtures::rules().into_iter().step_by(3).map(|row| row.sfen);
    let mates = fixtures::mates().into_iter().step_by(5).map(|row| row.sfen);
    let legal = fixtures::legal_moves().into_iter().step_by(25).map(|row| row.sfen);
    midgame.chain(rules).chain(mates).chain(legal).map(|sfen| sfen.as_bytes().to_vec()).collect()
}

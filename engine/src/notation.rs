//! Moves in Japanese notation.

use kiki_board::{Move, Position};
use kiki_record::JapaneseLine;

/// Each of the moves in Japanese notation with USI beside, up to the first that is illegal.
pub(crate) fn moves(position: &Position, moves: &[Move]) -> Vec<String> {
    let mut line = JapaneseLine::new(position);
    moves.iter().map_while(|&mv| Some(format!("{}({mv})", line.play(mv)?))).collect()
}

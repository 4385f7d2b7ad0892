//! Moves in Japanese notation.

use kiki_board::{Move, Position};

/// Each of the moves in Japanese notation with USI beside, up to the first that is illegal.
pub(crate) fn moves(position: &Position, moves: &[Move]) -> Vec<String> {
    let texts = kiki_record::japanese_moves(position, moves);
    texts.iter().zip(moves).map(|(text, mv)| format!("{text}({mv})")).collect()
}

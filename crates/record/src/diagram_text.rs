//! Positions drawn with characters.

use std::fmt::Write as _;

use kiki_board::{HAND_KINDS, Position, Sq, kanji};
use shogi_core::Color;

/// The board as Japanese diagrams show it: White's pieces marked by `v`.
#[must_use]
pub fn japanese_diagram(position: &Position) -> String {
    let mut text = format!("後手の持駒：{}\n", hand(position, Color::White));
    text.push_str("  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n");
    for (rank, name) in "一二三四五六七八九".chars().enumerate() {
        text.push('|');
        for file in (0..9).rev() {
            match position.cell(Sq::at(file, rank)).piece() {
                None => text.push_str(" ・"),
                Some(piece) => {
                    text.push(if piece.color() == Color::White { 'v' } else { ' ' });
                    text.push(kanji(piece.piece_kind()));
                }
            }
        }
        let _ = writeln!(text, "|{name}");
    }
    let _ = writeln!(text, "+---------------------------+\n先手の持駒：{}", hand(position, Color::Black));
    let _ = writeln!(text, "{}番", if position.side_to_move() == Color::Black { "先手" } else { "後手" });
    text
}

fn hand(position: &Position, color: Color) -> String {
    let pieces: Vec<String> = HAND_KINDS
        .into_iter()
        .rev()
        .filter_map(|kind| match position.hand(color).count(kind) {
            0 => None,
            1 => Some(kanji(kind).to_string()),
            count => Some(format!("{}{count}", kanji(kind))),
        })
        .collect();
    if pieces.is_empty() { "なし".to_owned() } else { pieces.join("　") }
}

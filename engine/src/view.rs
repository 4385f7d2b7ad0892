//! Positions and evaluations drawn with characters.

use std::fmt::Write as _;

use kiki_board::{HAND_KINDS, Position, Sq, kanji};
use kiki_eval::{Explanation, Weights};
use shogi_core::{Color, ToUsi};

/// The board as a diagram in ASCII, with hands, side to move, SFEN and key.
pub(crate) fn ascii(position: &Position) -> Vec<String> {
    let mut lines = vec!["   9   8   7   6   5   4   3   2   1".to_owned()];
    let rule = " +---+---+---+---+---+---+---+---+---+";
    lines.push(rule.to_owned());
    for rank in 0..9 {
        let mut line = String::from(" ");
        for file in (0..9).rev() {
            let text = position.cell(Sq::at(file, rank)).piece().map_or(String::new(), |piece| piece.to_usi_owned());
            let _ = write!(line, "|{text:>2} ");
        }
        let _ = write!(line, "| {}", (b'a' + rank as u8) as char);
        lines.push(line);
        lines.push(rule.to_owned());
    }
    lines.push(format!(" sfen {}", position.to_sfen()));
    lines.push(format!(" key  {:016x}{}", position.key(), if position.in_check() { "  in check" } else { "" }));
    lines
}

/// The board as Japanese diagrams show it: White's pieces marked by `v`.
pub(crate) fn japanese(position: &Position) -> String {
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

/// Every term of the formula as a table over the board, the effect counts, and the sums, for Black.
pub(crate) fn evaluation(weights: &Weights, position: &Position) -> Vec<String> {
    let explanation = Explanation::new(weights, position);
    let mut lines = Vec::new();
    for term in &explanation.terms {
        lines.push(format!("{} (Black's view): {}", term.name, term.total()));
        lines.extend(table(|sq| term.squares[sq.index()].to_string(), 6));
        if term.elsewhere != 0 {
            lines.push(format!("  pieces in hand: {}", term.elsewhere));
        }
    }
    lines.push("effect counts, Black/White:".to_owned());
    let count = |color, sq| position.effects().count(color, sq);
    lines.extend(table(|sq| format!("{}/{}", count(Color::Black, sq), count(Color::White, sq)), 5));
    lines.push(format!("total for Black: {} centipawns", explanation.total()));
    lines
}

fn table(entry: impl Fn(Sq) -> String, width: usize) -> Vec<String> {
    (0..9)
        .map(|rank| {
            let row = (0..9).rev().fold(String::new(), |mut row, file| {
                let _ = write!(row, "{:>width$}", entry(Sq::at(file, rank)));
                row
            });
            format!("{row}  {}", (b'a' + rank as u8) as char)
        })
        .collect()
}

//! Positions and evaluations drawn with characters.

use std::fmt::Write as _;

use kiki_board::{Position, Sq};
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

//! The terms of a position, square by square.

use kiki_board::{Color, HAND_KINDS, Position, Sq, kanji};
use kiki_eval::{Explanation, Term, Value};

use crate::formula_weights::NamedWeights;
use kiki_plot::{Grid, GridCell, GridMark, GridPicture, GridRow, RowNames};

/// A race of attacks between a Mino castle and a boat castle: dragons on both sides, a promoted pawn beside a gold, pieces in hand.
pub(super) const RACE: &str = "l+R3g1nl/3+Pgsk2/p2ppp1p1/6p1p/9/P1PPP1P1P/5P1P1/4G1SK1/L+r3G1NL b B2SPb2np 1";

/// The size of a square in pixels.
const SQUARE: (i32, i32) = (45, 48);

/// A board as Black sees it.
pub(super) fn board(title: String, square: (i32, i32), cell: impl Fn(Sq) -> GridCell) -> Grid {
    Grid {
        title,
        captions: Default::default(),
        columns: (1..=9).rev().map(|file| file.to_string()).collect(),
        rows: (0..9)
            .map(|rank| GridRow {
                name: char::from(b'a' + rank as u8).to_string(),
                cells: (0..9).rev().map(|file| cell(Sq::at(file, rank))).collect(),
            })
            .collect(),
        cell: square,
        names: RowNames::Right(18),
    }
}

/// Two boards, with what the pieces bring and with what the effects bring, and below them the sums of the terms. The boards are those
/// of the last column.
pub(super) fn picture(columns: &[NamedWeights], position: &Position) -> GridPicture {
    let explanations: Vec<Explanation> =
        columns.iter().map(|column| Explanation::new(&column.weights, position)).collect();
    let boards = explanations.last().map(|explanation| {
        let (effects, pieces) =
            explanation.terms.iter().partition::<Vec<_>, _>(|term| term.name.starts_with("effects"));
        vec![squares("Pieces", &pieces, position, false), squares("Effects", &effects, position, true)]
    });
    let name = columns.last().map_or("", |column| &column.name);
    GridPicture {
        title: format!("What each square brings, and the sums ({name}, centipawns)"),
        rows: boards.into_iter().chain([vec![sums_grid(columns, &explanations)]]).collect(),
        meanings: ["good for Black, who plays upwards".to_owned(), "good for White: negative".to_owned()],
    }
}

/// A board with the sums of some terms on its squares.
fn squares(title: &str, terms: &[&Term], position: &Position, faint: bool) -> Grid {
    let value = |sq: Sq| terms.iter().map(|term| term.squares[sq.index()]).sum::<Value>();
    let darkest = f64::from(Sq::all().map(|sq| value(sq).abs()).fold(1, Value::max));
    let cell = |sq: Sq| {
        let (cell, value) = (position.cell(sq), value(sq));
        let upside_down = cell.color() == Color::White;
        GridCell {
            mark: cell.kind().map(|kind| GridMark { letter: kanji(kind), upside_down, faint }),
            text: if value == 0 { String::new() } else { value.to_string() },
            shade: f64::from(value) / darkest,
        }
    };
    let total: Value = Sq::all().map(value).sum();
    let mut grid = board(format!("{title}: {}", signed(total)), SQUARE, cell);
    if !faint {
        grid.captions = [Color::White, Color::Black].map(|color| hand(position, color));
    }
    grid
}

fn hand(position: &Position, color: Color) -> String {
    let pieces = HAND_KINDS.into_iter().rev().filter_map(|kind| match position.hand(color).count(kind) {
        0 => None,
        1 => Some(kanji(kind).to_string()),
        count => Some(format!("{}{count}", kanji(kind))),
    });
    let pieces: Vec<String> = pieces.collect();
    let side = if color == Color::Black { "Black" } else { "White" };
    format!("{side} in hand: {}", if pieces.is_empty() { "nothing".to_owned() } else { pieces.join(" ") })
}

/// The terms by name with their sums, pieces on the board and in hand apart, and the whole, for Black.
pub(super) fn sums(explanation: &Explanation) -> Vec<(&'static str, Value)> {
    let [material, others @ ..] = &explanation.terms;
    let mut rows = vec![("pieces on the board", material.squares.iter().sum()), ("pieces in hand", material.elsewhere)];
    rows.extend(others.iter().map(|term| (term.name, term.total())));
    rows.push(("sum, for Black", explanation.total()));
    rows
}

/// With a sign, where there is one.
pub(super) fn signed(value: Value) -> String {
    if value == 0 { "0".to_owned() } else { format!("{value:+}") }
}

/// The sums as a table with a column for all numbers.
fn sums_grid(columns: &[NamedWeights], explanations: &[Explanation]) -> Grid {
    let all: Vec<_> = explanations.iter().map(sums).collect();
    let darkest = f64::from(all.iter().flatten().map(|(_, value)| value.abs()).fold(1, Value::max));
    let rows = all.first().map_or(0, Vec::len);
    let row = |row: usize| GridRow {
        name: all[0][row].0.to_owned(),
        cells: all
            .iter()
            .map(|sums| {
                let value = sums[row].1;
                GridCell { mark: None, text: signed(value), shade: f64::from(value) / darkest }
            })
            .collect(),
    };
    Grid {
        title: String::new(),
        captions: Default::default(),
        columns: columns.iter().map(|column| column.name.clone()).collect(),
        rows: (0..rows).map(row).collect(),
        cell: (110, 26),
        names: RowNames::Left(200),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiki_eval::{Evaluator as _, Formula, Weights};
    use std::sync::Arc;

    fn number(text: &str) -> Value {
        if text.is_empty() { 0 } else { text.parse().unwrap() }
    }

    #[test]
    fn squares_hands_and_sums_add_up_to_the_evaluation() {
        for sfen in [
            RACE,
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2",
            "l4k2l/7g1/p3rpn1p/2p3pB1/4s4/1Ps1pSP2/P4P1RP/2GS5/LN1K3NL b G3Pbgn4p 75",
        ] {
            let position = Position::from_sfen(sfen).unwrap();
            for weights in [Weights::published(), Weights::default()] {
                let value = Formula::new(&Arc::new(weights.clone()), &position).evaluate(&position);
                let value = if position.side_to_move() == Color::Black { value } else { -value };
                let column = NamedWeights { name: "any".to_owned(), weights };
                let picture = picture(&[column], &position);
                let [boards, below] = picture.rows.as_slice().as_array().unwrap();
                let on_boards: Value = boards
                    .iter()
                    .flat_map(|grid| &grid.rows)
                    .flat_map(|row| &row.cells)
                    .map(|cell| number(&cell.text))
                    .sum();
                let sums: Vec<(&str, Value)> =
                    below[0].rows.iter().map(|row| (row.name.as_str(), number(&row.cells[0].text))).collect();
                let sum = |name: &str| sums.iter().find(|row| row.0 == name).unwrap().1;
                assert_eq!(sum("sum, for Black"), value, "{sfen}");
                assert_eq!(on_boards + sum("pieces in hand"), value, "{sfen}");
                assert_eq!(sums.iter().map(|row| row.1).sum::<Value>(), 2 * value, "{sfen}");
            }
        }
    }
}

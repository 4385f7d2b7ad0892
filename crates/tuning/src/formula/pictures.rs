//! Pictures of the formula: what effects and pieces are worth, and the terms of a position square
//! by square.

use kiki_board::{ALL_KINDS, Color, HAND_KINDS, PieceKind, Position, Sq, kanji};
use kiki_eval::{Explanation, KingDirection, Term, Value, Weights, Zone};
use kiki_plot::{
    BarGroup, BarSection, ChartLine, CurveStyle, Grid, GridCell, GridMark, GridPicture, GridRow, LineChart, RowNames,
    ValueBars,
};

use crate::distances::{DISTANCES, EffectSide};
use crate::settings::{NamedWeights, kind_name};

/// King of the heat maps, in the middle of the board.
const KING: Sq = Sq::at(4, 4);

/// Size of a square of the heat maps in pixels.
const EFFECT_SQUARE: (i32, i32) = (42, 42);

/// Value of an effect in centipawns.
pub(super) fn effect_value(weights: &Weights, side: EffectSide, distance: usize, direction: KingDirection) -> f64 {
    let effect = match side {
        EffectSide::Own => &weights.own,
        EffectSide::Enemy => &weights.enemy,
    };
    f64::from(effect.at(distance, direction)) / 256.0
}

/// Value of an effect on a square near Black's king in the middle, in centipawns.
fn value_on(weights: &Weights, side: EffectSide, sq: Sq) -> f64 {
    effect_value(weights, side, KING.distance(sq), KingDirection::of(Color::Black, KING, sq))
}

/// Boards with the value of an effect on each square: own effects above, enemy effects below, a
/// column for each set of numbers.
pub(super) fn heat_maps(columns: &[NamedWeights]) -> GridPicture {
    // The king's square does not set the scale: its great value would leave all others pale.
    let values = columns.iter().flat_map(|column| {
        let squares = Sq::all().filter(|&sq| sq != KING);
        squares.flat_map(|sq| EffectSide::BOTH.map(|side| value_on(&column.weights, side, sq)))
    });
    let darkest = values.fold(1.0, f64::max);
    let rows = EffectSide::BOTH.map(|side| {
        let sign = if side == EffectSide::Own { 1.0 } else { -1.0 };
        let grid = |column: &NamedWeights| {
            let cell = |sq| {
                let value = value_on(&column.weights, side, sq);
                GridCell {
                    mark: (sq == KING).then_some(GridMark { letter: '玉', upside_down: false, faint: false }),
                    text: format!("{value:.0}"),
                    shade: sign * value / darkest,
                }
            };
            let what = if side == EffectSide::Own { "own effects" } else { "enemy effects" };
            let mut grid = board(format!("{what}, {}", column.name), EFFECT_SQUARE, cell);
            if side == EffectSide::Enemy {
                grid.captions[1] = "on the king's square: a check".to_owned();
            }
            grid
        };
        columns.iter().map(grid).collect()
    });
    GridPicture {
        title: "What one effect (利き) on a square counts near Black's king, in centipawns".to_owned(),
        rows: rows.to_vec(),
        meanings: ["for the king's side".to_owned(), "against it".to_owned()],
    }
}

/// Values of effects ahead of the king by distance.
pub(super) fn curves(columns: &[NamedWeights]) -> LineChart {
    let lines = columns.iter().enumerate().flat_map(|(index, column)| {
        EffectSide::BOTH.map(|side| {
            ChartLine::new(
                format!("{} effects, {}", side.name(), column.name),
                (0..DISTANCES)
                    .map(|distance| {
                        (distance as f64, effect_value(&column.weights, side, distance, KingDirection::Ahead))
                    })
                    .collect(),
                if index + 1 == columns.len() { CurveStyle::Solid } else { CurveStyle::Dashed },
                usize::from(side == EffectSide::Enemy),
            )
        })
    });
    LineChart::new(
        "What one effect ahead of the king counts, by its distance",
        "distance in steps of the king",
        "centipawns",
        lines.collect(),
    )
}

/// Zones from a side's own end of the board.
pub(super) const ZONES: [(Zone, &str); 3] =
    [(Zone::Home, "home"), (Zone::Middle, "middle"), (Zone::Camp, "enemy's camp")];

/// Centipawns of a piece on the board with its zone, without its effects. A king has its zone
/// alone.
pub(super) fn on_board(weights: &Weights, kind: PieceKind, zone: Zone) -> i32 {
    weights.on_board(kind) + weights.in_zone(kind, zone)
}

/// Values of all pieces, sorted by those of `last`.
pub(super) fn bars(columns: &[NamedWeights], last: &NamedWeights) -> ValueBars {
    let section = |title: &str, kinds: &[PieceKind], value: fn(&Weights, PieceKind) -> i32| {
        let mut kinds = kinds.to_vec();
        kinds.sort_by_key(|&kind| -value(&last.weights, kind));
        let group = |kind: PieceKind| BarGroup {
            name: format!("{} {}", kind_name(kind), kanji(kind)),
            bars: columns
                .iter()
                .map(|NamedWeights { weights, .. }| {
                    let value = value(weights, kind);
                    let pawns = f64::from(value) / f64::from(weights.material[PieceKind::Pawn].max(1));
                    (value.into(), format!("{value} ({pawns:.1})"))
                })
                .collect(),
        };
        BarSection { title: title.to_owned(), groups: kinds.into_iter().map(group).collect() }
    };
    let middle = |weights: &Weights, kind| on_board(weights, kind, Zone::Middle);
    let promoted: Vec<PieceKind> = ALL_KINDS.into_iter().filter(|kind| kind.unpromote().is_some()).collect();
    ValueBars {
        title: "What pieces count, without their effects".to_owned(),
        x_label: "centipawns; in brackets: pawns in hand, of the same numbers".to_owned(),
        names: columns.iter().map(|column| column.name.clone()).collect(),
        sections: vec![
            section("In hand", &HAND_KINDS, |weights, kind| weights.material[kind]),
            section("On the middle three ranks", &HAND_KINDS, middle),
            section("Promoted, on the middle three ranks", &promoted, middle),
        ],
    }
}

/// Values of pieces by the zone in which they stand.
pub(super) fn zones(NamedWeights { name, weights }: &NamedWeights) -> GridPicture {
    let differences = ALL_KINDS.into_iter().flat_map(|kind| ZONES.map(|(zone, _)| weights.in_zone(kind, zone)));
    let darkest = f64::from(differences.map(i32::abs).fold(1, i32::max));
    let row = |kind| GridRow {
        name: format!("{} {}", kind_name(kind), kanji(kind)),
        cells: ZONES
            .map(|(zone, _)| {
                let (value, difference) = (on_board(weights, kind, zone), weights.in_zone(kind, zone));
                GridCell {
                    mark: None,
                    text: match difference {
                        // The king has no other value.
                        _ if kind == PieceKind::King => signed(difference),
                        0 => value.to_string(),
                        _ => format!("{value} ({difference:+})"),
                    },
                    shade: f64::from(difference) / darkest,
                }
            })
            .to_vec(),
    };
    let grid = Grid {
        title: String::new(),
        captions: Default::default(),
        columns: ZONES.map(|(_, name)| name.to_owned()).to_vec(),
        rows: ALL_KINDS.into_iter().map(row).collect(),
        cell: (150, 28),
        names: RowNames::Left(160),
    };
    GridPicture {
        title: format!("What pieces on the board count by zone, without their effects ({name}, centipawns)"),
        rows: vec![vec![grid]],
        meanings: ["more than in the middle".to_owned(), "less".to_owned()],
    }
}

/// A race of attacks between a Mino castle and a boat castle: dragons on both sides, a promoted
/// pawn beside a gold, pieces in hand.
pub(super) const RACE: &str = "l+R3g1nl/3+Pgsk2/p2ppp1p1/6p1p/9/P1PPP1P1P/5P1P1/4G1SK1/L+r3G1NL b B2SPb2np 1";

/// Size of a square of the position in pixels.
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

/// Two boards of `last`, with the values of pieces and of effects, and below them the sums of the
/// terms of all columns.
pub(super) fn terms(columns: &[NamedWeights], last: &NamedWeights, position: &Position) -> GridPicture {
    let explanation = Explanation::new(&last.weights, position);
    let (effects, pieces) = explanation.terms.iter().partition::<Vec<_>, _>(|term| term.name.starts_with("effects"));
    let boards = vec![squares("Pieces", &pieces, position, false), squares("Effects", &effects, position, true)];
    GridPicture {
        title: format!("What each square brings, and the sums ({}, centipawns)", last.name),
        rows: vec![boards, vec![sums_grid(columns, position)]],
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

/// Sums of the terms by name for Black, with pieces on the board and in hand apart, and the total.
pub(super) fn sums(column: &NamedWeights, position: &Position) -> Vec<(&'static str, Value)> {
    let explanation = Explanation::new(&column.weights, position);
    let [material, others @ ..] = &explanation.terms;
    let mut rows = vec![("pieces on the board", material.squares.iter().sum()), ("pieces in hand", material.elsewhere)];
    rows.extend(others.iter().map(|term| (term.name, term.total())));
    rows.push(("sum, for Black", explanation.total()));
    rows
}

/// With a sign unless it is 0.
pub(super) fn signed(value: Value) -> String {
    if value == 0 { "0".to_owned() } else { format!("{value:+}") }
}

/// The sums as a table with a column for each set of numbers.
fn sums_grid(columns: &[NamedWeights], position: &Position) -> Grid {
    let all = columns.iter().map(|column| sums(column, position)).collect::<Vec<_>>();
    let darkest = f64::from(all.iter().flatten().map(|(_, value)| value.abs()).fold(1, Value::max));
    let cell = |value| GridCell { mark: None, text: signed(value), shade: f64::from(value) / darkest };
    let row = |(row, (name, _)): (usize, &(&str, Value))| GridRow {
        name: (*name).to_owned(),
        cells: all.iter().map(|sums| cell(sums[row].1)).collect(),
    };
    Grid {
        title: String::new(),
        captions: Default::default(),
        columns: columns.iter().map(|column| column.name.clone()).collect(),
        rows: all[0].iter().enumerate().map(row).collect(),
        cell: (110, 26),
        names: RowNames::Left(200),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use kiki_eval::{Evaluator as _, Formula};

    use super::*;

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
                let picture = terms(std::slice::from_ref(&column), &column, &position);
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

    /// The published numbers are 68 and 96 centipawns divided by the distance and one; no direction
    /// counts.
    #[test]
    fn heat_maps_show_the_values_of_the_weights() {
        let columns = [
            NamedWeights { name: "published".to_owned(), weights: Weights::published() },
            NamedWeights { name: "in use".to_owned(), weights: Weights::default() },
        ];
        let picture = heat_maps(&columns);
        let text = |side: usize, column: usize, file: usize, rank: usize| {
            picture.rows[side][column].rows[rank].cells[8 - file].text.clone()
        };
        for (file, rank, own, enemy) in
            [(4, 4, "68", "96"), (4, 3, "34", "48"), (5, 5, "34", "48"), (0, 4, "14", "19"), (2, 8, "14", "19")]
        {
            assert_eq!((text(0, 0, file, rank), text(1, 0, file, rank)), (own.to_owned(), enemy.to_owned()));
        }
        // 184 centipawns * 616 / 1024 beside the king: 1053 / 1024 of it on its rank and 642 / 1024
        // behind it.
        assert_eq!(
            ["111", "114", "69"],
            [text(1, 1, 3, 3), text(1, 1, 3, 4), text(1, 1, 3, 5)].each_ref().map(|text| text.as_str())
        );
        let squares = || picture.rows.iter().flatten().flat_map(|grid| grid.rows.iter().flat_map(|row| &row.cells));
        assert_eq!(squares().count(), 4 * Sq::COUNT);
        assert_eq!(squares().filter(|square| square.mark.is_some()).count(), 4);
    }
}

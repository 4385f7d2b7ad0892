//! What pieces are worth: in hand, on the board, promoted, by zones.

use kiki_board::{ALL_KINDS, HAND_KINDS, PieceKind, kanji};
use kiki_eval::{Weights, Zone};

use super::terms::signed;
use crate::formula_weights::{NamedWeights, kind_name};
use kiki_plot::{BarGroup, BarSection, Grid, GridCell, GridPicture, GridRow, RowNames, ValueBars};

/// The zones from a side's own end of the board.
pub(super) const ZONES: [(Zone, &str); 3] =
    [(Zone::Home, "home"), (Zone::Middle, "middle"), (Zone::Camp, "enemy's camp")];

/// Centipawns of a piece on the board, its zone included and its effects not. Kings have no material: theirs is the zone alone.
pub(super) fn on_board(weights: &Weights, kind: PieceKind, zone: Zone) -> i32 {
    weights.on_board(kind) + weights.in_zone(kind, zone)
}

/// The values of all pieces, the dearest first by the last column.
pub(super) fn bars(columns: &[NamedWeights]) -> ValueBars {
    let section = |title: &str, kinds: &[PieceKind], value: fn(&Weights, PieceKind) -> i32| {
        let mut kinds = kinds.to_vec();
        if let Some(last) = columns.last() {
            kinds.sort_by_key(|&kind| -value(&last.weights, kind));
        }
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

/// What pieces count by the third of the board on which they stand, by the last column.
pub(super) fn zones(columns: &[NamedWeights]) -> GridPicture {
    let weights = columns.last().map_or_else(Weights::default, |column| column.weights.clone());
    let differences = ALL_KINDS.into_iter().flat_map(|kind| ZONES.map(|(zone, _)| weights.in_zone(kind, zone)));
    let darkest = f64::from(differences.map(i32::abs).fold(1, i32::max));
    let row = |kind| GridRow {
        name: format!("{} {}", kind_name(kind), kanji(kind)),
        cells: ZONES
            .map(|(zone, _)| {
                let (value, difference) = (on_board(&weights, kind, zone), weights.in_zone(kind, zone));
                GridCell {
                    mark: None,
                    text: match difference {
                        // Of the king nothing else counts.
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
    let name = columns.last().map_or("", |column| &column.name);
    GridPicture {
        title: format!("What pieces on the board count by zone, without their effects ({name}, centipawns)"),
        rows: vec![vec![grid]],
        meanings: ["more than in the middle".to_owned(), "less".to_owned()],
    }
}

//! The numbers as tables and as JSON.

use comfy_table::Table;
use kiki_board::{ALL_KINDS, HAND_KINDS, PieceKind, Position, kanji};
use kiki_eval::{Explanation, KingDirection, Weights};
use serde_json::{Value, json};

use super::effects::effect_value;
use super::pieces::{ZONES, on_board};
use super::terms::{signed, sums};
use crate::distances::{DISTANCES, EffectSide};
use crate::formula_weights::{NamedWeights, kind_name};
use kiki_run::numbers::table;

const DIRECTIONS: [(KingDirection, &str); 3] =
    [(KingDirection::Ahead, "ahead"), (KingDirection::Beside, "beside"), (KingDirection::Behind, "behind")];

/// The values of effects for all numbers, those of pieces, and the terms of a position.
pub(super) fn tables(columns: &[NamedWeights], position: &Position) -> Vec<Table> {
    let mut tables: Vec<Table> = columns.iter().map(effects).collect();
    tables.extend([pieces(columns), terms(columns, position)]);
    tables
}

/// The value of an effect; none beside and behind the king on its own square.
fn value_at(weights: &Weights, side: EffectSide, distance: usize, direction: KingDirection) -> Option<f64> {
    (distance > 0 || direction == KingDirection::Ahead).then(|| effect_value(weights, side, distance, direction))
}

fn places() -> impl Iterator<Item = (EffectSide, KingDirection, &'static str)> {
    EffectSide::BOTH.into_iter().flat_map(|side| DIRECTIONS.map(|(direction, name)| (side, direction, name)))
}

fn effects(column: &NamedWeights) -> Table {
    let header = std::iter::once(format!("effects, {}", column.name))
        .chain(places().map(|(side, _, direction)| format!("{} {direction}", side.name())));
    let rows = (0..DISTANCES).map(|distance| {
        let cell = |(side, direction, _)| {
            value_at(&column.weights, side, distance, direction).map_or("-".to_owned(), |value| format!("{value:.1}"))
        };
        std::iter::once(format!("{distance} from the king")).chain(places().map(cell)).collect()
    });
    table(&header.collect::<Vec<_>>(), rows)
}

fn pieces(columns: &[NamedWeights]) -> Table {
    let mut header = vec!["piece".to_owned()];
    for NamedWeights { name, .. } in columns {
        header.extend(["in hand", "home", "middle", "camp"].map(|place| format!("{name}: {place}")));
    }
    let rows = ALL_KINDS.into_iter().map(|kind| {
        let mut row = vec![format!("{} {}", kanji(kind), kind_name(kind))];
        for NamedWeights { weights, .. } in columns {
            row.push(in_hand(weights, kind).map_or("-".to_owned(), |value| value.to_string()));
            row.extend(ZONES.map(|(zone, _)| on_board(weights, kind, zone).to_string()));
        }
        row
    });
    table(&header, rows)
}

fn in_hand(weights: &Weights, kind: PieceKind) -> Option<i32> {
    HAND_KINDS.contains(&kind).then(|| weights.material[kind])
}

fn terms(columns: &[NamedWeights], position: &Position) -> Table {
    let header = std::iter::once("terms, centipawns for Black".to_owned())
        .chain(columns.iter().map(|column| column.name.clone()));
    let all: Vec<_> = columns.iter().map(|column| sums(&Explanation::new(&column.weights, position))).collect();
    let names = all.first().into_iter().flatten().map(|(name, _)| name);
    let rows = names.enumerate().map(|(row, name)| {
        std::iter::once((*name).to_owned()).chain(all.iter().map(|sums| signed(sums[row].1))).collect()
    });
    table(&header.collect::<Vec<_>>(), rows)
}

/// All of this for programs.
pub(super) fn value(columns: &[NamedWeights], position: &Position) -> Value {
    let numbers = columns.iter().map(|NamedWeights { name, weights }| {
        let effects = EffectSide::BOTH.into_iter().flat_map(|side| (0..DISTANCES).map(move |distance| (side, distance)));
        let effects = effects.map(|(side, distance)| {
            let [ahead, beside, behind] = DIRECTIONS.map(|(direction, _)| value_at(weights, side, distance, direction));
            json!({ "side": side.name(), "distance": distance, "ahead": ahead, "beside": beside, "behind": behind })
        });
        let pieces = ALL_KINDS.map(|kind| {
            let [home, middle, camp] = ZONES.map(|(zone, _)| on_board(weights, kind, zone));
            json!({ "kind": kind_name(kind), "in_hand": in_hand(weights, kind), "home": home, "middle": middle, "camp": camp })
        });
        let explanation = Explanation::new(weights, position);
        let terms = explanation.terms.iter().map(|term| {
            json!({ "name": term.name, "squares": term.squares.iter().sum::<i32>(), "elsewhere": term.elsewhere })
        });
        json!({
            "name": name,
            "effects": effects.collect::<Vec<_>>(),
            "pieces": pieces,
            "terms": terms.collect::<Vec<_>>(),
            "total": explanation.total(),
        })
    });
    json!({ "sfen": position.to_sfen(), "numbers": numbers.collect::<Vec<_>>() })
}

//! `kiki-lab formula`: the numbers of the formula as tables, as JSON and as pictures.

mod pictures;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;
use comfy_table::Table;
use kiki_board::{ALL_KINDS, HAND_KINDS, PieceKind, Position, kanji};
use kiki_eval::{Explanation, KingDirection, Weights};
use kiki_run::output::{or_dash, print_json, table};
use kiki_run::position_text::position;
use kiki_run::say;
use serde_json::{Value, json};

use crate::distances::{DISTANCES, EffectSide};
use crate::settings::{NamedWeights, kind_name, read_weights};
use pictures::{ZONES, effect_value, on_board, signed, sums};

const EXAMPLE: &str = "\
Examples:
  kiki-lab formula --out docs/pictures/formula
  kiki-lab formula --sfen 'lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2'
  kiki-lab formula --numbers results/fit.toml --out results/formula

FOLDER gets effects.svg, distances.svg, pieces.svg, zones.svg and position.svg. docs/formula.md explains them.";

/// What the formula counts: effects near the kings, pieces, and the terms of a position
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct FormulaArgs {
    /// Draw the pictures into this folder, replacing earlier ones
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Position whose terms to show: an SFEN or `startpos`, with or without moves
    #[arg(long, default_value = pictures::RACE)]
    sfen: String,
    /// A file of parameters (of `fit` or `spsa`) instead of the numbers in use
    #[arg(long, value_name = "FILE", conflicts_with = "published")]
    numbers: Option<PathBuf>,
    /// Show only the published numbers
    #[arg(long)]
    published: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &FormulaArgs) -> Result<()> {
    let position = position(Some(&arguments.sfen), None)?;
    let columns = columns(arguments)?;
    let last = &columns[columns.len() - 1];
    if let Some(folder) = &arguments.out {
        fs::create_dir_all(folder).with_context(|| format!("--out {}", folder.display()))?;
        pictures::heat_maps(&columns).write(&folder.join("effects.svg"))?;
        pictures::curves(&columns).write(&folder.join("distances.svg"))?;
        pictures::bars(&columns, last).write(&folder.join("pieces.svg"))?;
        pictures::zones(last).write(&folder.join("zones.svg"))?;
        pictures::terms(&columns, last, &position).write(&folder.join("position.svg"))?;
    }
    if arguments.json {
        return print_json(&value(&columns, &position));
    }
    for table in columns.iter().map(effects).chain([pieces(&columns), terms(&columns, &position)]) {
        say!("{table}\n");
    }
    Ok(())
}

/// The published numbers, then those that the arguments select, if any.
fn columns(arguments: &FormulaArgs) -> Result<Vec<NamedWeights>> {
    let named = |name: &str, weights| NamedWeights { name: name.to_owned(), weights };
    let mut columns = vec![named("published", Weights::published())];
    if let Some(path) = &arguments.numbers {
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
        columns.push(named(&name, read_weights(path)?));
    } else if !arguments.published {
        columns.push(named("in use", Weights::default()));
    }
    Ok(columns)
}

const DIRECTIONS: [(KingDirection, &str); 3] =
    [(KingDirection::Ahead, "ahead"), (KingDirection::Beside, "beside"), (KingDirection::Behind, "behind")];

/// Value of an effect; `None` beside and behind the king on its own square.
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
            or_dash(value_at(&column.weights, side, distance, direction).map(|value| format!("{value:.1}")))
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
            row.push(or_dash(in_hand(weights, kind)));
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
    let all: Vec<_> = columns.iter().map(|column| sums(column, position)).collect();
    let rows = all[0].iter().enumerate().map(|(row, (name, _))| {
        std::iter::once((*name).to_owned()).chain(all.iter().map(|sums| signed(sums[row].1))).collect()
    });
    table(&header.collect::<Vec<_>>(), rows)
}

fn value(columns: &[NamedWeights], position: &Position) -> Value {
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

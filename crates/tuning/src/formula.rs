//! `kiki-lab formula`: the numbers of the formula as tables and pictures for people.

mod effects;
mod pieces;
mod tables;
mod terms;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;
use kiki_board::Position;
use kiki_eval::Weights;

use super::formula_weights::{NamedWeights, read_weights};
use kiki_run::numbers::print_json;
use kiki_run::say;

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
    /// Draw the pictures into this folder; those of an earlier call are replaced
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// The position whose terms are shown
    #[arg(long, default_value = terms::RACE)]
    sfen: String,
    /// A file of parameters (of `fit` or `spsa`) instead of the numbers in use
    #[arg(long, value_name = "FILE", conflicts_with = "published")]
    numbers: Option<PathBuf>,
    /// The published numbers alone
    #[arg(long)]
    published: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Runs `formula`.
pub fn run(arguments: &FormulaArgs) -> Result<()> {
    let position = Position::from_sfen(&arguments.sfen).with_context(|| format!("--sfen {}", arguments.sfen))?;
    let columns = columns(arguments)?;
    if let Some(folder) = &arguments.out {
        fs::create_dir_all(folder).with_context(|| format!("--out {}", folder.display()))?;
        effects::heat_maps(&columns).write(&folder.join("effects.svg"))?;
        effects::curves(&columns).write(&folder.join("distances.svg"))?;
        pieces::bars(&columns).write(&folder.join("pieces.svg"))?;
        pieces::zones(&columns).write(&folder.join("zones.svg"))?;
        terms::picture(&columns, &position).write(&folder.join("position.svg"))?;
    }
    if arguments.json {
        return print_json(&tables::value(&columns, &position));
    }
    for table in tables::tables(&columns, &position) {
        say!("{table}\n");
    }
    Ok(())
}

/// The published numbers, and behind them those that are shown, if these are others.
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

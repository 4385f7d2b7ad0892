//! `kiki-lab fit`: the numbers of the formula under which the results of games are most likely.

mod arguments;
mod formula_map;
mod games;
mod output;
mod screen;

use std::process::ExitCode;

use anyhow::{Context as _, Result, ensure};
use kiki_stats::regression;
use kiki_train::fit::{CANDIDATES, FORMULA, TermGroup};

use formula_map::{FormulaMap, FormulaNumbers, WIDTH, complete, precision};
use games::GameSample;
use kiki_run::interrupt::exit_code;

pub use arguments::FitArgs;

/// Runs `fit`.
pub fn run(arguments: &FitArgs) -> Result<ExitCode> {
    ensure!((0.0..=1.0).contains(&arguments.lambda), "--lambda is a share from 0 to 1");
    ensure!(arguments.score_scale > 0.0, "--score-scale is greater than 0");
    let with = arguments.with.iter().map(|name| candidate(name)).collect::<Result<Vec<_>>>()?;
    let numbers = FormulaNumbers::read(arguments.start.as_deref())?;
    let Some(games) = GameSample::read(arguments)? else { return Ok(exit_code(true)) };
    if arguments.screen {
        screen::screen(&games, &with, arguments.json)?;
    } else if !with.is_empty() {
        screen::fit_with(&games, &with, arguments.json)?;
    } else {
        fit_formula(arguments, &games, &numbers)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn candidate(name: &str) -> Result<&'static TermGroup> {
    let names = || CANDIDATES.iter().map(|group| group.name).collect::<Vec<_>>().join(", ");
    CANDIDATES
        .iter()
        .find(|group| group.name == name)
        .with_context(|| format!("there are no terms `{name}`; there are {}", names()))
}

fn fit_formula(arguments: &FitArgs, games: &GameSample, numbers: &FormulaNumbers) -> Result<()> {
    let halves = games.observations(&[&FORMULA])?;
    let map = FormulaMap { discount_promoted: !arguments.promoted_in_full };
    let start = numbers.parameters();
    let precision = precision(arguments.published_terms, &arguments.hold, WIDTH)?;
    let fit = complete(&regression::fit(&halves.learned, &map, &start, &precision)?);
    output::report(arguments, games, &halves, &map, &fit)
}

//! `kiki-lab fit`: the numbers of the formula under which the results of games are most likely.

mod formula_map;
mod games;
mod output;
mod screen;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, ensure};
use clap::{Args, ValueEnum};
use kiki_stats::regression::{self, Observations, RegressionFit};
use kiki_train::fit::{CANDIDATES, FORMULA, TermGroup};

use crate::interrupt::exit_code;
use formula_map::{FormulaMap, FormulaNumbers, complete, precision};
use games::GameSample;

/// The unit in which coefficients are looked for, in centipawns to one unit of log-odds. What is printed does not depend on it.
const UNIT: f64 = 600.0;
/// A number is held at its start by a normal distribution of this width, in centipawns: what the games do not tell at all stays there.
const WIDTH: f64 = 2000.0;

const EXAMPLE: &str = "\
Example:
  kiki-lab fit results/data/formula-1.psv --output results/fit.toml --samples results/fit
  kiki-lab distances results/fit/*.toml --plot results/distances.svg

Each file of records needs its journal of games beside it. A tenth of the games is held out of the fit and judges it. Errors allow for
the positions of a game having one result together.";

/// The formula's numbers under which the results of games are most likely (logistic regression)
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct FitArgs {
    /// Files of records of self-play, with their journals of games
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Positions taken of a game, evenly spread
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    per_game: u32,
    /// Leave out positions with a score beyond this, in centipawns
    #[arg(long, value_name = "CENTIPAWNS")]
    max_score: Option<u16>,
    /// How much the score counts beside the result, 0 to 1
    #[arg(long, default_value_t = 0.0, value_name = "SHARE")]
    lambda: f64,
    /// The centipawns of a score that stand for 75 percent of the points, for --lambda
    #[arg(long, default_value_t = 600.0, value_name = "CENTIPAWNS")]
    score_scale: f64,
    /// Which positions of a game are taken
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A file of parameters to start from instead of the numbers in use
    #[arg(long, value_name = "FILE")]
    start: Option<PathBuf>,
    /// Promoted pieces have no discount on the board
    #[arg(long)]
    promoted_in_full: bool,
    /// Fit only the numbers of the published formula: no zones, no directions
    #[arg(long)]
    published_terms: bool,
    /// Numbers that stay as they are
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    hold: Vec<String>,
    /// What keeps its size, as the margins of the search are centipawns
    #[arg(long, value_enum, default_value_t = ScaleRule::Values)]
    keep: ScaleRule,
    /// Write the numbers as a file of parameters
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write 200 files of parameters that are as likely as the error of the fit says, for `kiki-lab distances`
    #[arg(long, value_name = "FOLDER")]
    samples: Option<PathBuf>,
    /// Try each group of other terms beside the formula, and print what it gains
    #[arg(long)]
    screen: bool,
    /// Other terms that are fitted along (names as --screen prints them)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    with: Vec<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// What keeps the size that it has with the numbers in use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ScaleRule {
    /// The root mean square of the values of the positions
    Values,
    /// The root mean square of what material counts
    Material,
}

/// Runs `fit`.
pub(crate) fn run(arguments: &FitArgs) -> Result<ExitCode> {
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

/// Observations to learn from and observations that were held out.
struct Halves {
    learned: Observations,
    held_out: Observations,
}

fn fit_formula(arguments: &FitArgs, games: &GameSample, numbers: &FormulaNumbers) -> Result<()> {
    let halves = games.observations(&[&FORMULA])?;
    let map = FormulaMap { discount_promoted: !arguments.promoted_in_full };
    let start = numbers.parameters();
    let precision = precision(arguments.published_terms, &arguments.hold, WIDTH)?;
    let fit = complete(&regression::fit(&halves.learned, &map, &start, &precision)?);
    output::report(arguments, games, &halves, &map, &fit)
}

/// The square root of the variance that a fit gives a parameter.
fn error(fit: &RegressionFit, parameter: usize) -> f64 {
    fit.covariance[(parameter, parameter)].sqrt()
}

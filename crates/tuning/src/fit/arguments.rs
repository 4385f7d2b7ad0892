//! What `fit` can be told.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

const EXAMPLE: &str = "\
Example:
  kiki-lab fit results/data/formula-1.psv --output results/fit.toml --samples results/fit
  kiki-lab distances results/fit/*.toml --plot results/distances.svg

Each file of records needs its journal of games beside it. A tenth of the games is held out of the fit and judges it. Errors allow for
the positions of a game having one result together.";

/// The formula's numbers under which the results of games are most likely (logistic regression)
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct FitArgs {
    /// Files of records of self-play, with their journals of games
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    /// Positions taken of a game, evenly spread
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) per_game: u32,
    /// Leave out positions with a score beyond this, in centipawns
    #[arg(long, value_name = "CENTIPAWNS")]
    pub(super) max_score: Option<u16>,
    /// How much the score counts beside the result, 0 to 1
    #[arg(long, default_value_t = 0.0, value_name = "SHARE")]
    pub(super) lambda: f64,
    /// The centipawns of a score that stand for 75 percent of the points, for --lambda
    #[arg(long, default_value_t = 600.0, value_name = "CENTIPAWNS")]
    pub(super) score_scale: f64,
    /// Which positions of a game are taken
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// A file of parameters to start from instead of the numbers in use
    #[arg(long, value_name = "FILE")]
    pub(super) start: Option<PathBuf>,
    /// Promoted pieces have no discount on the board
    #[arg(long)]
    pub(super) promoted_in_full: bool,
    /// Fit only the numbers of the published formula: no zones, no directions
    #[arg(long)]
    pub(super) published_terms: bool,
    /// Numbers that stay as they are
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(super) hold: Vec<String>,
    /// What keeps its size, as the margins of the search are centipawns
    #[arg(long, value_enum, default_value_t = ScaleRule::Values)]
    pub(super) keep: ScaleRule,
    /// Write the numbers as a file of parameters
    #[arg(long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Write 200 files of parameters that are as likely as the error of the fit says, for `kiki-lab distances`
    #[arg(long, value_name = "FOLDER")]
    pub(super) samples: Option<PathBuf>,
    /// Try each group of other terms beside the formula, and print what it gains
    #[arg(long)]
    pub(super) screen: bool,
    /// Other terms that are fitted along (names as --screen prints them)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(super) with: Vec<String>,
    /// Print the result as JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// What keeps the size that it has with the numbers in use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum ScaleRule {
    /// The root mean square of the values of the positions
    Values,
    /// The root mean square of what material counts
    Material,
}

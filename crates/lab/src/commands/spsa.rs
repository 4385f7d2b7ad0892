//! `kiki-lab spsa`: the command line of a tuning.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow};
use clap::Args;

use super::matches::openings_of;
use super::rules::{MannerArgs, RuleArgs};
use crate::contest::openings::Order;
use crate::contest::spec::Draft;
use crate::contest::tournament_file::RuleTable;
use crate::interrupt::exit_code;
use crate::tuning::settings::{Settings, read_parameters};
use crate::tuning::{self, Tuning};

const EXAMPLE: &str = "\
Example:
  cargo build --release --features tune
  kiki-lab spsa --engine 'target/release/kiki nodes=4000 option.Threads=1' --parameters parameters.toml \\
      --openings tests/fixtures/openings.sfen --updates 5000 --concurrency 2 --output results/tuning

parameters.toml names options of the engine, one a line: late_move_base = { start = 5, min = 2, max = 30, step = 2 }
A step is a change that can be felt. Ctrl-C stops cleanly (exit status 130); `kiki-lab spsa --resume results/tuning` goes on.";

/// Look for numbers that win, by self-play (SPSA)
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct SpsaArgs {
    /// The engine, as for `match`
    #[arg(long, value_name = "WORDS", required_unless_present = "resume")]
    engine: Option<String>,
    /// The numbers that are looked for (TOML)
    #[arg(long, value_name = "FILE", required_unless_present = "resume")]
    parameters: Option<PathBuf>,
    /// Pairs of games
    #[arg(long, default_value_t = 5000)]
    updates: u64,
    /// By which part of its step each point moves a parameter in the last updates
    #[arg(long, default_value_t = 0.01)]
    rate: f64,
    /// Openings, one a line [default: the start of the game only]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// What the order of openings and all random draws follow from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The folder for journal and result; it must hold no tuning yet
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Go on with the tuning in this folder; its settings hold
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["engine", "parameters", "updates", "rate", "openings", "seed", "output"])]
    resume: Option<PathBuf>,
    #[command(flatten)]
    manner: MannerArgs,
    #[command(flatten)]
    rules: RuleArgs,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Runs `spsa`.
pub(crate) fn run(arguments: &SpsaArgs) -> Result<ExitCode> {
    let manner = arguments.manner.manner(&arguments.rules, false)?;
    let mut tuning = match &arguments.resume {
        Some(folder) => Tuning::resume(folder)?,
        None => begin(arguments)?,
    };
    tuning.run(&manner)?;
    tuning::print(&tuning, manner.concurrency, arguments.json)?;
    Ok(exit_code(!tuning.is_complete()))
}

fn begin(arguments: &SpsaArgs) -> Result<Tuning> {
    let text = arguments.engine.as_deref().unwrap_or_default();
    let draft = Draft::parse(text).with_context(|| format!("--engine {text}"))?;
    let settings = Settings {
        engine: draft.complete(&Draft::default())?,
        parameters: read_parameters(arguments.parameters.as_deref().unwrap_or("".as_ref()))?,
        updates: arguments.updates,
        rate: arguments.rate,
        seed: arguments.seed,
        rules: arguments.rules.over(&RuleTable::default())?,
    };
    let openings = openings_of(arguments.openings.as_deref(), Order::Random, arguments.seed)?;
    let folder = arguments.output.clone().ok_or_else(|| anyhow!("--output FOLDER says where the records go"))?;
    Tuning::begin(&folder, settings, openings)
}

//! `kiki-lab spsa`: the command line of a tuning.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow};
use clap::Args;
use kiki_driver::split_words;

use crate::announced::announced_parameters;
use crate::report;
use crate::runner::Tuning;
use crate::settings::{TuningSettings, parameter_line, read_parameters};
use kiki_contest::engine_words::EngineWords;
use kiki_contest::run_args::{RULE_OPTIONS, RuleOptions, RunArgs, warn_if_crowded};
use kiki_contest::settings::{OpeningOrder, openings_of};
use kiki_run::interrupt::exit_code;
use kiki_run::say;

const EXAMPLE: &str = "\
Example:
  cargo build --release --features tune
  kiki-lab spsa --engine 'target/release/kiki nodes=4000 option.Threads=1' --parameters parameters.toml \\
      --openings tests/fixtures/openings.sfen --updates 5000 --concurrency 2 --output results/tuning

parameters.toml names options of the engine, one a line: late_move_base = { start = 5, min = 2, max = 30, step = 2 }
`kiki-lab spsa --list --engine target/release/kiki` prints such a file with all numbers that the engine announces.
`--as-options results/tuning/parameters.toml` prints what was found as words of an engine for `sprt`.
A step is a change that can be felt. Ctrl-C stops cleanly (exit status 130); `kiki-lab resume results/tuning` goes on.";

/// Look for numbers that win, by self-play (SPSA)
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct SpsaArgs {
    /// The engine, as for `match`
    #[arg(long, value_name = "WORDS", required_unless_present_any = ["resume", "as_options"])]
    engine: Option<String>,
    /// The numbers that are looked for (TOML)
    #[arg(long, value_name = "FILE", required_unless_present_any = ["resume", "list", "as_options"])]
    parameters: Option<PathBuf>,
    /// Print the numbers that the engine announces for tuning, as a file for --parameters, and play nothing
    #[arg(long, conflicts_with_all = ["resume", "parameters", "output"])]
    list: bool,
    /// Print the numbers of such a file as words of an engine, `option.NAME=START`, and play nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["engine", "resume", "parameters", "output", "list"])]
    as_options: Option<PathBuf>,
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
    #[arg(long, hide = true, value_name = "FOLDER", conflicts_with_all = ["engine", "parameters", "updates", "rate", "openings", "seed", "output"], conflicts_with_all = RULE_OPTIONS)]
    resume: Option<PathBuf>,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    rules: RuleOptions,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Runs `spsa`.
pub fn run(arguments: &SpsaArgs) -> Result<ExitCode> {
    if arguments.list {
        list(arguments)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(path) = &arguments.as_options {
        let parameters = read_parameters(path)?;
        let words = parameters.iter().map(|(name, range)| quoted(format!("option.{name}={}", range.start)));
        say!("{}", words.collect::<Vec<_>>().join(" "));
        return Ok(ExitCode::SUCCESS);
    }
    let options = arguments.run.options(&arguments.rules)?;
    let mut tuning = match &arguments.resume {
        Some(folder) => Tuning::resume(folder)?,
        None => begin(arguments)?,
    };
    // Both sides are the same engine with other numbers.
    warn_if_crowded([&tuning.settings.engine; 2], options.concurrency);
    tuning.run(&options)?;
    report::print(&tuning, options.concurrency, arguments.json)?;
    Ok(exit_code(!tuning.is_complete()))
}

/// The first lines of a list.
const LIST_HEADER: &str = "# The numbers that the engine announces for tuning, for `kiki-lab spsa --parameters`: see docs/tuning.md.\n\
                           # Made by `kiki-lab spsa --list`; delete the lines of those that are not to be tuned.";

/// Prints what `--list` asks for.
fn list(arguments: &SpsaArgs) -> Result<()> {
    // Nothing is searched, so the engine needs no time control.
    let engine = engine(arguments)?.complete(&EngineWords::parse("nodes=1")?)?;
    let parameters = announced_parameters(&engine, arguments.rules.timeouts()?)?;
    let lines: String =
        parameters.iter().map(|(name, range)| parameter_line(name, range, range.start.into())).collect();
    say!("{LIST_HEADER}\n{}", lines.trim_end());
    Ok(())
}

/// A word of an engine, between quotes if it would be read as another one or as several.
fn quoted(word: String) -> String {
    let is_read_as_it_is = split_words(&word).is_ok_and(|words| words == [word.as_str()]);
    if is_read_as_it_is { word } else { shell_words::quote(&word).into_owned() }
}

fn engine(arguments: &SpsaArgs) -> Result<EngineWords> {
    let text = arguments.engine.as_deref().unwrap_or_default();
    EngineWords::parse(text).with_context(|| format!("--engine {text}"))
}

fn begin(arguments: &SpsaArgs) -> Result<Tuning> {
    let settings = TuningSettings {
        engine: engine(arguments)?.complete(&EngineWords::default())?,
        parameters: read_parameters(arguments.parameters.as_deref().unwrap_or("".as_ref()))?,
        updates: arguments.updates,
        rate: arguments.rate,
        seed: arguments.seed,
        rules: arguments.rules.over(&RuleOptions::default())?,
    };
    let openings = openings_of(arguments.openings.as_deref(), OpeningOrder::Random, arguments.seed)?;
    let folder = arguments.output.clone().ok_or_else(|| anyhow!("--output FOLDER says where the records go"))?;
    Tuning::begin(&folder, settings, openings)
}

//! `kiki-lab spsa`: the command line of a tuning and its report.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use kiki_contest::engine_words::EngineWords;
use kiki_contest::run_args::{ReportedRunArgs, warn_if_crowded};
use kiki_contest::settings::FolderArgs;
use kiki_driver::split_words;
use kiki_machines::coordinator::Coordinator;
use kiki_machines::workforce::{MachinesArgs, resume_options};
use kiki_play::pool::RunOptions;
use kiki_run::interrupt::{exit_code, how_to_resume};
use kiki_run::journal::{Journal, TUNING};
use kiki_run::output::{print_json, signed, table};
use kiki_run::say;
use serde_json::json;

use crate::runner::{FoundValue, Tuning};
use crate::settings::{TuningSettings, announced_parameters, parameters_text, read_parameters};

pub use crate::runner::PairJob;

const EXAMPLE: &str = "\
Example:
  cargo build --release --features tune
  kiki-lab spsa --engine 'target/release/kiki nodes=4000 option.Threads=1' --parameters parameters.toml \\
      --openings tests/fixtures/openings.sfen --updates 5000 --concurrency 2 --output results/tuning

parameters.toml names options of the engine, one a line: late_move_base = { start = 3, min = 1, max = 15, step = 0.7 }
`kiki-lab spsa --list --engine target/release/kiki` prints such a file with all numbers that the engine announces.
`--as-options results/tuning/parameters.toml` prints what was found as words of an engine for `sprt`.
A step is a change of noticeable effect. Ctrl-C stops cleanly (exit status 130); `kiki-lab resume results/tuning` goes on.";

/// Tune numbers by self-play (SPSA)
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct SpsaArgs {
    /// The engine, as for `match`
    #[arg(long, value_name = "WORDS", required_unless_present = "as_options", value_parser = EngineWords::parse)]
    engine: Option<EngineWords>,
    /// File of the parameters to tune (TOML)
    #[arg(long, value_name = "FILE", required_unless_present_any = ["list", "as_options"])]
    parameters: Option<PathBuf>,
    /// Print the numbers that the engine announces for tuning, as a file for --parameters, and play
    /// nothing
    #[arg(long, conflicts_with_all = ["parameters", "output"])]
    list: bool,
    /// Print a file of parameters as words of an engine, `option.NAME=START`, and play nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["engine", "parameters", "output", "list"])]
    as_options: Option<PathBuf>,
    /// Pairs of games
    #[arg(long, default_value_t = 5000)]
    updates: u64,
    /// Share of its step that each point moves a parameter in the last updates
    #[arg(long, default_value_t = 0.01)]
    rate: f64,
    /// Updates under way at the same time; more keep more processors busy, fewer learn from fresher
    /// values [default: the concurrency, or 32 with --nats]
    #[arg(long, value_name = "N")]
    ahead: Option<u64>,
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    machines: MachinesArgs,
}

/// Updates under way on many machines.
const AHEAD_OF_MACHINES: u64 = 32;

/// What a resumed run may change.
#[derive(Args, Debug)]
pub struct SpsaResumeArgs {
    #[command(flatten)]
    reported: ReportedRunArgs,
    #[command(flatten)]
    machines: MachinesArgs,
}

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
    let options = arguments.folder.reported.run.options()?;
    arguments.machines.check(&options)?;
    let coordinator = arguments.machines.coordinator()?;
    let usual = if coordinator.is_some() { AHEAD_OF_MACHINES } else { options.concurrency as u64 };
    play(begin(arguments, usual)?, &options, coordinator.as_ref(), arguments.folder.reported.json)
}

pub fn resume(folder: &Path, arguments: &SpsaResumeArgs) -> Result<ExitCode> {
    let options = arguments.reported.run.options()?;
    arguments.machines.check(&options)?;
    let coordinator = arguments.machines.coordinator()?;
    let tuning = Tuning::new(Journal::resume(folder, TUNING)?)?;
    play(tuning, &options, coordinator.as_ref(), arguments.reported.json)
}

fn play(
    mut tuning: Tuning,
    options: &RunOptions,
    coordinator: Option<&Coordinator>,
    as_json: bool,
) -> Result<ExitCode> {
    if coordinator.is_none() {
        // Both sides are the same engine with other numbers.
        warn_if_crowded([&tuning.journal.settings.engine; 2], options.concurrency);
    }
    tuning.run(options, coordinator)?;
    print(&tuning, &resume_options(coordinator, options.concurrency), as_json)?;
    Ok(exit_code(!tuning.is_complete()))
}

const LIST_HEADER: &str = "# The numbers that the engine announces for tuning, for `kiki-lab spsa --parameters`: see docs/tuning.md.\n\
                           # Made by `kiki-lab spsa --list`; delete the lines of those that are not to be tuned.";

fn list(arguments: &SpsaArgs) -> Result<()> {
    // The engine does not search, but a description needs a limit.
    let engine = arguments.engine.clone().unwrap_or_default().complete(&EngineWords::parse("nodes=1")?)?;
    let parameters = announced_parameters(&engine, arguments.folder.reported.run.options()?.timeouts)?;
    let lines = parameters_text(parameters.iter().map(|(name, range)| (name, *range)));
    say!("{LIST_HEADER}\n{}", lines.trim_end());
    Ok(())
}

/// A word of an engine, with quotes if it needs them.
fn quoted(word: String) -> String {
    let is_plain = split_words(&word).is_ok_and(|words| words == [word.as_str()]);
    if is_plain { word } else { shell_words::quote(&word).into_owned() }
}

fn begin(arguments: &SpsaArgs, usual_ahead: u64) -> Result<Tuning> {
    let settings = TuningSettings {
        engine: arguments.engine.clone().unwrap_or_default().complete(&EngineWords::default())?,
        parameters: read_parameters(arguments.parameters.as_deref().unwrap_or("".as_ref()))?,
        updates: arguments.updates,
        rate: arguments.rate,
        seed: arguments.folder.seed,
        ahead: arguments.ahead.unwrap_or(usual_ahead),
        rules: arguments.folder.rules()?,
    };
    // Refuses impossible settings before there is a folder.
    settings.spsa()?;
    let (folder, openings) = (arguments.folder.folder()?, arguments.folder.openings()?);
    Tuning::new(Journal::begin(folder, TUNING, settings, openings)?)
}

fn print(tuning: &Tuning, resume_options: &str, as_json: bool) -> Result<()> {
    let (ending, folder) = (if tuning.is_complete() { "complete" } else { "interrupted" }, tuning.journal.folder());
    if as_json {
        return print_json(&json!({
            "ending": ending,
            "folder": folder.display().to_string(),
            "updates": tuning.played(),
            "scheduled": tuning.journal.settings.updates,
            "parameters": tuning.found_values().collect::<Vec<_>>(),
        }));
    }
    let row = |FoundValue { name, start, value, steps }: FoundValue<'_>| {
        vec![name.to_owned(), start.to_string(), format!("{value:.1}"), signed(steps)]
    };
    say!("{}", table(&["parameter", "start", "found", "steps"], tuning.found_values().map(row)));
    let (played, updates) = (tuning.played(), tuning.journal.settings.updates);
    say!("{played} of {updates} updates ({ending}); {}/parameters.toml, parameters.svg", folder.display());
    if !tuning.is_complete() {
        say!("{}", how_to_resume(folder, resume_options));
    }
    Ok(())
}

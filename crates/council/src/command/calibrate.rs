//! `kiki-lab council calibrate`: members measured on common positions.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use kiki_contest::engine_words::EngineWords;
use kiki_contest::run_args::{DEFAULT_PATIENCE, ReportedRunArgs, patience, warn_if_crowded};
use kiki_games::positions::sampled_from;
use kiki_play::player::PlayerSpec;
use kiki_play::pool::RunOptions;
use kiki_run::input_errors::{InputErrors, exit_code_of_run, tell_left_out};
use kiki_run::interrupt::{Interrupt, tell_to_resume};
use kiki_run::journal::{CALIBRATION, Journal};
use kiki_run::output::print_json;
use kiki_run::say;
use kiki_run::usage::WrongUsage;
use serde_json::json;

use super::calibration_text;
use crate::study::{CalibrationRun, CalibrationSettings, FEWEST_POSITIONS, ask, summary};

const EXAMPLE: &str = "\
Example:
  kiki-lab council calibrate --engine 'name=network target/release/kiki nodes=5000 option.Threads=1' \\
      --engine 'name=formula target/release/kiki nodes=5000 option.Threads=1 option.Eval=formula' \\
      --reference 'name=deep target/release/kiki nodes=500000 option.Threads=1' --count 500 --concurrency 2 --output results/calibration";

/// Measure scale, noise and agreement of members against a deep search, and the choices of each
/// rule
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(super) struct CalibrateArgs {
    /// The members, as engines of `match`
    #[arg(long = "engine", value_name = "WORDS", required = true)]
    engines: Vec<String>,
    /// The deep search, as an engine of `match`; its values are the truth
    #[arg(long, value_name = "WORDS")]
    reference: String,
    /// Sources of positions: a folder of a match, training data, game records or a folder of them;
    /// may be given several times [default: middle games]
    #[arg(long, value_name = "PATH")]
    positions: Vec<PathBuf>,
    /// Number of positions to draw at random
    #[arg(long, value_name = "N", default_value_t = 300)]
    count: usize,
    /// Seed of the draw
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The folder for the answers; it must be empty or new
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Seconds to wait for an engine that no clock limits [default: 120]
    #[arg(long, value_name = "SECONDS")]
    patience: Option<u64>,
    #[command(flatten)]
    reported: ReportedRunArgs,
}

pub(super) fn run(arguments: &CalibrateArgs) -> Result<ExitCode> {
    let options = arguments.reported.run.options()?;
    go_on(begin(arguments)?, &options, arguments.reported.json)
}

/// Goes on with the calibration in a folder.
pub fn resume(folder: &Path, arguments: &ReportedRunArgs) -> Result<ExitCode> {
    let options = arguments.run.options()?;
    let journal = Journal::<CalibrationSettings>::resume(folder, CALIBRATION)?;
    tell_left_out(&journal.settings.left_out);
    go_on(journal, &options, arguments.json)
}

fn go_on(journal: Journal<CalibrationSettings>, options: &RunOptions, as_json: bool) -> Result<ExitCode> {
    let mut calibration = CalibrationRun::new(journal, |line| Ok(line.to_owned()))?;
    let CalibrationSettings { members, reference, .. } = &calibration.journal.settings;
    warn_if_crowded(members.iter().chain([reference]), options.concurrency);
    ask(&mut calibration, options, &Interrupt::listen()?)?;
    let interrupted = !calibration.is_complete();
    let summary = summary(&calibration);
    if as_json {
        print_json(&json!(summary?))?;
    } else {
        match summary {
            Ok(summary) => calibration_text::print(&summary),
            Err(error) if interrupted => say!("{error:#}"),
            Err(error) => return Err(error),
        }
        if interrupted {
            tell_to_resume(calibration.journal.folder());
        }
    }
    Ok(exit_code_of_run(&calibration.journal.settings.left_out, interrupted))
}

fn begin(arguments: &CalibrateArgs) -> Result<Journal<CalibrationSettings>> {
    let engine = |text: &str, option: &str| -> Result<PlayerSpec> {
        let words = EngineWords::parse(text).and_then(|words| words.complete(&EngineWords::default()));
        words.with_context(|| format!("{option} {text}"))
    };
    let members = arguments.engines.iter().map(|text| engine(text, "--engine")).collect::<Result<_>>()?;
    let reference = engine(&arguments.reference, "--reference")?;
    let mut errors = InputErrors::default();
    let drawn = sampled_from(&arguments.positions, arguments.count, arguments.seed, None, &mut errors)?;
    let count = drawn.len();
    ensure!(count >= FEWEST_POSITIONS, "{count} positions are too few: {FEWEST_POSITIONS} are needed");
    let positions = drawn.iter().map(|drawn| format!("sfen {}", drawn.position.to_sfen())).collect();
    let settings = CalibrationSettings {
        members,
        reference,
        patience: patience(arguments.patience.unwrap_or(DEFAULT_PATIENCE))?,
        left_out: errors.texts().to_vec(),
    };
    let folder =
        arguments.output.clone().ok_or_else(|| WrongUsage("--output FOLDER says where the answers go".to_owned()))?;
    Journal::begin(&folder, CALIBRATION, settings, positions)
}

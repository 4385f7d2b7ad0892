//! `kiki-lab council calibrate`: members measured on common positions.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow, ensure};
use clap::Args;
use kiki_contest::engine_words::EngineWords;
use kiki_contest::run_args::{DEFAULT_PATIENCE, RunArgs, WaitArgs, warn_if_crowded};
use kiki_games::positions::sampled_from;
use kiki_play::player::PlayerSpec;
use kiki_run::files::shell_word;
use kiki_run::input_errors::InputErrors;
use kiki_run::interrupt::Interrupt;
use kiki_run::output::{ProgressLine, print_json};
use kiki_run::say;

use super::calibration_text;
use crate::study::{Calibration, CalibrationSettings};

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
    #[arg(long = "engine", value_name = "WORDS", required_unless_present = "resume")]
    engines: Vec<String>,
    /// The deep search, as an engine of `match`; its values are the truth
    #[arg(long, value_name = "WORDS", required_unless_present = "resume")]
    reference: Option<String>,
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
    /// Continue in this folder, with its settings
    #[arg(long, hide = true, value_name = "FOLDER", conflicts_with_all = ["engines", "reference", "positions", "count", "seed", "output"], conflicts_with = "patience")]
    resume: Option<PathBuf>,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    waits: WaitArgs,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &CalibrateArgs) -> Result<ExitCode> {
    let options = arguments.run.with_timeouts(arguments.waits.timeouts()?)?;
    let (mut calibration, errors) = match &arguments.resume {
        Some(folder) => resume(folder)?,
        None => begin(arguments)?,
    };
    let settings = &calibration.settings;
    warn_if_crowded(settings.members.iter().chain([&settings.reference]), options.concurrency);
    let interrupt = Interrupt::listen()?;
    let mut line = ProgressLine::new("positions", calibration.positions.len() as u64, calibration.answers.len() as u64);
    calibration.run(&options, &interrupt, |done| line.show(done as u64, String::new))?;
    line.finish();
    let interrupted = !calibration.is_complete();
    let summary = calibration.summary();
    if arguments.json {
        print_json(&calibration_text::as_json(&summary?))?;
    } else {
        match summary {
            Ok(summary) => calibration_text::print(&summary),
            Err(error) if interrupted => say!("{error:#}"),
            Err(error) => return Err(error),
        }
    }
    if interrupted && !arguments.json {
        let folder = arguments.resume.as_ref().or(arguments.output.as_ref());
        let folder = folder.map_or_else(String::new, |folder| shell_word(folder));
        say!("interrupted; go on with: kiki-lab resume {folder}");
    }
    Ok(errors.exit_code_of_run(interrupted))
}

fn resume(folder: &Path) -> Result<(Calibration, InputErrors)> {
    let calibration = Calibration::resume(folder)?;
    let errors = InputErrors::of_earlier_run(&calibration.settings.left_out);
    Ok((calibration, errors))
}

fn begin(arguments: &CalibrateArgs) -> Result<(Calibration, InputErrors)> {
    ensure!(arguments.count > 0, "--count 0: there is nothing to ask about");
    let engine = |text: &str, option: &str| -> Result<PlayerSpec> {
        let words = EngineWords::parse(text).and_then(|words| words.complete(&EngineWords::default()));
        words.with_context(|| format!("{option} {text}"))
    };
    let members = arguments.engines.iter().map(|text| engine(text, "--engine")).collect::<Result<_>>()?;
    let reference = engine(arguments.reference.as_deref().unwrap_or_default(), "--reference")?;
    let mut errors = InputErrors::default();
    let drawn = sampled_from(&arguments.positions, arguments.count, arguments.seed, None, &mut errors)?;
    let positions = drawn.iter().map(|drawn| format!("sfen {}", drawn.position.to_sfen())).collect();
    let settings = CalibrationSettings {
        members,
        reference,
        patience: arguments.waits.patience(None, DEFAULT_PATIENCE)?,
        left_out: errors.texts().to_vec(),
    };
    let folder = arguments.output.clone().ok_or_else(|| anyhow!("--output FOLDER says where the answers go"))?;
    Ok((Calibration::begin(&folder, settings, positions)?, errors))
}

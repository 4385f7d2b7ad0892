//! `kiki-lab sigma sample`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::Args;
use serde_json::{Value, json};

use crate::sampling::{LeftOut, Sample, SampleSettings};
use kiki_games::positions::sampled_from;
use kiki_run::files::absolute;
use kiki_run::input_errors::InputErrors;
use kiki_run::interrupt::stop_flag;
use kiki_run::numbers::print_json;
use kiki_run::progress_line::ProgressLine;
use kiki_run::say;
use kiki_run::search_args::{EvaluationArgs, ThreadArgs};
use kiki_run::shell_word::shell_word;

/// Searches positions to every depth up to a greatest one, without ProbCut, and keeps the values
#[derive(Args, Debug)]
pub(super) struct SampleArgs {
    /// The folder of the sample
    folder: PathBuf,
    /// Go on with a sample that was begun before; its settings stay
    #[arg(long, hide = true, conflicts_with_all = ["positions", "count", "seed", "depth", "network", "fv_scale", "table"])]
    resume: bool,
    /// Where positions come from; may be given several times: a folder of a match, a file of training data (.psv), a game record or a
    /// folder of them
    #[arg(long, value_name = "PATH", required_unless_present = "resume")]
    positions: Vec<PathBuf>,
    /// Draw so many positions at random
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    count: usize,
    /// What the draw follows from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The deepest search in plies
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u32).range(2..=60))]
    depth: u32,
    #[command(flatten)]
    evaluation: EvaluationArgs,
    /// Size of each search's transposition table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 16)]
    table: usize,
    #[command(flatten)]
    threads: ThreadArgs,
    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &SampleArgs) -> Result<ExitCode> {
    let threads = arguments.threads.count()?;
    let (mut sample, errors) = if arguments.resume { resume(&arguments.folder)? } else { begin(arguments)? };
    let stop = stop_flag()?;
    let mut line = ProgressLine::new("positions", sample.positions.len() as u64, sample.outcomes.len() as u64);
    sample.run(threads, &stop, |done| line.show(done as u64, String::new))?;
    line.finish();
    if arguments.json {
        print_json(&as_json(&sample, &arguments.folder))?;
    } else {
        report(&sample, &arguments.folder);
    }
    Ok(errors.exit_code_of_run(!sample.is_complete()))
}

fn resume(folder: &Path) -> Result<(Sample, InputErrors)> {
    let sample = Sample::resume(folder)?;
    let errors = InputErrors::of_earlier_run(&sample.settings.left_out);
    Ok((sample, errors))
}

fn begin(arguments: &SampleArgs) -> Result<(Sample, InputErrors)> {
    ensure!(arguments.count > 0, "--count 0: there is nothing to search");
    let mut errors = InputErrors::default();
    let positions = sampled_from(&arguments.positions, arguments.count, arguments.seed, None, &mut errors)?;
    let settings = SampleSettings {
        sources: absolute(&arguments.positions)?,
        seed: arguments.seed,
        evaluation: arguments.evaluation.note()?,
        depth: arguments.depth,
        table_mebibytes: arguments.table,
        left_out: errors.texts().to_vec(),
    };
    Ok((Sample::begin(&arguments.folder, settings, positions)?, errors))
}

fn as_json(sample: &Sample, folder: &Path) -> Value {
    let (values, left_out) = sample.counts();
    let count = |reason| left_out.get(&reason).copied().unwrap_or(0);
    json!({
        "ending": if sample.is_complete() { "complete" } else { "interrupted" },
        "folder": folder,
        "positions": sample.positions.len(),
        "searched": sample.outcomes.len(),
        "values": values,
        "left_out": {
            "in_check": count(LeftOut::InCheck),
            "mate": count(LeftOut::Mate),
            "decided": count(LeftOut::Decided),
        },
    })
}

fn report(sample: &Sample, folder: &Path) {
    let (values, left_out) = sample.counts();
    let count = |reason| left_out.get(&reason).copied().unwrap_or(0);
    say!(
        "{} of {} positions searched: {values} with values; left out: {} in check, {} won or lost by force, {} with a value beyond 3000",
        sample.outcomes.len(),
        sample.positions.len(),
        count(LeftOut::InCheck),
        count(LeftOut::Mate),
        count(LeftOut::Decided)
    );
    if !sample.is_complete() {
        say!("interrupted; go on with: kiki-lab resume {}", shell_word(folder));
    }
}

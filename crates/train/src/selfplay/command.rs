//! `kiki-lab selfplay`: training data by self-play in this process.

mod job;
mod shard;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use crate::psv::is_psv;
use crate::selfplay::{SelfPlayLimit, SelfPlaySettings};
use anyhow::{Result, ensure};
use clap::Args;
use kiki_run::usage::wrong_usage;

use crate::data::centipawns;
use kiki_machines::workforce::{Workforce, WorkforceArgs};
use kiki_run::evaluation::EvaluationArgs;
use kiki_run::interrupt::{exit_code, how_to_resume, stop_flag};
use kiki_run::output::ProgressLine;
use kiki_run::say;

pub use job::SelfPlayJob;
pub use shard::{SelfPlayNote, Shard, is_self_play};

const EXAMPLE: &str = "\
Example:
  kiki-lab selfplay --out results/data/formula-1.games --positions 1000000 --nodes 500 --threads 2 --seed 1

FILE contains its settings. Ctrl-C stops cleanly (exit status 130); `kiki-lab resume FILE` continues
and makes the same file as an uninterrupted run. The games do not depend on the number of threads.
docs/data.md tells more.";

/// Make training data by self-play: whole games with their scores
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct SelfPlayArgs {
    /// The file for the games; it must not exist yet
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Stop after the game that reaches this number of quiet positions
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    positions: u64,
    #[command(flatten)]
    workforce: WorkforceArgs,
    #[command(flatten)]
    evaluation: EvaluationArgs,
    /// The commit of the program, for the note
    #[arg(long, value_name = "HASH")]
    commit: Option<String>,
    /// The signature of the search (`kiki bench`), for the note
    #[arg(long, value_name = "N")]
    signature: Option<u64>,
    /// The score that means 75 percent of the points, for training [default: 800 for a network,
    /// 1000 for the formula]
    #[arg(long, value_name = "CP", value_parser = centipawns)]
    score_scale: Option<f64>,
    /// Nodes per position [default: 500]
    #[arg(long, conflicts_with = "depth")]
    nodes: Option<u64>,
    /// Depth (iterations) per position, instead of nodes
    #[arg(long)]
    depth: Option<u32>,
    #[command(flatten)]
    settings: SelfPlaySettings,
}

/// What a resumed run may change.
#[derive(Args, Debug)]
pub struct SelfPlayResumeArgs {
    /// Stop after the game that reaches this number of quiet positions [default: as first asked]
    #[arg(long, value_name = "N")]
    positions: Option<u64>,
    #[command(flatten)]
    workforce: WorkforceArgs,
}

pub fn run(arguments: &SelfPlayArgs) -> Result<ExitCode> {
    let workforce = arguments.workforce.workforce()?;
    play(&arguments.out, begin(arguments)?, arguments.positions, &workforce)
}

pub fn resume(path: &Path, arguments: &SelfPlayResumeArgs) -> Result<ExitCode> {
    let workforce = arguments.workforce.workforce()?;
    let shard = Shard::resume(path)?;
    let wanted = arguments.positions.unwrap_or(shard.note().positions);
    play(path, shard, wanted, &workforce)
}

fn play(path: &Path, shard: Shard, wanted: u64, workforce: &Workforce) -> Result<ExitCode> {
    let before = shard.counts().positions;
    let mut line = ProgressLine::new("positions", wanted, before);
    let asked = shard.note().positions;
    let stop = stop_flag()?;
    let started = Instant::now();
    let counts = shard.generate(wanted, workforce, &stop, |counts| {
        line.show(counts.positions.min(wanted), || format!("{} games", counts.games));
        Ok(())
    });
    line.finish();
    let (counts, seconds) = (counts?, started.elapsed().as_secs_f64());
    let new = counts.positions - before;
    say!(
        "{}: {} positions of {} games ({} played before); {new} in {seconds:.1} s, {:.0} a second",
        path.display(),
        counts.positions,
        counts.games,
        counts.left_out,
        new as f64 / seconds.max(1e-9)
    );
    let is_interrupted = counts.positions < wanted;
    if is_interrupted {
        // The file keeps the number first asked.
        let positions = if wanted == asked { String::new() } else { format!("--positions {wanted} ") };
        say!("{}", how_to_resume(path, &(positions + workforce.resume_options())));
    }
    Ok(exit_code(is_interrupted))
}

fn begin(arguments: &SelfPlayArgs) -> Result<Shard> {
    let SelfPlayArgs { out, positions, evaluation, commit, signature, score_scale, nodes, depth, settings, .. } =
        arguments;
    ensure!(
        !is_psv(out),
        "{}: games are no PSV records; name the file otherwise, as with .games, and `kiki-lab data convert` makes records of it",
        out.display()
    );
    let limit = nodes.map(SelfPlayLimit::Nodes).or(depth.map(SelfPlayLimit::Depth)).unwrap_or(settings.limit);
    let settings = SelfPlaySettings { limit, ..settings.clone() };
    settings.check().map_err(wrong_usage)?;
    let (evaluation, commit) = (evaluation.note()?, commit.clone());
    let note = SelfPlayNote { commit, signature: *signature, evaluation, settings, positions: *positions };
    Shard::create(out.clone(), note, *score_scale)
}

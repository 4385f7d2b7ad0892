//! `kiki-lab selfplay`: training data by self-play in this process.

mod generate;
mod shard;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use crate::selfplay::{SelfPlayLimit, SelfPlaySettings};
use anyhow::{Result, ensure};
use clap::Args;

use crate::data::centipawns;
use kiki_run::evaluation::{EvaluationArgs, EvaluationNote, ThreadArgs};
use kiki_run::interrupt::{exit_code, stop_flag, tell_to_resume};
use kiki_run::output::ProgressLine;
use kiki_run::say;

pub use generate::generate;
pub use shard::{SelfPlayNote, Shard, ShardCounts};

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
    threads: ThreadArgs,
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
    /// Stop after the game that reaches this number of quiet positions [default: as before]
    #[arg(long, value_name = "N")]
    positions: Option<u64>,
    #[command(flatten)]
    threads: ThreadArgs,
}

pub fn is_self_play(file: &Path) -> bool {
    shard::is_self_play(file)
}

pub fn run(arguments: &SelfPlayArgs) -> Result<ExitCode> {
    let threads = arguments.threads.count()?;
    play(&arguments.out, begin(arguments)?, arguments.positions, threads)
}

/// Goes on with a file of games.
pub fn resume(path: &Path, arguments: &SelfPlayResumeArgs) -> Result<ExitCode> {
    let threads = arguments.threads.count()?;
    let shard = Shard::resume(path)?;
    let wanted = arguments.positions.unwrap_or(shard.note().positions);
    play(path, shard, wanted, threads)
}

fn play(path: &Path, mut shard: Shard, wanted: u64, threads: usize) -> Result<ExitCode> {
    let before = shard.counts().positions;
    let mut line = ProgressLine::new("positions", wanted, before);
    let stop = stop_flag()?;
    let started = Instant::now();
    let played = generate(&mut shard, wanted, threads, &stop, |counts| {
        line.show(counts.positions.min(wanted), || {
            let speed = (counts.positions - before) as f64 / started.elapsed().as_secs_f64().max(1e-9);
            format!("{} games, {speed:.0} positions a second", counts.games)
        });
        Ok(())
    });
    line.finish();
    let seconds = started.elapsed().as_secs_f64();
    // Finish the file before an error returns: its games count.
    let counts = shard.counts();
    shard.finish()?;
    played?;
    let new = counts.positions - before;
    say!(
        "{}: {} positions of {} games ({} played before); {new} in {seconds:.1} s, {:.0} a second",
        path.display(),
        counts.positions,
        counts.games,
        counts.left_out,
        new as f64 / seconds.max(1e-9)
    );
    let complete = counts.positions >= wanted;
    if !complete {
        tell_to_resume(path);
    }
    Ok(exit_code(!complete))
}

fn begin(arguments: &SelfPlayArgs) -> Result<Shard> {
    let path = arguments.out.clone();
    ensure!(
        path.extension().is_none_or(|extension| extension != "psv"),
        "{}: games are no PSV records; name the file otherwise, as with .games, and `kiki-lab data convert` makes records of it",
        path.display()
    );
    let nodes = arguments.nodes.map(SelfPlayLimit::Nodes);
    let limit = nodes.or(arguments.depth.map(SelfPlayLimit::Depth)).unwrap_or(arguments.settings.limit);
    let settings = SelfPlaySettings { limit, ..arguments.settings.clone() };
    settings.check()?;
    let evaluation = arguments.evaluation.note()?;
    let usual_scale = if matches!(evaluation, EvaluationNote::Formula) { 1000.0 } else { 800.0 };
    let note = SelfPlayNote {
        commit: arguments.commit.clone(),
        signature: arguments.signature,
        evaluation,
        settings,
        positions: arguments.positions,
    };
    Shard::create(path, note, arguments.score_scale.unwrap_or(usual_scale))
}

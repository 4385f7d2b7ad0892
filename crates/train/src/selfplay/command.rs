//! `kiki-lab selfplay`: training data by self-play in this process.

mod generate;
mod shard;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use crate::selfplay::{SelfPlayLimit, SelfPlaySettings};
use anyhow::{Result, anyhow, ensure};
use clap::Args;

use crate::data::centipawns;
use kiki_run::evaluation::{EvaluationArgs, EvaluationNote, ThreadArgs};
use kiki_run::files::shell_word;
use kiki_run::interrupt::{exit_code, stop_flag};
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
    #[arg(long, value_name = "FILE", required_unless_present = "resume")]
    out: Option<PathBuf>,
    /// Continue this file with the settings in its note
    #[arg(long, hide = true, value_name = "FILE", conflicts_with_all = ["out", "network", "fv_scale", "commit", "signature"])]
    resume: Option<PathBuf>,
    /// Stop after the game that reaches this number of quiet positions [default: 1000000, or the number in the note]
    #[arg(long, value_name = "N")]
    positions: Option<u64>,
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
    #[arg(long, value_name = "CP", conflicts_with = "resume", value_parser = centipawns)]
    score_scale: Option<f64>,
    #[command(flatten)]
    game: GameArgs,
}

/// How games are played.
#[derive(Args, Debug)]
struct GameArgs {
    /// Nodes per position [default: 500]
    #[arg(long, conflicts_with_all = ["depth", "resume"])]
    nodes: Option<u64>,
    /// Depth (iterations) per position, instead of nodes
    #[arg(long, conflicts_with = "resume")]
    depth: Option<u32>,
    /// Seed of all random numbers; another seed gives other games [default: 1]
    #[arg(long, conflicts_with = "resume")]
    seed: Option<u64>,
    /// Minimum number of random plies at the start of a game [default: 4]
    #[arg(long, value_name = "N", conflicts_with = "resume")]
    min_random_plies: Option<u32>,
    /// Maximum number of random plies at the start of a game [default: 24]
    #[arg(long, value_name = "N", conflicts_with = "resume")]
    max_random_plies: Option<u32>,
    /// Replace a random start if its value exceeds this, in centipawns [default: 1000]
    #[arg(long, value_name = "CP", conflicts_with = "resume")]
    opening_limit: Option<i32>,
    /// Share of the games that begin with a handicap, 0 to 1 [default: 0.05]
    #[arg(long, value_name = "PART", conflicts_with = "resume")]
    handicaps: Option<f64>,
    /// Number of plies after the random ones whose move is drawn from the best moves [default: 4]
    #[arg(long, value_name = "N", conflicts_with = "resume")]
    choice_plies: Option<u32>,
    /// Number of best moves to draw from [default: 4]
    #[arg(long, value_name = "N", conflicts_with = "resume")]
    choice_lines: Option<usize>,
    /// Maximum loss of a drawn move against the best one, in centipawns [default: 100]
    #[arg(long, value_name = "CP", conflicts_with = "resume")]
    choice_margin: Option<i32>,
    /// Adjudicate a game whose values stay beyond this, in centipawns [default: 3000]
    #[arg(long, value_name = "CP", conflicts_with = "resume")]
    win_score: Option<i32>,
    /// Number of plies in a row with such values that end a game [default: 4]
    #[arg(long, value_name = "N", conflicts_with = "resume")]
    win_plies: Option<u32>,
    /// Ply after which a game is drawn [default: 320]
    #[arg(long, value_name = "N", conflicts_with = "resume")]
    max_plies: Option<u32>,
    /// Size of each game's transposition table in MiB [default: 2]
    #[arg(long, value_name = "MIB", conflicts_with = "resume")]
    table: Option<usize>,
}

impl GameArgs {
    fn settings(&self) -> SelfPlaySettings {
        let default = SelfPlaySettings::default();
        let nodes = self.nodes.map(SelfPlayLimit::Nodes);
        SelfPlaySettings {
            seed: self.seed.unwrap_or(default.seed),
            limit: nodes.or(self.depth.map(SelfPlayLimit::Depth)).unwrap_or(default.limit),
            min_random_plies: self.min_random_plies.unwrap_or(default.min_random_plies),
            max_random_plies: self.max_random_plies.unwrap_or(default.max_random_plies),
            opening_limit: self.opening_limit.unwrap_or(default.opening_limit),
            handicaps: self.handicaps.unwrap_or(default.handicaps),
            choice_plies: self.choice_plies.unwrap_or(default.choice_plies),
            choice_lines: self.choice_lines.unwrap_or(default.choice_lines),
            choice_margin: self.choice_margin.unwrap_or(default.choice_margin),
            win_score: self.win_score.unwrap_or(default.win_score),
            win_plies: self.win_plies.unwrap_or(default.win_plies),
            max_plies: self.max_plies.unwrap_or(default.max_plies),
            table_mebibytes: self.table.unwrap_or(default.table_mebibytes),
        }
    }
}

pub fn is_self_play(file: &Path) -> bool {
    shard::is_self_play(file)
}

pub fn run(arguments: &SelfPlayArgs) -> Result<ExitCode> {
    let threads = arguments.threads.count()?;
    let (path, mut shard) = match &arguments.resume {
        Some(path) => (path.clone(), Shard::resume(path)?),
        None => begin(arguments)?,
    };
    let wanted = arguments.positions.unwrap_or(shard.note().positions);
    let before = shard.counts().positions;
    let mut line = ProgressLine::new("positions", wanted, before);
    let stop = stop_flag()?;
    let started = Instant::now();
    let played = generate(&mut shard, wanted, threads, &stop, |counts| {
        line.show(counts.positions.min(wanted), || {
            let speed = (counts.positions - before) as f64 / started.elapsed().as_secs_f64().max(1e-9);
            format!("{} games, {speed:.0} positions a second", counts.games)
        });
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
        say!("interrupted; go on with: kiki-lab resume {}", shell_word(&path));
    }
    Ok(exit_code(!complete))
}

fn begin(arguments: &SelfPlayArgs) -> Result<(PathBuf, Shard)> {
    let path = arguments.out.clone().ok_or_else(|| anyhow!("--out FILE says where the games go"))?;
    ensure!(
        path.extension().is_none_or(|extension| extension != "psv"),
        "{}: games are no PSV records; name the file otherwise, as with .games, and `kiki-lab data convert` makes records of it",
        path.display()
    );
    let settings = arguments.game.settings();
    settings.check()?;
    let evaluation = arguments.evaluation.note()?;
    let usual_scale = if matches!(evaluation, EvaluationNote::Formula) { 1000.0 } else { 800.0 };
    let note = SelfPlayNote {
        commit: arguments.commit.clone(),
        signature: arguments.signature,
        evaluation,
        settings,
        positions: arguments.positions.unwrap_or(1_000_000),
    };
    Ok((path.clone(), Shard::create(path, note, arguments.score_scale.unwrap_or(usual_scale))?))
}

//! `kiki-lab gamble`: does a gambling move turn games?

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use clap::{Args, ValueEnum};
use kiki_eval::SigmaModel;
use kiki_search::{Chance, GambleMode};
use kiki_stats::gamble::SignTest;
use serde_json::{Value, json};

use crate::commands::search_args::{EvaluationArgs, ThreadArgs};
use crate::gamble::duel::{Duel, DuelOutcome, DuelPlayer, DuelSettings};
use crate::gamble::picture;
use crate::gamble::table::{GambleCounts, rows};
use crate::interrupt::{exit_code, stop_flag};
use crate::numbers::{percent, print_json, say, table};
use crate::parallel;
use crate::positions::{SampledPosition, sampled_from};
use crate::progress_line::ProgressLine;

const EXAMPLE: &str = "\
Example:
  kiki-lab gamble --positions results/data/by-28.psv --ply 79 --count 2000 --network results/nn.bin --model results/sigma.tsv

The slides (S004), 880 games after 79 plies: 155 losses turned into wins, 188 wins into losses (z -1.78, p 0.084); 331 games after 119 plies: 44 and
38 (z 0.66, p 0.58).";

/// Does a gambling move turn more lost games than won ones? (S004: one move by chance instead of value, the rest of both games by a shallower search)
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct GambleArgs {
    /// Where positions come from; may be given several times: a folder of a match, training data (.psv), game records or a folder of them
    #[arg(long, value_name = "PATH", required = true)]
    positions: Vec<PathBuf>,
    /// How many plies of a game are followed
    #[arg(long, default_value_t = 79)]
    ply: u32,
    /// Draw so many positions at random
    #[arg(long, value_name = "N", default_value_t = 1000)]
    count: usize,
    /// What the draw follows from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Which gambling move: that of the option GambleMove with `on`, or with `auto`
    #[arg(long, value_enum, default_value_t = ModeChoice::On)]
    mode: ModeChoice,
    /// Plies searched for the move in question
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=60))]
    depth: u32,
    /// Plies searched for all others
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=60))]
    rest_depth: u32,
    /// Look for it among so many of the best moves
    #[arg(long, default_value_t = 6)]
    lines: usize,
    #[command(flatten)]
    evaluation: EvaluationArgs,
    /// The model of sigma, as `kiki-lab sigma fit` writes it
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// Size of each search's transposition table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 16)]
    table: usize,
    #[command(flatten)]
    threads: ThreadArgs,
    /// Draw the value of each move against its sigma, with lines of equal probability (SVG)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print the result as JSON, with every duel
    #[arg(long)]
    json: bool,
}

/// Which gambling move is tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum ModeChoice {
    /// The likeliest of all
    On,
    /// Only where it is expected to gain
    Auto,
}

pub(crate) fn run(arguments: &GambleArgs) -> Result<ExitCode> {
    let threads = arguments.threads.count()?;
    ensure!(arguments.count > 0, "--count 0: there is nothing to play");
    ensure!(arguments.lines > 1, "--lines {}: a gambling move needs another to choose from", arguments.lines);
    let place = || arguments.model.display().to_string();
    let model =
        SigmaModel::from_text(&fs::read_to_string(&arguments.model).with_context(place)?).with_context(place)?;
    ensure!(!model.pairs.is_empty(), "{}: the model has no pair of depths", place());
    let model = Arc::new(model);
    let weights = arguments.evaluation.note()?.load()?;
    let positions = sampled_from(&arguments.positions, arguments.count, arguments.seed, Some(arguments.ply + 1))?;
    let mode = if arguments.mode == ModeChoice::On { GambleMode::On } else { GambleMode::Auto };
    let settings = DuelSettings {
        mode,
        depth: arguments.depth,
        rest_depth: arguments.rest_depth,
        lines: arguments.lines,
        table_mebibytes: arguments.table,
    };
    let stop = stop_flag()?;
    let mut line = ProgressLine::new("positions", positions.len() as u64, 0);
    let mut outcomes = vec![None; positions.len()];
    let mut done = 0;
    let new_player = || DuelPlayer::new(&weights, &model, settings);
    let play = |player: &mut DuelPlayer, sampled: &SampledPosition| player.play(&sampled.position, &stop);
    parallel::for_each(&positions, threads, new_player, play, |index, outcome| {
        outcomes[index] = Some(outcome);
        done += 1;
        line.show(done, String::new);
        Ok(())
    })?;
    line.finish();
    let known: Vec<(&SampledPosition, DuelOutcome)> =
        positions.iter().zip(outcomes).filter_map(|(sampled, outcome)| Some((sampled, outcome?))).collect();
    let complete = known.len() == positions.len();
    if let Some(path) = &arguments.plot {
        picture::write(known.iter().map(|(_, outcome)| outcome), path)?;
    }
    if arguments.json {
        print_all(&known, complete)?;
    } else {
        print(&known, complete);
    }
    Ok(exit_code(!complete))
}

fn print(outcomes: &[(&SampledPosition, DuelOutcome)], complete: bool) {
    let mut duels: Vec<(i32, Duel)> = Vec::new();
    let (mut same, mut decided) = (0, 0);
    for (_, outcome) in outcomes {
        match outcome {
            DuelOutcome::Decided => decided += 1,
            DuelOutcome::SameMove { .. } => same += 1,
            DuelOutcome::Played(duel) => duels.push((duel.best.score.centipawns(), *duel)),
        }
    }
    let (rows, total) = rows(&duels);
    let cells = |name: &str, counts: &GambleCounts| {
        let all = (counts.better + counts.worse + counts.unchanged).max(1) as f64;
        let cell = |count: u64| format!("{count} ({})", percent(count as f64 / all));
        vec![name.to_owned(), cell(counts.better), cell(counts.worse), cell(counts.unchanged)]
    };
    let lines = rows.iter().map(|row| cells(&row.name, &row.counts)).chain([cells("total", &total)]);
    say!("{}", table(&["value before", "better", "worse", "unchanged"], lines));
    say!(
        "value before: of the best move, for its side; better, worse: the game ended so with the gambling move instead of the best one"
    );
    match SignTest::new(total.better, total.worse) {
        Ok(test) => say!("sign test: z {:.3}, exact two-sided p {:.4}", test.z, test.two_sided),
        Err(error) => say!("{error}"),
    }
    say!(
        "{} positions: {same} where the best move is the likeliest too, {decided} decided by a forced mate",
        outcomes.len()
    );
    if !complete {
        say!("interrupted: the positions that were not complete are missing");
    }
}

fn print_all(outcomes: &[(&SampledPosition, DuelOutcome)], complete: bool) -> Result<()> {
    let chance = |chance: &Chance| json!({ "move": chance.mv.to_string(), "value": chance.score.centipawns(), "sigma": chance.sigma, "probability": chance.probability });
    let row = |(sampled, outcome): &(&SampledPosition, DuelOutcome)| -> Value {
        let sfen = sampled.position.to_sfen();
        match outcome {
            DuelOutcome::Decided => json!({ "sfen": sfen, "outcome": "decided" }),
            DuelOutcome::SameMove { best } => json!({ "sfen": sfen, "outcome": "same_move", "best": chance(best) }),
            DuelOutcome::Played(duel) => json!({
                "sfen": sfen,
                "outcome": "played",
                "best": chance(&duel.best),
                "gamble": chance(&duel.gamble),
                "best_result": duel.best_result,
                "gamble_result": duel.gamble_result,
            }),
        }
    };
    print_json(&json!({
        "ending": if complete { "complete" } else { "interrupted" },
        "positions": outcomes.iter().map(row).collect::<Vec<_>>(),
    }))
}

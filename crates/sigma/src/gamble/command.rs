//! `kiki-lab gamble`: does a gambling move turn games?

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use crate::gamble::chance::SignTest;
use anyhow::{Context as _, Result, ensure};
use clap::Args;
use kiki_eval::sigma::SigmaModel;
use kiki_platform::{MOST_SETTINGS, read_regular_text};
use kiki_search::{Chance, GambleMode};
use serde_json::{Value, json};

use crate::gamble::duel::{Duel, DuelOutcome, DuelPlayer, DuelSettings};
use crate::gamble::picture;
use crate::gamble::table::{GambleCounts, rows};
use kiki_games::positions::{SampledPosition, sampled_from};
use kiki_run::input_errors::InputErrors;
use kiki_run::interrupt::stop_flag;
use kiki_run::numbers::{percent, print_json, table};
use kiki_run::parallel;
use kiki_run::progress_line::ProgressLine;
use kiki_run::say;
use kiki_run::search_args::{EvaluationArgs, ThreadArgs};

const EXAMPLE: &str = "\
Example:
  kiki-lab gamble --positions results/data/by-28.psv --ply 79 --count 2000 --network results/nn.bin --model results/sigma.tsv

The slides (Kameko 2013), 880 games after 79 plies: 155 losses turned into wins, 188 wins into losses (z -1.78, p 0.084); 331 games after 119 plies: 44 and
38 (z 0.66, p 0.58).";

/// Do gambling moves turn more lost games than won ones? (Kameko 2013: one move by chance instead of value, the rest of both games by a shallower search)
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct GambleArgs {
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
    /// Rules, each by what the rest of the game adds to sigma, in centipawns: 0 is GambleMove on, 780 auto; the greater, the nearer to the best value
    #[arg(long, value_name = "CP,..", value_delimiter = ',', allow_negative_numbers = true, value_parser = rest_of_game, default_values_t = [GambleMode::On, GambleMode::Auto].map(|mode| mode.rest_of_game().unwrap_or_default()))]
    rest: Vec<f64>,
    /// Leave out positions whose best value is further from 0, in centipawns
    #[arg(long, value_name = "CP")]
    lopsided: Option<u32>,
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
    /// Draw the value of each move of the first rule against its sigma, with lines of equal probability (SVG)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print the result as JSON, with every duel
    #[arg(long)]
    json: bool,
}

fn rest_of_game(text: &str) -> Result<f64, String> {
    let rest: f64 = text.parse().map_err(|_| "it is no number".to_owned())?;
    if rest.is_finite() && rest >= 0.0 { Ok(rest) } else { Err("it must be 0 or greater".to_owned()) }
}

/// Runs `gamble`.
///
/// # Errors
/// With the reason why it cannot be done.
pub fn run(arguments: &GambleArgs) -> Result<ExitCode> {
    let threads = arguments.threads.count()?;
    ensure!(arguments.count > 0, "--count 0: there is nothing to play");
    ensure!(arguments.lines > 1, "--lines {}: a gambling move needs another to choose from", arguments.lines);
    let place = || arguments.model.display().to_string();
    let model = SigmaModel::from_text(&read_regular_text(&arguments.model, MOST_SETTINGS).with_context(place)?)
        .with_context(place)?;
    ensure!(!model.pairs.is_empty(), "{}: the model has no pair of depths", place());
    let model = Arc::new(model);
    let weights = arguments.evaluation.note()?.load()?;
    let (count, ply) = (arguments.count, Some(arguments.ply + 1));
    let mut errors = InputErrors::default();
    let positions = sampled_from(&arguments.positions, count, arguments.seed, ply, &mut errors)?;
    let settings = DuelSettings {
        rests: arguments.rest.clone(),
        depth: arguments.depth,
        rest_depth: arguments.rest_depth,
        lines: arguments.lines,
        lopsided: arguments.lopsided,
        table_mebibytes: arguments.table,
    };
    let stop = stop_flag()?;
    let mut line = ProgressLine::new("positions", positions.len() as u64, 0);
    let mut outcomes = vec![None; positions.len()];
    let mut done = 0;
    let new_player = || DuelPlayer::new(&weights, &model, settings.clone());
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
        picture::write(duels(&known), arguments.rest[0], path)?;
    }
    if arguments.json {
        print_all(&known, complete)?;
    } else {
        print(&known, &arguments.rest, complete);
    }
    Ok(errors.exit_code_of_run(!complete))
}

fn duels<'a>(known: &'a [(&SampledPosition, DuelOutcome)]) -> impl Iterator<Item = &'a Duel> {
    known.iter().filter_map(|(_, outcome)| if let DuelOutcome::Played(duel) = outcome { Some(duel) } else { None })
}

fn print(outcomes: &[(&SampledPosition, DuelOutcome)], rests: &[f64], complete: bool) {
    for &rest in rests {
        print_rule(duels(outcomes), rest);
    }
    say!(
        "value before: of the best move, for its side; better, worse: the game ended so with the gambling move instead of the best one"
    );
    let count = |wanted: &DuelOutcome| outcomes.iter().filter(|(_, outcome)| outcome == wanted).count();
    say!(
        "{} positions: {} decided by a forced mate, {} with a value beyond --lopsided",
        outcomes.len(),
        count(&DuelOutcome::Decided),
        count(&DuelOutcome::Lopsided)
    );
    if !complete {
        say!("interrupted: the positions that were not complete are missing");
    }
}

fn print_rule<'a>(duels: impl Iterator<Item = &'a Duel>, rest: f64) {
    let mut same = 0;
    let mut changes = Vec::new();
    for duel in duels {
        match duel.change(rest) {
            Some(change) => changes.push((duel.lines[0].score.centipawns(), change)),
            None => same += 1,
        }
    }
    let (rows, total) = rows(&changes);
    let cells = |name: &str, counts: &GambleCounts| {
        let all = (counts.better + counts.worse + counts.unchanged).max(1) as f64;
        let cell = |count: u64| format!("{count} ({})", percent(count as f64 / all));
        vec![name.to_owned(), cell(counts.better), cell(counts.worse), cell(counts.unchanged)]
    };
    let lines = rows.iter().map(|row| cells(&row.name, &row.counts)).chain([cells("total", &total)]);
    say!("rest of the game {rest}: another move than the best in {} positions, the best in {same}", changes.len());
    say!("{}", table(&["value before", "better", "worse", "unchanged"], lines));
    match SignTest::new(total.better, total.worse) {
        Ok(test) => say!("sign test: z {:.3}, exact two-sided p {:.4}\n", test.z, test.two_sided),
        Err(error) => say!("{error}\n"),
    }
}

fn print_all(outcomes: &[(&SampledPosition, DuelOutcome)], complete: bool) -> Result<()> {
    let line = |(chance, result): (&Chance, &Option<i8>)| json!({ "move": chance.mv.to_string(), "value": chance.score.centipawns(), "sigma": chance.sigma, "probability": chance.probability, "result": result });
    let row = |(sampled, outcome): &(&SampledPosition, DuelOutcome)| -> Value {
        let (outcome, lines): (_, Vec<Value>) = match outcome {
            DuelOutcome::Decided => ("decided", Vec::new()),
            DuelOutcome::Lopsided => ("lopsided", Vec::new()),
            DuelOutcome::Played(duel) => ("played", duel.lines.iter().zip(&duel.results).map(line).collect()),
        };
        json!({ "sfen": sampled.position.to_sfen(), "outcome": outcome, "lines": lines })
    };
    print_json(&json!({
        "ending": if complete { "complete" } else { "interrupted" },
        "positions": outcomes.iter().map(row).collect::<Vec<_>>(),
    }))
}

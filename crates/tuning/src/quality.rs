//! `kiki-lab quality`: how little static evaluations change along best play.
//!
//! A search of a position gives its principal variation; `lines` compares the static values at both
//! ends.

mod lines;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use kiki_eval::SelectedWeights;
use kiki_games::positions::{SampledPosition, sampled_from};
use kiki_run::ensure_usage;
use kiki_run::evaluation::{self, ThreadArgs};
use kiki_run::input_errors::InputErrors;
use kiki_run::interrupt::stop_flag;
use kiki_run::output::{ProgressLine, or_dash, print_json, table};
use kiki_run::{parallel, say};
use kiki_search::Limits;
use serde::Serialize;
use serde_json::json;

use lines::{Estimate, LineExclusion, LineSearcher, QualitySummary};

const EXAMPLE: &str = "\
Example:
  kiki-lab quality --network eval/nn.bin --depth 6,10 --count 500
  kiki-lab quality --positions results/data/formula-1.games --nodes 10000

A smaller share of the spread is better. Positions: a folder of a match, a file of training data, a table (.tsv) with the columns sfen
and source (the game), or openings; [default: the middle games of tests/fixtures]. Ctrl-C stops cleanly (exit status 130) and prints the rows
that are complete.";

/// How much do static values change along best play?
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct QualityArgs {
    /// Network file to measure beside the formula; may be given several times
    #[arg(long, value_name = "FILE")]
    network: Vec<PathBuf>,
    /// Divisor of the networks' output: one for all, or one for each [default: 16]
    #[arg(long, value_name = "N", requires = "network", value_delimiter = ',', value_parser = clap::value_parser!(i32).range(1..=128))]
    fv_scale: Vec<i32>,
    /// Leave out the formula
    #[arg(long, requires = "network")]
    no_formula: bool,
    /// Search depths in plies, separated by commas [default: 8]
    #[arg(long, value_name = "DEPTHS", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: Vec<u32>,
    /// Nodes to search for each position, separated by commas
    #[arg(long, value_name = "NODES", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Vec<u64>,
    /// Source of the positions
    #[arg(long, value_name = "PATH")]
    positions: Option<PathBuf>,
    /// Number of positions to draw at random
    #[arg(long, value_name = "N", default_value_t = 1000)]
    count: usize,
    /// Seed of the draw and of the bootstrap
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    threads: ThreadArgs,
    /// Size of each search's transposition table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 16)]
    table: usize,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

struct NamedEvaluation {
    name: String,
    weights: SelectedWeights,
}

pub fn run(arguments: &QualityArgs) -> Result<ExitCode> {
    let threads = arguments.threads.count()?;
    ensure_usage!(arguments.count > 0, "--count 0: there is nothing to measure");
    let evaluations = evaluations(arguments)?;
    let mut errors = InputErrors::default();
    let positions = sampled_from(arguments.positions.as_slice(), arguments.count, arguments.seed, None, &mut errors)?;
    let limits = limits(arguments);
    let stop = stop_flag()?;
    let wanted = evaluations.len() * limits.len();
    let mut line = ProgressLine::new("searches", (wanted * positions.len()) as u64, 0);
    let mut rows = Vec::new();
    'all: for (limit, text) in &limits {
        for evaluation in &evaluations {
            let before = rows.len() * positions.len();
            let show = |done: usize| line.show((before + done) as u64, || format!("{}, {text}", evaluation.name));
            let new_searcher = || Ok(LineSearcher::new(&evaluation.weights, limit.clone(), arguments.table)?);
            let look = |searcher: &mut LineSearcher, sampled: &SampledPosition| {
                Some((sampled.game, searcher.look(&sampled.position, &stop)?))
            };
            let outcomes = parallel::outcomes(&positions, threads, new_searcher, look, show)?;
            let Some(outcomes) = outcomes.into_iter().collect::<Option<Vec<_>>>() else { break 'all };
            let summary = QualitySummary::of(&outcomes, arguments.seed);
            rows.push(QualityRow { evaluation: evaluation.name.clone(), limit: text.clone(), summary });
        }
    }
    line.finish();
    let complete = rows.len() == wanted;
    print(&rows, positions.len(), complete, arguments.json)?;
    Ok(errors.exit_code_of_run(!complete))
}

fn limits(arguments: &QualityArgs) -> Vec<(Limits, String)> {
    let depth = |&depth: &u32| (Limits { depth: Some(depth), ..Limits::default() }, format!("depth {depth}"));
    let nodes = |&nodes: &u64| (Limits { nodes: Some(nodes), ..Limits::default() }, format!("{nodes} nodes"));
    let limits: Vec<_> = arguments.depth.iter().map(depth).chain(arguments.nodes.iter().map(nodes)).collect();
    if limits.is_empty() { vec![depth(&8)] } else { limits }
}

fn evaluations(arguments: &QualityArgs) -> Result<Vec<NamedEvaluation>> {
    let (files, scales) = (&arguments.network, &arguments.fv_scale);
    ensure_usage!(
        scales.len() <= 1 || scales.len() == files.len(),
        "--fv-scale: {} numbers for {} networks",
        scales.len(),
        files.len()
    );
    let formula = NamedEvaluation { name: "formula".to_owned(), weights: SelectedWeights::default() };
    let mut evaluations: Vec<_> = (!arguments.no_formula).then_some(formula).into_iter().collect();
    for (index, file) in files.iter().enumerate() {
        let scale = scales.get(index).or(scales.first()).copied();
        let weights = evaluation::load(file, scale)?;
        evaluations.push(NamedEvaluation { name: file.display().to_string(), weights });
    }
    Ok(evaluations)
}

/// An evaluation at one limit; also the form of its JSON.
#[derive(Serialize)]
struct QualityRow {
    evaluation: String,
    limit: String,
    /// `None` if no position could be compared.
    summary: Option<QualitySummary>,
}

const HEADER: [&str; 10] = [
    "evaluation",
    "limit",
    "positions",
    "games",
    "mean |change|",
    "median",
    "spread",
    "mean / spread",
    "to search",
    "plies",
];

fn print(rows: &[QualityRow], positions: usize, complete: bool, as_json: bool) -> Result<()> {
    if as_json {
        return print_json(&json!({
            "ending": if complete { "complete" } else { "interrupted" },
            "positions": positions,
            "rows": rows,
        }));
    }
    say!("{}", table(&HEADER, rows.iter().map(cells)));
    for row in rows {
        let Some(summary) = &row.summary else { continue };
        let [in_check, mate, repetition, ends_in_check] = LineExclusion::ALL.map(|reason| summary.left_out[&reason]);
        say!(
            "{}, {}: left out {in_check} in check, {mate} won or lost by force, {repetition} that repeat, {ends_in_check} that end in check",
            row.evaluation,
            row.limit
        );
    }
    say!("centipawns of each evaluation; ± is one standard error, by a bootstrap over games");
    if !complete {
        say!("interrupted: incomplete rows are missing");
    }
    Ok(())
}

fn cells(row: &QualityRow) -> Vec<String> {
    let mut cells = vec![row.evaluation.clone(), row.limit.clone()];
    match &row.summary {
        None => cells.resize(HEADER.len(), "-".to_owned()),
        Some(summary) => cells.extend([
            summary.compared.to_string(),
            summary.games.to_string(),
            text(summary.mean, 1),
            format!("{:.1}", summary.median),
            format!("{:.1}", summary.spread),
            or_dash(summary.relative.map(|relative| text(relative, 3))),
            format!("{:.1}", summary.searched),
            format!("{:.1}", summary.plies),
        ]),
    }
    cells
}

fn text(estimate: Estimate, decimals: usize) -> String {
    let Estimate { value, standard_error } = estimate;
    let error = standard_error.map(|error| format!(" ± {error:.decimals$}")).unwrap_or_default();
    format!("{value:.decimals$}{error}")
}

//! `kiki-lab quality`: how little static evaluations change along best play.

mod report;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use kiki_eval::{DEFAULT_FV_SCALE, Network, NetworkParameters, SelectedWeights};
use kiki_platform::{MOST_NETWORK, read_regular_file};
use kiki_search::Limits;

use crate::quality::line_search::LineOutcome;
use crate::quality::measure::{MeasureSettings, measure};
use crate::quality::summary::QualitySummary;
use kiki_games::positions::{SampledPosition, sampled_from};
use kiki_run::input_errors::InputErrors;
use kiki_run::interrupt::stop_flag;
use kiki_run::progress_line::ProgressLine;
use kiki_run::search_args::ThreadArgs;
use report::QualityRow;

const EXAMPLE: &str = "\
Example:
  kiki-lab quality --network eval/nn.bin --depth 6,10 --count 500
  kiki-lab quality --positions results/data/formula-1.psv --nodes 10000

A smaller share of the spread is better. Positions: a folder of a match, a file of training data (.psv), a table (.tsv) with the columns sfen
and source (the game), or openings; [default: the middle games of tests/fixtures]. Ctrl-C stops cleanly (exit status 130) and prints the rows
that are complete.";

/// How much do static values change along best play?
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct QualityArgs {
    /// A network file to measure beside the formula; may be given several times
    #[arg(long, value_name = "FILE")]
    network: Vec<PathBuf>,
    /// What the output of the networks is divided by: one for all, or one for each [default: 16]
    #[arg(long, value_name = "N", requires = "network", value_delimiter = ',', value_parser = clap::value_parser!(i32).range(1..=128))]
    fv_scale: Vec<i32>,
    /// Leave out the formula
    #[arg(long, requires = "network")]
    no_formula: bool,
    /// Search to these depths in plies, with commas between [default: 8]
    #[arg(long, value_name = "DEPTHS", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: Vec<u32>,
    /// Search so many nodes a position, with commas between
    #[arg(long, value_name = "NODES", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Vec<u64>,
    /// Where the positions come from
    #[arg(long, value_name = "PATH")]
    positions: Option<PathBuf>,
    /// Draw so many positions at random
    #[arg(long, value_name = "N", default_value_t = 1000)]
    count: usize,
    /// What the draw and the bootstrap follow from
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

/// An evaluation with its name.
struct NamedEvaluation {
    name: String,
    weights: SelectedWeights,
}

/// Runs `quality`.
pub fn run(arguments: &QualityArgs) -> Result<ExitCode> {
    let threads = arguments.threads.count()?;
    ensure!(arguments.count > 0, "--count 0: there is nothing to measure");
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
            let settings = MeasureSettings { limits: limit.clone(), table_mebibytes: arguments.table, threads };
            let before = rows.len() * positions.len();
            let show = |done: usize| line.show((before + done) as u64, || format!("{}, {text}", evaluation.name));
            let Some(outcomes) = measure(&positions, &evaluation.weights, &settings, &stop, show)? else { break 'all };
            let summary = QualitySummary::of(&with_games(&positions, outcomes), arguments.seed);
            rows.push(QualityRow { evaluation: evaluation.name.clone(), limit: text.clone(), summary });
        }
    }
    line.finish();
    let complete = rows.len() == wanted;
    report::print(&rows, positions.len(), complete, arguments.json)?;
    Ok(errors.exit_code_of_run(!complete))
}

fn with_games(positions: &[SampledPosition], outcomes: Vec<LineOutcome>) -> Vec<(u64, LineOutcome)> {
    positions.iter().map(|sampled| sampled.game).zip(outcomes).collect()
}

fn limits(arguments: &QualityArgs) -> Vec<(Limits, String)> {
    let depth = |&depth: &u32| (Limits { depth: Some(depth), ..Limits::default() }, format!("depth {depth}"));
    let nodes = |&nodes: &u64| (Limits { nodes: Some(nodes), ..Limits::default() }, format!("{nodes} nodes"));
    let limits: Vec<_> = arguments.depth.iter().map(depth).chain(arguments.nodes.iter().map(nodes)).collect();
    if limits.is_empty() { vec![depth(&8)] } else { limits }
}

fn evaluations(arguments: &QualityArgs) -> Result<Vec<NamedEvaluation>> {
    let (files, scales) = (&arguments.network, &arguments.fv_scale);
    ensure!(
        scales.len() <= 1 || scales.len() == files.len(),
        "--fv-scale: {} numbers for {} networks",
        scales.len(),
        files.len()
    );
    let formula = NamedEvaluation { name: "formula".to_owned(), weights: SelectedWeights::Formula(Arc::default()) };
    let mut evaluations: Vec<_> = (!arguments.no_formula).then_some(formula).into_iter().collect();
    for (index, file) in files.iter().enumerate() {
        let scale = scales.get(index).or(scales.first()).copied().unwrap_or(DEFAULT_FV_SCALE);
        evaluations.push(NamedEvaluation { name: file.display().to_string(), weights: network(file, scale)? });
    }
    Ok(evaluations)
}

fn network(file: &Path, fv_scale: i32) -> Result<SelectedWeights> {
    let place = || format!("network {}", file.display());
    let bytes = read_regular_file(file, MOST_NETWORK).with_context(place)?;
    let (parameters, _) = NetworkParameters::from_bytes(&bytes).with_context(place)?;
    Ok(SelectedWeights::Network(Arc::new(Network::new(&parameters, fv_scale))))
}

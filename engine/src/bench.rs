//! `bench`: fixed work, whose node count is the signature of the search.

use std::num::ParseIntError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kiki_bench::{DEPTH, POSITIONS, Totals};
use kiki_board::{Position, SfenError, perft_until};
use kiki_eval::{Evaluator, SelectedEvaluator, SelectedWeights};
use kiki_platform::{MOST_RECORDS, read_regular_text};
use kiki_search::{Limits, ResourceError};

use crate::bench_settings::BenchSettings;
use crate::perft::checked_depth;
use crate::scaling::{ThreadComparison, compare, thread_counts};

/// Why a bench could not be run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchError {
    #[error("bench: the {name} `{token}` is no number")]
    Number { name: &'static str, token: String, source: ParseIntError },
    #[error("bench: the thread count `{0}` is neither a number nor several with commas between, nor `all`")]
    Threads(String),
    #[error("bench: the limit type `{0}` is none of depth, nodes, movetime, perft, eval")]
    Kind(String),
    #[error("bench: {path}: {error}")]
    File { path: String, error: std::io::Error },
    #[error("bench: line {line} of the positions: {error}")]
    Sfen { line: usize, error: SfenError },
    #[error("{0}")]
    Depth(#[from] crate::perft::TooDeep),
    #[error("bench: too many arguments from `{0}` on")]
    Extra(String),
    #[error("bench: {0}")]
    Run(#[from] kiki_bench::RunError),
    #[error("bench: {0}")]
    Resources(#[from] ResourceError),
}

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BenchKind {
    Search,
    Perft(u32),
    Eval(u64),
}

/// A bench whose arguments were understood.
pub(crate) struct Plan {
    hash: usize,
    /// One count for a signature, several for a comparison.
    threads: Vec<usize>,
    limits: Limits,
    work: BenchKind,
    sfens: Vec<String>,
}

impl Plan {
    /// Does the work and prints progress and the result. Once `stop` is set it prints that and ends.
    pub(crate) fn run(
        &self,
        settings: &BenchSettings,
        stop: &AtomicBool,
        print_line: &mut dyn FnMut(String),
    ) -> Result<(), BenchError> {
        let Self { hash, threads, limits, work, sfens } = self;
        if threads.len() > 1 && *work == BenchKind::Search {
            let comparison = ThreadComparison { counts: threads, hash: *hash, limits, sfens };
            return Ok(compare(&comparison, settings, stop, print_line)?);
        }
        let (count, mut done) = (sfens.len(), 0);
        let mut visit = |sfen: &str, nodes: u64| {
            done += 1;
            print_line(format!("Position: {done}/{count} {nodes:>10} nodes  {sfen}"));
        };
        let is_stopped = || stop.load(Ordering::Relaxed);
        let totals = match *work {
            BenchKind::Search => {
                let mut searcher = settings.searcher(threads[0], *hash)?;
                let sfens = sfens.iter().map(String::as_str);
                kiki_bench::run_until(&mut searcher, sfens, limits, stop, |sfen, result| visit(sfen, result.nodes))?
            }
            BenchKind::Perft(depth) => {
                each(sfens, stop, &mut visit, |position| perft_until(position, depth, is_stopped).nodes)?
            }
            BenchKind::Eval(times) => {
                each(sfens, stop, &mut visit, |position| evaluations(&settings.weights, position, times, stop))?
            }
        };
        if is_stopped() {
            print_line(format!(
                "info string bench stopped after {done} of {count} positions and {} nodes",
                totals.nodes
            ));
            return Ok(());
        }
        print_line(String::new());
        print_line("===========================".to_owned());
        print_line(format!("Total time (ms) : {}", totals.time.as_millis()));
        print_line(format!("Nodes searched  : {}", totals.nodes));
        print_line(format!("Nodes/second    : {}", totals.speed()));
        print_line(format!("{} nodes {} nps", totals.nodes, totals.speed()));
        Ok(())
    }
}

/// Reads `[hash] [threads] [limit] [default|current|FILE] [depth|nodes|movetime|perft|eval]`. Several thread counts, as `1,2,4` or `all`,
/// are compared.
pub(crate) fn plan(arguments: &[String], current: Option<&Position>) -> Result<Plan, BenchError> {
    let word = |index: usize| arguments.get(index).map(String::as_str);
    let number = |index: usize, name: &'static str, default: u64| match word(index) {
        None => Ok(default),
        Some(token) => token.parse().map_err(|source| BenchError::Number { name, token: token.to_owned(), source }),
    };
    if let Some(extra) = word(5) {
        return Err(BenchError::Extra(extra.to_owned()));
    }
    let limit = number(2, "limit", u64::from(DEPTH))?;
    let small = u32::try_from(limit).unwrap_or(u32::MAX);
    let (limits, work) = match word(4).unwrap_or("depth") {
        "depth" => (Limits { depth: Some(small), ..Limits::default() }, BenchKind::Search),
        "nodes" => (Limits { nodes: Some(limit), ..Limits::default() }, BenchKind::Search),
        "movetime" => (Limits { movetime: Some(Duration::from_millis(limit)), ..Limits::default() }, BenchKind::Search),
        "perft" => (Limits::default(), BenchKind::Perft(checked_depth(small)?)),
        "eval" => (Limits::default(), BenchKind::Eval(limit)),
        other => return Err(BenchError::Kind(other.to_owned())),
    };
    let counts = word(1).unwrap_or("1");
    let threads = thread_counts(counts).ok_or_else(|| BenchError::Threads(counts.to_owned()))?;
    let sfens: Vec<String> = match word(3).unwrap_or("default") {
        "default" => POSITIONS.lines().map(str::to_owned).collect(),
        "current" => vec![current.map_or_else(|| Position::startpos().to_sfen(), Position::to_sfen)],
        path => read(path)?,
    };
    Ok(Plan { hash: number(0, "hash size", 16)? as usize, threads, limits, work, sfens })
}

/// Whether these arguments ask for the position that is set up.
pub(crate) fn is_about_current(arguments: &[String]) -> bool {
    arguments.get(3).is_some_and(|word| word == "current")
}

/// SFENs from a file, one a line, with or without the word `sfen`. All are checked before the first is searched.
fn read(path: &str) -> Result<Vec<String>, BenchError> {
    let text =
        read_regular_text(path, MOST_RECORDS).map_err(|error| BenchError::File { path: path.to_owned(), error })?;
    let mut sfens = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let sfen = line.trim().trim_start_matches("sfen ").trim();
        if sfen.is_empty() || sfen.starts_with('#') {
            continue;
        }
        Position::from_sfen(sfen).map_err(|error| BenchError::Sfen { line: index + 1, error })?;
        sfens.push(sfen.to_owned());
    }
    Ok(sfens)
}

/// Does the same work at each position until `stop` is set; `print_line` is called for those that were finished.
fn each(
    sfens: &[String],
    stop: &AtomicBool,
    print_line: &mut dyn FnMut(&str, u64),
    mut work: impl FnMut(&mut Position) -> u64,
) -> Result<Totals, BenchError> {
    let mut totals = Totals::default();
    for (index, sfen) in sfens.iter().enumerate() {
        let mut position = Position::from_sfen(sfen).map_err(|error| BenchError::Sfen { line: index + 1, error })?;
        let start = Instant::now();
        let nodes = work(&mut position);
        totals.time += start.elapsed();
        totals.nodes += nodes;
        if stop.load(Ordering::Relaxed) {
            break;
        }
        print_line(sfen, nodes);
    }
    Ok(totals)
}

/// Evaluates a position so many times, or until `stop` is set, and returns how many times that was.
fn evaluations(weights: &SelectedWeights, position: &mut Position, times: u64, stop: &AtomicBool) -> u64 {
    /// A question at each would be measured too. These take some milliseconds.
    const BETWEEN_QUESTIONS: u64 = 10_000;
    let mut formula = SelectedEvaluator::new(&weights.clone().into(), position);
    let mut done = 0;
    while done < times && !stop.load(Ordering::Relaxed) {
        let next = (times - done).min(BETWEEN_QUESTIONS);
        for _ in 0..next {
            std::hint::black_box(formula.evaluate(std::hint::black_box(position)));
        }
        done += next;
    }
    done
}

//! `bench`: fixed work, whose node count is the signature of the search.

use std::fs;
use std::num::ParseIntError;
use std::time::{Duration, Instant};

use kiki_bench::{DEPTH, POSITIONS, Totals};
use kiki_board::{Position, SfenError, perft};
use kiki_eval::{Evaluator, Formula, Weights};
use kiki_search::{Limits, Options, Searcher};

use crate::scaling::{compare, thread_counts};

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
    #[error("bench: too many arguments from `{0}` on")]
    Extra(String),
    #[error("bench: {0}")]
    Run(#[from] kiki_bench::RunError),
    #[error("bench: {0}")]
    Resources(#[from] kiki_search::ResourceError),
}

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Work {
    Search,
    Perft(u32),
    Eval(u64),
}

struct Plan {
    hash: usize,
    /// One count for a signature, several for a comparison.
    threads: Vec<usize>,
    limits: Limits,
    work: Work,
    sfens: Vec<String>,
}

/// Runs `bench [hash] [threads] [limit] [default|current|FILE] [depth|nodes|movetime|perft|eval]`. Several thread counts, as `1,2,4` or
/// `all`, are compared.
pub(crate) fn run(arguments: &[String], current: Option<&Position>) -> Result<(), BenchError> {
    let plan = plan(arguments, current)?;
    if plan.threads.len() > 1 && plan.work == Work::Search {
        return Ok(compare(&plan.threads, plan.hash, &plan.limits, &plan.sfens)?);
    }
    let count = plan.sfens.len();
    let mut done = 0;
    let mut tell = |sfen: &str, nodes: u64| {
        done += 1;
        println!("Position: {done}/{count} {nodes:>10} nodes  {sfen}");
    };
    let totals = match plan.work {
        Work::Search => {
            let options = Options { threads: plan.threads[0], table_mebibytes: plan.hash, ..Options::default() };
            let mut searcher = Searcher::<Formula>::new(Weights::default(), options)?;
            let sfens = plan.sfens.iter().map(String::as_str);
            kiki_bench::run(&mut searcher, sfens, &plan.limits, |sfen, outcome| tell(sfen, outcome.nodes))?
        }
        Work::Perft(depth) => each(&plan.sfens, &mut tell, |position| perft(position, depth))?,
        Work::Eval(times) => each(&plan.sfens, &mut tell, |position| evaluations(position, times))?,
    };
    println!("\n===========================");
    println!("Total time (ms) : {}", totals.time.as_millis());
    println!("Nodes searched  : {}", totals.nodes);
    println!("Nodes/second    : {}", totals.speed());
    println!("{} nodes {} nps", totals.nodes, totals.speed());
    Ok(())
}

fn plan(arguments: &[String], current: Option<&Position>) -> Result<Plan, BenchError> {
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
        "depth" => (Limits { depth: Some(small), ..Limits::default() }, Work::Search),
        "nodes" => (Limits { nodes: Some(limit), ..Limits::default() }, Work::Search),
        "movetime" => (Limits { movetime: Some(Duration::from_millis(limit)), ..Limits::default() }, Work::Search),
        "perft" => (Limits::default(), Work::Perft(small)),
        "eval" => (Limits::default(), Work::Eval(limit)),
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

/// SFENs from a file, one a line, with or without the word `sfen`. All are checked before the first is searched.
fn read(path: &str) -> Result<Vec<String>, BenchError> {
    let text = fs::read_to_string(path).map_err(|error| BenchError::File { path: path.to_owned(), error })?;
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

fn each(
    sfens: &[String],
    tell: &mut dyn FnMut(&str, u64),
    mut work: impl FnMut(&mut Position) -> u64,
) -> Result<Totals, BenchError> {
    let mut totals = Totals::default();
    for (index, sfen) in sfens.iter().enumerate() {
        let mut position = Position::from_sfen(sfen).map_err(|error| BenchError::Sfen { line: index + 1, error })?;
        let start = Instant::now();
        let nodes = work(&mut position);
        totals.time += start.elapsed();
        totals.nodes += nodes;
        tell(sfen, nodes);
    }
    Ok(totals)
}

/// Evaluates a position so many times.
fn evaluations(position: &mut Position, times: u64) -> u64 {
    let formula = Formula::new(&Weights::default().into(), position);
    for _ in 0..times {
        std::hint::black_box(formula.evaluate(std::hint::black_box(position)));
    }
    times
}

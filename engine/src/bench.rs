//! `bench`: fixed work. Its node count is the signature of the search. With several thread counts
//! it measures the speedup.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use kiki_bench::{DEPTH, POSITIONS, Totals, run_until};
use kiki_board::{Position, perft_until};
use kiki_eval::sigma::SigmaModel;
use kiki_eval::{Evaluator, SelectedEvaluator, SelectedWeights};
use kiki_search::{Limits, Options, ProbCutOptions, Searcher};

use crate::people::read_positions;
use crate::perft::checked_depth;

fn of_bench(error: impl Display) -> anyhow::Error {
    anyhow!("bench: {error}")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BenchKind {
    Search,
    Perft(u32),
    Eval(u64),
}

pub(crate) struct BenchPlan {
    hash: usize,
    /// One count for a signature, several for a comparison.
    threads: Vec<usize>,
    limits: Limits,
    work: BenchKind,
    sfens: Vec<String>,
}

impl BenchPlan {
    /// Does the work, and prints progress and the result. Once `stop` is set, prints that and ends.
    pub(crate) fn run(
        &self,
        settings: &BenchSettings,
        stop: &AtomicBool,
        print_line: &mut dyn FnMut(String),
    ) -> Result<()> {
        let Self { hash, threads, limits, work, sfens } = self;
        if threads.len() > 1 && *work == BenchKind::Search {
            return self.compare(settings, stop, print_line);
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
                run_until(&mut searcher, sfens, limits, stop, |sfen, result| visit(sfen, result.nodes))
                    .map_err(of_bench)?
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

    /// Searches every position with every thread count in turn, so that other load on the machine
    /// affects all alike, and prints a table. Once `stop` is set, prints that and ends.
    fn compare(&self, settings: &BenchSettings, stop: &AtomicBool, print_line: &mut dyn FnMut(String)) -> Result<()> {
        let Self { hash, threads: counts, limits, sfens, .. } = self;
        let mut searcher = settings.searcher(counts[0], *hash)?;
        let mut columns: Vec<Column> =
            counts.iter().map(|&threads| Column { threads, nodes: 0, times: Vec::new() }).collect();
        for (index, sfen) in sfens.iter().enumerate() {
            // The order rotates, so that no thread count always profits from a warm machine.
            for turn in 0..counts.len() {
                let column = &mut columns[(index + turn) % counts.len()];
                searcher.set_options(settings.options(column.threads, *hash)).map_err(of_bench)?;
                let totals = run_until(&mut searcher, [sfen.as_str()], limits, stop, |_, _| {}).map_err(of_bench)?;
                if stop.load(Ordering::Relaxed) {
                    print_line(format!("info string bench stopped after {index} of {} positions", sfens.len()));
                    return Ok(());
                }
                column.nodes += totals.nodes;
                column.times.push(totals.time);
            }
            let times: Vec<String> =
                columns.iter().map(|column| format!("{:>9.1}", milliseconds(column.times[index]))).collect();
            print_line(format!("Position: {}/{} {} ms  {sfen}", index + 1, sfens.len(), times.join(" ")));
        }
        print_table(&columns, print_line);
        Ok(())
    }
}

/// Parses `[hash] [threads] [limit] [default|current|FILE] [depth|nodes|movetime|perft|eval]`.
/// Several thread counts, such as `1,2,4` or `all`, mean a comparison.
pub(crate) fn plan(arguments: &[String], current: Option<&Position>) -> Result<BenchPlan> {
    let word = |index: usize| arguments.get(index).map(String::as_str);
    let number = |index: usize, name: &str, default: u64| match word(index) {
        None => Ok(default),
        Some(token) => token.parse().ok().with_context(|| format!("bench: the {name} `{token}` is not a number")),
    };
    if let Some(extra) = word(5) {
        bail!("bench: too many arguments from `{extra}` on");
    }
    let limit = number(2, "limit", u64::from(DEPTH))?;
    let small = u32::try_from(limit).unwrap_or(u32::MAX);
    let (limits, work) = match word(4).unwrap_or("depth") {
        "depth" => (Limits { depth: Some(small), ..Limits::default() }, BenchKind::Search),
        "nodes" => (Limits { nodes: Some(limit), ..Limits::default() }, BenchKind::Search),
        "movetime" => (Limits { movetime: Some(Duration::from_millis(limit)), ..Limits::default() }, BenchKind::Search),
        "perft" => (Limits::default(), BenchKind::Perft(checked_depth(small)?)),
        "eval" => (Limits::default(), BenchKind::Eval(limit)),
        other => bail!("bench: the limit type `{other}` is not one of depth, nodes, movetime, perft, eval"),
    };
    let counts = word(1).unwrap_or("1");
    let threads = thread_counts(counts).with_context(|| {
        format!("bench: the thread count `{counts}` is not a number, a list such as 1,2,4, or `all`")
    })?;
    let sfens: Vec<String> = match word(3).unwrap_or("default") {
        "default" => POSITIONS.lines().map(str::to_owned).collect(),
        "current" => vec![current.map_or_else(|| Position::startpos().to_sfen(), Position::to_sfen)],
        path => read_positions(path).map_err(of_bench)?.iter().map(Position::to_sfen).collect(),
    };
    Ok(BenchPlan { hash: number(0, "hash size", 16)? as usize, threads, limits, work, sfens })
}

pub(crate) fn is_about_current(arguments: &[String]) -> bool {
    arguments.get(3).is_some_and(|word| word == "current")
}

/// Does the same work at each position until `stop` is set, and prints each finished one.
fn each(
    sfens: &[String],
    stop: &AtomicBool,
    print_line: &mut dyn FnMut(&str, u64),
    mut work: impl FnMut(&mut Position) -> u64,
) -> Result<Totals> {
    let mut totals = Totals::default();
    for sfen in sfens {
        let mut position = Position::from_sfen(sfen)?;
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

/// Evaluates a position `times` times, or until `stop` is set. Returns the number of evaluations.
fn evaluations(weights: &SelectedWeights, position: &mut Position, times: u64, stop: &AtomicBool) -> u64 {
    /// Evaluations between two checks of `stop`: more checks would distort the measurement.
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

/// The settings that a bench may change. All others are defaults, for the signature.
pub(crate) struct BenchSettings {
    pub(crate) weights: SelectedWeights,
    pub(crate) probcut: ProbCutOptions,
    pub(crate) model: Arc<SigmaModel>,
}

impl BenchSettings {
    /// One searcher for the whole work. Fails if the system refuses memory or threads.
    pub(crate) fn searcher(&self, threads: usize, hash: usize) -> Result<Searcher<SelectedEvaluator>> {
        let mut searcher = Searcher::new(self.weights.clone(), self.options(threads, hash)).map_err(of_bench)?;
        searcher.set_sigma_model(Arc::clone(&self.model));
        Ok(searcher)
    }

    fn options(&self, threads: usize, hash: usize) -> Options {
        Options { threads, table_mebibytes: hash, probcut: self.probcut, ..Options::default() }
    }
}

/// The cost of the searches with one thread count, by position.
struct Column {
    threads: usize,
    nodes: u64,
    times: Vec<Duration>,
}

impl Column {
    fn time(&self) -> Duration {
        self.times.iter().sum()
    }

    fn speed(&self) -> f64 {
        self.nodes as f64 / self.time().as_secs_f64().max(1e-9)
    }
}

/// A ratio as the geometric mean over positions, with its 95 percent interval.
struct SpeedRatio {
    mean: f64,
    low: f64,
    high: f64,
}

/// Parses `4`, `1,2,4` or `all`: one thread, one per core, one per processor.
fn thread_counts(text: &str) -> Option<Vec<usize>> {
    let mut counts: Vec<usize> = match text {
        "all" => vec![1, num_cpus::get_physical(), num_cpus::get()],
        _ => text.split(',').map(|count| count.parse().ok()).collect::<Option<_>>()?,
    };
    counts.iter_mut().for_each(|count| *count = (*count).clamp(1, 1024));
    if text == "all" {
        counts.dedup();
    }
    Some(counts)
}

fn print_table(columns: &[Column], print_line: &mut dyn FnMut(String)) {
    print_line(String::new());
    print_line(format!("{} physical cores, {} logical processors", num_cpus::get_physical(), num_cpus::get()));
    print_line(String::new());
    print_line(format!(
        "{:>7} {:>10} {:>12} {:>10} {:>9}  {:>10}  interval",
        "threads", "ms", "nodes", "nps", "nps ratio", "time ratio"
    ));
    for column in columns {
        let SpeedRatio { mean, low, high } = ratio(&columns[0].times, &column.times);
        print_line(format!(
            "{:>7} {:>10.0} {:>12} {:>10.0} {:>9.2}  {mean:>10.2}  [{low:.2}, {high:.2}]",
            column.threads,
            milliseconds(column.time()),
            column.nodes,
            column.speed(),
            column.speed() / columns[0].speed(),
        ));
    }
    print_line(String::new());
    print_line(
        "ratios: speed relative to the first line; the time ratio is the geometric mean over positions, with its 95 percent interval."
            .to_owned(),
    );
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn ratio(first: &[Duration], second: &[Duration]) -> SpeedRatio {
    let seconds = |time: &Duration| time.as_secs_f64().max(1e-9);
    let logarithms: Vec<f64> = first.iter().zip(second).map(|(a, b)| (seconds(a) / seconds(b)).ln()).collect();
    let count = logarithms.len() as f64;
    let mean = logarithms.iter().sum::<f64>() / count;
    let variance = logarithms.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    let reach = 1.96 * (variance / count).sqrt();
    SpeedRatio { mean: mean.exp(), low: (mean - reach).exp(), high: (mean + reach).exp() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_counts_are_numbers_or_all() {
        assert_eq!(thread_counts("4"), Some(vec![4]));
        assert_eq!(thread_counts("1,2,9999"), Some(vec![1, 2, 1024]));
        assert!(thread_counts("all").is_some_and(|counts| counts[0] == 1));
        for text in ["", "1,", "two", "-1"] {
            assert_eq!(thread_counts(text), None, "{text}");
        }
    }

    #[test]
    fn a_ratio_is_a_geometric_mean() {
        let times = |seconds: &[f64]| seconds.iter().map(|&time| Duration::from_secs_f64(time)).collect::<Vec<_>>();
        let SpeedRatio { mean, low, high } = ratio(&times(&[8.0, 2.0]), &times(&[2.0, 2.0]));
        assert!((mean - 2.0).abs() < 1e-12 && low < 1.0 && high > 4.0);
        let same = ratio(&times(&[3.0, 5.0]), &times(&[1.5, 2.5]));
        assert!((same.low - 2.0).abs() < 1e-12 && (same.high - 2.0).abs() < 1e-12);
    }
}

//! `bench` over several thread counts: what do more threads bring on this machine?

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kiki_bench::{RunError, run_until};
use kiki_search::Limits;

use crate::bench_settings::BenchSettings;

/// What the searches with one thread count took, position by position.
struct Column {
    threads: usize,
    nodes: u64,
    times: Vec<Duration>,
}

impl Column {
    fn time(&self) -> Duration {
        self.times.iter().sum()
    }

    /// Nodes a second.
    fn speed(&self) -> f64 {
        self.nodes as f64 / self.time().as_secs_f64().max(1e-9)
    }
}

/// A ratio as the geometric mean over positions, with the ends of its 95 percent interval.
struct Ratio {
    mean: f64,
    low: f64,
    high: f64,
}

/// Reads `4`, `1,2,4` or `all`: one thread, as many as there are cores, as many as there are processors. `None` for anything else.
pub(crate) fn thread_counts(text: &str) -> Option<Vec<usize>> {
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

/// The processors of this machine in words.
fn processors() -> String {
    format!("{} physical cores, {} logical processors", num_cpus::get_physical(), num_cpus::get())
}

/// What is to be compared.
pub(crate) struct ThreadComparison<'a> {
    pub(crate) counts: &'a [usize],
    /// MiB.
    pub(crate) hash: usize,
    pub(crate) limits: &'a Limits,
    pub(crate) sfens: &'a [String],
}

/// Searches every position with every thread count in turn, so that other load on the machine disturbs all alike, and prints a table.
/// Once `stop` is set it prints that and ends.
pub(crate) fn compare(
    comparison: &ThreadComparison<'_>,
    settings: &BenchSettings,
    stop: &AtomicBool,
    print_line: &mut dyn FnMut(String),
) -> Result<(), RunError> {
    let &ThreadComparison { counts, hash, limits, sfens } = comparison;
    let mut searcher = settings.searcher(counts[0], hash)?;
    let mut columns: Vec<Column> =
        counts.iter().map(|&threads| Column { threads, nodes: 0, times: Vec::new() }).collect();
    for (index, sfen) in sfens.iter().enumerate() {
        // Nobody is always the first after the others have warmed the machine up.
        for turn in 0..counts.len() {
            let column = &mut columns[(index + turn) % counts.len()];
            searcher.set_options(settings.options(column.threads, hash))?;
            let totals = run_until(&mut searcher, [sfen.as_str()], limits, stop, |_, _| {})?;
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
    tell_table(&columns, print_line);
    Ok(())
}

fn tell_table(columns: &[Column], print_line: &mut dyn FnMut(String)) {
    print_line(String::new());
    print_line(processors());
    print_line(String::new());
    print_line(format!(
        "{:>7} {:>10} {:>12} {:>10} {:>9}  {:>10}  interval",
        "threads", "ms", "nodes", "nps", "nps ratio", "time ratio"
    ));
    for column in columns {
        let Ratio { mean, low, high } = ratio(&columns[0].times, &column.times);
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
        "ratios: how many times as fast as the first line; that of times is the geometric mean over positions, with its 95 percent interval."
            .to_owned(),
    );
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// How many times as fast the second is.
fn ratio(first: &[Duration], second: &[Duration]) -> Ratio {
    let seconds = |time: &Duration| time.as_secs_f64().max(1e-9);
    let logarithms: Vec<f64> = first.iter().zip(second).map(|(a, b)| (seconds(a) / seconds(b)).ln()).collect();
    let count = logarithms.len() as f64;
    let mean = logarithms.iter().sum::<f64>() / count;
    let variance = logarithms.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    let reach = 1.96 * (variance / count).sqrt();
    Ratio { mean: mean.exp(), low: (mean - reach).exp(), high: (mean + reach).exp() }
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
        let Ratio { mean, low, high } = ratio(&times(&[8.0, 2.0]), &times(&[2.0, 2.0]));
        assert!((mean - 2.0).abs() < 1e-12 && low < 1.0 && high > 4.0);
        let same = ratio(&times(&[3.0, 5.0]), &times(&[1.5, 2.5]));
        assert!((same.low - 2.0).abs() < 1e-12 && (same.high - 2.0).abs() < 1e-12);
    }
}

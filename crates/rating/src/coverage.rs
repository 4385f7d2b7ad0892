//! `kiki-lab coverage`: how often do "95 %" intervals hold the true value?
//!
//! Numbers of wins are whole, so the probability of an interval jumps from one number of games to
//! the next. For a win rate of 1 % it is far from the normal approximation. The honest level is the
//! lower envelope of the curve.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use anyhow::{bail, ensure};
use clap::Args;
use kiki_plot::{AxisScale, ChartLine, CurveStyle, LineChart};
use kiki_run::output::{self, table};
use kiki_run::say;
use kiki_stats::binomial::Binomial;
use kiki_stats::error::check;
use kiki_stats::match_error::IntervalMethod;
use kiki_stats::normal;
use kiki_stats::tally::{MatchScore, some_games};
use kiki_stats::{Result, StatsError};
use rayon::prelude::*;
use serde_json::{Map, Value, json};

const EXAMPLE: &str = "\
Example:
  kiki-lab coverage --multiplier 1.96 --plot coverage.svg

Lists take commas or blanks. The first table has the probability that a win rate is observed within r standard errors of the true
one, the second the probability that the interval around an observed one holds the true one. The lower envelope is the honest level.";

/// Exact coverage of intervals of win rates
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct CoverageArgs {
    /// The number of standard errors
    #[arg(long, short = 'r', default_value_t = 1.96)]
    multiplier: f64,
    /// True win rates
    #[arg(long, short = 'p', value_delimiter = ',', num_args = 1.., default_value = "0.5,0.1,0.01")]
    win_rates: Vec<f64>,
    /// Numbers of games for the tables
    #[arg(long, short = 'n', value_delimiter = ',', num_args = 1.., default_value = "10,20,50,100,200,625,1000")]
    games: Vec<u64>,
    /// The level of the intervals around the estimate
    #[arg(long, default_value_t = 0.95)]
    level: f64,
    /// First and last number of games of the curve
    #[arg(long, value_delimiter = ',', num_args = 1..=2, value_name = "FROM,TO", default_value = "10,1000")]
    curve: Vec<u64>,
    /// Write the curve as SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

const METHODS: [(IntervalMethod, &str); 5] = [
    (IntervalMethod::Normal, "wald"),
    (IntervalMethod::Wilson, "wilson"),
    (IntervalMethod::ClopperPearson, "clopper_pearson"),
    (IntervalMethod::Jeffreys, "jeffreys"),
    (IntervalMethod::MinimalBinomial, "minimal_binomial"),
];

/// The coverage over the number of games, for one true win rate.
struct CoverageCurve {
    win_rate: f64,
    points: Vec<CoveragePoint>,
}

impl CoverageCurve {
    fn minimum(&self) -> Option<&CoveragePoint> {
        self.points.iter().min_by(|a, b| a.coverage.total_cmp(&b.coverage))
    }
}

pub fn run(arguments: &CoverageArgs) -> anyhow::Result<()> {
    let [from, to] = arguments.curve[..] else { bail!("--curve takes two numbers of games, as 10,1000") };
    ensure!(from <= to, "--curve goes from a smaller number of games to a greater one");
    let mut curves = Vec::new();
    for &win_rate in &arguments.win_rates {
        let points = curve(from..=to, win_rate, arguments.multiplier)?;
        curves.push(CoverageCurve { win_rate, points });
    }
    if let Some(path) = &arguments.plot {
        chart(arguments, &curves)?.write(path)?;
    }
    if arguments.json {
        return output::print_json(&value(arguments, &curves)?);
    }
    Ok(print(arguments, &curves)?)
}

fn print(arguments: &CoverageArgs, curves: &[CoverageCurve]) -> Result<()> {
    let games = || arguments.games.iter().map(|games| format!("n = {games}"));
    let header = |first: String| [first].into_iter().chain(games()).collect::<Vec<_>>();
    let mut rows = Vec::new();
    for &p in &arguments.win_rates {
        let mut row = vec![format!("p = {p}")];
        for &games in &arguments.games {
            row.push(format!("{:.6}", coverage(games, p, arguments.multiplier, Boundary::Inclusive)?));
        }
        rows.push(row);
    }
    say!("{}", table(&header(format!("within {} errors", arguments.multiplier)), rows));
    for curve in curves {
        if let Some(minimum) = curve.minimum() {
            say!("p = {}: the smallest is {:.6} at {} games", curve.win_rate, minimum.coverage, minimum.games);
        }
    }
    let mut rows = Vec::new();
    for (method, name) in METHODS {
        for &p in &arguments.win_rates {
            let mut row = vec![format!("{name}, p = {p}")];
            for &games in &arguments.games {
                row.push(format!("{:.6}", interval_coverage(method, games, p, arguments.level)?));
            }
            rows.push(row);
        }
    }
    say!("\n{}", table(&header(format!("{} % around the estimate", 100.0 * arguments.level)), rows));
    Ok(())
}

fn value(arguments: &CoverageArgs, curves: &[CoverageCurve]) -> Result<Value> {
    let over_games = |of: &dyn Fn(u64) -> Result<f64>| -> Result<Value> {
        let mut entries = Map::new();
        for &games in &arguments.games {
            entries.insert(games.to_string(), json!(of(games)?));
        }
        Ok(Value::Object(entries))
    };
    let over_rates = |of: &dyn Fn(f64) -> Result<Value>| -> Result<Value> {
        let mut entries = Map::new();
        for &p in &arguments.win_rates {
            entries.insert(p.to_string(), of(p)?);
        }
        Ok(Value::Object(entries))
    };
    let r = arguments.multiplier;
    let mut around = Map::new();
    for (method, name) in METHODS {
        let of_rate = |p| over_games(&|games| interval_coverage(method, games, p, arguments.level));
        around.insert(name.to_owned(), over_rates(&of_rate)?);
    }
    let minimum = |curve: &CoverageCurve| {
        let minimum = curve.minimum().map(|point| json!({ "games": point.games, "coverage": point.coverage }));
        (curve.win_rate.to_string(), json!(minimum))
    };
    Ok(json!({
        "multiplier": r,
        "nominal": normal::level(r)?.inside,
        "inclusive": over_rates(&|p| over_games(&|games| coverage(games, p, r, Boundary::Inclusive)))?,
        "exclusive": over_rates(&|p| over_games(&|games| coverage(games, p, r, Boundary::Exclusive)))?,
        "curve": arguments.curve,
        "minimum": curves.iter().map(minimum).collect::<Map<_, _>>(),
        "level": arguments.level,
        "around_the_estimate": around,
    }))
}

fn chart(arguments: &CoverageArgs, curves: &[CoverageCurve]) -> Result<LineChart> {
    let nominal = normal::level(arguments.multiplier)?.inside;
    let ends = [arguments.curve[0] as f64, arguments.curve[1] as f64];
    let mut lines = vec![ChartLine::new(
        format!("nominal, {nominal:.4}"),
        ends.map(|games| (games, nominal)).to_vec(),
        CurveStyle::Dashed,
        6,
    )];
    for (index, curve) in curves.iter().enumerate() {
        let along = |of: &dyn Fn(&CoveragePoint) -> f64| {
            curve.points.iter().map(|point| (point.games as f64, of(point))).collect::<Vec<_>>()
        };
        let mut add = |name, points, style| lines.push(ChartLine::new(name, points, style, index));
        add(String::new(), along(&|point| point.coverage), CurveStyle::Thin);
        let name = format!("p = {}, lowest so far", curve.win_rate);
        add(name, along(&|point| point.running_minimum), CurveStyle::Solid);
    }
    Ok(LineChart {
        axis: AxisScale::Logarithmic,
        ..LineChart::new(
            format!("Probability of a win rate within {} standard errors", arguments.multiplier),
            "games",
            "probability",
            lines,
        )
    })
}

/// Handling of numbers of wins that lie exactly on the boundary.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Boundary {
    /// They count as inside. Such ties are real: 288 and 337 of 625 games at a win rate of one half
    /// and a multiplier of 1.96.
    Inclusive,
    Exclusive,
}

/// How far, in relative terms, rounding may move a boundary.
const SLACK: f64 = 1e-12;

const MOST_GAMES_OF_CURVE: u64 = 100_000;
/// Maximum number of games for which all results are added up, each with its interval.
const MOST_GAMES_OF_INTERVALS: u64 = 1_000_000;

/// The probability that the share of wins in `games` games lies within `r` standard deviations of
/// the true win rate `p`.
///
/// ```
/// use kiki_rating::coverage::{Boundary, coverage};
///
/// assert!((coverage(100, 0.5, 1.96, Boundary::Inclusive)? - 0.943112066).abs() < 1e-9);
/// # Ok::<(), kiki_stats::StatsError>(())
/// ```
pub fn coverage(games: u64, p: f64, r: f64, boundary: Boundary) -> Result<f64> {
    some_games(games)?;
    let distribution = Binomial::new(games, p)?;
    check("a multiplier", r, |r| r >= 0.0, "0 or more")?;
    let n = games as f64;
    let reach = r * (n * p * (1.0 - p)).sqrt();
    let reach = match boundary {
        Boundary::Inclusive => reach * (1.0 + SLACK),
        Boundary::Exclusive => reach * (1.0 - SLACK),
    };
    let (low, high) = ((n * p - reach).ceil().max(0.0), (n * p + reach).floor());
    Ok(if high < low { 0.0 } else { distribution.mass(low as u64, high as u64) })
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CoveragePoint {
    pub games: u64,
    pub coverage: f64,
    /// The smallest coverage from the first point of the curve to this one.
    pub running_minimum: f64,
}

/// The coverage for every number of games of a range, up to 100,000.
pub fn curve(games: RangeInclusive<u64>, p: f64, r: f64) -> Result<Vec<CoveragePoint>> {
    if *games.end() > MOST_GAMES_OF_CURVE {
        return Err(StatsError::TooLarge { what: "the curve", advice: "end it at 100,000 games or fewer" });
    }
    let coverages: Vec<(u64, f64)> = games
        .into_par_iter()
        .map(|games| coverage(games, p, r, Boundary::Inclusive).map(|coverage| (games, coverage)))
        .collect::<Result<_>>()?;
    let mut running_minimum = f64::INFINITY;
    Ok(coverages
        .into_iter()
        .map(|(games, coverage)| {
            running_minimum = coverage.min(running_minimum);
            CoveragePoint { games, coverage, running_minimum }
        })
        .collect())
}

/// The probability that a method's interval around the *observed* win rate holds the true one, `p`:
/// what a printed interval delivers. Takes 1 to 1,000,000 games.
pub fn interval_coverage(method: IntervalMethod, games: u64, p: f64, level: f64) -> Result<f64> {
    some_games(games)?;
    if games > MOST_GAMES_OF_INTERVALS {
        return Err(StatsError::TooLarge { what: "the sum over all results", advice: "take 1,000,000 games or fewer" });
    }
    let distribution = Binomial::new(games, p)?;
    // Beyond this reach, generous for the Poisson tail of a small np, all probabilities together
    // are below 1e-20.
    let n = games as f64;
    let reach = 10.0 * (n * p * (1.0 - p)).sqrt() + 60.0;
    let low = (n * p - reach).max(0.0) as u64;
    let high = ((n * p + reach) as u64).min(games);
    let interval = |wins: u64| MatchScore::new(wins as f64, games)?.interval(method, level);
    interval(low)?;
    // With more wins an interval that lies above p does so again, and one below p did before: those
    // that hold it follow each other.
    let first = least(low, high + 1, |wins| interval(wins).is_ok_and(|found| p <= found.high * (1.0 + SLACK)));
    let end = least(low, high + 1, |wins| interval(wins).is_ok_and(|found| found.low > p * (1.0 + SLACK)));
    Ok(if first < end { distribution.mass(first, end - 1) } else { 0.0 })
}

/// Returns the first number from `low` that meets a condition, or `end`. Every greater number meets
/// it too.
fn least(mut low: u64, mut end: u64, holds: impl Fn(u64) -> bool) -> u64 {
    while low < end {
        let middle = u64::midpoint(low, end);
        if holds(middle) { end = middle } else { low = middle + 1 }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certain_win_is_always_covered() {
        for p in [0.0, 1.0] {
            assert_eq!(coverage(50, p, 1.96, Boundary::Inclusive), Ok(1.0));
            for method in IntervalMethod::ALL {
                assert_eq!(interval_coverage(method, 50, p, 0.95), Ok(1.0), "{method:?} at {p}");
            }
        }
    }

    #[test]
    fn nothing_is_covered_without_reach() {
        assert_eq!(coverage(5, 0.5, 0.0, Boundary::Inclusive), Ok(0.0));
        for (games, p, r) in [(0, 0.5, 1.96), (u64::MAX, 0.5, 1.96), (5, 1.5, 1.96), (5, 0.5, -1.0)] {
            assert!(coverage(games, p, r, Boundary::Inclusive).is_err(), "{games} {p} {r}");
        }
        assert!(curve(10..=u64::MAX, 0.5, 1.96).is_err());
        assert!(interval_coverage(IntervalMethod::Wilson, u64::MAX, 0.5, 0.95).is_err());
    }

    #[test]
    fn the_results_between_the_ends_are_those_whose_interval_holds_the_rate() {
        let (games, p, level) = (40, 0.2, 0.9);
        let distribution = Binomial::new(games, p).unwrap();
        for method in IntervalMethod::ALL {
            let interval = |wins: u64| MatchScore::new(wins as f64, games).unwrap().interval(method, level).unwrap();
            let covered = (0..=games).filter(|&wins| interval(wins).low <= p && p <= interval(wins).high);
            let all: f64 = covered.map(|wins| distribution.probability(wins)).sum();
            assert!((interval_coverage(method, games, p, level).unwrap() - all).abs() < 1e-12, "{method:?}");
        }
    }

    #[test]
    fn clopper_and_pearson_are_never_too_short() {
        for games in [1, 3, 10, 31, 100] {
            for p in [0.001, 0.05, 0.3, 0.5, 0.77, 0.99] {
                let delivered = interval_coverage(IntervalMethod::ClopperPearson, games, p, 0.95).unwrap();
                assert!(delivered >= 0.95, "{games} {p}: {delivered}");
            }
        }
    }

    #[test]
    fn a_hundred_thousand_games_are_covered_quickly() {
        let at = coverage(100_000, 0.3, 1.96, Boundary::Inclusive).unwrap();
        assert!((at - 0.95).abs() < 2e-3, "{at}");
        let points = curve(10..=20_000, 0.1, 1.96).unwrap();
        assert_eq!(points.len(), 19_991);
        assert!(points.windows(2).all(|pair| pair[1].running_minimum <= pair[0].running_minimum));
        for method in IntervalMethod::ALL {
            let delivered = interval_coverage(method, 20_000, 0.3, 0.95).unwrap();
            assert!((delivered - 0.95).abs() < 5e-3, "{method:?}: {delivered}");
        }
    }
}

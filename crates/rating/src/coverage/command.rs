//! `kiki-lab coverage`: how often "95 %" intervals contain the true value.

use std::path::PathBuf;

use crate::coverage::{Boundary, CoveragePoint, coverage, curve, interval_coverage};
use anyhow::{Result, bail, ensure};
use clap::Args;
use kiki_stats::match_error::IntervalMethod;
use kiki_stats::normal;
use serde_json::{Map, Value, json};

use kiki_plot::{AxisScale, ChartLine, CurveStyle, LineChart};
use kiki_run::numbers::table;
use kiki_run::{numbers, say};

const EXAMPLE: &str = "\
Example:
  kiki-lab coverage --multiplier 1.96 --plot coverage.svg

Lists take commas or blanks. First the probability that a win rate is observed within r standard errors of the true one; then the probability that the interval
which is printed around an observed one holds the true one. The lower envelope is the honest level.";

/// How often intervals of win rates hold the truth, exactly
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
    /// The curve goes from the first to the last of these numbers of games
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

/// Runs `coverage`.
///
/// # Errors
/// With the reason why it cannot be done.
pub fn run(arguments: &CoverageArgs) -> Result<()> {
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
    if arguments.json { numbers::print_json(&value(arguments, &curves)?) } else { print(arguments, &curves) }
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
    let over_games = |of: &dyn Fn(u64) -> kiki_stats::Result<f64>| -> Result<Value> {
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
        let minimum = curve.minimum();
        (
            curve.win_rate.to_string(),
            json!(minimum.map(|point| json!({ "games": point.games, "coverage": point.coverage }))),
        )
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
    let mut lines = vec![ChartLine {
        name: format!("nominal, {nominal:.4}"),
        points: ends.map(|games| (games, nominal)).to_vec(),
        style: CurveStyle::Dashed,
        color: 6,
    }];
    for (index, curve) in curves.iter().enumerate() {
        let along = |of: &dyn Fn(&CoveragePoint) -> f64| {
            curve.points.iter().map(|point| (point.games as f64, of(point))).collect::<Vec<_>>()
        };
        lines.push(ChartLine {
            name: String::new(),
            points: along(&|point| point.coverage),
            style: CurveStyle::Thin,
            color: index,
        });
        lines.push(ChartLine {
            name: format!("p = {}, lowest so far", curve.win_rate),
            points: along(&|point| point.running_minimum),
            style: CurveStyle::Solid,
            color: index,
        });
    }
    Ok(LineChart {
        title: format!("Probability of a win rate within {} standard errors", arguments.multiplier),
        x_label: "games".to_owned(),
        y_label: "probability".to_owned(),
        axis: AxisScale::Logarithmic,
        lines,
        y_range: None,
    })
}

//! `kiki-lab llr`: a sequential test of given counts, and how such a test behaves.

use std::cell::Cell;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use kiki_stats::sprt::{
    CountKind, Counts, OperatingPoint, Sprt, SprtSimulation, TruePlayer, operating_point, power_curve, remaining_games,
    simulate,
};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};

use kiki_contest::sprt::{
    CountedResults, SprtOptions, SprtSettings, decision_name, elo_lines, estimates_value, normalized,
};
use kiki_contest::standings::LEVEL;
use kiki_plot::{ChartLine, CurveStyle, LineChart};
use kiki_run::output::{json_or_reason, percent, signed, table};
use kiki_run::{output, say};

const EXAMPLE: &str = "\
Examples:
  kiki-lab llr 60,10,260,12,78 --elo0 0 --elo1 5
  kiki-lab llr 460,20,520 --elo1 20
  kiki-lab llr --elo1 20 --operating=-10,0,10,20,30 --plot operating.svg

Two counts are losses and wins, three losses, draws and wins, five pairs of games with 0, 1/2, 1, 3/2 and 2 points.";

/// The log-likelihood ratio of counts, and the operating characteristic of a test
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct LlrArgs {
    /// The counts, worst outcome first
    #[arg(value_delimiter = ',')]
    outcomes: Vec<u64>,
    #[command(flatten)]
    sprt: SprtOptions,
    /// The exact error rates and lengths of the test without draws, for these true differences in
    /// Elo
    #[arg(long, value_delimiter = ',', allow_negative_numbers = true, value_name = "ELO,..")]
    operating: Vec<f64>,
    /// Number of whole tests to simulate, at elo0 and at elo1
    #[arg(long, value_name = "TESTS")]
    simulate: Option<u64>,
    /// The share of draws in simulated games
    #[arg(long, default_value_t = 0.0)]
    draw_ratio: f64,
    /// The seed of the simulation
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the operating characteristic as SVG
    #[arg(long, value_name = "FILE", requires = "operating")]
    plot: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Number of games after which a simulated test ends undecided.
const MAX_GAMES: u64 = 10_000_000;

pub fn run(arguments: &LlrArgs) -> Result<()> {
    let settings = arguments.sprt.over(SprtOptions::default())?;
    let sprt = settings.sprt()?;
    let counts = counts(&arguments.outcomes)?;
    if let (Some(counts), Some(asked)) = (&counts, arguments.sprt.counts) {
        let is_pairs = matches!(counts, Counts::Pentanomial(_));
        let names = if is_pairs { "pairs" } else { "single games" };
        ensure!(
            is_pairs == (asked == CountedResults::Pentanomial),
            "--counts: {} counts are those of {names}; only --simulate has a choice",
            arguments.outcomes.len()
        );
    }
    let points = operating(&sprt, &arguments.operating)?;
    if let Some(path) = &arguments.plot {
        chart(&points)?.write(path)?;
    }
    if counts.is_none() && points.is_empty() && arguments.simulate.is_none() {
        bail!("give counts, --operating or --simulate");
    }
    let calibration = arguments.simulate.map(|tests| calibrate(arguments, &settings, &sprt, tests)).transpose()?;
    if arguments.json {
        let bounds = sprt.hypotheses.bounds();
        return output::print_json(&json!({
            "elo0": settings.elo0,
            "elo1": settings.elo1,
            "lower": bounds.lower,
            "upper": bounds.upper,
            "counts": counts.map(|counts| counts_value(&sprt, &counts)).transpose()?,
            "operating": points,
            "simulation": calibration,
        }));
    }
    if let Some(counts) = counts {
        print_counts(&sprt, &counts)?;
    }
    if !points.is_empty() {
        let rows = points.iter().map(|point| {
            let games = format!("{:.1}", point.expected_games);
            vec![signed(point.elo), percent(point.accept_h1), percent(point.accept_h0), games]
        });
        say!("{}", table(&["true Elo", "accepts H1", "accepts H0", "games expected"], rows));
    }
    let rows: Vec<_> = calibration.iter().flatten().map(SimulatedTests::row).collect();
    if !rows.is_empty() {
        say!("{}", table(&["simulated Elo", "tests", "accepted H1", "accepted H0", "mean games"], rows));
    }
    Ok(())
}

/// The exact operating points, computed in parallel, with a progress bar. Ctrl-C ends the program,
/// as nothing is written yet.
fn operating(sprt: &Sprt, elos: &[f64]) -> Result<Vec<OperatingPoint>> {
    /// Steps of the bar for each point.
    const STEPS: f64 = 1000.0;
    let bar = ProgressBar::new((STEPS * elos.len() as f64) as u64);
    let style = ProgressStyle::with_template("{elapsed_precise} {wide_bar} {percent} %, {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let point = |&elo: &f64| {
        let shown = Cell::new(0);
        let show = |part: f64| {
            let now = (STEPS * part) as u64;
            bar.inc(now.saturating_sub(shown.replace(now)));
        };
        let point = operating_point(sprt, elo, &show);
        show(1.0);
        point
    };
    let points = elos.par_iter().map(point).collect::<Result<Vec<_>, _>>();
    bar.finish_and_clear();
    Ok(points?)
}

fn counts(outcomes: &[u64]) -> Result<Option<Counts>> {
    Ok(Some(match *outcomes {
        [] => return Ok(None),
        [l, w] => Counts::Bernoulli([l, w]),
        [l, d, w] => Counts::Trinomial([l, d, w]),
        [ll, ld, middle, wd, ww] => Counts::Pentanomial([ll, ld, middle, wd, ww]),
        _ => bail!("{} counts: give 2 (L,W), 3 (L,D,W) or 5 (pairs by points)", outcomes.len()),
    }))
}

fn print_counts(sprt: &Sprt, counts: &Counts) -> Result<()> {
    let (llr, estimates) = (sprt.llr(counts)?, counts.estimates(LEVEL)?);
    let bounds = sprt.hypotheses.bounds();
    say!("LLR {llr:.4} ({:.4}, {:.4}): {}", bounds.lower, bounds.upper, decision_name(bounds.decide(llr)));
    say!("score {:.4}, variance {:.6}, {} games", estimates.score, estimates.variance, counts.games());
    say!("{}", elo_lines(&estimates, LEVEL));
    let normalized = normalized(&estimates).unwrap_or_else(|error| error.to_string());
    say!("normalized Elo {normalized}");
    match remaining_games(sprt, counts) {
        Ok(remaining) => say!("about {:.0} more games at this rate", remaining.games),
        Err(error) => say!("games to come: {error}"),
    }
    Ok(())
}

fn counts_value(sprt: &Sprt, counts: &Counts) -> Result<Value> {
    let llr = sprt.llr(counts)?;
    Ok(json!({
        "outcomes": counts.as_slice(),
        "games": counts.games(),
        "llr": llr,
        "llr_normal_approximation": json_or_reason(&sprt.llr_normal_approximation(counts), |llr| json!(llr)),
        "decision": decision_name(sprt.hypotheses.bounds().decide(llr)),
        "estimates": json_or_reason(&counts.estimates(LEVEL), estimates_value),
        "remaining": json_or_reason(&remaining_games(sprt, counts), |remaining| json!(remaining)),
    }))
}

#[derive(Serialize)]
struct SimulatedTests {
    elo: f64,
    #[serde(flatten)]
    tests: SprtSimulation,
}

impl SimulatedTests {
    fn row(&self) -> Vec<String> {
        let share = |count: u64| percent(count as f64 / self.tests.replicates as f64);
        vec![
            signed(self.elo),
            self.tests.replicates.to_string(),
            share(self.tests.accepted_h1),
            share(self.tests.accepted_h0),
            format!("{:.1}", self.tests.mean_games),
        ]
    }
}

/// Simulates tests of two players, one as strong as H0 says and one as H1 says.
fn calibrate(arguments: &LlrArgs, settings: &SprtSettings, sprt: &Sprt, tests: u64) -> Result<[SimulatedTests; 2]> {
    let kind = match (settings.kind(), arguments.draw_ratio) {
        (CountKind::Trinomial, 0.0) => CountKind::Bernoulli,
        (kind, _) => kind,
    };
    let simulated = |elo: f64| -> Result<SimulatedTests> {
        let player = TruePlayer::new(sprt.model, elo, arguments.draw_ratio).context("a player")?;
        Ok(SimulatedTests { elo, tests: simulate(sprt, &player, kind, MAX_GAMES, tests, arguments.seed)? })
    };
    Ok([simulated(settings.elo0)?, simulated(settings.elo1)?])
}

fn chart(points: &[OperatingPoint]) -> Result<LineChart> {
    /// Points of the curve: enough to look smooth.
    const STEPS: usize = 200;
    let exact = points.iter().map(|point| (point.elo, point.accept_h1)).collect();
    let between = power_curve(points, STEPS).context("--plot")?;
    Ok(LineChart {
        y_range: Some((0.0, 1.0)),
        ..LineChart::new(
            "How the test decides",
            "true difference in Elo",
            "probability that H1 is accepted",
            vec![
                ChartLine::new("interpolated", between, CurveStyle::Solid, 0),
                ChartLine::new("exact", exact, CurveStyle::Dots, 0),
            ],
        )
    })
}

//! Pictures of a contest of two engines: the estimate and the sequential test over the games.

use std::path::Path;

use anyhow::Result;
use kiki_stats::sprt::{CountKind, Counts};

use super::sprt_run::SprtRun;
use super::standings::{LEVEL, Standings};
use kiki_plot::{AxisScale, ChartLine, CurveStyle, LineChart};

/// Most points of a curve.
const MAX_POINTS: usize = 1000;

/// Writes `elo.svg`, and `llr.svg` if there is a test. Nothing for more than two engines, or before the second pair of games.
pub(super) fn write(folder: &Path, standings: &Standings, sprt: Option<&SprtRun>) -> Result<()> {
    let (points, low, high) = curves(standings);
    if standings.names().len() != 2 || points.len() < 2 {
        return Ok(());
    }
    let (first, second) = (&standings.names()[0], &standings.names()[1]);
    let line = |name: &str, points, style| ChartLine { name: name.to_owned(), points, style, color: 0 };
    let interval = format!("{} % interval", 100.0 * LEVEL);
    let chart = LineChart {
        title: format!("{first} against {second}"),
        x_label: "games".to_owned(),
        y_label: "Elo".to_owned(),
        axis: AxisScale::Linear,
        lines: vec![
            line(&interval, low.into_iter().chain(high.into_iter().rev()).collect(), CurveStyle::Area),
            line("estimate", points, CurveStyle::Solid),
        ],
        y_range: None,
    };
    chart.write(&folder.join("elo.svg"))?;
    sprt.map_or(Ok(()), |sprt| llr(folder, sprt))
}

type Points = Vec<(f64, f64)>;

/// The estimate after every pair of games, and the ends of its interval.
fn curves(standings: &Standings) -> (Points, Points, Points) {
    let mut counts = Counts::empty(CountKind::Pentanomial);
    let (mut points, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new());
    let step = every(standings.played() / 2);
    for pair in 0.. {
        let Some([first, second]) = standings.pair(pair) else { break };
        counts.record(first + second);
        let shown = (pair + 1).is_multiple_of(step) || standings.pair(pair + 1).is_none();
        let estimates = if shown { counts.estimates(LEVEL).ok() } else { None };
        // The intervals of the first pairs are so wide that they would dwarf all others.
        let (Some(estimates), true) = (estimates, pair >= 4) else { continue };
        let ends = estimates.elo_interval;
        let games = counts.games() as f64;
        points.push((games, estimates.elo));
        low.push((games, ends.low));
        high.push((games, ends.high));
    }
    let finite = |(points, ends): (&(f64, f64), &(f64, f64))| points.1.is_finite() && ends.1.is_finite();
    let kept: Vec<usize> =
        (0..points.len()).filter(|&at| finite((&points[at], &low[at])) && finite((&low[at], &high[at]))).collect();
    let keep = |all: &Points| kept.iter().map(|&at| all[at]).collect::<Points>();
    (keep(&points), keep(&low), keep(&high))
}

fn every(points: usize) -> usize {
    points.div_ceil(MAX_POINTS).max(1)
}

fn llr(folder: &Path, sprt: &SprtRun) -> Result<()> {
    let pairs = sprt.llrs.len();
    let step = every(pairs);
    let shown = sprt.llrs.iter().enumerate().filter(|(pair, _)| (pair + 1).is_multiple_of(step) || pair + 1 == pairs);
    let llrs = shown.map(|(pair, &llr)| (2.0 * (pair + 1) as f64, llr)).collect();
    let bounds = sprt.bounds();
    let level = |llr: f64| vec![(0.0, llr), (2.0 * pairs as f64, llr)];
    let (elo0, elo1) = (sprt.settings.elo0, sprt.settings.elo1);
    let chart = LineChart {
        title: format!("Sequential test of {elo0} against {elo1} Elo"),
        x_label: "games".to_owned(),
        y_label: "log-likelihood ratio".to_owned(),
        axis: AxisScale::Linear,
        lines: vec![
            ChartLine { name: "log-likelihood ratio".to_owned(), points: llrs, style: CurveStyle::Solid, color: 0 },
            ChartLine {
                name: format!("accept H1: {elo1} Elo"),
                points: level(bounds.upper),
                style: CurveStyle::Dashed,
                color: 2,
            },
            ChartLine {
                name: format!("accept H0: {elo0} Elo"),
                points: level(bounds.lower),
                style: CurveStyle::Dashed,
                color: 1,
            },
        ],
        y_range: None,
    };
    chart.write(&folder.join("llr.svg"))
}

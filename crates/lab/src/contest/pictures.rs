//! Pictures of a contest of two engines: how the estimate and the test came to where they are.

use std::path::Path;

use anyhow::Result;
use kiki_stats::sprt::{Counts, Kind};

use super::standings::{LEVEL, Standings};
use super::trial::Trial;
use crate::plot::{Axis, Line, LineChart, Style};

/// As many points as a picture can show.
const MOST_POINTS: usize = 1000;

/// Writes `elo.svg`, and `llr.svg` if there is a test. Nothing for more than two engines, or before the second pair of games.
pub(super) fn write(folder: &Path, standings: &Standings, trial: Option<&Trial>) -> Result<()> {
    let (points, low, high) = course(standings);
    if standings.names().len() != 2 || points.len() < 2 {
        return Ok(());
    }
    let (first, second) = (&standings.names()[0], &standings.names()[1]);
    let line = |name: &str, points, style| Line { name: name.to_owned(), points, style, color: 0 };
    let interval = format!("{} % interval", 100.0 * LEVEL);
    let chart = LineChart {
        title: format!("{first} against {second}"),
        x_label: "games".to_owned(),
        y_label: "Elo".to_owned(),
        axis: Axis::Linear,
        lines: vec![
            line(&interval, low.into_iter().chain(high.into_iter().rev()).collect(), Style::Area),
            line("estimate", points, Style::Solid),
        ],
        y_range: None,
    };
    chart.write(&folder.join("elo.svg"))?;
    trial.map_or(Ok(()), |trial| llr(folder, trial))
}

type Points = Vec<(f64, f64)>;

/// The estimate after every pair of games, and the ends of its interval.
fn course(standings: &Standings) -> (Points, Points, Points) {
    let mut counts = Counts::empty(Kind::Pentanomial);
    let (mut points, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new());
    let step = every(standings.played() / 2);
    for pair in 0.. {
        let Some([first, second]) = standings.pair(pair) else { break };
        counts.record(first + second);
        let shown = (pair + 1).is_multiple_of(step) || standings.pair(pair + 1).is_none();
        let estimates = if shown { counts.estimates(LEVEL).ok() } else { None };
        // The first pairs alone tell nothing, and their intervals would dwarf all others.
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
    points.div_ceil(MOST_POINTS).max(1)
}

fn llr(folder: &Path, trial: &Trial) -> Result<()> {
    let pairs = trial.trace.len();
    let step = every(pairs);
    let shown = trial.trace.iter().enumerate().filter(|(pair, _)| (pair + 1).is_multiple_of(step) || pair + 1 == pairs);
    let trace = shown.map(|(pair, &llr)| (2.0 * (pair + 1) as f64, llr)).collect();
    let bounds = trial.bounds();
    let level = |llr: f64| vec![(0.0, llr), (2.0 * pairs as f64, llr)];
    let (elo0, elo1) = (trial.settings.elo0, trial.settings.elo1);
    let chart = LineChart {
        title: format!("Sequential test of {elo0} against {elo1} Elo"),
        x_label: "games".to_owned(),
        y_label: "log-likelihood ratio".to_owned(),
        axis: Axis::Linear,
        lines: vec![
            Line { name: "log-likelihood ratio".to_owned(), points: trace, style: Style::Solid, color: 0 },
            Line {
                name: format!("accept H1: {elo1} Elo"),
                points: level(bounds.upper),
                style: Style::Dashed,
                color: 2,
            },
            Line {
                name: format!("accept H0: {elo0} Elo"),
                points: level(bounds.lower),
                style: Style::Dashed,
                color: 1,
            },
        ],
        y_range: None,
    };
    chart.write(&folder.join("llr.svg"))
}

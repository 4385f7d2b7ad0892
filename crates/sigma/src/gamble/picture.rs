//! Values against their sigma.

use std::path::Path;

use anyhow::Result;
use kiki_search::Chance;
use kiki_stats::normal::quantile;

use super::duel::Duel;
use kiki_plot::{AxisScale, ChartLine, CurveStyle, LineChart};

/// The probabilities that lines are drawn for.
const PROBABILITIES: [f64; 5] = [0.05, 0.2, 0.5, 0.8, 0.95];

/// Draws each best move and each gambling move of a rule that differs from it as a point, and lines of equal probability through them.
/// `rest_of_game` is the rule: what the rest of the game is taken to add to sigma, in centipawns.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn write<'a>(duels: impl Iterator<Item = &'a Duel>, rest_of_game: f64, path: &Path) -> Result<()> {
    let (mut best, mut gamble) = (Vec::new(), Vec::new());
    for duel in duels {
        best.extend(point(&duel.lines[0]));
        let place = duel.chosen(rest_of_game);
        gamble.extend((place > 0).then(|| point(&duel.lines[place])).flatten());
    }
    let widest = best.iter().chain(&gamble).map(|point| point.0).fold(0.0, f64::max);
    let mut lines: Vec<ChartLine> =
        PROBABILITIES.into_iter().map(|probability| equal(probability, widest)).collect::<Result<_>>()?;
    let dots = |name: &str, points, color| ChartLine { name: name.to_owned(), points, style: CurveStyle::Dots, color };
    lines.extend([dots("best move", best, 0), dots("gambling move", gamble, 1)]);
    LineChart {
        title: "Values and their sigma; on a line the probability of turning out well is the same".to_owned(),
        x_label: "sigma in centipawns".to_owned(),
        y_label: "value in centipawns".to_owned(),
        axis: AxisScale::Linear,
        lines,
        y_range: None,
    }
    .write(path)
}

/// Sigma and value; none for what has no sigma.
fn point(chance: &Chance) -> Option<(f64, f64)> {
    Some((f64::from(chance.sigma?), f64::from(chance.score.centipawns())))
}

/// From sigma 0 to the widest one.
fn equal(probability: f64, widest: f64) -> Result<ChartLine> {
    let slope = quantile(probability)?;
    Ok(ChartLine {
        name: format!("probability {probability}"),
        points: vec![(0.0, 0.0), (widest, slope * widest)],
        style: CurveStyle::Dashed,
        color: 2,
    })
}

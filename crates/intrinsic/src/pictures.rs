//! Intrinsic ratings as pictures.

use std::path::Path;

use crate::model::percentile_curve;
use anyhow::Result;

use super::players::{PlayerRating, Scale};
use kiki_plot::{AxisScale, BLACK, ChartLine, CurveStyle, LineChart};

/// Writes `percentiles.svg`, and `ratings.svg` if there are players of known rating.
///
/// # Errors
/// If a file cannot be written.
pub(crate) fn write_pictures(
    folder: &Path,
    players: &[PlayerRating],
    known: &[(f64, f64)],
    scale: &Scale,
) -> Result<()> {
    percentiles(players).write(&folder.join("percentiles.svg"))?;
    if let Scale::Fitted(_) = scale {
        ratings(known, scale).write(&folder.join("ratings.svg"))?;
    }
    Ok(())
}

/// The share of positions in which a move of the best q of the model's probability was played, over q.
fn percentiles(players: &[PlayerRating]) -> LineChart {
    let curve = |(index, player): (usize, &PlayerRating)| {
        let model = player.fit.as_ref().ok()?.model;
        let points = percentile_curve(&model, &player.moves.choices);
        Some(ChartLine { name: player.moves.name.clone(), points, style: CurveStyle::Solid, color: index })
    };
    let mut lines: Vec<ChartLine> = players.iter().enumerate().filter_map(curve).collect();
    let diagonal = vec![(0.0, 0.0), (1.0, 1.0)];
    lines.push(ChartLine {
        name: "a right model".to_owned(),
        points: diagonal,
        style: CurveStyle::Dashed,
        color: BLACK,
    });
    LineChart {
        title: "Percentiles of the moves that were played".to_owned(),
        x_label: "q, a share of the model's probability".to_owned(),
        y_label: "share of positions with a move of the best q".to_owned(),
        axis: AxisScale::Linear,
        lines,
        y_range: Some((0.0, 1.0)),
    }
}

fn ratings(known: &[(f64, f64)], scale: &Scale) -> LineChart {
    let errors = || known.iter().map(|point| point.0);
    let ends = [errors().fold(f64::INFINITY, f64::min), errors().fold(f64::NEG_INFINITY, f64::max)];
    let line = scale.line();
    let points = ends.map(|error| (error, line.rating(error))).to_vec();
    LineChart {
        title: "Ratings and mean errors".to_owned(),
        x_label: "mean scaled error".to_owned(),
        y_label: "Elo".to_owned(),
        axis: AxisScale::Linear,
        lines: vec![
            ChartLine { name: "players".to_owned(), points: known.to_vec(), style: CurveStyle::Dots, color: 0 },
            ChartLine { name: "least squares".to_owned(), points, style: CurveStyle::Solid, color: 1 },
        ],
        y_range: None,
    }
}

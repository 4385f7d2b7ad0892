//! Lengths, the model and the gamma distribution in one picture.

use std::path::Path;

use crate::game_length::{GameLengthModel, GammaLength, WeightedLength};
use anyhow::Result;

use kiki_plot::{AxisScale, ChartLine, CurveStyle, LineChart};

/// How many plies the bars are wide.
const WIDTH: u32 = 5;

/// Draws the shares of games by their length: those played (or simulated), those of the model and of the gamma distribution.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn write(
    path: &Path,
    title: &str,
    (name, games): (&str, &[WeightedLength]),
    model: &GameLengthModel,
    gamma: &GammaLength,
) -> Result<()> {
    let moments = model.moments();
    let longest = (moments.mean + 5.0 * moments.deviation()).max(50.0) as u32 / WIDTH * WIDTH;
    let distribution = model.distribution();
    let share = |cdf: &dyn Fn(f64) -> f64| -> Vec<(f64, f64)> {
        // The share of all lengths that a bar around this one has.
        let half = f64::from(WIDTH) / 2.0;
        (0..=longest).map(f64::from).map(|plies| (plies, cdf(plies + half) - cdf(plies - half))).collect()
    };
    let line = |name: &str, points, style, color| ChartLine { name: name.to_owned(), points, style, color };
    LineChart {
        title: title.to_owned(),
        x_label: "plies".to_owned(),
        y_label: format!("share of games, {WIDTH} plies each"),
        axis: AxisScale::Linear,
        lines: vec![
            line(name, bars(games, longest), CurveStyle::Area, 0),
            line("random walk and other plies", share(&|plies| distribution.cdf(plies)), CurveStyle::Solid, 1),
            line("gamma distribution", share(&|plies| gamma.cdf(plies)), CurveStyle::Dashed, 2),
        ],
        y_range: None,
    }
    .write(path)
}

/// The outline of a histogram.
fn bars(games: &[WeightedLength], longest: u32) -> Vec<(f64, f64)> {
    let mut counts = vec![0.0; (longest / WIDTH) as usize];
    let mut sum = 0.0;
    for game in games {
        sum += game.weight;
        // A length of so many plies stands in the middle of its own.
        let place = (game.plies + 0.5) / f64::from(WIDTH);
        if place >= 0.0
            && let Some(count) = counts.get_mut(place as usize)
        {
            *count += game.weight;
        }
    }
    let mut outline = vec![(0.0, 0.0)];
    for (index, count) in counts.iter().enumerate() {
        let left = index as f64 * f64::from(WIDTH) - 0.5;
        outline.extend([(left, count / sum), (left + f64::from(WIDTH), count / sum)]);
    }
    outline.push((f64::from(longest), 0.0));
    outline
}

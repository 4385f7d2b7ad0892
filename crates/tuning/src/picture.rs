//! The picture of a tuning: the distance of each parameter from its start, in its own steps, over the updates.

use std::path::Path;

use anyhow::Result;

use super::settings::TuningSettings;
use kiki_plot::{AxisScale, ChartLine, CurveStyle, LineChart};

/// Most points of a curve.
const MAX_POINTS: u64 = 150;
/// Most curves that are named in the legend.
const MAX_NAMED: usize = 6;

/// The distances of all parameters over the updates.
pub(super) struct ParameterCurves {
    starts: Vec<(String, f64, f64)>,
    points: Vec<Vec<(f64, f64)>>,
    every: u64,
}

impl ParameterCurves {
    pub(super) fn new(settings: &TuningSettings) -> Self {
        let starts: Vec<_> = settings
            .parameters
            .iter()
            .map(|(name, range)| (name.clone(), f64::from(range.start), range.step))
            .collect();
        let points = vec![vec![(0.0, 0.0)]; starts.len()];
        Self { starts, points, every: settings.updates.div_ceil(MAX_POINTS).max(1) }
    }

    /// Adds the values after so many updates.
    pub(super) fn add(&mut self, updates: u64, values: &[f64]) {
        if updates.is_multiple_of(self.every) {
            for (points, ((_, start, step), value)) in self.points.iter_mut().zip(self.starts.iter().zip(values)) {
                points.push((updates as f64, (value - start) / step));
            }
        }
    }

    /// Writes the picture. The parameters that went farthest are named.
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let distance = |index: usize| self.points[index].last().map_or(0.0, |point| point.1.abs());
        let mut order: Vec<usize> = (0..self.points.len()).collect();
        order.sort_by(|&one, &other| distance(other).total_cmp(&distance(one)));
        let line = |(rank, &index): (usize, &usize)| {
            let named = rank < MAX_NAMED;
            ChartLine {
                name: if named { self.starts[index].0.clone() } else { String::new() },
                points: self.points[index].clone(),
                style: if named { CurveStyle::Solid } else { CurveStyle::Thin },
                color: rank.min(MAX_NAMED),
            }
        };
        let mut lines: Vec<ChartLine> = order.iter().enumerate().map(line).collect();
        // The named ones are drawn over the others.
        lines.reverse();
        LineChart {
            title: "parameters found by self-play".to_owned(),
            x_label: "updates of two games".to_owned(),
            y_label: "steps from the start".to_owned(),
            axis: AxisScale::Linear,
            lines,
            y_range: None,
        }
        .write(path)
    }
}

//! Charts of values with error bars, and histograms.

use std::path::Path;

use anyhow::Result;
use plotters::prelude::*;

use super::canvas::{axes, draw, frame, name_beside, range};
use super::legend::{LegendEntry, LegendMark};
use super::style::{SIZE, color, failed};

#[derive(Clone, Debug)]
pub struct ErrorBar {
    /// The text beside the bar.
    pub name: String,
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// Draws values one below the other, the first at the top.
pub fn error_bars(path: &Path, title: &str, x_label: &str, bars: &[ErrorBar]) -> Result<()> {
    let height = 130 + 26 * bars.len() as u32;
    let longest = bars.iter().map(|bar| bar.name.chars().count()).max().unwrap_or(0) as u32;
    draw(path, height, &[], |area| {
        let (low, high) = range(bars.iter().flat_map(|bar| [bar.low, bar.high, bar.value]));
        let mut chart = frame(area, title)
            .y_label_area_size((24 + 8 * longest).clamp(60, SIZE.0 / 3))
            .build_cartesian_2d(low..high, (bars.len() as f64 - 0.5)..-0.5)
            .map_err(failed)?;
        // Names are drawn for each bar below: labels of the axis would not line up with the bars.
        axes(&mut chart, x_label, None)?;
        let ink = color(0);
        for (index, bar) in bars.iter().enumerate() {
            let y = index as f64;
            let ends = [bar.low.max(low), bar.high.min(high)];
            chart.draw_series([PathElement::new(ends.map(|x| (x, y)), ink.stroke_width(2))]).map_err(failed)?;
            let caps = ends.map(|x| PathElement::new([(x, y - 0.16), (x, y + 0.16)], ink.stroke_width(2)));
            chart.draw_series(caps).map_err(failed)?;
            chart.draw_series([Circle::new((bar.value, y), 4, ink.filled())]).map_err(failed)?;
            let place = chart.backend_coord(&(low, y));
            name_beside(area, &bar.name, place)?;
        }
        Ok(())
    })
}

/// A histogram with a normal distribution to compare it with.
#[derive(Clone, Debug)]
pub struct Histogram<'a> {
    pub title: String,
    pub x_label: String,
    pub y_label: String,
    pub values: &'a [f64],
    /// The name, mean and standard deviation of a normal distribution.
    pub normal: (String, f64, f64),
}

pub fn histogram(path: &Path, plot: &Histogram<'_>) -> Result<()> {
    let (low, high) = range(plot.values.iter().copied());
    let bins = (plot.values.len() as f64).sqrt().clamp(8.0, 60.0) as usize;
    let width = (high - low) / bins as f64;
    let mut counts = vec![0_usize; bins];
    for value in plot.values {
        counts[(((value - low) / width) as usize).min(bins - 1)] += 1;
    }
    let (name, mean, deviation) = &plot.normal;
    let expected = |x: f64| {
        let z = (x - mean) / deviation;
        plot.values.len() as f64 * width * (-z * z / 2.0).exp() / (deviation * std::f64::consts::TAU.sqrt())
    };
    let tallest = counts.iter().copied().max().unwrap_or(1) as f64;
    let legend = [LegendEntry { name: name.clone(), mark: LegendMark::Line, color: color(1) }];
    draw(path, SIZE.1, &legend, |area| {
        let mut chart = frame(area, &plot.title)
            .build_cartesian_2d(low..high, 0.0..1.1 * tallest.max(expected(*mean)))
            .map_err(failed)?;
        axes(&mut chart, &plot.x_label, Some(&plot.y_label))?;
        let bars = counts.iter().enumerate().map(|(index, &count)| {
            let left = low + width * index as f64;
            Rectangle::new([(left, 0.0), (left + 0.94 * width, count as f64)], color(0).mix(0.5).filled())
        });
        chart.draw_series(bars).map_err(failed)?;
        let curve = (0..=200).map(|step| low + (high - low) * f64::from(step) / 200.0).map(|x| (x, expected(x)));
        chart.draw_series(LineSeries::new(curve, color(1).stroke_width(2))).map_err(failed)?;
        Ok(())
    })
}

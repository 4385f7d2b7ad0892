//! Curves over one axis.

use std::path::Path;

use anyhow::Result;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::canvas::{Chart, axes, draw, frame, range};
use super::legend::{LegendEntry, LegendMark};
use super::style::{Area, FONT, INK, LABEL_SIZE, SIZE, color, failed};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CurveStyle {
    Solid,
    Thin,
    Dashed,
    /// Points that are not joined.
    Dots,
    /// Dots with the curve's name beside each, and not in the legend.
    NamedDots,
    Crosses,
    /// The points are the outline of an area.
    Area,
}

/// A curve. Points that are not finite are left out.
#[derive(Clone, Debug)]
pub struct ChartLine {
    /// In the legend; none if empty.
    pub name: String,
    pub points: Vec<(f64, f64)>,
    pub style: CurveStyle,
    /// Curves with the same number have the same colour.
    pub color: usize,
}

impl ChartLine {
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>, style: CurveStyle, color: usize) -> Self {
        Self { name: name.into(), points, style, color }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AxisScale {
    Linear,
    Logarithmic,
}

#[derive(Clone, Debug)]
pub struct LineChart {
    pub title: String,
    pub x_label: String,
    pub y_label: String,
    /// The scale of the horizontal axis.
    pub axis: AxisScale,
    pub lines: Vec<ChartLine>,
    /// The vertical range; all points if there is none.
    pub y_range: Option<(f64, f64)>,
}

impl LineChart {
    /// A chart with a linear axis, as high as its lines.
    pub fn new(
        title: impl Into<String>,
        x_label: impl Into<String>,
        y_label: impl Into<String>,
        lines: Vec<ChartLine>,
    ) -> Self {
        let (title, x_label, y_label) = (title.into(), x_label.into(), y_label.into());
        Self { title, x_label, y_label, axis: AxisScale::Linear, lines, y_range: None }
    }

    /// Writes the picture as SVG.
    pub fn write(&self, path: &Path) -> Result<()> {
        draw(path, SIZE.1, &self.legend(), |area| match self.axis {
            AxisScale::Linear => {
                let (low, high) = self.x_range();
                self.paint(area, low..high)
            }
            AxisScale::Logarithmic => {
                let (low, high) = self.x_range();
                self.paint(area, (low.max(f64::MIN_POSITIVE)..high).log_scale())
            }
        })
    }

    fn legend(&self) -> Vec<LegendEntry> {
        let named = self.lines.iter().filter(|line| !line.name.is_empty() && line.style != CurveStyle::NamedDots);
        let entry = |line: &ChartLine| {
            let mark = match line.style {
                CurveStyle::Solid | CurveStyle::Thin => LegendMark::Line,
                CurveStyle::Dashed => LegendMark::Dashes,
                CurveStyle::Dots | CurveStyle::NamedDots => LegendMark::Dot,
                CurveStyle::Crosses => LegendMark::Cross,
                CurveStyle::Area => LegendMark::Area,
            };
            LegendEntry { name: line.name.clone(), mark, color: color(line.color) }
        };
        named.map(entry).collect()
    }

    fn x_range(&self) -> (f64, f64) {
        let values = || self.points().map(|(x, _)| x);
        let (low, high) = (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max));
        match self.axis {
            _ if low < high => (low, high),
            // All points are at one place.
            AxisScale::Linear if low > 0.0 && low == high => (0.0, 1.25 * high),
            _ => range(values()),
        }
    }

    fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        let finite = |point: &&(f64, f64)| point.0.is_finite() && point.1.is_finite();
        self.lines.iter().flat_map(move |line| line.points.iter().filter(finite).copied())
    }

    fn paint<X>(&self, area: &Area<'_>, x: X) -> Result<()>
    where
        X: AsRangedCoord<Value = f64>,
        X::CoordDescType: ValueFormatter<f64> + Ranged<ValueType = f64>,
    {
        let (low, high) = self.y_range.unwrap_or_else(|| range(self.points().map(|(_, y)| y)));
        let mut chart = frame(area, &self.title).build_cartesian_2d(x, low..high).map_err(failed)?;
        axes(&mut chart, &self.x_label, Some(&self.y_label))?;
        for line in &self.lines {
            if line.style == CurveStyle::Area { fill(&mut chart, line)? } else { curve(&mut chart, line)? }
        }
        Ok(())
    }
}

fn curve<X: Ranged<ValueType = f64>>(chart: &mut Chart<'_, '_, X>, line: &ChartLine) -> Result<()> {
    let ink = color(line.color);
    let width = if matches!(line.style, CurveStyle::Solid | CurveStyle::Crosses) { 2 } else { 1 };
    let shape = ink.stroke_width(width);
    let finite = |(x, y): &(f64, f64)| x.is_finite() && y.is_finite();
    let points = line.points.iter().copied().filter(finite);
    // No line can be seen through a single point.
    let is_alone =
        points.clone().count() == 1 && line.style != CurveStyle::NamedDots && line.style != CurveStyle::Crosses;
    match line.style {
        _ if is_alone => chart.draw_series(points.map(|point| Circle::new(point, 4, ink.filled()))),
        CurveStyle::Dashed => chart.draw_series(DashedLineSeries::new(points, 6, 4, shape)),
        CurveStyle::Dots => chart.draw_series(points.map(|point| Circle::new(point, 4, ink.filled()))),
        CurveStyle::NamedDots => {
            let range = chart.x_range();
            let (left, right) = (chart.backend_coord(&(range.start, 0.0)).0, chart.backend_coord(&(range.end, 0.0)).0);
            let named: Vec<_> = points
                .map(|point| {
                    // Names stay within the picture.
                    let is_left = 2 * chart.backend_coord(&point).0 < left + right;
                    let (side, place) = if is_left { (8, HPos::Left) } else { (-8, HPos::Right) };
                    let font = TextStyle::from((FONT, LABEL_SIZE).into_font()).color(&INK);
                    let name = Text::new(line.name.clone(), (side, 0), font.pos(Pos::new(place, VPos::Center)));
                    EmptyElement::at(point) + Circle::new((0, 0), 4, ink.filled()) + name
                })
                .collect();
            chart.draw_series(named)
        }
        CurveStyle::Crosses => chart.draw_series(points.map(|point| Cross::new(point, 5, shape))),
        CurveStyle::Solid | CurveStyle::Thin | CurveStyle::Area => chart.draw_series(LineSeries::new(points, shape)),
    }
    .map_err(failed)?;
    Ok(())
}

fn fill<X: Ranged<ValueType = f64>>(chart: &mut Chart<'_, '_, X>, line: &ChartLine) -> Result<()> {
    let ink = color(line.color).mix(0.18);
    chart.draw_series([Polygon::new(line.points.clone(), ink)]).map_err(failed)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_point_is_a_dot_right_of_0() {
        let line = |points| ChartLine::new("loss", points, CurveStyle::Solid, 0);
        let chart = |points| LineChart::new("training", "million positions", "nats", vec![line(points)]);
        let one = chart(vec![(0.2, 0.5), (f64::NAN, 0.5)]);
        assert_eq!(one.x_range(), (0.0, 0.25));
        let folder = tempfile::tempdir().unwrap();
        let dots = |chart: &LineChart| {
            let path = folder.path().join("picture.svg");
            chart.write(&path).unwrap();
            std::fs::read_to_string(path).unwrap().matches("<circle").count()
        };
        assert_eq!(dots(&one), 1);
        let two = chart(vec![(1.0, 0.5), (2.0, 0.4)]);
        assert_eq!((dots(&two), two.x_range()), (0, (1.0, 2.0)));
    }
}

//! The canvas of a picture: title, axes, and the legend below.

use std::path::Path;

use anyhow::Result;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::legend::{self, LegendEntry};
use super::style::{Area, FONT, GRID, INK, LABEL_SIZE, SIZE, TITLE_SIZE, failed};
use kiki_run::files::write_atomically;

/// Draws a picture with a legend below and writes it. `height` is in pixels, without the legend.
pub(super) fn draw(
    path: &Path,
    height: u32,
    entries: &[LegendEntry],
    paint: impl FnOnce(&Area<'_>) -> Result<()>,
) -> Result<()> {
    let mut text = String::new();
    {
        let size = (SIZE.0, height + legend::height(entries));
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        let (picture, below) = area.split_vertically(height);
        paint(&picture)?;
        legend::draw(&below, entries)?;
        area.present().map_err(failed)?;
    }
    write_atomically(path, text.as_bytes())
}

/// A chart with a linear vertical axis.
pub(super) type Chart<'a, 'b, X> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<X, RangedCoordf64>>;

/// The frame that all charts share: title and margins.
pub(super) fn frame<'a, 'b>(area: &'a Area<'b>, title: &str) -> ChartBuilder<'a, 'b, SVGBackend<'b>> {
    let mut builder = ChartBuilder::on(area);
    builder
        .caption(title, (FONT, TITLE_SIZE).into_font().color(&INK))
        .margin(16)
        .margin_right(30)
        .x_label_area_size(44)
        .y_label_area_size(66);
    builder
}

/// Draws the axes. Without a `y_label` there is no vertical scale.
pub(super) fn axes<X>(chart: &mut Chart<'_, '_, X>, x_label: &str, y_label: Option<&str>) -> Result<()>
where
    X: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    let mut mesh = chart.configure_mesh();
    mesh.light_line_style(WHITE)
        .bold_line_style(GRID)
        .axis_style(INK)
        .x_label_formatter(&tick)
        .y_label_formatter(&tick)
        .x_desc(x_label)
        .label_style((FONT, LABEL_SIZE).into_font().color(&INK));
    match y_label {
        Some(label) => mesh.y_desc(label),
        None => mesh.disable_y_mesh().y_labels(0),
    };
    mesh.draw().map_err(failed)
}

/// Writes a name to the left of a place on the vertical axis.
pub(super) fn name_beside(area: &Area<'_>, name: &str, place: (i32, i32)) -> Result<()> {
    let style = TextStyle::from((FONT, LABEL_SIZE).into_font()).color(&INK).pos(Pos::new(HPos::Right, VPos::Center));
    area.draw_text(name, &style, (place.0 - 8, place.1)).map_err(failed)
}

/// Writes the title of a picture without axes.
pub(super) fn title(area: &Area<'_>, text: &str) -> Result<()> {
    let style = TextStyle::from((FONT, TITLE_SIZE).into_font()).color(&INK).pos(Pos::new(HPos::Center, VPos::Top));
    area.draw_text(text, &style, (SIZE.0 as i32 / 2, 16)).map_err(failed)
}

/// A number on an axis, without trailing zeros.
fn tick(value: &f64) -> String {
    // Ticks are round numbers: digits after the ninth decimal are rounding errors of sums.
    let rounded = (value * 1e9).round() / 1e9;
    format!("{}", if rounded == 0.0 { 0.0 } else { rounded })
}

/// The range of the finite values with a margin; never empty.
pub(super) fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .filter(|value| value.is_finite())
        .fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
    if low > high {
        return (0.0, 1.0);
    }
    let room = if high > low { 0.05 * (high - low) } else { 1.0 };
    (low - room, high + room)
}

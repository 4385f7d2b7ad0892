//! Values as bars, grouped by name for comparison.

use std::path::Path;

use anyhow::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::canvas::{Chart, axes, draw, frame, name_beside};
use super::legend::{LegendEntry, LegendMark};
use super::style::{Area, FONT, INK, LABEL_SIZE, color, failed};

/// Thickness of a bar in pixels; `HEADING` and `GAP` are in bars.
const BAR: u32 = 15;
const HEADING: f64 = 2.0;
const GAP: f64 = 0.7;
/// Room for the text at the end of the longest bar, as a share of the axis.
const TEXT_ROOM: f64 = 0.17;

#[derive(Clone, Debug)]
pub struct ValueBars {
    pub title: String,
    pub x_label: String,
    /// Names of the bars of each group, for the legend.
    pub names: Vec<String>,
    /// The sections, from the top.
    pub sections: Vec<BarSection>,
}

#[derive(Clone, Debug)]
pub struct BarSection {
    pub title: String,
    pub groups: Vec<BarGroup>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct BarGroup {
    pub name: String,
    /// The value of each bar and the text at its end.
    pub bars: Vec<(f64, String)>,
}

impl ValueBars {
    /// Writes the picture as SVG.
    pub fn write(&self, path: &Path) -> Result<()> {
        let groups: Vec<&BarGroup> = self.sections.iter().flat_map(|section| &section.groups).collect();
        let bars = groups.iter().map(|group| group.bars.len() as f64 + GAP).sum::<f64>();
        let units = bars + HEADING * self.sections.len() as f64;
        let values = || groups.iter().flat_map(|group| group.bars.iter().map(|bar| bar.0));
        let (low, most) = (values().fold(0.0, f64::min), values().fold(1.0, f64::max));
        let high = most + TEXT_ROOM * (most - low);
        draw(path, 110 + (units * f64::from(BAR)) as u32, &self.legend(), |area| {
            let longest = groups.iter().map(|group| group.name.chars().count()).max().unwrap_or(0) as u32;
            let mut chart = frame(area, &self.title)
                .y_label_area_size(24 + 8 * longest)
                .build_cartesian_2d(low..high, units..0.0)
                .map_err(failed)?;
            axes(&mut chart, &self.x_label, None)?;
            let mut top = 0.0;
            for section in &self.sections {
                let place = chart.backend_coord(&(low, top + 0.6 * HEADING));
                let style = TextStyle::from((FONT, LABEL_SIZE + 2).into_font()).color(&INK);
                let style = style.pos(Pos::new(HPos::Left, VPos::Center));
                area.draw_text(&section.title, &style, (place.0 + 8, place.1)).map_err(failed)?;
                top += HEADING;
                for group in &section.groups {
                    self.paint(area, &mut chart, group, (low, top))?;
                    top += group.bars.len() as f64 + GAP;
                }
            }
            Ok(())
        })
    }

    fn legend(&self) -> Vec<LegendEntry> {
        let entry = |(index, name): (usize, &String)| LegendEntry {
            name: name.clone(),
            mark: LegendMark::Bar,
            color: self.color(index),
        };
        self.names.iter().enumerate().map(entry).collect()
    }

    /// Grey for all but the last bar, the one that the others are compared with.
    fn color(&self, bar: usize) -> RGBColor {
        color(if bar + 1 == self.names.len() { 0 } else { 6 })
    }

    fn paint(
        &self,
        area: &Area<'_>,
        chart: &mut Chart<'_, '_, plotters::coord::types::RangedCoordf64>,
        group: &BarGroup,
        (left, top): (f64, f64),
    ) -> Result<()> {
        let middle = chart.backend_coord(&(left, top + group.bars.len() as f64 / 2.0));
        name_beside(area, &group.name, middle)?;
        for (index, (value, text)) in group.bars.iter().enumerate() {
            let top = top + index as f64;
            let corners = [(0.0, top + 0.06), (*value, top + 0.94)];
            chart.draw_series([Rectangle::new(corners, self.color(index).filled())]).map_err(failed)?;
            let end = chart.backend_coord(&(value.max(0.0), top + 0.5));
            let style = TextStyle::from((FONT, LABEL_SIZE - 1).into_font()).color(&INK);
            let style = style.pos(Pos::new(HPos::Left, VPos::Center));
            area.draw_text(text, &style, (end.0 + 6, end.1 + 1)).map_err(failed)?;
        }
        Ok(())
    }
}

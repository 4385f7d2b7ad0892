//! The legend of a picture. It is below the picture, where it covers no curve.

use anyhow::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::style::{Area, FONT, INK, LABEL_SIZE, SIZE, failed};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LegendMark {
    Line,
    Dashes,
    Dot,
    Cross,
    Area,
    Bar,
}

#[derive(Clone, Debug)]
pub(super) struct LegendEntry {
    pub(super) name: String,
    pub(super) mark: LegendMark,
    pub(super) color: RGBColor,
}

const ROW_HEIGHT: u32 = 22;
const MARK_WIDTH: i32 = 24;
/// Between a mark and its name, and between a name and the next mark.
const GAPS: [i32; 2] = [6, 22];
const MARGIN: i32 = 66;

/// In pixels; 0 without entries.
pub(super) fn height(entries: &[LegendEntry]) -> u32 {
    let rows = places(entries).last().map_or(0, |place| place.1 as u32 + 1);
    if rows == 0 { 0 } else { rows * ROW_HEIGHT + 10 }
}

/// The left end and the row of each entry.
fn places(entries: &[LegendEntry]) -> Vec<(i32, i32)> {
    let mut places = Vec::with_capacity(entries.len());
    let (mut x, mut row) = (MARGIN, 0);
    for entry in entries {
        // Letters of the usual fonts are about half as wide as high.
        let text = entry.name.chars().count() as i32 * LABEL_SIZE * 54 / 100;
        let width = MARK_WIDTH + GAPS[0] + text;
        if x > MARGIN && x + width > SIZE.0 as i32 {
            (x, row) = (MARGIN, row + 1);
        }
        places.push((x, row));
        x += width + GAPS[1];
    }
    places
}

/// Draws the legend into an area of its height.
pub(super) fn draw(area: &Area<'_>, entries: &[LegendEntry]) -> Result<()> {
    let style = TextStyle::from((FONT, LABEL_SIZE).into_font()).color(&INK).pos(Pos::new(HPos::Left, VPos::Center));
    for (entry, (x, row)) in entries.iter().zip(places(entries)) {
        let y = row * ROW_HEIGHT as i32 + ROW_HEIGHT as i32 / 2;
        let stroke = entry.color.stroke_width(2);
        let dash = |from: i32, to: i32| PathElement::new([(x + from, y), (x + to, y)], stroke);
        match entry.mark {
            LegendMark::Line => area.draw(&dash(0, MARK_WIDTH)),
            LegendMark::Dashes => area.draw(&dash(0, 9)).and_then(|()| area.draw(&dash(15, MARK_WIDTH))),
            LegendMark::Dot => area.draw(&Circle::new((x + MARK_WIDTH / 2, y), 4, entry.color.filled())),
            LegendMark::Cross => area.draw(&Cross::new((x + MARK_WIDTH / 2, y), 5, stroke)),
            LegendMark::Area | LegendMark::Bar => {
                let corners = [(x, y - 6), (x + MARK_WIDTH, y + 6)];
                let share = if entry.mark == LegendMark::Bar { 1.0 } else { 0.3 };
                area.draw(&Rectangle::new(corners, entry.color.mix(share).filled()))
            }
        }
        .map_err(failed)?;
        area.draw_text(&entry.name, &style, (x + MARK_WIDTH + GAPS[0], y)).map_err(failed)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_legends_have_several_rows_and_empty_ones_none() {
        let entry = |name: &str| LegendEntry { name: name.to_owned(), mark: LegendMark::Line, color: INK };
        assert_eq!((height(&[]), height(&[entry("a")])), (0, ROW_HEIGHT + 10));
        let long = vec![entry("a name of thirty-three characters"); 5];
        let places = places(&long);
        assert!(places.iter().all(|place| place.0 < SIZE.0 as i32 - 200), "{places:?}");
        assert_eq!((places[1].1, places[4].1), (0, 2));
    }
}

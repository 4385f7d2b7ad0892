//! Grids of shaded cells: boards, and tables whose numbers are shown as colours too.

use std::path::Path;

use anyhow::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::canvas::{draw, name_beside, title};
use super::legend::{LegendEntry, LegendMark};
use super::style::{Area, FONT, INK, LABEL_SIZE, SIZE, color, failed};

/// Space between the parts of a picture, in pixels.
const GAP: i32 = 16;
/// The height of a line of text.
const LINE: i32 = 22;
const TITLE: i32 = 44;
/// Opacity of the darkest cell: numbers stay readable on it.
const DARKEST: f64 = 0.62;
/// Opacity of a faint piece.
const FAINT: f64 = 0.42;

#[derive(Clone, Debug)]
pub struct GridPicture {
    pub title: String,
    /// Grids of a row stand side by side, rows one below the other.
    pub rows: Vec<Vec<Grid>>,
    /// Legends of the positive and the negative colour; an empty one is left out.
    pub meanings: [String; 2],
}

#[derive(Clone, Debug)]
pub struct Grid {
    pub title: String,
    /// Lines above and below the grid; none if empty.
    pub captions: [String; 2],
    pub columns: Vec<String>,
    /// The rows, from the top.
    pub rows: Vec<GridRow>,
    /// Width and height of a cell in pixels.
    pub cell: (i32, i32),
    pub names: RowNames,
}

/// The side on which the names of the rows stand, with the width of their column in pixels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowNames {
    Left(i32),
    Right(i32),
}

#[derive(Clone, Debug)]
pub struct GridRow {
    pub name: String,
    /// The cells, from the left.
    pub cells: Vec<GridCell>,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct GridCell {
    pub mark: Option<GridMark>,
    /// Text below the mark; in the middle of a square without a mark.
    pub text: String,
    /// From -1 (second colour) over 0 (white) to 1 (first colour).
    pub shade: f64,
}

/// A piece on a square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GridMark {
    pub letter: char,
    /// As for White's pieces.
    pub upside_down: bool,
    /// Pale, for cells whose number matters more.
    pub faint: bool,
}

impl GridPicture {
    /// Writes the picture as SVG.
    pub fn write(&self, path: &Path) -> Result<()> {
        let most = |row: &[Grid], part: fn(&Grid) -> i32| row.iter().map(part).max().unwrap_or(0);
        let heights = self.rows.iter().map(|row| most(row, Grid::head) + most(row, Grid::body) + GAP);
        let height = TITLE + heights.clone().sum::<i32>();
        let entries = self.meanings.iter().enumerate().filter(|(_, meaning)| !meaning.is_empty());
        let entry = |(index, name): (usize, &String)| LegendEntry {
            name: name.clone(),
            mark: LegendMark::Area,
            color: color(index),
        };
        let entries: Vec<LegendEntry> = entries.map(entry).collect();
        draw(path, height.unsigned_abs(), &entries, |area| {
            title(area, &self.title)?;
            let mut top = TITLE;
            for (row, height) in self.rows.iter().zip(heights) {
                let free = SIZE.0 as i32 - row.iter().map(Grid::width).sum::<i32>();
                let space = free / (row.len() as i32 + 1);
                let mut left = space;
                // The cells of all grids in a row begin at the same height.
                let head = most(row, Grid::head);
                for grid in row {
                    grid.paint(area, (left, top + head))?;
                    left += grid.width() + space;
                }
                top += height;
            }
            Ok(())
        })
    }
}

impl Grid {
    fn width(&self) -> i32 {
        let (RowNames::Left(names) | RowNames::Right(names)) = self.names;
        names + self.cell.0 * self.columns.len() as i32
    }

    /// Height of the title, the caption and the column names above the cells.
    fn head(&self) -> i32 {
        [&self.title, &self.captions[0]].map(|text| if text.is_empty() { 0 } else { LINE }).iter().sum::<i32>() + LINE
    }

    /// Height of the cells and the caption below them.
    fn body(&self) -> i32 {
        self.cell.1 * self.rows.len() as i32 + if self.captions[1].is_empty() { 0 } else { LINE }
    }

    /// Draws the grid; the place is its left end and the top of its cells.
    fn paint(&self, area: &Area<'_>, (left, top): (i32, i32)) -> Result<()> {
        let (width, height) = self.cell;
        let left = left + if let RowNames::Left(names) = self.names { names } else { 0 };
        let right = left + width * self.columns.len() as i32;
        let bottom = top + height * self.rows.len() as i32;
        let middle = left + (right - left) / 2;
        let mut line = top - self.head() + LINE / 2;
        for (text, size) in [(&self.title, LABEL_SIZE + 2), (&self.captions[0], LABEL_SIZE)] {
            if !text.is_empty() {
                write(area, text, size, INK, (middle, line))?;
                line += LINE;
            }
        }
        let columns = || (left..=right).step_by(width as usize);
        let rows = || (top..=bottom).step_by(height as usize);
        for (name, x) in self.columns.iter().zip(columns()) {
            write(area, name, LABEL_SIZE - 2, INK, (x + width / 2, line))?;
        }
        for (row, y) in self.rows.iter().zip(rows()) {
            self.name_row(area, &row.name, (left, y))?;
            for (cell, x) in row.cells.iter().zip(columns()) {
                cell.paint(area, (x, y), self.cell)?;
            }
        }
        let line = |ends: [(i32, i32); 2]| area.draw(&PathElement::new(ends, INK.mix(0.6).stroke_width(1)));
        columns().try_for_each(|x| line([(x, top), (x, bottom)])).map_err(failed)?;
        rows().try_for_each(|y| line([(left, y), (right, y)])).map_err(failed)?;
        write(area, &self.captions[1], LABEL_SIZE, INK, (middle, bottom + LINE / 2 + 2))
    }

    /// Writes the name of the row whose cells begin at a place.
    fn name_row(&self, area: &Area<'_>, name: &str, (x, y): (i32, i32)) -> Result<()> {
        let y = y + self.cell.1 / 2;
        match self.names {
            RowNames::Left(_) => name_beside(area, name, (x, y)),
            RowNames::Right(names) => {
                let x = x + self.cell.0 * self.columns.len() as i32 + names / 2;
                write(area, name, LABEL_SIZE - 2, INK, (x, y))
            }
        }
    }
}

impl GridCell {
    fn paint(&self, area: &Area<'_>, (x, y): (i32, i32), (width, height): (i32, i32)) -> Result<()> {
        if self.shade != 0.0 {
            let shade = color(usize::from(self.shade < 0.0)).mix(DARKEST * self.shade.abs().min(1.0));
            area.draw(&Rectangle::new([(x, y), (x + width, y + height)], shade.filled())).map_err(failed)?;
        }
        let middle = (x + width / 2, y + height / 2);
        let Some(mark) = self.mark else { return write(area, &self.text, LABEL_SIZE, INK, middle) };
        let alone = self.text.is_empty();
        mark.paint(area, (middle.0, y + height * if alone { 50 } else { 36 } / 100))?;
        write(area, &self.text, LABEL_SIZE, INK, (middle.0, y + height * 81 / 100))
    }
}

impl GridMark {
    fn paint(self, area: &Area<'_>, middle: (i32, i32)) -> Result<()> {
        let turn = if self.upside_down { FontTransform::Rotate180 } else { FontTransform::None };
        let font = (FONT, 26).into_font().transform(turn);
        let ink = INK.mix(if self.faint { FAINT } else { 1.0 });
        let style = TextStyle::from(font).color(&ink);
        let style = style.pos(Pos::new(HPos::Center, VPos::Center));
        // `VPos::Center` puts a character of full height slightly too high.
        let place = (middle.0, middle.1 + if self.upside_down { -2 } else { 2 });
        area.draw_text(&self.letter.to_string(), &style, place).map_err(failed)
    }
}

/// Writes a line of text centred at a place.
fn write(area: &Area<'_>, text: &str, size: i32, ink: RGBColor, place: (i32, i32)) -> Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let style = TextStyle::from((FONT, size).into_font()).color(&ink).pos(Pos::new(HPos::Center, VPos::Center));
    area.draw_text(text, &style, place).map_err(failed)
}

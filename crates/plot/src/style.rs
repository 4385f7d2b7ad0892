//! Sizes, colours and types that all pictures share.

use anyhow::anyhow;
use plotters::coord::Shift;
use plotters::prelude::*;

/// Width and height in pixels.
pub(super) const SIZE: (u32, u32) = (900, 540);

pub(super) const FONT: &str = "sans-serif";
pub(super) const TITLE_SIZE: i32 = 20;
pub(super) const LABEL_SIZE: i32 = 14;
pub(super) const INK: RGBColor = RGBColor(51, 51, 51);
pub(super) const GRID: RGBColor = RGBColor(226, 226, 226);

/// The palette of Okabe and Ito (2008), safe for red-green colour blindness.
pub(super) const COLORS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(120, 120, 120),
    RGBColor(0, 0, 0),
];

/// The index of black in `COLORS`.
pub const BLACK: usize = 7;

pub(super) fn color(index: usize) -> RGBColor {
    COLORS[index % COLORS.len()]
}

pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The error as text: errors of the drawing library borrow what is drawn.
pub(super) fn failed(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("cannot draw: {error}")
}

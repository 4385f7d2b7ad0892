//! Pictures as SVG: they stay sharp at any size and are small enough for a repository.

mod bars;
mod canvas;
mod grid;
mod legend;
mod lines;
mod style;
mod value_bars;

pub(crate) use bars::{ErrorBar, Histogram, error_bars, histogram};
pub(crate) use grid::{Grid, GridCell, GridMark, GridPicture, GridRow, RowNames};
pub(crate) use lines::{AxisScale, ChartLine, CurveStyle, LineChart};
pub(crate) use style::BLACK;
pub(crate) use value_bars::{BarGroup, BarSection, ValueBars};

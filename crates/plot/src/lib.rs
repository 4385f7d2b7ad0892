//! Pictures as SVG: they stay sharp at any size and are small enough for a repository.

mod bars;
mod canvas;
mod grid;
mod legend;
mod lines;
mod style;
mod value_bars;

pub use bars::{ErrorBar, Histogram, error_bars, histogram};
pub use grid::{Grid, GridCell, GridMark, GridPicture, GridRow, RowNames};
pub use lines::{AxisScale, ChartLine, CurveStyle, LineChart};
pub use style::BLACK;
pub use value_bars::{BarGroup, BarSection, ValueBars};

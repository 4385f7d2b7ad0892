//! Pictures as SVG: they stay sharp at any size and are small enough for a repository.

mod bars;
mod canvas;
mod legend;
mod lines;
mod style;

pub(crate) use bars::{ErrorBar, Histogram, error_bars, histogram};
pub(crate) use lines::{AxisScale, ChartLine, CurveStyle, LineChart};

//! The search from the root: iterations, aspiration windows, forced mates, and when to stop.

mod mate;
mod next_iteration;
mod search;
mod stability;

pub(crate) use search::{ReportConfig, RootSearch, SearchParams, report_lines};

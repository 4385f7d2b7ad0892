//! The search from the root: iterations, aspiration windows, forced mates, and when to stop.

mod mate;
mod search;
mod time_use;

pub(crate) use mate::{KnownWin, told_lines};
pub(crate) use search::{ReportConfig, RootSearch, SearchRequest};

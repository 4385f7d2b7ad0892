//! The search from the root: iterations, aspiration windows, forced mates, and when to stop.

mod known_win;
mod mate;
mod mate_line;
mod next_iteration;
mod search;
mod stability;

pub(crate) use known_win::{KnownWin, told_lines};
pub(crate) use search::{ReportConfig, RootSearch, SearchParams};

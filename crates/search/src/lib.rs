//! The search: iterative deepening alpha-beta, on one thread or a thousand, over one transposition table.
//!
//! [`Searcher`] is the door: it takes a position and [`Limits`], thinks on threads of its own, and tells a [`Reporter`] what it finds.
//! It never prints. The pieces, from the outside in: `searcher` (the facade), `conductor` (begin, end, answer),
//! `smp` (the pool of threads), `root` (iterative deepening), `root_mate`
//! (forced mates beside it),
//! `negamax` (one node, as numbered steps), `qsearch` (the leaves), `movepicker`, `history`, `tt`, `time`.

mod clock;
mod conductor;
#[cfg(test)]
mod golden_trees;
mod hanging;
mod history;
mod limits;
mod memory;
mod movepicker;
mod negamax;
mod node;
pub mod params;
mod prune;
mod qsearch;
mod reduce;
mod report;
mod root;
mod root_mate;
mod searcher;
mod shared;
mod smp;
mod time;
mod tt;
mod value;
mod worker;

pub use limits::{Clocks, Limits, Rules, TimeOptions};
pub use report::{Answer, Bound, Info, Outcome, Reporter};
pub use searcher::{Options, Searcher};
pub use time::{Budget, budget};
pub use value::{MAX_PLY, Score, Value};

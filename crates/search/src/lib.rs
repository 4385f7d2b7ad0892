//! The search: iterative deepening alpha-beta, on one thread or a thousand, over one transposition table.
//!
//! [`Searcher`] is the door: it takes a position and [`Limits`], thinks on threads of its own, and tells a [`Reporter`] what it finds.
//! It never prints. The pieces, from the outside in: `searcher` (the facade), `coordinator` (begin, end, answer),
//! `smp` (the pool of threads), `root` (iterative deepening), `root_mate`
//! (forced mates beside it),
//! `negamax` (one node, as numbered steps), `qsearch` (the leaves), `movepicker`, `history`, `tt`, `time`.

mod clock;
mod clock_kind;
mod coordinator;
mod hanging;
mod history;
mod lateness;
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
mod root_moves;
mod searcher;
mod shared;
mod smp;
mod stability;
#[cfg(test)]
mod testing;
mod time;
mod tt;
mod turns;
mod value;
mod vote;
mod worker;

pub use limits::{Clocks, Limits, Rules, TimeOptions};
pub use report::{Answer, Bound, Info, Outcome, Reporter};
pub use searcher::{Options, ResourceError, Searcher};
pub use time::{Budget, ClockFacts, budget};
pub use value::{MAX_PLY, Score, Value};

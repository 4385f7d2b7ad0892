//! The search: iterative deepening alpha-beta, on one thread or a thousand, over one transposition
//! table.
//!
//! [`Searcher`] is the entry point: it takes a position and [`Limits`], searches on its own
//! threads, and calls a [`Reporter`]. It never prints. [`Searcher::search`] blocks until the
//! answer. Each part uses only those below it:
//!
//! | part | what it has |
//! |---|---|
//! | `blocking` | a search that its caller waits for |
//! | `solo` | a search in the thread of its caller |
//! | `openings` | random openings |
//! | `threads` | the searcher, one search as a job, the pool of threads, the coordinator, the choice among the threads' results |
//! | `root` | iterations, aspiration windows, mates at the root, whether there is time for another iteration |
//! | `node` | one node as numbered steps: pruning, extensions, reductions, quiescence, root moves |
//! | `order` | the search stack, histories, the move picker |
//! | `control`, `time_slices` | stop signal, limits of nodes and time while a search runs; how threads share processors |
//! | `time` | the plan for a move, clocks |
//! | `table` | the transposition table |
//!
//! All use [`params`] (tunable numbers and ablation flags), `value`, `report`, `limits`, `skill`
//! (levels of strength) and `reliability` (models of sigma: margins of ProbCut, gambling moves).

#![warn(missing_docs)]

mod blocking;
mod control;
mod limits;
mod node;
mod openings;
mod order;
pub mod params;
mod reliability;
mod report;
mod root;
mod skill;
mod solo;
mod table;
mod threads;
mod time;
mod time_slices;
mod value;

pub use blocking::Searched;
pub use limits::{ClockTimes, Limits, Options, Rules, TimeOptions};
pub use openings::random_opening;
pub use order::history::history_bytes;
pub use reliability::{GambleMode, ProbCutClaim, ProbCutMode, ProbCutObserver, ProbCutOptions, likeliest};
pub use report::{Action, Chance, Reporter, SearchInfo, SearchResult};
pub use skill::{FULL_SKILL, GREATEST_RATING, LEAST_RATING, Skill, level_of_rating};
pub use solo::SoloSearcher;
pub use threads::{ResourceError, SEARCH_STACK_SIZE, Searcher};
pub use value::{Bound, MAX_PLY, RootScore, Value};

// Locks and flags by which threads of a search wait for each other. The model checker loom tries
// every order of the threads: see `threads/completion.rs`.
#[cfg(loom)]
use loom::sync;
#[cfg(not(loom))]
use std::sync;

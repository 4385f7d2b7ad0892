//! The threads of a searcher: the pool that searches, and the coordinator that sleeps, answers and never searches.

mod completion;
mod coordinator;
mod job;
#[cfg(all(test, loom))]
mod models;
mod options;
mod outcome;
mod pool;
mod search_thread;
mod searcher;

pub use options::{Options, ResourceError};
pub use searcher::Searcher;

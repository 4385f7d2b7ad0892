//! The threads of a searcher: the pool that searches, and the coordinator that sleeps, answers and never searches.

mod completion;
mod job;
#[cfg(all(test, loom))]
mod models;
mod outcome;
mod pool;
mod searcher;

pub use searcher::{ResourceError, Searcher};

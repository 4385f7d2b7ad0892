//! Game records: found below folders, read, and counted.

mod sources;
mod statistics;

pub use sources::{RecordSource, find, find_at};
pub use statistics::RecordStatistics;

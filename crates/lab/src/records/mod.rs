//! Game records: found below folders, read, and counted.

mod sources;
mod statistics;

pub(crate) use sources::{RecordSource, find, find_at};
pub(crate) use statistics::RecordStatistics;

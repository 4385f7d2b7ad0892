//! Game records: found below folders, read, and counted.

mod sources;
mod statistics;

pub(crate) use sources::{RecordSource, find};
pub(crate) use statistics::RecordStatistics;

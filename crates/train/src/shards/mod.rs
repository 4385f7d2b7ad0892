//! Files of records as streams of bytes, larger than memory: read, divided into parts that fit, put in order, counted.

mod order;
mod statistics;
mod stream;

pub use order::{duplicate_part, remove_duplicates, shuffle_part, shuffled};
pub use statistics::{PLY_STEP, RecordCounts, RecordStatistics, SCORE_STEP};
pub use stream::{RecordBytes, RecordStream, StreamError};

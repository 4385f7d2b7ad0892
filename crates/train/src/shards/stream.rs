//! Records one after the other.

use std::io::BufRead;

use crate::psv::TrainingRecord;

/// A record as it stands in a file.
pub type RecordBytes = [u8; TrainingRecord::BYTES];

/// Why records cannot be read on.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// The bytes cannot be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The file ends within a record.
    #[error("{bytes} bytes follow the last whole record, number {records}: records have 40 bytes")]
    Truncated {
        /// The number of whole records.
        records: u64,
        /// What follows.
        bytes: usize,
    },
}

/// The records of a stream of bytes. Ends after an error.
pub struct RecordStream<R> {
    reader: R,
    records: u64,
    ended: bool,
}

impl<R: BufRead> RecordStream<R> {
    /// The records of a stream that begins with one.
    pub fn new(reader: R) -> Self {
        Self { reader, records: 0, ended: false }
    }

    fn read(&mut self) -> Result<Option<RecordBytes>, StreamError> {
        let mut bytes = [0; TrainingRecord::BYTES];
        let mut filled = 0;
        while filled < bytes.len() {
            match self.reader.read(&mut bytes[filled..]) {
                Ok(0) if filled == 0 => return Ok(None),
                Ok(0) => return Err(StreamError::Truncated { records: self.records, bytes: filled }),
                Ok(more) => filled += more,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.records += 1;
        Ok(Some(bytes))
    }
}

impl<R: BufRead> Iterator for RecordStream<R> {
    type Item = Result<RecordBytes, StreamError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = self.read().transpose();
        self.ended = !matches!(next, Some(Ok(_)));
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_records_are_read_and_the_rest_is_named() {
        let bytes: Vec<u8> = (0..100).collect();
        let mut stream = RecordStream::new(&bytes[..]);
        assert_eq!(stream.next().unwrap().unwrap()[0], 0);
        assert_eq!(stream.next().unwrap().unwrap()[39], 79);
        let error = stream.next().unwrap().unwrap_err();
        assert!(matches!(error, StreamError::Truncated { records: 2, bytes: 20 }));
        assert!(stream.next().is_none());
        assert_eq!(RecordStream::new(&bytes[..80]).map(Result::unwrap).count(), 2);
    }
}

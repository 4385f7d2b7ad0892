//! Files of records as streams of bytes, larger than memory: read, divided into parts that fit, put
//! in order, counted.

use std::collections::{BTreeMap, HashSet};
use std::io::BufRead;

use kiki_board::Color;
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;
use serde::Serialize;

use crate::mix;
use crate::psv::TrainingRecord;

/// A record as it stands in a file.
pub type RecordBytes = [u8; TrainingRecord::BYTES];

/// Why the next record cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error("{bytes} bytes follow the last whole record, number {records}: records have 40 bytes")]
    Truncated { records: u64, bytes: usize },
}

/// The records of a stream of bytes. Ends after an error.
pub struct RecordStream<R> {
    reader: R,
    records: u64,
    ended: bool,
}

impl<R: BufRead> RecordStream<R> {
    /// `reader` must stand at the start of a record.
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

/// Position and move: records with the same are duplicates.
fn identity(record: &RecordBytes) -> ([u8; 32], [u8; 2]) {
    let mut position = [0; 32];
    position.copy_from_slice(&record[..32]);
    (position, [record[34], record[35]])
}

/// The part, below `parts`, in which to look for duplicates of a record. Duplicates share a part.
#[must_use]
pub fn duplicate_part(record: &RecordBytes, parts: usize) -> usize {
    let (position, mv) = identity(record);
    let words = position.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
    let hash = words.fold(u64::from(u16::from_le_bytes(mv)), |hash, word| mix(hash ^ word));
    (hash % parts.max(1) as u64) as usize
}

/// Removes each record that repeats position and move of an earlier one; keeps the order. Returns
/// the number removed.
pub fn remove_duplicates(records: &mut Vec<RecordBytes>) -> usize {
    let before = records.len();
    let mut seen = HashSet::with_capacity(before);
    records.retain(|record| seen.insert(identity(record)));
    before - records.len()
}

fn random_numbers(seed: u64) -> Pcg64 {
    Pcg64::seed_from_u64(mix(seed))
}

/// Draws a part for each record in turn, below `parts`. With [`shuffled`] parts one after the
/// other, all orders are equally likely.
pub fn shuffle_part(seed: u64, parts: usize) -> impl FnMut() -> usize {
    let mut random = random_numbers(seed);
    move || random.random_range(0..parts.max(1))
}

/// Puts the records of a part in random order.
pub fn shuffled(records: &mut [RecordBytes], seed: u64, part: usize) {
    records.shuffle(&mut random_numbers(seed ^ mix(part as u64 + 1)));
}

/// The width of a class of scores, in centipawns.
pub const SCORE_STEP: i32 = 200;
/// The width of a class of plies.
pub const PLY_STEP: u16 = 20;

/// Counts of records by result for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct RecordCounts {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
}

impl RecordCounts {
    fn add(&mut self, result: i8) {
        match result.signum() {
            1 => self.wins += 1,
            0 => self.draws += 1,
            _ => self.losses += 1,
        }
    }

    #[must_use]
    pub fn total(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// The share of the points of the side to move, 0 to 1; `None` without records.
    #[must_use]
    pub fn points(self) -> Option<f64> {
        let total = self.total();
        (total > 0).then(|| (self.wins as f64 + self.draws as f64 / 2.0) / total as f64)
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct RecordStatistics {
    pub all: RecordCounts,
    pub black_to_move: RecordCounts,
    /// By score for the side to move: the key is the middle of a class of [`SCORE_STEP`]
    /// centipawns.
    pub by_score: BTreeMap<i32, RecordCounts>,
    /// By ply: the key is the first ply of a class of [`PLY_STEP`].
    pub by_ply: BTreeMap<u16, RecordCounts>,
}

impl RecordStatistics {
    pub fn add(&mut self, record: &TrainingRecord) {
        self.all.add(record.result);
        if record.side_to_move() == Color::Black {
            self.black_to_move.add(record.result);
        }
        let middle = (i32::from(record.score) + SCORE_STEP / 2).div_euclid(SCORE_STEP) * SCORE_STEP;
        self.by_score.entry(middle).or_default().add(record.result);
        self.by_ply.entry(record.ply / PLY_STEP * PLY_STEP).or_default().add(record.result);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiki_board::{Move, Position};

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

    /// A record with a number in its position.
    fn record(number: u8, score: u8) -> RecordBytes {
        let mut bytes = [0; 40];
        (bytes[3], bytes[32]) = (number, score);
        bytes
    }

    #[test]
    fn the_first_of_duplicates_stays() {
        let mut other_move = record(1, 3);
        other_move[34] = 1;
        let mut records = vec![record(1, 1), record(2, 1), record(1, 2), other_move, record(2, 1)];
        assert_eq!(duplicate_part(&records[0], 7), duplicate_part(&records[2], 7));
        assert_eq!(remove_duplicates(&mut records), 2);
        assert_eq!(records, [record(1, 1), record(2, 1), other_move]);
    }

    #[test]
    fn parts_are_of_similar_size() {
        let mut sizes = [0; 4];
        (0..=255).for_each(|number| sizes[duplicate_part(&record(number, 0), 4)] += 1);
        assert!(sizes.iter().all(|&size| (40..90).contains(&size)), "{sizes:?}");
        let mut random = [0; 4];
        let mut part = shuffle_part(1, 4);
        (0..400).for_each(|_| random[part()] += 1);
        assert!(random.iter().all(|&size| (70..130).contains(&size)), "{random:?}");
    }

    #[test]
    fn a_shuffle_follows_from_its_seed_and_keeps_all() {
        let sorted: Vec<_> = (0..100).map(|number| record(number, 0)).collect();
        let order = |seed, part| {
            let mut records = sorted.clone();
            shuffled(&mut records, seed, part);
            records
        };
        assert_eq!(order(1, 0), order(1, 0));
        assert_ne!(order(1, 0), order(2, 0));
        assert_ne!(order(1, 0), order(1, 1));
        let mut again = order(1, 0);
        again.sort_unstable();
        assert_eq!(again, sorted);
    }

    #[test]
    fn records_are_counted_by_result_score_and_ply() {
        let position = Position::startpos();
        let mv = position.parse_move("7g7f").unwrap_or(Move::NONE);
        let mut statistics = RecordStatistics::default();
        for (score, result) in [(99, 1), (-100, 0), (-101, -1), (100, 1), (32_767, 1), (-32_768, -1)] {
            statistics.add(&TrainingRecord::new(&position, mv, score, result).unwrap());
        }
        let counts = |wins, draws, losses| RecordCounts { wins, draws, losses };
        assert_eq!(statistics.all, counts(3, 1, 2));
        assert_eq!(statistics.black_to_move, statistics.all);
        assert_eq!(statistics.by_ply, BTreeMap::from([(0, counts(3, 1, 2))]));
        assert_eq!(statistics.by_score[&0], counts(1, 1, 0));
        assert_eq!(statistics.by_score[&-200], counts(0, 0, 1));
        assert_eq!(statistics.by_score[&200], counts(1, 0, 0));
        assert_eq!(statistics.by_score.len(), 5);
        assert_eq!(statistics.all.points(), Some(3.5 / 6.0));
        assert_eq!(RecordCounts::default().points(), None);
    }
}

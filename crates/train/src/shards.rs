//! Records of files that are larger than memory: divided into parts that fit, put in order,
//! counted.

use std::collections::{BTreeMap, HashSet};

use kiki_board::{Color, mix};
use kiki_stats::tally::Tally;
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;
use serde::Serialize;

use crate::psv::TrainingRecord;

/// A record as it stands in a file.
pub type RecordBytes = [u8; TrainingRecord::BYTES];

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

/// Draws a part for each record in turn, below their number. With [`shuffled`] parts one after the
/// other, all orders are equally likely.
pub fn shuffle_part(seed: u64) -> impl FnMut(usize) -> usize {
    let mut random = random_numbers(seed);
    move |parts| random.random_range(0..parts.max(1))
}

pub fn shuffled(records: &mut [RecordBytes], seed: u64, part: usize) {
    records.shuffle(&mut random_numbers(seed ^ mix(part as u64 + 1)));
}

/// The width of a class of scores, in centipawns.
pub const SCORE_STEP: i32 = 200;
/// The width of a class of plies.
pub const PLY_STEP: u16 = 20;

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct TrainingStatistics {
    pub all: Tally,
    pub black_to_move: Tally,
    /// By score for the side to move: the key is the middle of a class of [`SCORE_STEP`]
    /// centipawns.
    pub by_score: BTreeMap<i32, Tally>,
    /// By ply: the key is the first ply of a class of [`PLY_STEP`].
    pub by_ply: BTreeMap<u16, Tally>,
}

impl TrainingStatistics {
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
    fn seeds_and_parts_have_orders_of_their_own() {
        let orders = [(1, 0), (1, 0), (2, 0), (1, 1)].map(|(seed, part)| {
            let mut records: Vec<_> = (0..100).map(|number| record(number, 0)).collect();
            shuffled(&mut records, seed, part);
            records
        });
        assert!(orders[0] == orders[1] && orders[0] != orders[2] && orders[0] != orders[3]);
    }

    #[test]
    fn parts_are_of_similar_size() {
        let mut sizes = [0; 4];
        (0..=255).for_each(|number| sizes[duplicate_part(&record(number, 0), 4)] += 1);
        assert!(sizes.iter().all(|&size| (40..90).contains(&size)), "{sizes:?}");
        let mut random = [0; 4];
        let mut part = shuffle_part(1);
        (0..400).for_each(|_| random[part(4)] += 1);
        assert!(random.iter().all(|&size| (70..130).contains(&size)), "{random:?}");
    }

    #[test]
    fn records_are_counted_by_result_score_and_ply() {
        let position = Position::startpos();
        let mv = position.parse_move("7g7f").unwrap_or(Move::NONE);
        let mut statistics = TrainingStatistics::default();
        for (score, result) in [(99, 1), (-100, 0), (-101, -1), (100, 1), (32_767, 1), (-32_768, -1)] {
            statistics.add(&TrainingRecord::new(&position, mv, score, result).unwrap());
        }
        let counts = |wins, draws, losses| Tally { wins, draws, losses };
        assert_eq!(statistics.all, counts(3, 1, 2));
        assert_eq!(statistics.black_to_move, statistics.all);
        assert_eq!(statistics.by_ply, BTreeMap::from([(0, counts(3, 1, 2))]));
        assert_eq!(statistics.by_score[&0], counts(1, 1, 0));
        assert_eq!(statistics.by_score[&-200], counts(0, 0, 1));
        assert_eq!(statistics.by_score[&200], counts(1, 0, 0));
        assert_eq!(statistics.by_score.len(), 5);
        assert_eq!(statistics.all.points(), 3.5);
    }
}

//! The order of records: at random, or without duplicates. Both divide the records into parts that fit into memory, and then work on each part alone.

use std::collections::HashSet;

use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;

use super::stream::RecordBytes;
use crate::random::mix;

/// Position and move: the bytes by which two records are duplicates of each other.
fn identity(record: &RecordBytes) -> ([u8; 32], [u8; 2]) {
    let mut position = [0; 32];
    position.copy_from_slice(&record[..32]);
    (position, [record[34], record[35]])
}

/// The part that a record belongs to when duplicates are looked for, below `parts`: duplicates are in the same one.
#[must_use]
pub fn duplicate_part(record: &RecordBytes, parts: usize) -> usize {
    let (position, mv) = identity(record);
    let words = position.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
    let hash = words.fold(u64::from(u16::from_le_bytes(mv)), |hash, word| mix(hash ^ word));
    (hash % parts.max(1) as u64) as usize
}

/// Removes each record whose position and move an earlier one has; the others keep their order. Returns how many were removed.
pub fn remove_duplicates(records: &mut Vec<RecordBytes>) -> usize {
    let before = records.len();
    let mut seen = HashSet::with_capacity(before);
    records.retain(|record| seen.insert(identity(record)));
    before - records.len()
}

/// The random numbers of a shuffle.
fn random_numbers(seed: u64) -> Pcg64 {
    Pcg64::seed_from_u64(mix(seed))
}

/// For each record in turn, the part that it goes to, below `parts`. With [`shuffled`] parts one after the other, all orders are equally likely.
pub fn shuffle_part(seed: u64, parts: usize) -> impl FnMut() -> usize {
    let mut random = random_numbers(seed);
    move || random.random_range(0..parts.max(1))
}

/// Puts the records of a part in random order.
pub fn shuffled(records: &mut [RecordBytes], seed: u64, part: usize) {
    records.shuffle(&mut random_numbers(seed ^ mix(part as u64 + 1)));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record told from others by a number in its position.
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
}

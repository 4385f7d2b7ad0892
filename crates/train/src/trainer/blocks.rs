//! Which records make which batch, and in what parts.

use std::ops::Range;

use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_pcg::Pcg64;

use crate::random::mix;

/// Records that are read at once. They stay together in every epoch.
pub(super) const BLOCK: usize = 64;

/// Samples that are worked on together. Sums over a batch are made of the sums of its parts, in their order.
pub(super) const PART: usize = 256;

/// The order in which blocks of records are learned from: all of them once in each epoch, every epoch in another order. It follows from the
/// seed and the place, so that a training can be gone on with anywhere.
#[derive(Clone, Debug)]
pub struct BlockOrder {
    seed: u64,
    records: u64,
    /// The epoch that `blocks` belongs to.
    epoch: Option<u64>,
    blocks: Vec<u32>,
}

impl BlockOrder {
    /// An order for so many records; `None` if they do not fill a block.
    #[must_use]
    pub fn new(seed: u64, records: u64) -> Option<Self> {
        (records >= BLOCK as u64).then_some(Self { seed, records, epoch: None, blocks: Vec::new() })
    }

    /// The records of a batch, in blocks, given the number of the step that learns from it and the size of all batches.
    pub fn batch(&mut self, step: u64, batch: usize) -> Vec<Range<u64>> {
        let blocks = (batch / BLOCK) as u64;
        (step * blocks..(step + 1) * blocks).map(|place| self.block(place)).collect()
    }

    fn block(&mut self, place: u64) -> Range<u64> {
        let count = self.records.div_ceil(BLOCK as u64);
        let epoch = place / count;
        if self.epoch != Some(epoch) {
            let mut random = Pcg64::seed_from_u64(mix(self.seed ^ mix(epoch)));
            self.blocks = (0..count as u32).collect();
            self.blocks.shuffle(&mut random);
            self.epoch = Some(epoch);
        }
        let block = u64::from(self.blocks[(place % count) as usize]);
        // The last block is as long as all others.
        let start = (block * BLOCK as u64).min(self.records - BLOCK as u64);
        start..start + BLOCK as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_epoch_has_all_records_in_an_order_of_its_own() {
        let mut order = BlockOrder::new(7, 10 * BLOCK as u64 + 5).unwrap();
        let epoch = |order: &mut BlockOrder, number: u64| order.batch(number, 11 * BLOCK);
        let first = epoch(&mut order, 0);
        let second = epoch(&mut order, 1);
        assert_ne!(first, second);
        for blocks in [&first, &second] {
            let mut seen: Vec<u64> = blocks.iter().cloned().flatten().collect();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen, (0..10 * BLOCK as u64 + 5).collect::<Vec<_>>());
        }
        assert_eq!(epoch(&mut BlockOrder::new(7, 10 * BLOCK as u64 + 5).unwrap(), 1), second);
        assert!(BlockOrder::new(7, BLOCK as u64 - 1).is_none());
    }
}

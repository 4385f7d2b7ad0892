//! The transposition table: lock-free, shared by all threads.
//!
//! An entry is two 64-bit words that are written without a lock ([`Slot`]). Four entries fill a cache line.
//! The memory is asked for zeroed, so the system commits a page only when it is first written: [`TranspositionTable::clear`] does that before a game.

use std::io;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};

use kiki_memory::prefer_large_pages;

use super::entry::{TableEntry, from_table, generation_of, pack, to_table, unpack};
use super::slot::{Slot, empty_slots};

const WAYS: usize = 4;
/// Generations are counted in five bits.
const GENERATIONS: u8 = 32;
/// How many plies of depth a generation of age weighs when a victim is chosen.
const AGE_WEIGHT: i32 = 4;

/// Entries that are searched for a key: one cache line.
#[cfg(not(loom))]
type Cluster = [Slot; WAYS];

const LINE: usize = 64;
#[cfg(not(loom))]
const _: () = assert!(size_of::<Cluster>() == LINE);

/// The transposition table: a hash table from position keys to [`TableEntry`].
pub(crate) struct TranspositionTable {
    /// Asked for without alignment: the allocator hands out aligned zeroed memory only after writing it, which would commit every page.
    slots: Box<[Slot]>,
    /// The slots before the first that begins a cache line; they stay unused.
    skipped: usize,
    /// The number of clusters.
    len: usize,
    generation: AtomicU8,
    /// Whether [`TranspositionTable::clear`] has anything to do: a search has begun since the last time, or the memory is new.
    used: AtomicBool,
}

impl TranspositionTable {
    /// A table of `mebibytes`, at least one.
    ///
    /// # Errors
    /// If the system has not so much memory to give.
    pub(crate) fn new(mebibytes: usize) -> io::Result<Self> {
        let len = mebibytes.max(1).saturating_mul((1 << 20) / LINE);
        let slots = empty_slots(len.saturating_add(1).saturating_mul(WAYS)).ok_or(io::ErrorKind::OutOfMemory)?;
        prefer_large_pages(&slots);
        // Allocations are aligned to a slot's size at least; should one not be, clusters straddle lines and nothing worse.
        let skipped = slots.as_ptr().addr().wrapping_neg() % LINE / size_of::<Slot>();
        Ok(Self { slots, skipped, len, generation: AtomicU8::new(0), used: AtomicBool::new(true) })
    }

    /// The smallest table, for a thread that holds one without using it.
    pub(crate) fn empty() -> Self {
        let slots = (0..2 * WAYS).map(|_| Slot::default()).collect();
        Self { slots, skipped: 0, len: 1, generation: AtomicU8::new(0), used: AtomicBool::new(true) }
    }

    pub(crate) fn mebibytes(&self) -> usize {
        (self.len * LINE) >> 20
    }

    /// Empties the table and makes its memory resident, with as many threads as there are processors. Not while a search is going on.
    /// `cancelled` is asked now and then whether to leave it half done.
    ///
    /// The memory is written over: the system clears the pages of a new table one by one at their first touches, which takes several times
    /// as long if it happens in the search, and the time of a move.
    pub(crate) fn clear(&self, cancelled: impl Fn() -> bool + Sync) {
        /// Slots between two questions: 4 MiB.
        const CHUNK: usize = (4 << 20) / size_of::<Slot>();
        if !self.used.load(Ordering::Relaxed) {
            return;
        }
        let chunks: Vec<&[Slot]> = self.slots.chunks(CHUNK).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(chunk) = chunks.get(next.fetch_add(1, Ordering::Relaxed))
                && !cancelled()
            {
                chunk.iter().for_each(Slot::clear);
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get).min(chunks.len());
        std::thread::scope(|scope| {
            for _ in 1..threads {
                // If the system refuses a thread, the others do its part.
                let _ = std::thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        if !cancelled() {
            self.used.store(false, Ordering::Relaxed);
            self.generation.store(0, Ordering::Relaxed);
        }
    }

    /// A new search begins: all entries become older by one generation.
    pub(crate) fn age(&self) {
        self.used.store(true, Ordering::Relaxed);
        let next = (self.generation.load(Ordering::Relaxed) + 1) % GENERATIONS;
        self.generation.store(next, Ordering::Relaxed);
    }

    #[inline(always)]
    fn cluster(&self, key: u64) -> &[Slot] {
        // The high bits choose the cluster, so any size does.
        let index = (u128::from(key) * self.len as u128) >> 64;
        self.at(index as usize)
    }

    #[inline(always)]
    fn at(&self, index: usize) -> &[Slot] {
        &self.slots[self.skipped + index * WAYS..][..WAYS]
    }

    /// Has the processor fetch a position's entries into its cache before they are asked for.
    #[inline(always)]
    #[cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "a hint to the processor that has no safe form"))]
    pub(crate) fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let line = self.cluster(key).as_ptr();
            // SAFETY: a prefetch never faults and changes nothing that a program can see; the address is that of a live reference.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line.cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// The entry of the position with this key, if there is one. `ply` is the distance from the root, from which mate distances count.
    #[inline(always)]
    pub(crate) fn probe(&self, key: u64, ply: usize) -> Option<TableEntry> {
        for slot in self.cluster(key) {
            let data = slot.data();
            if slot.belongs_to(key, data) && data != 0 {
                let mut entry = unpack(data);
                entry.value = from_table(entry.value, ply);
                return Some(entry);
            }
        }
        None
    }

    /// Stores an entry, in the place of an older one of the same position or of the least valuable one of its cluster.
    #[inline(always)]
    pub(crate) fn store(&self, key: u64, ply: usize, mut entry: TableEntry) {
        let generation = self.generation.load(Ordering::Relaxed);
        let mut victim = 0;
        let mut least = i32::MAX;
        let slots = self.cluster(key);
        for (index, slot) in slots.iter().enumerate() {
            let data = slot.data();
            if data == 0 || slot.belongs_to(key, data) {
                victim = index;
                if data != 0 && !entry.supersedes(&unpack(data), generation_of(data) == generation) {
                    return;
                }
                break;
            }
            let age = i32::from((generation + GENERATIONS - generation_of(data)) % GENERATIONS);
            let value = unpack(data).depth - AGE_WEIGHT * age;
            if value < least {
                (victim, least) = (index, value);
            }
        }
        entry.value = to_table(entry.value, ply);
        slots[victim].write(key, pack(&entry, generation));
    }

    /// Entries of the current search in per mille of all, from a sample.
    pub(crate) fn hashfull(&self) -> u32 {
        let generation = self.generation.load(Ordering::Relaxed);
        let sample = self.len.min(1000 / WAYS);
        let used = (0..sample)
            .flat_map(|index| self.at(index))
            .filter(|slot| {
                let data = slot.data();
                data != 0 && generation_of(data) == generation
            })
            .count();
        (used * 1000 / (sample * WAYS)) as u32
    }
}

#[cfg(test)]
mod tests {
    use kiki_board::Move;

    use super::*;
    use crate::value::{Bound, MATE, Value, mate_in, mated_in};

    fn entry(value: Value) -> TableEntry {
        TableEntry { mv: Move::from_bits(1234), value, eval: -321, depth: 7, bound: Bound::Lower, pv: true }
    }

    #[test]
    fn what_is_stored_is_found_again_with_mate_distances_from_the_root() {
        let table = TranspositionTable::new(1).unwrap();
        for (key, value) in [(1, 0), (u64::MAX, -5000), (77, mate_in(9 + 1)), (78, mated_in(12))] {
            table.store(key, 5, entry(value));
            assert_eq!(table.probe(key, 5), Some(entry(value)));
        }
        assert_eq!(table.probe(77, 7).map(|found| MATE - found.value), Some(12));
        assert_eq!(table.probe(2, 0), None);
    }

    #[test]
    fn an_emptied_table_is_like_a_new_one() {
        let table = TranspositionTable::new(1).unwrap();
        let keys = || (0..1000_u64).map(|n| n.wrapping_mul(u64::MAX / 1000));
        table.age();
        keys().for_each(|key| table.store(key, 0, entry(5)));
        assert!(keys().all(|key| table.probe(key, 0).is_some()));
        table.clear(|| true);
        assert!(keys().any(|key| table.probe(key, 0).is_some()), "left half done, it stays as it was");
        table.clear(|| false);
        assert!(table.slots.iter().all(Slot::is_empty) && table.generation.load(Ordering::Relaxed) == 0);
    }

    #[test]
    fn a_torn_entry_is_not_found() {
        let table = TranspositionTable::new(1).unwrap();
        table.store(99, 0, entry(1));
        let slot = &table.cluster(99)[0];
        slot.overwrite_data(slot.data() ^ 1 << 20);
        assert_eq!(table.probe(99, 0), None);
    }

    #[test]
    fn a_full_cluster_gives_up_its_oldest_and_shallowest() {
        let table = TranspositionTable::new(1).unwrap();
        let at = |key: u64, depth| table.store(key, 0, TableEntry { depth, ..entry(0) });
        // Keys this small share the first cluster.
        for key in 1..=4 {
            at(key, 10 + key as i32);
        }
        at(5, 3);
        assert!(table.probe(1, 0).is_none() && table.probe(5, 0).is_some());
        (0..8).for_each(|_| table.age());
        at(2, 1);
        assert_eq!(table.probe(2, 0).map(|found| found.depth), Some(1), "an old entry of the same position yields");
        at(6, 1);
        assert!(table.probe(5, 0).is_none(), "shallowest of the old ones");
        assert!(table.hashfull() > 0);
    }
}

//! The transposition table: lock-free, shared by all threads.
//!
//! An entry is two 64-bit words, the data and the key combined with the data by exclusive or (Hyatt and Mann 2002): if two threads
//! write at once, the words no longer fit together and the entry is not found. Four entries fill a cache line.
//! The memory is asked for zeroed, so the system commits a page only when it is first written: [`Table::clear`] does that before a game.

use std::io;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};

use bytemuck::Zeroable;
use kiki_board::Move;

use crate::memory::prefer_large_pages;
use crate::report::Bound;
use crate::value::{MATE_BOUND, Value};

const WAYS: usize = 4;
/// Generations are counted in five bits.
const GENERATIONS: u8 = 32;
/// How many plies of depth a generation of age weighs when a victim is chosen.
const AGE_WEIGHT: i32 = 4;

/// What the table knows of a position. Mate distances count from the position itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub(crate) mv: Move,
    pub(crate) value: Value,
    pub(crate) eval: Value,
    pub(crate) depth: i32,
    pub(crate) bound: Bound,
    /// Whether the position was part of a principal variation.
    pub(crate) pv: bool,
}

/// Move 16, value 16, evaluation 16, depth 8, generation 5, variation 1, bound 2.
fn pack(entry: &Entry, generation: u8) -> u64 {
    let bound = match entry.bound {
        Bound::Upper => 1,
        Bound::Lower => 2,
        Bound::Exact => 3,
    };
    u64::from(entry.mv.bits())
        | u64::from(entry.value as i16 as u16) << 16
        | u64::from(entry.eval as i16 as u16) << 32
        | u64::from(entry.depth as i8 as u8) << 48
        | u64::from(generation << 3 | u8::from(entry.pv) << 2 | bound) << 56
}

fn unpack(data: u64) -> Entry {
    let flags = (data >> 56) as u8;
    Entry {
        mv: Move::from_bits(data as u16),
        value: Value::from((data >> 16) as u16 as i16),
        eval: Value::from((data >> 32) as u16 as i16),
        depth: i32::from((data >> 48) as u8 as i8),
        bound: match flags & 3 {
            1 => Bound::Upper,
            2 => Bound::Lower,
            _ => Bound::Exact,
        },
        pv: flags & 4 != 0,
    }
}

fn generation_of(data: u64) -> u8 {
    (data >> 59) as u8
}

#[derive(Zeroable)]
#[repr(C)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

impl Slot {
    fn clear(&self) {
        self.check.store(0, Ordering::Relaxed);
        self.data.store(0, Ordering::Relaxed);
    }
}

/// Entries that are searched for a key: one cache line.
type Cluster = [Slot; WAYS];

const LINE: usize = 64;
const _: () = assert!(size_of::<Cluster>() == LINE);

/// The table.
pub(crate) struct Table {
    /// Asked for without alignment: the allocator hands out aligned zeroed memory only after writing it, which would commit every page.
    slots: Box<[Slot]>,
    /// The slots before the first that begins a cache line; they stay unused.
    skipped: usize,
    /// The number of clusters.
    len: usize,
    generation: AtomicU8,
    /// Whether its memory is to be written before the next search: one has begun since it was empty, or it has never been.
    used: AtomicBool,
}

impl Table {
    /// A table of `mebibytes`, at least one.
    ///
    /// # Errors
    /// If the system has not so much memory to give.
    pub(crate) fn new(mebibytes: usize) -> io::Result<Self> {
        let len = mebibytes.max(1).saturating_mul((1 << 20) / LINE);
        let slots: Box<[Slot]> = bytemuck::try_zeroed_slice_box(len.saturating_add(1).saturating_mul(WAYS))
            .map_err(|()| io::ErrorKind::OutOfMemory)?;
        prefer_large_pages(&slots);
        // Allocations are aligned to a slot's size at least; should one not be, clusters straddle lines and nothing worse.
        let skipped = slots.as_ptr().addr().wrapping_neg() % LINE / size_of::<Slot>();
        Ok(Self { slots, skipped, len, generation: AtomicU8::new(0), used: AtomicBool::new(true) })
    }

    /// The smallest table, for whoever has to hold one without using it.
    pub(crate) fn empty() -> Self {
        let slots = (0..2 * WAYS).map(|_| Slot::zeroed()).collect();
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
        let helpers = std::thread::available_parallelism().map_or(1, NonZero::get).min(chunks.len()) - 1;
        std::thread::scope(|scope| {
            for _ in 0..helpers {
                // Without a helper it takes longer, no more.
                let _ = std::thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        if !cancelled() {
            self.used.store(false, Ordering::Relaxed);
            self.generation.store(0, Ordering::Relaxed);
        }
    }

    /// A new search begins: what is there becomes older.
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

    /// Brings a position's entries near before they are asked for.
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

    /// What is known of the position with this key. `ply` counts mate distances from the root again.
    #[inline(always)]
    pub(crate) fn probe(&self, key: u64, ply: usize) -> Option<Entry> {
        for slot in self.cluster(key) {
            let data = slot.data.load(Ordering::Relaxed);
            if slot.check.load(Ordering::Relaxed) ^ data == key && data != 0 {
                let mut entry = unpack(data);
                entry.value = from_table(entry.value, ply);
                return Some(entry);
            }
        }
        None
    }

    /// Remembers a position, in the place of the same one or of the least valuable of its cluster.
    #[inline(always)]
    pub(crate) fn store(&self, key: u64, ply: usize, mut entry: Entry) {
        let generation = self.generation.load(Ordering::Relaxed);
        let mut victim = 0;
        let mut least = i32::MAX;
        let slots = self.cluster(key);
        for (index, slot) in slots.iter().enumerate() {
            let data = slot.data.load(Ordering::Relaxed);
            if data == 0 || slot.check.load(Ordering::Relaxed) ^ data == key {
                victim = index;
                if data != 0 && !supersedes(&mut entry, &unpack(data), generation_of(data) == generation) {
                    return;
                }
                break;
            }
            let age = i32::from((generation + GENERATIONS - generation_of(data)) % GENERATIONS);
            let worth = unpack(data).depth - AGE_WEIGHT * age;
            if worth < least {
                (victim, least) = (index, worth);
            }
        }
        entry.value = to_table(entry.value, ply);
        let data = pack(&entry, generation);
        slots[victim].data.store(data, Ordering::Relaxed);
        slots[victim].check.store(key ^ data, Ordering::Relaxed);
    }

    /// The filling by the current search in per mille, from a sample.
    pub(crate) fn hashfull(&self) -> u32 {
        let generation = self.generation.load(Ordering::Relaxed);
        let sample = self.len.min(1000 / WAYS);
        let used = (0..sample)
            .flat_map(|index| self.at(index))
            .filter(|slot| {
                let data = slot.data.load(Ordering::Relaxed);
                data != 0 && generation_of(data) == generation
            })
            .count();
        (used * 1000 / (sample * WAYS)) as u32
    }
}

/// Whether a new entry replaces an older one of the same position. A missing move is taken over.
fn supersedes(new: &mut Entry, old: &Entry, same_search: bool) -> bool {
    if new.mv.is_none() {
        new.mv = old.mv;
    }
    new.bound == Bound::Exact || !same_search || new.depth + 3 + 2 * i32::from(new.pv) > old.depth
}

/// Mate distances: from the root outside, from the position inside.
fn to_table(value: Value, ply: usize) -> Value {
    match value {
        MATE_BOUND.. => value + ply as Value,
        _ if value <= -MATE_BOUND => value - ply as Value,
        _ => value,
    }
}

fn from_table(value: Value, ply: usize) -> Value {
    match value {
        MATE_BOUND.. => value - ply as Value,
        _ if value <= -MATE_BOUND => value + ply as Value,
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{MATE, mated_at, mates_from};

    fn entry(value: Value) -> Entry {
        Entry { mv: Move::from_bits(1234), value, eval: -321, depth: 7, bound: Bound::Lower, pv: true }
    }

    #[test]
    fn what_is_stored_is_found_again_with_mate_distances_from_the_root() {
        let table = Table::new(1).unwrap();
        for (key, value) in [(1, 0), (u64::MAX, -5000), (77, mates_from(9)), (78, mated_at(12))] {
            table.store(key, 5, entry(value));
            assert_eq!(table.probe(key, 5), Some(entry(value)));
        }
        assert_eq!(table.probe(77, 7).map(|found| MATE - found.value), Some(12));
        assert_eq!(table.probe(2, 0), None);
    }

    #[test]
    fn an_emptied_table_is_like_a_new_one() {
        let table = Table::new(1).unwrap();
        let keys = || (0..1000_u64).map(|n| n.wrapping_mul(u64::MAX / 1000));
        table.age();
        keys().for_each(|key| table.store(key, 0, entry(5)));
        assert!(keys().all(|key| table.probe(key, 0).is_some()));
        table.clear(|| true);
        assert!(keys().any(|key| table.probe(key, 0).is_some()), "left half done, it stays as it was");
        table.clear(|| false);
        let empty = |slot: &Slot| slot.data.load(Ordering::Relaxed) == 0 && slot.check.load(Ordering::Relaxed) == 0;
        assert!(table.slots.iter().all(empty) && table.generation.load(Ordering::Relaxed) == 0);
    }

    #[test]
    fn a_torn_entry_is_not_found() {
        let table = Table::new(1).unwrap();
        table.store(99, 0, entry(1));
        let slot = &table.cluster(99)[0];
        slot.data.store(slot.data.load(Ordering::Relaxed) ^ 1 << 20, Ordering::Relaxed);
        assert_eq!(table.probe(99, 0), None);
    }

    #[test]
    fn a_full_cluster_gives_up_its_oldest_and_shallowest() {
        let table = Table::new(1).unwrap();
        let at = |key: u64, depth| table.store(key, 0, Entry { depth, ..entry(0) });
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

//! The transposition table: lock-free, shared by all threads.
//!
//! An entry is two 64-bit words, written without a lock: the data, and the key combined with the
//! data by exclusive or (Hyatt and Mann 2002). If two threads write at once, the words do not match
//! and the entry is not found. Four entries fill a cache line.
//!
//! The memory is requested zeroed, so the system commits a page only when it is first written:
//! [`TranspositionTable::clear`] does that before a game.

use std::io;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};

use kiki_board::Move;
use kiki_platform::prefer_large_pages;

use crate::sync::atomic::AtomicU64;
use crate::value::{Bound, MATE_BOUND, MAX_PLY, NONE, Value};

/// The table's knowledge about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TableEntry {
    /// The best move, or the one that caused a cutoff; none if unknown.
    pub(crate) mv: Move,
    /// For the side to move; `NONE` for an entry with an evaluation only. Mate distances count from
    /// the position in memory, from the root outside.
    pub(crate) value: Value,
    /// The static evaluation before corrections; `NONE` in check.
    pub(crate) eval: Value,
    /// Plies searched below the position; negative for an entry with an evaluation only.
    pub(crate) depth: i32,
    /// Whether `value` is exact; `None` without a value.
    pub(crate) bound: Option<Bound>,
    /// Whether the position was part of a principal variation.
    pub(crate) pv: bool,
}

impl TableEntry {
    /// Represents a missing entry.
    pub(crate) const MISSING: Self =
        Self { mv: Move::NONE, value: NONE, eval: NONE, depth: -3, bound: None, pv: false };

    /// Whether the table has the entry.
    #[inline(always)]
    pub(crate) fn exists(&self) -> bool {
        self.depth != Self::MISSING.depth
    }

    /// Whether the value is a lower bound, perhaps an exact one.
    #[inline(always)]
    pub(crate) fn has_lower(&self) -> bool {
        matches!(self.bound, Some(Bound::Lower | Bound::Exact))
    }

    /// Whether the value is an upper bound, perhaps an exact one.
    #[inline(always)]
    pub(crate) fn has_upper(&self) -> bool {
        matches!(self.bound, Some(Bound::Upper | Bound::Exact))
    }

    /// Whether the value, if any, decides whether the position reaches `beta`.
    #[inline(always)]
    pub(crate) fn decides(&self, beta: Value) -> bool {
        if self.value >= beta { self.has_lower() } else { self.has_upper() }
    }

    /// Whether the stored value is a better estimate than the static evaluation `eval`: a bound
    /// beyond it.
    #[inline(always)]
    pub(crate) fn improves_evaluation(&self, eval: Value) -> bool {
        self.value != NONE && if self.value > eval { self.has_lower() } else { self.has_upper() }
    }

    /// Whether this entry replaces an older one of the same position.
    fn supersedes(&self, old: &Self, same_search: bool) -> bool {
        self.bound == Some(Bound::Exact) || !same_search || self.depth + 2 * i32::from(self.pv) > old.depth - 4
    }
}

/// Greater depths are stored as this one.
const MOST_DEPTH: i32 = MAX_PLY as i32 - 1;
const _: () = assert!(MOST_DEPTH <= i8::MAX as i32);

/// Move 16 bits, value 16, evaluation 16, depth 8, generation 5, principal variation 1, bound 2.
fn pack(entry: &TableEntry, generation: u8) -> u64 {
    let bound = entry.bound.map_or(0, |bound| bound as u8);
    u64::from(entry.mv.bits())
        | u64::from(entry.value as i16 as u16) << 16
        | u64::from(entry.eval as i16 as u16) << 32
        | u64::from(entry.depth.min(MOST_DEPTH) as i8 as u8) << 48
        | u64::from(generation << 3 | u8::from(entry.pv) << 2 | bound) << 56
}

/// The inverse of [`pack`].
fn unpack(data: u64) -> TableEntry {
    let flags = (data >> 56) as u8;
    TableEntry {
        mv: Move::from_bits(data as u16),
        value: Value::from((data >> 16) as u16 as i16),
        eval: Value::from((data >> 32) as u16 as i16),
        depth: i32::from((data >> 48) as u8 as i8),
        bound: match flags & 3 {
            0 => None,
            1 => Some(Bound::Upper),
            2 => Some(Bound::Lower),
            _ => Some(Bound::Exact),
        },
        pv: flags & 4 != 0,
    }
}

/// The generation that [`pack`] was given.
fn generation_of(data: u64) -> u8 {
    (data >> 59) as u8
}

/// A value; a mate is this many plies nearer. In memory mates count from the position, outside from
/// the root.
fn with_nearer_mate(value: Value, plies: Value) -> Value {
    match value {
        NONE => NONE,
        MATE_BOUND.. => value + plies,
        _ if value <= -MATE_BOUND => value - plies,
        _ => value,
    }
}

/// Memory for one entry; all zeros if empty.
#[cfg_attr(not(loom), derive(bytemuck::Zeroable))]
#[derive(Default)]
#[repr(C)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

impl Slot {
    /// The data, of any position; 0 if empty.
    #[inline(always)]
    fn data(&self) -> u64 {
        self.data.load(Ordering::Relaxed)
    }

    /// Whether data read from this slot belongs to the position with this key.
    #[inline(always)]
    fn belongs_to(&self, key: u64, data: u64) -> bool {
        self.check.load(Ordering::Relaxed) ^ data == key
    }

    #[inline(always)]
    fn write(&self, key: u64, data: u64) {
        self.data.store(data, Ordering::Relaxed);
        self.check.store(key ^ data, Ordering::Relaxed);
    }

    /// Writes only one of the two words, like a thread overtaken by another.
    #[cfg(test)]
    fn overwrite_data(&self, data: u64) {
        self.data.store(data, Ordering::Relaxed);
    }

    /// Whether both words are 0.
    #[cfg(test)]
    fn is_empty(&self) -> bool {
        self.data() == 0 && self.belongs_to(0, 0)
    }
}

/// Empty slots; `None` without enough memory.
#[cfg(not(loom))]
fn empty_slots(count: usize) -> Option<Box<[Slot]>> {
    // Zeros from the system: it commits a page at the first write.
    bytemuck::try_zeroed_slice_box(count).ok()
}

/// Empty slots for the model checker, whose atomics are not plain zeros.
#[cfg(loom)]
fn empty_slots(count: usize) -> Option<Box<[Slot]>> {
    Some((0..count).map(|_| Slot::default()).collect())
}

#[cfg(test)]
#[cfg(loom)]
mod models {
    use loom::sync::Arc;
    use loom::thread;

    use super::Slot;

    /// Two threads write while a third one reads. Any data that it finds for a key was written
    /// whole for that key.
    fn check(writes: [(u64, u64); 2]) {
        loom::model(move || {
            let slot = Arc::new(Slot::default());
            let writers = writes.map(|(key, data)| {
                let slot = Arc::clone(&slot);
                thread::spawn(move || slot.write(key, data))
            });
            let data = slot.data();
            for (key, _) in writes {
                if data != 0 && slot.belongs_to(key, data) {
                    assert!(writes.contains(&(key, data)), "{key:x}: {data:x}");
                }
            }
            for writer in writers {
                writer.join().unwrap();
            }
        });
    }

    #[test]
    fn entries_of_two_positions_are_never_mixed() {
        check([(0x1234_5678_9abc_def0, 0x0101), (0x0fed_cba9_8765_4321, 0x7070)]);
    }

    #[test]
    fn entries_of_one_position_are_never_mixed() {
        check([(0x1234_5678_9abc_def0, 0x0101), (0x1234_5678_9abc_def0, 0x7070)]);
    }
}

const WAYS: usize = 4;
/// Generations are counted in five bits.
const GENERATIONS: u8 = 32;
/// Plies of depth that one generation of age is worth when a victim is chosen.
const AGE_WEIGHT: i32 = 8;

/// Entries that may hold a key: one cache line.
#[cfg(not(loom))]
type Cluster = [Slot; WAYS];

const LINE: usize = 64;
#[cfg(not(loom))]
const _: () = assert!(size_of::<Cluster>() == LINE);

/// Prefetches the cache line of a value.
#[inline(always)]
#[cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "a hint to the processor that has no safe form"))]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch never faults and changes nothing that a program can see; the address
        // is that of a live reference.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// The transposition table: a hash table from position keys to [`TableEntry`].
pub(crate) struct TranspositionTable {
    /// Not aligned to cache lines: the allocator writes aligned zeroed memory, which would commit
    /// every page.
    slots: Box<[Slot]>,
    /// Number of unused slots before the first one that begins a cache line.
    skipped: usize,
    /// Number of clusters.
    len: usize,
    generation: AtomicU8,
    /// Whether [`TranspositionTable::clear`] has work to do: a search has begun since the last
    /// time, or the memory is new.
    used: AtomicBool,
}

impl TranspositionTable {
    /// A table of `mebibytes`, at least one.
    ///
    /// # Errors
    /// If the system has not enough memory.
    pub(crate) fn new(mebibytes: usize) -> io::Result<Self> {
        let len = mebibytes.max(1).saturating_mul((1 << 20) / LINE);
        let slots = empty_slots(len.saturating_add(1).saturating_mul(WAYS)).ok_or(io::ErrorKind::OutOfMemory)?;
        prefer_large_pages(&slots);
        // Allocations are aligned at least to a slot's size. If one is not, clusters straddle
        // lines, with no other harm.
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

    /// Empties the table and makes its memory resident, with one thread per processor. Must not run
    /// during a search. Stops early when `cancelled` returns true.
    ///
    /// The system clears the pages of a new table one by one at their first touch. During the
    /// search that takes several times as long, and costs time of a move.
    pub(crate) fn clear(&self, cancelled: impl Fn() -> bool + Sync) {
        /// Slots between two calls of `cancelled`: 4 MiB.
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
                chunk.iter().for_each(|slot| slot.write(0, 0));
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get).min(chunks.len());
        std::thread::scope(|scope| {
            for _ in 1..threads {
                // If the system refuses a thread, the others do its work.
                let _ = std::thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        if !cancelled() {
            self.used.store(false, Ordering::Relaxed);
            self.generation.store(0, Ordering::Relaxed);
        }
    }

    /// Begins a search: all entries age by one generation.
    pub(crate) fn age(&self) {
        self.used.store(true, Ordering::Relaxed);
        let next = (self.generation.load(Ordering::Relaxed) + 1) % GENERATIONS;
        self.generation.store(next, Ordering::Relaxed);
    }

    #[inline(always)]
    fn cluster(&self, key: u64) -> &[Slot] {
        // The high bits choose the cluster, so any size works.
        let index = (u128::from(key) * self.len as u128) >> 64;
        self.at(index as usize)
    }

    #[inline(always)]
    fn at(&self, index: usize) -> &[Slot] {
        &self.slots[self.skipped + index * WAYS..][..WAYS]
    }

    /// Prefetches a position's entries.
    #[inline(always)]
    pub(crate) fn prefetch(&self, key: u64) {
        prefetch(&self.cluster(key)[0]);
    }

    /// The entry of the position with this key, or [`TableEntry::MISSING`]. `ply` is the distance
    /// from the root, from which mate distances count.
    #[inline(always)]
    pub(crate) fn probe(&self, key: u64, ply: usize) -> TableEntry {
        for slot in self.cluster(key) {
            let data = slot.data();
            if slot.belongs_to(key, data) && data != 0 {
                let entry = unpack(data);
                return TableEntry { value: with_nearer_mate(entry.value, -(ply as Value)), ..entry };
            }
        }
        TableEntry::MISSING
    }

    /// Stores an entry. It replaces an older one of the same position unless that is deeper, or
    /// else the least valuable one of its cluster.
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
                if data != 0 {
                    let old = unpack(data);
                    // A move survives entries without one, and a new move is stored even where the
                    // rest is not.
                    let mv = if entry.mv.is_none() { old.mv } else { entry.mv };
                    if !entry.supersedes(&old, generation_of(data) == generation) {
                        let kept = TableEntry { mv, ..old };
                        return slot.write(key, pack(&kept, generation));
                    }
                    entry.mv = mv;
                }
                break;
            }
            let age = i32::from((generation + GENERATIONS - generation_of(data)) % GENERATIONS);
            let value = unpack(data).depth - AGE_WEIGHT * age;
            if value < least {
                (victim, least) = (index, value);
            }
        }
        entry.value = with_nearer_mate(entry.value, ply as Value);
        slots[victim].write(key, pack(&entry, generation));
    }

    /// Per mille of the entries that belong to the current search, from a sample.
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
    use super::*;
    use crate::value::{MATE, mate_in, mated_in};

    #[test]
    fn an_entry_is_unpacked_as_it_was_packed() {
        for bound in [None, Some(Bound::Exact), Some(Bound::Lower), Some(Bound::Upper)] {
            for (value, eval, depth, pv) in
                [(0, 0, 0, false), (-32_000, 32_002, -1, true), (31_999, -25_000, 126, false)]
            {
                let entry = TableEntry { mv: Move::from_bits(0xabcd), value, eval, depth, bound, pv };
                let data = pack(&entry, 29);
                assert_eq!((unpack(data), generation_of(data)), (entry, 29));
            }
        }
    }

    #[test]
    fn a_bound_decides_on_its_own_side_of_beta_only() {
        let decides = |bound, value| TableEntry { value, bound, ..entry(0) }.decides(100);
        assert!(decides(Some(Bound::Exact), 0) && decides(Some(Bound::Exact), 200));
        assert!(decides(Some(Bound::Lower), 100) && !decides(Some(Bound::Lower), 99));
        assert!(decides(Some(Bound::Upper), 99) && !decides(Some(Bound::Upper), 100));
        assert!(!decides(None, NONE) && !TableEntry::MISSING.improves_evaluation(0));
    }

    #[test]
    fn a_bound_improves_the_evaluation_on_its_own_side_of_it() {
        let improves = |bound, value| TableEntry { value, bound: Some(bound), ..entry(0) }.improves_evaluation(100);
        assert!(improves(Bound::Exact, 0) && improves(Bound::Exact, 200));
        assert!(improves(Bound::Lower, 101) && !improves(Bound::Lower, 100));
        assert!(improves(Bound::Upper, 100) && !improves(Bound::Upper, 101));
    }

    fn entry(value: Value) -> TableEntry {
        TableEntry { mv: Move::from_bits(1234), value, eval: -321, depth: 7, bound: Some(Bound::Lower), pv: true }
    }

    #[test]
    fn what_is_stored_is_found_again_with_mate_distances_from_the_root() {
        let table = TranspositionTable::new(1).unwrap();
        for (key, value) in [(1, 0), (u64::MAX, -5000), (77, mate_in(9 + 1)), (78, mated_in(12))] {
            table.store(key, 5, entry(value));
            assert_eq!(table.probe(key, 5), entry(value));
        }
        assert_eq!(MATE - table.probe(77, 7).value, 12);
        assert_eq!(table.probe(2, 0), TableEntry::MISSING);
    }

    #[test]
    fn a_shallower_entry_of_the_same_search_leaves_its_move_alone() {
        let table = TranspositionTable::new(1).unwrap();
        let at = |depth, bound, number: u16| TableEntry {
            mv: Move::from_bits(number),
            depth,
            bound: Some(bound),
            pv: false,
            ..entry(0)
        };
        let stored = |new: TableEntry| {
            table.store(5, 0, new);
            let found = table.probe(5, 0);
            (found.depth, found.mv.bits())
        };
        assert_eq!(stored(at(10, Bound::Lower, 7)), (10, 7));
        assert_eq!(stored(at(6, Bound::Lower, 8)), (10, 8), "much shallower");
        assert_eq!(stored(at(6, Bound::Lower, 0)), (10, 8), "and without a move");
        assert_eq!(stored(at(7, Bound::Lower, 0)), (7, 8), "hardly shallower: the move stays");
        assert_eq!(stored(at(1, Bound::Exact, 9)), (1, 9), "exact");
        stored(at(10, Bound::Lower, 7));
        table.age();
        assert_eq!(stored(at(1, Bound::Lower, 0)), (1, 7), "of an earlier search");
    }

    #[test]
    fn an_emptied_table_is_like_a_new_one() {
        let table = TranspositionTable::new(1).unwrap();
        let keys = || (0..1000_u64).map(|n| n.wrapping_mul(u64::MAX / 1000));
        table.age();
        keys().for_each(|key| table.store(key, 0, entry(5)));
        assert!(keys().all(|key| table.probe(key, 0).exists()));
        table.clear(|| true);
        assert!(keys().any(|key| table.probe(key, 0).exists()), "left half done, it stays as it was");
        table.clear(|| false);
        assert!(table.slots.iter().all(Slot::is_empty) && table.generation.load(Ordering::Relaxed) == 0);
    }

    #[test]
    fn a_torn_entry_is_not_found() {
        let table = TranspositionTable::new(1).unwrap();
        table.store(99, 0, entry(1));
        let slot = &table.cluster(99)[0];
        slot.overwrite_data(slot.data() ^ 1 << 20);
        assert!(!table.probe(99, 0).exists());
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
        assert!(!table.probe(1, 0).exists() && table.probe(5, 0).exists());
        (0..8).for_each(|_| table.age());
        at(2, 1);
        assert_eq!(table.probe(2, 0).depth, 1, "an old entry of the same position yields");
        at(6, 1);
        assert!(!table.probe(5, 0).exists(), "shallowest of the old ones");
        assert!(table.hashfull() > 0);
    }
}

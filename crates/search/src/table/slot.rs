//! One place of the transposition table: two words that are written without a lock.
//!
//! The words are the data and the key combined with the data by exclusive or (Hyatt and Mann 2002): if two threads write at once, the words no longer fit
//! together and the entry is not found.

use std::sync::atomic::Ordering;

use crate::sync::AtomicU64;

/// Room for an entry; all zeros for none.
#[cfg_attr(not(loom), derive(bytemuck::Zeroable))]
#[derive(Default)]
#[repr(C)]
pub(super) struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

impl Slot {
    pub(super) fn clear(&self) {
        self.check.store(0, Ordering::Relaxed);
        self.data.store(0, Ordering::Relaxed);
    }

    /// The data, of whatever position; 0 for none.
    #[inline(always)]
    pub(super) fn data(&self) -> u64 {
        self.data.load(Ordering::Relaxed)
    }

    /// Whether data that was read here is that of the position with this key.
    #[inline(always)]
    pub(super) fn belongs_to(&self, key: u64, data: u64) -> bool {
        self.check.load(Ordering::Relaxed) ^ data == key
    }

    #[inline(always)]
    pub(super) fn write(&self, key: u64, data: u64) {
        self.data.store(data, Ordering::Relaxed);
        self.check.store(key ^ data, Ordering::Relaxed);
    }

    /// One of the two words alone is written, as by a thread that another one has overtaken.
    #[cfg(test)]
    pub(super) fn overwrite_data(&self, data: u64) {
        self.data.store(data, Ordering::Relaxed);
    }

    /// Whether both words are 0.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.data() == 0 && self.belongs_to(0, 0)
    }
}

/// So many empty slots; `None` if the system has not so much memory to give.
#[cfg(not(loom))]
pub(super) fn empty_slots(count: usize) -> Option<Box<[Slot]>> {
    // Zeros that the system gives: a page is committed when it is first written.
    bytemuck::try_zeroed_slice_box(count).ok()
}

/// The same for the model checker, whose numbers are more than zeros.
#[cfg(loom)]
pub(super) fn empty_slots(count: usize) -> Option<Box<[Slot]>> {
    Some((0..count).map(|_| Slot::default()).collect())
}

#[cfg(all(test, loom))]
mod models {
    use loom::sync::Arc;
    use loom::thread;

    use super::Slot;

    /// Two threads write while a third one reads: what it finds for a key was written for it, whole.
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

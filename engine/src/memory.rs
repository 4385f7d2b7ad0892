//! Limits on the memory of tables and threads.

use kiki_platform::{SystemMemory, all_but_some};
use kiki_search::history_bytes;

/// Maximum memory of a search thread in MiB, without its histories.
const THREAD: usize = 4;

/// Memory of the program in MiB, without threads and tables.
const PROGRAM: usize = 96;

/// The part of it in MiB that a searcher needs after its start.
const AFTER_START: usize = 64;

/// The size of one more table in MiB: as requested, or the rest of the memory.
pub(crate) fn table_within_memory(asked: usize) -> usize {
    asked.min(SystemMemory::now().map_or(usize::MAX, |memory| all_but_some(memory.available)))
}

/// Whether the system can give this many MiB of address space. The check uses no memory.
pub(crate) fn can_reserve(mebibytes: usize) -> bool {
    mebibytes.checked_mul(1 << 20).is_some_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok())
}

/// The memory of this many threads besides the table, in MiB.
fn beside_the_table(threads: usize) -> usize {
    PROGRAM + THREAD * threads + history_bytes(threads).div_ceil(1 << 20)
}

/// The memory in MiB that a searcher with this many threads still needs once its table and
/// histories exist.
pub(crate) fn after_start(threads: usize) -> usize {
    AFTER_START + THREAD * threads
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MemoryShares {
    pub(crate) threads: usize,
    pub(crate) table_mebibytes: usize,
}

impl MemoryShares {
    /// The most threads and the largest table that fit. When memory is short, threads are reduced
    /// first, down to half of all memory, then the table.
    pub(crate) fn within(self, usable: usize) -> Self {
        let room = all_but_some(usable);
        let for_threads = room.saturating_sub(self.table_mebibytes).max(room / 2);
        let threads = (1..=self.threads).rev().find(|&threads| beside_the_table(threads) <= for_threads).unwrap_or(1);
        let table_mebibytes = self.table_mebibytes.min(room.saturating_sub(beside_the_table(threads))).max(1);
        Self { threads, table_mebibytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(usable: usize, threads: usize, table_mebibytes: usize) -> (usize, usize) {
        let shares = MemoryShares { threads, table_mebibytes }.within(usable);
        (shares.threads, shares.table_mebibytes)
    }

    #[test]
    fn what_has_room_is_given() {
        assert_eq!(within(64_000, 1024, 256), (1024, 256));
        assert_eq!(within(1000, 2, 256), (2, 256));
    }

    #[test]
    fn threads_without_room_are_left_out_and_a_table_without_room_is_smaller() {
        assert_eq!(within(8192, 1024, 256), (93, 256));
        assert_eq!(within(8192, 4, 33_554_432), (4, 7223));
        assert_eq!(within(8192, 1024, 33_554_432), (32, 4703));
        assert_eq!(within(0, 1024, 256), (1, 1), "something has to play");
    }

    #[test]
    fn all_shares_fit_if_anything_does() {
        for usable in (200..70_000).step_by(977) {
            for threads in [1, 2, 64, 1024] {
                for table in [1, 256, 4096, 33_554_432] {
                    let (threads, table) = within(usable, threads, table);
                    assert!(table + beside_the_table(threads) <= usable, "{usable}: {threads} threads, {table} MiB");
                }
            }
        }
    }

    #[test]
    fn a_table_is_no_larger_than_what_there_is() {
        let Some(memory) = SystemMemory::now() else { unreachable!("this system says it") };
        assert_eq!(table_within_memory(3), 3);
        assert!(table_within_memory(usize::MAX) <= all_but_some(memory.usable()), "no more than there is");
        assert!(can_reserve(1) && !can_reserve(usize::MAX >> 20) && !can_reserve(usize::MAX));
    }
}

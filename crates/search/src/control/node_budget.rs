//! The nodes that the threads of a search have searched and may still search.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crossbeam::utils::CachePadded;

/// Counts nodes, and deals out the limit of nodes among threads.
pub(crate) struct NodeBudget {
    /// By thread, as far as they have been published.
    searched: Box<[CachePadded<AtomicU64>]>,
    /// The part of the limit that no thread has taken yet.
    untaken: CachePadded<AtomicU64>,
    /// The main thread's part of the limit: without one the search might end before the main thread has found anything.
    main_part: AtomicU64,
    /// Whether the limit holds while pondering too.
    holds_while_pondering: AtomicBool,
}

impl NodeBudget {
    pub(super) fn new(threads: usize) -> Self {
        Self {
            searched: (0..threads).map(|_| CachePadded::default()).collect(),
            untaken: CachePadded::default(),
            main_part: AtomicU64::new(0),
            holds_while_pondering: AtomicBool::new(false),
        }
    }

    /// A search of at most `limit` nodes begins; `None` for no limit.
    pub(super) fn begin(&self, limit: Option<u64>) {
        let limit = limit.unwrap_or(u64::MAX);
        let main_part = limit / self.searched.len().max(1) as u64;
        self.main_part.store(main_part, Ordering::Relaxed);
        self.untaken.store(limit - main_part, Ordering::Relaxed);
        self.searched.iter().for_each(|counter| counter.store(0, Ordering::Relaxed));
    }

    /// Whether the limit of this search holds while pondering too.
    pub(crate) fn set_holds_while_pondering(&self, holds: bool) {
        self.holds_while_pondering.store(holds, Ordering::Relaxed);
    }

    pub(super) fn holds_while_pondering(&self) -> bool {
        self.holds_while_pondering.load(Ordering::Relaxed)
    }

    /// The published nodes of all threads.
    pub(crate) fn total(&self) -> u64 {
        self.searched.iter().map(|counter| counter.load(Ordering::Relaxed)).sum()
    }

    /// A thread has searched so many nodes.
    pub(super) fn publish(&self, thread: usize, nodes: u64) {
        self.searched[thread].store(nodes, Ordering::Relaxed);
    }

    /// What a thread may search before it takes anything.
    pub(super) fn initial_part(&self, thread: usize) -> u64 {
        if thread == 0 { self.main_part.load(Ordering::Relaxed) } else { 0 }
    }

    /// Takes `wanted` nodes for one thread to search, or what is left if that is less. They are taken beforehand: if threads were counted
    /// afterwards, all of them might have gone on in the meantime.
    pub(super) fn take(&self, wanted: u64) -> u64 {
        let less = |left: u64| Some(left.saturating_sub(wanted));
        self.untaken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).map_or(0, |left| left.min(wanted))
    }

    /// Takes at most `wanted` nodes, and at most a quarter of one thread's part of what is left: what a thread has taken and not searched
    /// when the main thread finds nothing left is lost.
    pub(super) fn take_share(&self, wanted: u64) -> u64 {
        let shares = 4 * self.searched.len().max(1) as u64;
        self.take((self.untaken.load(Ordering::Relaxed) / shares).clamp(1, wanted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_together_take_the_limit_and_no_node_more() {
        let budget = NodeBudget::new(4);
        budget.begin(Some(1000));
        assert_eq!([0, 1, 3].map(|thread| budget.initial_part(thread)), [250, 0, 0]);
        let mut taken = 250;
        while let share @ 1.. = budget.take_share(512) {
            taken += share;
        }
        assert_eq!((taken, budget.take(1)), (1000, 0));
        budget.begin(Some(10));
        assert_eq!((budget.take(100), budget.take(100)), (8, 0));
    }

    #[test]
    fn published_nodes_are_added_up_until_the_next_search() {
        let budget = NodeBudget::new(2);
        budget.begin(None);
        budget.publish(0, 5);
        budget.publish(1, 7);
        budget.publish(1, 9);
        assert_eq!(budget.total(), 14);
        budget.begin(None);
        assert_eq!(budget.total(), 0);
    }
}

//! The games that are still to be played, handed out one after the other to whoever asks.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Places in the schedule that have not been played, in its order. What is left is computed, not stored: a schedule may hold more games
/// than memory.
#[derive(Debug)]
pub(crate) struct Pending {
    /// The places from here on have not been handed out.
    next: AtomicUsize,
    scheduled: usize,
    /// The places that had been played before.
    played: HashSet<usize>,
}

impl Pending {
    /// All places below `scheduled` but those that were played before.
    pub(crate) fn new(scheduled: usize, played: HashSet<usize>) -> Self {
        Self { next: AtomicUsize::new(0), scheduled, played }
    }

    /// The next place, which nobody else gets.
    pub(crate) fn take(&self) -> Option<usize> {
        loop {
            let advance = |place: usize| (place < self.scheduled).then_some(place + 1);
            let place = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, advance).ok()?;
            if !self.played.contains(&place) {
                return Some(place);
            }
        }
    }

    /// How many places there are in all.
    pub(crate) fn count(&self) -> usize {
        self.scheduled - self.played.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_played_is_left_out_and_nothing_is_handed_out_twice() {
        let pending = Pending::new(6, HashSet::from([0, 3, 5]));
        assert_eq!(pending.count(), 3);
        let taken: Vec<usize> = std::iter::from_fn(|| pending.take()).collect();
        assert_eq!(taken, [1, 2, 4]);
        assert_eq!(pending.take(), None);
    }

    #[test]
    fn the_longest_schedule_takes_no_memory() {
        let pending = Pending::new(usize::MAX, HashSet::from([1]));
        assert_eq!((pending.take(), pending.take(), pending.count()), (Some(0), Some(2), usize::MAX - 1));
    }
}

//! The items of a list that are still to be played, handed out to workers one by one.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The numbers of a list, from 0, that have not been played, in order. They are computed, not stored: a list may be longer than memory
/// allows.
#[derive(Debug)]
pub struct WorkQueue {
    /// Numbers from here on have not been handed out.
    next: AtomicUsize,
    scheduled: usize,
    /// What had been played before.
    played: HashSet<usize>,
}

impl WorkQueue {
    /// All numbers below `scheduled` except those that were played before.
    #[must_use]
    pub fn new(scheduled: usize, played: HashSet<usize>) -> Self {
        Self { next: AtomicUsize::new(0), scheduled, played }
    }

    /// The next number, which no other caller gets; `None` at the end of the list.
    pub fn take(&self) -> Option<usize> {
        loop {
            let advance = |number: usize| (number < self.scheduled).then_some(number + 1);
            let number = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, advance).ok()?;
            if !self.played.contains(&number) {
                return Some(number);
            }
        }
    }

    /// How many numbers there are in all, those handed out included.
    #[must_use]
    pub fn count(&self) -> usize {
        self.scheduled - self.played.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_played_is_left_out_and_nothing_is_handed_out_twice() {
        let queue = WorkQueue::new(6, HashSet::from([0, 3, 5]));
        assert_eq!(queue.count(), 3);
        let taken: Vec<usize> = std::iter::from_fn(|| queue.take()).collect();
        assert_eq!(taken, [1, 2, 4]);
        assert_eq!(queue.take(), None);
    }

    #[test]
    fn the_longest_schedule_takes_no_memory() {
        let queue = WorkQueue::new(usize::MAX, HashSet::from([1]));
        assert_eq!((queue.take(), queue.take(), queue.count()), (Some(0), Some(2), usize::MAX - 1));
    }
}

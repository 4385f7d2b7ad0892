//! The number that all histories are made of.

/// Counters stay between `-LIMIT` and `LIMIT`.
pub(super) const LIMIT: i32 = 16_384;

/// Successes less failures, of which the older count less.
#[derive(Clone, Copy, Default, Debug)]
#[repr(transparent)]
pub(crate) struct Counter(i16);

impl Counter {
    /// From `-LIMIT` to `LIMIT`; 0 at the beginning.
    #[inline(always)]
    pub(crate) fn get(self) -> i32 {
        i32::from(self.0)
    }

    /// Adds a bonus of at most `LIMIT`, less of it the nearer the counter is to the limit ("history gravity").
    #[inline(always)]
    pub(crate) fn add(&mut self, bonus: i32) {
        let old = self.get();
        self.0 = (old + bonus - old * bonus.abs() / LIMIT) as i16;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_nears_its_limits_and_never_leaves_them() {
        let mut counter = Counter::default();
        let mut last = counter.get();
        for _ in 0..1000 {
            counter.add(1600);
            assert!((last..=LIMIT).contains(&counter.get()));
            last = counter.get();
        }
        assert!(last > LIMIT * 9 / 10, "{last}");
        counter.add(-1600);
        assert!(last - counter.get() > 1600, "failures after many successes count more");
        (0..1000).for_each(|_| counter.add(-LIMIT));
        assert_eq!(counter.get(), -LIMIT);
    }
}

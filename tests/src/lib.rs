//! Shared parts of the tests: fixtures, seeded playouts, and a second, slow picture of the board.
//!
//! The tests themselves stand in `tests/board`, each file named by its promise. `fixtures/README.md` says where the tables come from and
//! how they were verified. The rules of the house are the package `house`, which optimises nothing.

pub mod diagram;
pub mod fixtures;
pub mod golden;
pub mod moves;
pub mod networks;
pub mod playout;

/// All cores for one loop over a long table of independent rows.
pub mod parallel {
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Calls `check` once for each item, on all cores. Items are handed out in order, so put the slowest first.
    ///
    /// # Panics
    /// If a call panics.
    pub fn for_each<T: Sync>(items: &[T], check: impl Fn(&T) + Sync) {
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                check(item);
            }
        };
        let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(work);
            }
        });
    }
}

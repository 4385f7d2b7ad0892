//! Shared parts of the tests: fixtures, seeded playouts, and a second, slow representation of the
//! board.
//!
//! The tests themselves are in `tests/board`, each file named by what it verifies.
//! `fixtures/README.md` has the origin and verification of the tables. The house rules are the
//! package `house`, which is not optimised.

pub mod diagram;
pub mod fixtures;
pub mod golden;
pub mod moves;
pub mod networks;
pub mod playout;

/// Runs a loop over a long table of independent rows on all cores.
pub mod parallel {
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Calls `check` once for each item, on all cores. Items are taken in order, so put the slowest
    /// first. Panics if a call panics.
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

//! All cores for one loop: the tables are long and their rows independent.

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

//! Time slices: how threads share the processors if they outnumber them.
//!
//! Without slices, too many threads keep every other thread waiting, even the one that must answer.
//! Threads that yield often lose most of the time to other busy programs. So only as many threads
//! search as there are processors, and after a short time slice each passes its place to the thread
//! that has waited longest.

use std::collections::VecDeque;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};

/// How long a thread searches before it passes its processor on.
pub(crate) const TIME_SLICE: Duration = Duration::from_millis(2);

/// The places to search at, and the threads that wait for one.
pub(crate) struct TimeSlices {
    places: usize,
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    searching: usize,
    /// A thread has its place when its sender is dropped.
    waiting: VecDeque<Sender<()>>,
    /// Whether the search is over, so that no thread waits.
    open: bool,
}

impl TimeSlices {
    pub(crate) fn new(places: usize) -> Self {
        Self { places: places.max(1), queue: Mutex::default() }
    }

    /// Begins a search. No thread may hold a place.
    pub(crate) fn begin(&self) {
        self.queue.lock().open = false;
    }

    /// Lets all waiting threads continue at once, as the search must end.
    pub(crate) fn open(&self) {
        let mut queue = self.queue.lock();
        queue.open = true;
        queue.searching += queue.waiting.len();
        queue.waiting.clear();
    }

    /// Waits for a place.
    pub(crate) fn acquire(&self) {
        let mut queue = self.queue.lock();
        if queue.open || queue.searching < self.places {
            queue.searching += 1;
        } else {
            wait(queue);
        }
    }

    /// Passes the place to the thread that has waited longest, and waits for another one.
    pub(crate) fn hand_over(&self) {
        let mut queue = self.queue.lock();
        if queue.waiting.pop_front().is_some() {
            wait(queue);
        }
    }

    /// Gives up the place, to the thread that has waited longest.
    pub(crate) fn release(&self) {
        let mut queue = self.queue.lock();
        if queue.waiting.pop_front().is_none() {
            queue.searching -= 1;
        }
    }
}

fn wait(mut queue: MutexGuard<'_, Queue>) {
    let (place, waiting) = channel();
    queue.waiting.push_back(place);
    drop(queue);
    // Ends when the sender is dropped.
    let _ = waiting.recv();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    #[test]
    fn no_more_threads_search_than_there_are_places_and_each_gets_its_slices() {
        const THREADS: usize = 12;
        let slices = TimeSlices::new(3);
        let (searching, most, three) = (AtomicUsize::new(0), AtomicUsize::new(0), Barrier::new(3));
        let counts: Vec<AtomicUsize> = (0..THREADS).map(|_| AtomicUsize::new(0)).collect();
        for _ in 0..2 {
            slices.begin();
            std::thread::scope(|scope| {
                for count in &counts {
                    let (slices, searching, most, three) = (&slices, &searching, &most, &three);
                    scope.spawn(move || {
                        slices.acquire();
                        for slice in 0..200 {
                            most.fetch_max(searching.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                            if slice == 0 {
                                // Passes only if all places are used at the same time.
                                three.wait();
                            }
                            count.fetch_add(1, Ordering::SeqCst);
                            searching.fetch_sub(1, Ordering::SeqCst);
                            slices.hand_over();
                        }
                        slices.release();
                    });
                }
            });
        }
        assert_eq!(most.into_inner(), 3);
        assert!(counts.into_iter().all(|count| count.into_inner() == 400));
        assert_eq!(slices.queue.lock().searching, 0);
    }

    #[test]
    fn no_thread_waits_once_the_search_must_end() {
        let slices = TimeSlices::new(1);
        let (ends, at_work) = (AtomicBool::new(false), AtomicUsize::new(0));
        slices.begin();
        std::thread::scope(|scope| {
            for _ in 0..5 {
                let (slices, ends, at_work) = (&slices, &ends, &at_work);
                scope.spawn(move || {
                    slices.acquire();
                    at_work.fetch_add(1, Ordering::SeqCst);
                    // No place is passed on: the others enter only when the search ends.
                    while !ends.load(Ordering::SeqCst) {
                        std::thread::yield_now();
                    }
                    slices.release();
                });
            }
            while at_work.load(Ordering::SeqCst) < 1 {
                std::thread::yield_now();
            }
            while slices.queue.lock().waiting.len() < 4 {
                std::thread::yield_now();
            }
            assert_eq!(at_work.load(Ordering::SeqCst), 1);
            ends.store(true, Ordering::SeqCst);
            slices.open();
        });
        assert_eq!((at_work.into_inner(), slices.queue.lock().searching), (5, 0));
    }
}

//! A pool of threads, each with its own state and queue of jobs.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

use crossbeam::channel::{Sender, bounded, unbounded};

/// A job for one thread, with the thread's state.
pub(crate) type Job<S> = Box<dyn FnOnce(&mut S) + Send>;

/// The queues of a pool: `[thread]`. A thread runs its jobs in order.
pub(crate) type Queues<S> = Arc<[Sender<Job<S>>]>;

/// Bytes of address space that are free when a thread begins, besides its stack: the standard library
/// ends the program if a thread gets no second stack for signals. The C library maps blocks of this
/// size one by one, so that a freed one is free for all. It is never touched.
const SPARE: usize = 64 << 20;

/// The threads. Dropping the pool waits for their jobs.
pub(crate) struct ThreadPool<S> {
    /// Clones keep the threads alive: one ends when no clone is left and its jobs are done.
    pub(crate) queues: Queues<S>,
    handles: Vec<JoinHandle<()>>,
}

impl<S: 'static> ThreadPool<S> {
    /// Starts a thread for each function of `states`, which creates its state. Stacks have
    /// `stack_size` bytes; threads are named `name` and their number, from 0. If the system refuses
    /// a thread, those already started end.
    pub(crate) fn new<F>(name: &str, stack_size: usize, states: impl IntoIterator<Item = F>) -> io::Result<Self>
    where
        F: FnOnce() -> S + Send + 'static,
    {
        let mut pool = Self { queues: Arc::default(), handles: Vec::new() };
        // Declared after the pool, so that they drop first if a thread is refused: the pool waits
        // for its threads, and they wait for their queues to end.
        let mut senders = Vec::new();
        for (number, state) in states.into_iter().enumerate() {
            let (sender, jobs) = unbounded::<Job<S>>();
            let (begin, has_begun) = bounded(1);
            let body = move || {
                let _ = begin.send(());
                let mut state = state();
                // The panic hook reports a panic of a job. The thread survives it, as others wait
                // for its next jobs.
                jobs.iter().for_each(|job| drop(catch_unwind(AssertUnwindSafe(|| job(&mut state)))));
            };
            let builder = Builder::new().name(format!("{name} {number}")).stack_size(stack_size);
            let mut spare = Vec::<u8>::new();
            spare.try_reserve_exact(SPARE).map_err(|error| io::Error::new(io::ErrorKind::OutOfMemory, error))?;
            pool.handles.push(builder.spawn(body)?);
            drop(spare);
            let _ = has_begun.recv();
            senders.push(sender);
        }
        pool.queues = senders.into();
        Ok(pool)
    }
}

impl<S> Drop for ThreadPool<S> {
    fn drop(&mut self) {
        self.queues = Arc::default();
        for handle in self.handles.drain(..) {
            // Its jobs' panics are caught.
            let _ = handle.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thread_runs_its_jobs_in_order_with_its_own_state() {
        let (sender, results) = unbounded();
        let pool = ThreadPool::new("test", 1 << 16, (0..3).map(|number| move || vec![number])).unwrap();
        for queue in &*pool.queues {
            for job in 1..4 {
                queue.send(Box::new(move |list| list.push(10 * job))).unwrap();
            }
            let sender = sender.clone();
            queue.send(Box::new(move |list| sender.send(list.clone()).unwrap())).unwrap();
        }
        drop(pool);
        let mut lists: Vec<Vec<i32>> = results.try_iter().collect();
        lists.sort();
        assert_eq!(lists, [[0, 10, 20, 30], [1, 10, 20, 30], [2, 10, 20, 30]]);
    }
}

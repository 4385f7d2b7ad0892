//! A pool of threads, each with its own state and queue of jobs.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

use crossbeam::channel::{Sender, unbounded};

/// A job for one thread, with the thread's state.
pub(crate) type Job<S> = Box<dyn FnOnce(&mut S) + Send>;

/// The queues of a pool: `[thread]`. A thread runs its jobs in order.
pub(crate) type Queues<S> = Arc<[Sender<Job<S>>]>;

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
            let body = move || {
                let mut state = state();
                // The panic hook reports a panic of a job. The thread survives it, as others wait
                // for its next jobs.
                jobs.iter().for_each(|job| drop(catch_unwind(AssertUnwindSafe(|| job(&mut state)))));
            };
            let builder = Builder::new().name(format!("{name} {number}")).stack_size(stack_size);
            pool.handles.push(builder.spawn(body)?);
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

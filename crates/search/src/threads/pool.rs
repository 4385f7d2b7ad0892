//! A pool of threads, each with its own state and queue of jobs; the state of a searching thread.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

use crossbeam::channel::{Sender, unbounded};
use kiki_eval::Evaluator;

use crate::control::SearchControl;
use crate::order::history::SharedHistories;
use crate::root::RootSearch;

/// A job for one thread, with the thread's state.
type Job<S> = Box<dyn FnOnce(&mut S) + Send>;

/// The queues of a pool's threads.
pub(crate) struct Queues<S> {
    queues: Arc<[Sender<Job<S>>]>,
    /// Number of queues in use.
    used: usize,
}

impl<S> Clone for Queues<S> {
    fn clone(&self) -> Self {
        Self { queues: Arc::clone(&self.queues), used: self.used }
    }
}

impl<S> Queues<S> {
    /// Number of threads.
    pub(crate) fn len(&self) -> usize {
        self.used
    }

    /// The queues of the first `threads` threads.
    pub(crate) fn first(&self, threads: usize) -> Self {
        Self { queues: Arc::clone(&self.queues), used: self.used.min(threads) }
    }

    /// Sends a job to a thread, which runs its jobs in order. False if the thread does not exist.
    pub(crate) fn send(&self, thread: usize, job: impl FnOnce(&mut S) + Send + 'static) -> bool {
        self.queues[..self.used].get(thread).is_some_and(|queue| queue.send(Box::new(job)).is_ok())
    }
}

/// The threads. Dropping the pool waits for their jobs.
pub(crate) struct ThreadPool<S> {
    /// `None` only while the pool is being dropped.
    queues: Option<Queues<S>>,
    handles: Vec<JoinHandle<()>>,
}

impl<S: 'static> ThreadPool<S> {
    /// Starts a thread for each function of `states`, which creates its state. Stacks have
    /// `stack_size` bytes; threads are named `name` and their number, from 0.
    ///
    /// # Errors
    /// If the system refuses to start a thread; those already started end.
    pub(crate) fn new<F>(name: &str, stack_size: usize, states: impl IntoIterator<Item = F>) -> io::Result<Self>
    where
        F: FnOnce() -> S + Send + 'static,
    {
        let mut pool = Self { queues: None, handles: Vec::new() };
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
        pool.queues = Some(Queues { used: senders.len(), queues: senders.into() });
        Ok(pool)
    }

    /// The queues, which may be cloned. A thread ends when no clone is left and its jobs are done.
    pub(crate) fn queues(&self) -> &Queues<S> {
        self.queues.as_ref().expect("the pool is not being dropped")
    }
}

impl<S> Drop for ThreadPool<S> {
    fn drop(&mut self) {
        self.queues = None;
        for handle in self.handles.drain(..) {
            // Its jobs' panics are caught.
            let _ = handle.join();
        }
    }
}

/// The state that a searching thread keeps between searches. The search with its large tables is
/// created at its first use.
pub(crate) struct SearchThread<E: Evaluator> {
    /// Its number; 0 is the main thread.
    pub(crate) number: usize,
    weights: Arc<E::Weights>,
    control: Arc<SearchControl>,
    histories: Arc<SharedHistories>,
    search: Option<RootSearch<E>>,
}

impl<E: Evaluator> SearchThread<E> {
    pub(crate) fn new(
        number: usize,
        weights: Arc<E::Weights>,
        control: Arc<SearchControl>,
        histories: Arc<SharedHistories>,
    ) -> Self {
        Self { number, weights, control, histories, search: None }
    }

    fn new_search(&self) -> RootSearch<E> {
        RootSearch::new(self.number, &self.weights, Arc::clone(&self.control), Arc::clone(&self.histories))
    }

    /// Forgets earlier games. Only if `resident`, allocates missing histories and makes their
    /// memory resident.
    pub(crate) fn new_game(&mut self, resident: bool) {
        if resident && self.search.is_none() {
            self.search = Some(self.new_search());
        }
        if let Some(search) = &mut self.search {
            search.new_game(resident);
        }
    }

    /// Takes the search out, for [`SearchThread::put_back`] to return. A failed search is not
    /// returned, as its state cannot be trusted; a new one is created.
    pub(crate) fn take(&mut self) -> RootSearch<E> {
        self.search.take().unwrap_or_else(|| self.new_search())
    }

    pub(crate) fn put_back(&mut self, search: RootSearch<E>) {
        self.search = Some(search);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thread_runs_its_jobs_in_order_with_its_own_state() {
        let (sender, results) = unbounded();
        let pool = ThreadPool::new("test", 1 << 16, (0..3).map(|number| move || vec![number])).unwrap();
        for job in 1..4 {
            for thread in 0..pool.queues().len() {
                assert!(pool.queues().send(thread, move |list| list.push(10 * job)));
            }
        }
        for thread in 0..3 {
            let sender = sender.clone();
            pool.queues().send(thread, move |list: &mut Vec<i32>| sender.send(list.clone()).unwrap());
        }
        assert!(!pool.queues().send(3, |_| {}));
        drop(pool);
        let mut lists: Vec<Vec<i32>> = results.try_iter().collect();
        lists.sort();
        assert_eq!(lists, [[0, 10, 20, 30], [1, 10, 20, 30], [2, 10, 20, 30]]);
    }

    #[test]
    fn a_job_that_panics_does_not_end_its_thread() {
        let (sender, results) = unbounded();
        let pool = ThreadPool::new("test", 1 << 16, [|| 5]).unwrap();
        assert!(pool.queues().send(0, |_| panic!("on purpose")));
        assert!(pool.queues().send(0, move |number| sender.send(*number).unwrap()));
        assert_eq!(results.recv(), Ok(5));
    }
}

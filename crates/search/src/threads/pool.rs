//! A pool of threads, each with a state of its own and a queue of jobs; the state of a searching thread.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

use crossbeam::channel::{Sender, unbounded};
use kiki_eval::Evaluator;

use crate::control::SearchControl;
use crate::root::RootSearch;

/// Something for one thread to do, with the thread's state.
type Task<S> = Box<dyn FnOnce(&mut S) + Send>;

/// The queues of a pool's threads.
pub(crate) struct Queues<S> {
    queues: Arc<[Sender<Task<S>>]>,
    /// How many of them are used.
    used: usize,
}

impl<S> Clone for Queues<S> {
    fn clone(&self) -> Self {
        Self { queues: Arc::clone(&self.queues), used: self.used }
    }
}

impl<S> Queues<S> {
    /// The number of threads.
    pub(crate) fn len(&self) -> usize {
        self.used
    }

    /// Those of the first so many threads.
    pub(crate) fn first(&self, threads: usize) -> Self {
        Self { queues: Arc::clone(&self.queues), used: self.used.min(threads) }
    }

    /// Gives a task to a thread, which does one after the other. False if there is no such thread.
    pub(crate) fn send(&self, thread: usize, task: impl FnOnce(&mut S) + Send + 'static) -> bool {
        self.queues[..self.used].get(thread).is_some_and(|queue| queue.send(Box::new(task)).is_ok())
    }
}

/// The threads. Dropping the pool waits until they have done their tasks.
pub(crate) struct ThreadPool<S> {
    /// `None` only while the pool is being dropped.
    queues: Option<Queues<S>>,
    handles: Vec<JoinHandle<()>>,
}

impl<S: 'static> ThreadPool<S> {
    /// Starts one thread for each of the functions that make their states, with stacks of so many bytes. Threads are named `name` and their
    /// number, from 0.
    ///
    /// # Errors
    /// If the system refuses to start one; those that were started are ended.
    pub(crate) fn new<F>(name: &str, stack_size: usize, states: impl IntoIterator<Item = F>) -> io::Result<Self>
    where
        F: FnOnce() -> S + Send + 'static,
    {
        let mut pool = Self { queues: None, handles: Vec::new() };
        // Below the pool, so that they are dropped before it if a thread is refused: the pool waits for those that were started, and they for the
        // end of their queues.
        let mut senders = Vec::new();
        for (number, state) in states.into_iter().enumerate() {
            let (sender, tasks) = unbounded::<Task<S>>();
            let body = move || {
                let mut state = state();
                // A panic that a task lets through is told by the panic hook; without its thread the tasks that follow would be waited for in vain.
                tasks.iter().for_each(|task| drop(catch_unwind(AssertUnwindSafe(|| task(&mut state)))));
            };
            let builder = Builder::new().name(format!("{name} {number}")).stack_size(stack_size);
            pool.handles.push(builder.spawn(body)?);
            senders.push(sender);
        }
        pool.queues = Some(Queues { used: senders.len(), queues: senders.into() });
        Ok(pool)
    }

    /// The queues, which may be copied; a thread ends when no copy is left and its tasks are done.
    pub(crate) fn queues(&self) -> &Queues<S> {
        self.queues.as_ref().expect("the pool is not being dropped")
    }
}

impl<S> Drop for ThreadPool<S> {
    fn drop(&mut self) {
        self.queues = None;
        for handle in self.handles.drain(..) {
            // Its tasks' panics are caught.
            let _ = handle.join();
        }
    }
}

/// What one thread of the pool keeps between searches. The search with its large tables is made when it is first needed.
pub(crate) struct SearchThread<E: Evaluator> {
    /// Its number; 0 is the main thread.
    pub(crate) number: usize,
    weights: Arc<E::Weights>,
    control: Arc<SearchControl>,
    search: Option<RootSearch<E>>,
}

impl<E: Evaluator> SearchThread<E> {
    pub(crate) fn new(number: usize, weights: Arc<E::Weights>, control: Arc<SearchControl>) -> Self {
        Self { number, weights, control, search: None }
    }

    /// Forgets earlier games; afterwards all memory for histories is resident. If it is not there yet, it is made only if `resident`.
    pub(crate) fn new_game(&mut self, resident: bool) {
        if resident {
            self.search.get_or_insert_with(|| RootSearch::new(self.number, &self.weights, Arc::clone(&self.control)));
        }
        if let Some(search) = &mut self.search {
            search.new_game();
        }
    }

    /// Takes the search out, to be put back by [`SearchThread::put_back`] unless it fails: then its state is not to be trusted, and a new
    /// one will be made.
    pub(crate) fn take(&mut self) -> RootSearch<E> {
        self.search.take().unwrap_or_else(|| RootSearch::new(self.number, &self.weights, Arc::clone(&self.control)))
    }

    pub(crate) fn put_back(&mut self, search: RootSearch<E>) {
        self.search = Some(search);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thread_does_its_tasks_in_order_with_its_own_state() {
        let (sender, results) = unbounded();
        let pool = ThreadPool::new("test", 1 << 16, (0..3).map(|number| move || vec![number])).unwrap();
        for task in 1..4 {
            for thread in 0..pool.queues().len() {
                assert!(pool.queues().send(thread, move |list| list.push(10 * task)));
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
    fn a_task_that_panics_is_not_the_end_of_its_thread() {
        let (sender, results) = unbounded();
        let pool = ThreadPool::new("test", 1 << 16, [|| 5]).unwrap();
        assert!(pool.queues().send(0, |_| panic!("on purpose")));
        assert!(pool.queues().send(0, move |number| sender.send(*number).unwrap()));
        assert_eq!(results.recv(), Ok(5));
    }
}

//! Lazy SMP: many threads search the same position and meet in the table.
//!
//! The threads sleep between searches; the coordinator wakes the main one (id 0), and each wakes two others. The main one watches the
//! limits and tells of progress.

use std::any::Any;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam::channel::{Receiver, Sender, unbounded};
use kiki_board::Position;
use kiki_eval::Evaluator;
use parking_lot::Mutex;

use crate::clock::Clock;
use crate::coordinator::{Job, Part, Preparation, Running, Task, coordinate};
use crate::limits::Rules;
use crate::root::Plan;
use crate::root_moves::RootLine;
use crate::shared::{NodeCounter, Shared};
use crate::turns::Turns;
use crate::worker::Worker;

/// Deep recursion with generous room; only touched pages count.
const STACK: usize = 16 << 20;

/// Beyond this many threads for each processor the tables of a thread are not made resident beforehand: there would be more of them than
/// memory.
const RESIDENT: usize = 4;

/// What a thread is to do.
pub(crate) enum Order<E: Evaluator> {
    /// Search and publish what is found.
    Search(Arc<Task<E>>),
    /// Forget earlier games, and drop this afterwards.
    Forget(Sender<()>),
}

/// The threads of a searcher.
pub(crate) struct Pool<E: Evaluator> {
    orders: Vec<Sender<Order<E>>>,
    /// To the coordinator, which ends when this does.
    jobs: Option<Sender<Job<E>>>,
    handles: Vec<JoinHandle<()>>,
}

impl<E: Evaluator + 'static> Pool<E> {
    /// Starts `threads` searching threads and their coordinator.
    ///
    /// # Errors
    /// If the system refuses to start one; those that were started are ended.
    pub(crate) fn new(threads: usize, shared: &Arc<Shared<E::Weights>>) -> std::io::Result<Self> {
        let mut pool = Self { orders: Vec::new(), jobs: None, handles: Vec::new() };
        let counters: Vec<NodeCounter> = (0..threads).map(|_| Arc::default()).collect();
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        let resident = threads <= RESIDENT * processors;
        for (id, counter) in counters.iter().cloned().enumerate() {
            let (order, orders) = unbounded();
            let shared = Arc::clone(shared);
            let body = move || {
                let worker = || Worker::new(id, &shared, Arc::clone(&counter));
                serve::<E>(id, &orders, worker, resident);
            };
            let handle = std::thread::Builder::new().name(format!("search {id}")).stack_size(STACK).spawn(body)?;
            pool.orders.push(order);
            pool.handles.push(handle);
        }
        let (job, jobs) = unbounded();
        let body = move || coordinate::<E>(&jobs);
        pool.handles.push(std::thread::Builder::new().name("coordinator".to_owned()).spawn(body)?);
        pool.jobs = Some(job);
        shared.set_threads(counters, (threads > processors).then(|| Arc::new(Turns::new(threads, processors))));
        Ok(pool)
    }

    pub(crate) fn len(&self) -> usize {
        self.orders.len()
    }

    /// Begins a search and returns.
    pub(crate) fn search(&self, mut task: Task<E>) {
        task.threads.clone_from(&self.orders);
        task.parts.resize_with(self.orders.len(), Mutex::default);
        self.give(Job::Search(Arc::new(task)));
    }

    /// Begins to get ready for a new game and returns: all threads forget earlier games, and all memory becomes resident.
    pub(crate) fn prepare(
        &self,
        shared: &Arc<Shared<E::Weights>>,
        running: &Arc<Running>,
        done: Box<dyn FnOnce() + Send>,
    ) {
        let (shared, running) = (Arc::clone(shared), Arc::clone(running));
        self.give(Job::Prepare(Preparation { shared, threads: self.orders.clone(), running, done }));
    }

    fn give(&self, job: Job<E>) {
        if let Some(jobs) = &self.jobs {
            // A send fails only when the coordinator is gone, and it lives as long as the pool.
            let _ = jobs.send(job);
        }
    }
}

impl<E: Evaluator> Drop for Pool<E> {
    fn drop(&mut self) {
        self.jobs = None;
        self.orders.clear();
        for handle in self.handles.drain(..) {
            let _ = handle.join();
        }
    }
}

/// The life of a thread. The worker, with its large tables, is made when it is first needed.
fn serve<E: Evaluator>(id: usize, orders: &Receiver<Order<E>>, make: impl Fn() -> Worker<E>, resident: bool) {
    let mut worker: Option<Worker<E>> = None;
    for order in orders {
        match order {
            Order::Forget(done) => {
                if worker.is_none() && resident {
                    worker = Some(make());
                }
                if let Some(worker) = &mut worker {
                    worker.forget();
                }
                drop(done);
            }
            Order::Search(task) => {
                task.wake(2 * id + 1);
                task.wake(2 * id + 2);
                let turns = task.shared.turns();
                if let Some(turns) = &turns {
                    turns.enter(id);
                }
                worker = task.run(worker.take().unwrap_or_else(&make));
                if let Some(turns) = &turns {
                    turns.leave();
                }
                task.shared.worker_finished(id);
            }
        }
    }
}

/// One thread's part of a search: the setting is the same for all.
#[derive(Clone)]
pub(crate) struct Setting {
    pub(crate) position: Position,
    pub(crate) rules: Rules,
    pub(crate) clock: Clock,
    pub(crate) plan: Plan,
    pub(crate) search_moves: Vec<kiki_board::Move>,
}

impl<E: Evaluator> Task<E> {
    /// Does one thread's part, surviving a panic with what was found before it. The worker comes back unless it failed: then its state
    /// is not to be trusted.
    fn run(&self, mut worker: Worker<E>) -> Option<Worker<E>> {
        let part = &self.parts[worker.id];
        let result = catch_unwind(AssertUnwindSafe(|| {
            self.search(&mut worker, part);
            worker.let_go();
            worker
        }));
        result.map_err(|cause| part.lock().failure = Some(describe(&*cause))).ok()
    }

    fn search(&self, worker: &mut Worker<E>, part: &Mutex<Part>) {
        let Setting { position, rules, clock, plan, search_moves } = &self.setting;
        worker.set_up(position.clone(), *rules, *clock);
        worker.set_root_moves(search_moves);
        if worker.root_moves.is_empty() {
            return;
        }
        let guide = (worker.id == 0).then(|| self.guide());
        worker.deepen(*plan, guide.as_ref(), |lines: &[RootLine]| part.lock().lines = lines.to_vec());
        if let Some(guide) = guide
            && self.shared.is_held()
        {
            // The answer, and the lines that are told with it, have to wait for a stop.
            worker.report(&part.lock().lines, guide.reporter);
        }
    }
}

fn describe(cause: &(dyn Any + Send)) -> String {
    let text = cause.downcast_ref::<String>().map(String::as_str).or_else(|| cause.downcast_ref::<&str>().copied());
    format!("a search thread failed: {}", text.unwrap_or("unknown cause"))
}

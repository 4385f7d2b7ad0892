//! Lazy SMP: many threads search the same position and meet in the table.
//!
//! The threads sleep between searches; the conductor wakes the main one (id 0), and each wakes two others. The main one watches the
//! limits and tells of progress.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam::channel::{Receiver, Sender, unbounded};
use kiki_board::Position;
use kiki_eval::Evaluator;
use parking_lot::Mutex;

use crate::clock::Clock;
use crate::conductor::{Part, Task, conduct};
use crate::limits::Rules;
use crate::root::{Finding, Plan};
use crate::shared::{NodeCounter, Shared};
use crate::tt::Table;
use crate::worker::Worker;

/// Deep recursion with generous room; only touched pages count.
const STACK: usize = 16 << 20;

/// What a thread is to do.
pub(crate) enum Order<E: Evaluator> {
    /// Search and publish what is found.
    Search(Arc<Task<E>>),
    /// Forget earlier games, and with so many threads the table.
    Forget(Arc<Table>, usize, Sender<()>),
}

/// The threads of a searcher.
pub(crate) struct Pool<E: Evaluator> {
    orders: Vec<Sender<Order<E>>>,
    /// To the conductor, which ends when this does.
    tasks: Option<Sender<Arc<Task<E>>>>,
    handles: Vec<JoinHandle<()>>,
}

impl<E: Evaluator + 'static> Pool<E> {
    /// Starts `threads` searching threads and their conductor.
    pub(crate) fn new(threads: usize, shared: &Arc<Shared<E::Weights>>) -> std::io::Result<Self> {
        let mut pool = Self { orders: Vec::new(), tasks: None, handles: Vec::new() };
        let counters: Vec<NodeCounter> = (0..threads).map(|_| Arc::default()).collect();
        for (id, counter) in counters.iter().cloned().enumerate() {
            let (order, orders) = unbounded();
            let shared = Arc::clone(shared);
            let body = move || {
                let worker = || Worker::new(id, &shared, Arc::clone(&counter));
                serve::<E>(id, &orders, worker);
            };
            let handle = std::thread::Builder::new().name(format!("search {id}")).stack_size(STACK).spawn(body)?;
            pool.orders.push(order);
            pool.handles.push(handle);
        }
        let (task, tasks) = unbounded();
        let body = move || conduct::<E>(&tasks);
        pool.handles.push(std::thread::Builder::new().name("conductor".to_owned()).spawn(body)?);
        pool.tasks = Some(task);
        shared.set_counters(counters);
        Ok(pool)
    }

    pub(crate) fn len(&self) -> usize {
        self.orders.len()
    }

    /// Begins a search and returns.
    pub(crate) fn search(&self, mut task: Task<E>) {
        task.threads.clone_from(&self.orders);
        task.parts.resize_with(self.orders.len(), Mutex::default);
        if let Some(tasks) = &self.tasks {
            // A send fails only when the conductor is gone, and it lives as long as the pool.
            let _ = tasks.send(Arc::new(task));
        }
    }

    /// Lets every thread forget earlier games and its share of the table, and waits for it.
    pub(crate) fn forget(&self, table: &Arc<Table>) {
        let (done, waiting) = unbounded();
        for order in &self.orders {
            let _ = order.send(Order::Forget(Arc::clone(table), self.orders.len(), done.clone()));
        }
        drop(done);
        while waiting.recv().is_ok() {}
        table.reset();
    }
}

impl<E: Evaluator> Drop for Pool<E> {
    fn drop(&mut self) {
        self.tasks = None;
        self.orders.clear();
        for handle in self.handles.drain(..) {
            let _ = handle.join();
        }
    }
}

/// The life of a thread. The worker, with its large tables, is made for the first search.
fn serve<E: Evaluator>(id: usize, orders: &Receiver<Order<E>>, make: impl Fn() -> Worker<E>) {
    let mut worker = None;
    for order in orders {
        match order {
            Order::Forget(table, threads, done) => {
                table.clear(id, threads);
                worker = worker.map(|mut worker: Worker<E>| {
                    worker.forget();
                    worker
                });
                drop(done);
            }
            Order::Search(task) => {
                task.wake(2 * id + 1);
                task.wake(2 * id + 2);
                let at_work = worker.take().unwrap_or_else(&make);
                worker = task.run(at_work);
                task.shared.come_home(id);
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
        let publish = |finding: &Finding| part.lock().finding = Some(finding.clone());
        worker.deepen(*plan, guide.as_ref(), publish);
        // An interrupted iteration may have found a better move.
        let best = &worker.root_moves[0];
        let depth = part.lock().finding.as_ref().map_or(0, |found| found.depth);
        publish(&Finding { depth, value: best.value, line: best.line.clone() });
        if let Some(guide) = guide {
            worker.report(depth.max(1), plan.lines, guide.reporter);
        }
    }
}

fn describe(cause: &(dyn Any + Send)) -> String {
    let text = cause.downcast_ref::<String>().map(String::as_str).or_else(|| cause.downcast_ref::<&str>().copied());
    format!("a search thread failed: {}", text.unwrap_or("unknown cause"))
}

//! Lazy SMP: many threads search the same position and meet in the table.
//!
//! The threads sleep between searches. The main one (id 0) watches the limits, gathers what the others have found and gives the answer.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam::channel::{Receiver, Sender, unbounded};
use kiki_board::Position;
use kiki_eval::Evaluator;

use crate::clock::Clock;
use crate::limits::Rules;
use crate::root::{Finding, Guide, Plan};
use crate::searcher::{Task, conclude};
use crate::shared::{NodeCounter, Shared};
use crate::worker::Worker;

/// Deep recursion with generous room; only touched pages count.
const STACK: usize = 16 << 20;

/// What a thread is to do.
pub(crate) enum Order<E: Evaluator> {
    /// Search and send home what was found.
    Search(Arc<Task<E>>),
    /// Forget earlier games.
    Forget(Sender<()>),
}

/// The threads of a searcher.
pub(crate) struct Pool<E: Evaluator> {
    orders: Vec<Sender<Order<E>>>,
    handles: Vec<JoinHandle<()>>,
}

impl<E: Evaluator + 'static> Pool<E> {
    /// Starts `threads` threads.
    pub(crate) fn new(threads: usize, shared: &Arc<Shared<E::Weights>>) -> std::io::Result<Self> {
        let mut pool = Self { orders: Vec::new(), handles: Vec::new() };
        let counters: Vec<NodeCounter> = (0..threads).map(|_| Arc::default()).collect();
        for (id, counter) in counters.iter().cloned().enumerate() {
            let (order, orders) = unbounded();
            let shared = Arc::clone(shared);
            let body = move || {
                let worker = || Worker::new(id, &shared, Arc::clone(&counter));
                serve::<E>(&orders, worker);
            };
            let handle = std::thread::Builder::new().name(format!("search {id}")).stack_size(STACK).spawn(body)?;
            pool.orders.push(order);
            pool.handles.push(handle);
        }
        shared.set_counters(counters);
        Ok(pool)
    }

    pub(crate) fn len(&self) -> usize {
        self.orders.len()
    }

    /// Wakes the main thread, which wakes the others.
    pub(crate) fn search(&self, mut task: Task<E>) {
        task.helpers = self.orders.iter().skip(1).cloned().collect();
        let task = Arc::new(task);
        // A send fails only when the thread is gone, and threads outlive their panics.
        let _ = self.orders[0].send(Order::Search(task));
    }

    /// Lets every thread forget earlier games, and waits for it.
    pub(crate) fn forget(&self) {
        let (done, waiting) = unbounded();
        for order in &self.orders {
            let _ = order.send(Order::Forget(done.clone()));
        }
        drop(done);
        while waiting.recv().is_ok() {}
    }
}

impl<E: Evaluator> Drop for Pool<E> {
    fn drop(&mut self) {
        self.orders.clear();
        for handle in self.handles.drain(..) {
            let _ = handle.join();
        }
    }
}

/// The life of a thread. The worker, with its large tables, is made for the first search.
fn serve<E: Evaluator + 'static>(orders: &Receiver<Order<E>>, make: impl Fn() -> Worker<E>) {
    let mut worker = None;
    for order in orders {
        match order {
            Order::Forget(done) => {
                worker = worker.map(|mut worker: Worker<E>| {
                    worker.forget();
                    worker
                });
                drop(done);
            }
            Order::Search(task) => {
                let at_work = worker.take().unwrap_or_else(&make);
                worker = task.run(at_work);
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
    pub(crate) node_limit: Option<u64>,
    pub(crate) plan: Plan,
    pub(crate) search_moves: Vec<kiki_board::Move>,
}

/// What came of one thread.
pub(crate) struct Part<E: Evaluator> {
    /// The last completed iteration, if there was one.
    pub(crate) finding: Option<Finding>,
    /// Why it failed, if it did.
    pub(crate) failure: Option<String>,
    /// The worker, unless it failed: then its state is not to be trusted.
    pub(crate) worker: Option<Worker<E>>,
}

/// Searches on the calling thread, surviving a panic with what was found before it.
pub(crate) fn search_part<E: Evaluator>(
    mut worker: Worker<E>,
    setting: &Setting,
    guide: Option<&Guide<'_>>,
) -> Part<E> {
    let mut finding = None;
    let result = catch_unwind(AssertUnwindSafe(|| {
        worker.set_up(setting.position.clone(), setting.rules, setting.clock, setting.node_limit);
        worker.set_root_moves(&setting.search_moves);
        if !worker.root_moves.is_empty() {
            worker.deepen(setting.plan, guide, |found| finding = Some(found.clone()));
            // An interrupted iteration may have found a better move.
            let best = &worker.root_moves[0];
            let depth = finding.as_ref().map_or(0, |found| found.depth);
            finding = Some(Finding { depth, value: best.value, line: best.line.clone() });
        }
        worker
    }));
    match result {
        Ok(worker) => Part { finding, failure: None, worker: Some(worker) },
        Err(cause) => Part { finding, failure: Some(describe(&*cause)), worker: None },
    }
}

fn describe(cause: &(dyn Any + Send)) -> String {
    let text = cause.downcast_ref::<String>().map(String::as_str).or_else(|| cause.downcast_ref::<&str>().copied());
    format!("a search thread failed: {}", text.unwrap_or("unknown cause"))
}

impl<E: Evaluator + 'static> Task<E> {
    /// Does one thread's part; the main thread also wakes the others and gives the answer.
    fn run(self: Arc<Self>, worker: Worker<E>) -> Option<Worker<E>> {
        if worker.id != 0 {
            let part = search_part(worker, &self.setting, None);
            let _ = self.home.0.send((part.finding, part.failure));
            return part.worker;
        }
        let awake = self.helpers.iter().filter(|helper| helper.send(Order::Search(Arc::clone(&self))).is_ok()).count();
        let guide = self.guide();
        let part = search_part(worker, &self.setting, Some(&guide));
        // The answer waits for `stop` where the protocol says so; the helpers go on meanwhile.
        let shared = Arc::clone(&self.shared);
        shared.wait_for_release();
        shared.stop();
        let mut findings = vec![part.finding];
        let mut failures: Vec<String> = part.failure.into_iter().collect();
        for _ in 0..awake {
            let Ok((finding, failure)) = self.home.1.recv() else { break };
            findings.push(finding);
            failures.extend(failure);
        }
        for failure in &failures {
            self.reporter.note(failure);
        }
        conclude(&self, &findings, part.worker.as_ref());
        part.worker
    }
}

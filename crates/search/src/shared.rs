//! What the threads of a searcher share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use crossbeam::utils::CachePadded;
use parking_lot::{Condvar, Mutex, RwLock};

use crate::clock::Clock;
use crate::lateness::Lateness;
use crate::time::Budget;
use crate::tt::Table;
use crate::turns::Turns;

/// How many nodes a thread has searched.
pub(crate) type NodeCounter = Arc<CachePadded<AtomicU64>>;

/// The plan for a move, which a ponder hit may set while the search runs.
#[derive(Default)]
pub(crate) struct Deadline(Mutex<Option<PlannedTime>>);

/// A [`Budget`] on the search's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedTime {
    /// When the player's clock began to run: 0, or the moment of the ponder hit.
    pub(crate) started: Duration,
    pub(crate) budget: Budget,
}

impl PlannedTime {
    /// Up to here nothing is saved by answering.
    pub(crate) fn least(&self) -> Duration {
        self.started + self.budget.least
    }

    /// Where any search ends.
    pub(crate) fn maximum(&self) -> Duration {
        self.started + self.budget.maximum
    }

    /// The latest moment that costs no more than answering at `time`.
    pub(crate) fn free_until(&self, time: Duration) -> Duration {
        self.started + self.budget.free_until(time.saturating_sub(self.started))
    }
}

impl Deadline {
    /// Plans from `started`.
    pub(crate) fn set(&self, budget: Option<Budget>, started: Duration) {
        *self.0.lock() = budget.map(|budget| PlannedTime { started, budget });
    }

    /// Whether even an interrupted iteration must end.
    pub(crate) fn is_over(&self, now: Duration) -> bool {
        self.plan().is_some_and(|plan| now >= plan.maximum())
    }

    /// The plan, if there is one.
    pub(crate) fn plan(&self) -> Option<PlannedTime> {
        *self.0.lock()
    }
}

/// What answers have shown about the time that they take.
#[derive(Clone, Copy, Default)]
pub(crate) struct AnswerTimes {
    pub(crate) lateness: Lateness,
    /// How long the clock of the side to move ran for the last answer.
    pub(crate) used: Duration,
}

/// One for all threads of a searcher, behind an [`Arc`].
pub(crate) struct Shared<W> {
    /// The transposition table; replaced only between searches.
    pub(crate) table: RwLock<Arc<Table>>,
    /// The numbers of the evaluation.
    pub(crate) weights: Arc<W>,
    /// Every thread looks at it at every node.
    stop: CachePadded<AtomicBool>,
    /// Thinking on the opponent's time: limits do not count.
    pondering: CachePadded<AtomicBool>,
    /// When the time is up, on the search's clock.
    pub(crate) deadline: Deadline,
    /// By thread.
    nodes: RwLock<Vec<NodeCounter>>,
    /// What the limit of nodes leaves and no thread has taken yet.
    untaken: CachePadded<AtomicU64>,
    /// The main thread's part of the limit, which others must not take: the search would end before it has found anything.
    kept: AtomicU64,
    /// Taken by the threads if there are more of them than processors.
    turns: RwLock<Option<Arc<Turns>>>,
    /// The searcher is being dropped: whatever is being done is not wanted any more.
    leaving: AtomicBool,
    pub(crate) answer_times: Mutex<AnswerTimes>,
    /// How many threads are still at their part. Not behind the lock: a thousand threads that end at once would queue for it, and
    /// the coordinator behind them.
    active_workers: CachePadded<AtomicUsize>,
    progress: Mutex<Progress>,
    progressed: Condvar,
}

/// What an answer waits for.
#[derive(Default)]
struct Progress {
    /// Whether the answer has to wait for a stop: in an infinite search, or for a stop or a hit while pondering.
    held: bool,
    /// Whether the main thread has ended its part.
    main_finished: bool,
}

impl<W> Shared<W> {
    pub(crate) fn new(weights: Arc<W>, table: Table) -> Self {
        Self {
            table: RwLock::new(Arc::new(table)),
            weights,
            stop: CachePadded::new(AtomicBool::new(false)),
            pondering: CachePadded::new(AtomicBool::new(false)),
            deadline: Deadline::default(),
            nodes: RwLock::new(Vec::new()),
            untaken: CachePadded::new(AtomicU64::new(0)),
            kept: AtomicU64::new(0),
            turns: RwLock::new(None),
            leaving: AtomicBool::new(false),
            answer_times: Mutex::default(),
            active_workers: CachePadded::new(AtomicUsize::new(0)),
            progress: Mutex::default(),
            progressed: Condvar::new(),
        }
    }

    /// Replaces the table. The old one is freed: the threads let go of it when they end their parts of a search.
    pub(crate) fn set_table(&self, table: Table) {
        *self.table.write() = Arc::new(table);
    }

    pub(crate) fn table(&self) -> Arc<Table> {
        Arc::clone(&self.table.read())
    }

    #[inline(always)]
    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Takes over the node counters of a new set of threads, and their turns if they need to take any.
    pub(crate) fn set_threads(&self, counters: Vec<NodeCounter>, turns: Option<Arc<Turns>>) {
        *self.nodes.write() = counters;
        *self.turns.write() = turns;
    }

    /// The turns that threads take if there are more of them than processors.
    pub(crate) fn turns(&self) -> Option<Arc<Turns>> {
        self.turns.read().clone()
    }

    /// Nothing that is being done is wanted any more.
    pub(crate) fn leave(&self) {
        self.leaving.store(true, Ordering::Relaxed);
        self.stop();
    }

    pub(crate) fn is_leaving(&self) -> bool {
        self.leaving.load(Ordering::Relaxed)
    }

    /// The nodes of all threads.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes.read().iter().map(|counter| counter.load(Ordering::Relaxed)).sum()
    }

    /// Takes from what the limit of nodes leaves, for one thread to search: `wanted` if there are so many. To be told afterwards what
    /// each has searched would be too late: all may have gone on in the meantime.
    pub(crate) fn take_nodes(&self, wanted: u64) -> u64 {
        let less = |left: u64| Some(left.saturating_sub(wanted));
        self.untaken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).map_or(0, |left| left.min(wanted))
    }

    /// What a thread may search before it takes anything.
    pub(crate) fn kept_for(&self, id: usize) -> u64 {
        if id == 0 { self.kept.load(Ordering::Relaxed) } else { 0 }
    }

    /// Takes a quarter of one thread's part of what the limit of nodes leaves, at most `wanted`: what a thread has taken and not yet
    /// searched when the main one finds nothing left is lost.
    pub(crate) fn take_share(&self, wanted: u64) -> u64 {
        let shares = 4 * self.nodes.read().len().max(1) as u64;
        self.take_nodes((self.untaken.load(Ordering::Relaxed) / shares).clamp(1, wanted))
    }

    /// A search of so many nodes at most begins; if `hold`, its answer has to wait.
    pub(crate) fn begin(&self, hold: bool, pondering: bool, deadline: Option<Budget>, nodes: Option<u64>) {
        self.deadline.set(deadline, Duration::ZERO);
        let limit = nodes.unwrap_or(u64::MAX);
        let kept = limit / self.nodes.read().len().max(1) as u64;
        self.kept.store(kept, Ordering::Relaxed);
        self.untaken.store(limit - kept, Ordering::Relaxed);
        self.stop.store(false, Ordering::Relaxed);
        if let Some(turns) = self.turns() {
            turns.begin();
        }
        self.pondering.store(pondering, Ordering::Relaxed);
        self.nodes.read().iter().for_each(|counter| counter.store(0, Ordering::Relaxed));
        self.active_workers.store(self.nodes.read().len(), Ordering::Release);
        *self.progress.lock() = Progress { held: hold, ..Progress::default() };
    }

    /// Whether the opponent's time is being used. Who hears that it is not sees the deadline that was set before.
    #[inline(always)]
    pub(crate) fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Acquire)
    }

    /// The move pondered on was played: the deadline, set before, counts from now on.
    pub(crate) fn end_pondering(&self) {
        self.pondering.store(false, Ordering::Release);
    }

    /// The answer need not wait any longer.
    pub(crate) fn release(&self) {
        self.progress.lock().held = false;
        self.progressed.notify_all();
    }

    /// Ends the search at once.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(turns) = self.turns() {
            turns.open();
        }
        self.release();
    }

    /// Whether the answer has to wait.
    pub(crate) fn is_held(&self) -> bool {
        self.progress.lock().held
    }

    /// A thread has ended its part.
    pub(crate) fn worker_finished(&self, id: usize) {
        let last = self.active_workers.fetch_sub(1, Ordering::AcqRel) == 1;
        if last || id == 0 {
            self.progress.lock().main_finished |= id == 0;
            self.progressed.notify_all();
        }
    }

    /// Waits until the search is to end: it was stopped, its time is up, or the main thread has done what was asked and the answer
    /// may be given.
    pub(crate) fn wait_for_end(&self, clock: Clock) {
        let mut progress = self.progress.lock();
        while !self.stopped() && (progress.held || !progress.main_finished) {
            match self.time_left(clock) {
                Some(left) if left.is_zero() => return,
                Some(left) => {
                    self.progressed.wait_for(&mut progress, left);
                }
                None => self.progressed.wait(&mut progress),
            }
        }
    }

    /// Until even an interrupted iteration must end; `None` for no such time.
    fn time_left(&self, clock: Clock) -> Option<Duration> {
        // In this order: a hit sets the deadline before it ends the pondering.
        let plan = if self.is_pondering() { None } else { self.deadline.plan() };
        Some(plan?.maximum().saturating_sub(clock.elapsed()))
    }

    /// Waits until all threads have ended their parts, at most for `patience`.
    pub(crate) fn wait_for_all(&self, patience: Option<Duration>) {
        let mut progress = self.progress.lock();
        let lacking = |_: &mut Progress| self.active_workers.load(Ordering::Acquire) > 0;
        match patience {
            Some(patience) => {
                self.progressed.wait_while_for(&mut progress, lacking, patience);
            }
            None => self.progressed.wait_while(&mut progress, lacking),
        }
    }
}

//! What the threads of a searcher share.

use std::io;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use crossbeam::utils::CachePadded;
use parking_lot::{Condvar, Mutex, RwLock};

use crate::clock::Clock;
use crate::time::Budget;
use crate::tt::Table;

/// How many nodes a thread has searched.
pub(crate) type NodeCounter = Arc<CachePadded<AtomicU64>>;

/// A budget on the search's clock, which a ponder hit may set while the search runs. In nanoseconds; the greatest number for never.
pub(crate) struct Deadline {
    optimum: AtomicU64,
    maximum: AtomicU64,
}

impl Default for Deadline {
    fn default() -> Self {
        Self { optimum: AtomicU64::new(u64::MAX), maximum: AtomicU64::new(u64::MAX) }
    }
}

impl Deadline {
    /// Plans from `now`. A calm search may count the time that it has had already, the last moment moves on.
    pub(crate) fn set(&self, budget: Option<Budget>, now: Duration) {
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let (optimum, maximum) = match budget {
            None => (u64::MAX, u64::MAX),
            Some(plan) if plan.optimum == plan.maximum => {
                (nanoseconds(now + plan.maximum), nanoseconds(now + plan.maximum))
            }
            Some(plan) => (nanoseconds(plan.optimum), nanoseconds(now + plan.maximum)),
        };
        self.optimum.store(optimum, Ordering::Relaxed);
        self.maximum.store(maximum, Ordering::Relaxed);
    }

    /// Whether even an interrupted iteration must end.
    pub(crate) fn is_over(&self, now: Duration) -> bool {
        let maximum = self.maximum.load(Ordering::Relaxed);
        maximum != u64::MAX && now >= Duration::from_nanos(maximum)
    }

    /// The plan on the search's clock, if there is one.
    pub(crate) fn plan(&self) -> Option<Budget> {
        let load = |time: &AtomicU64| time.load(Ordering::Relaxed);
        let (optimum, maximum) = (load(&self.optimum), load(&self.maximum));
        (maximum != u64::MAX)
            .then(|| Budget { optimum: Duration::from_nanos(optimum), maximum: Duration::from_nanos(maximum) })
    }
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
    /// Whether there are more threads than processors; see [`Shared::is_crowded`].
    crowded: AtomicBool,
    /// How many threads are still at their part. Not behind the lock: a thousand threads that end at once would queue for it, and
    /// the conductor behind them.
    at_work: CachePadded<AtomicUsize>,
    progress: Mutex<Progress>,
    progressed: Condvar,
}

/// What an answer waits for.
#[derive(Default)]
struct Progress {
    /// Whether the answer has to wait for a stop: in an infinite search, or for a stop or a hit while pondering.
    held: bool,
    /// Whether the main thread has ended its part.
    main_home: bool,
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
            crowded: AtomicBool::new(false),
            at_work: CachePadded::new(AtomicUsize::new(0)),
            progress: Mutex::default(),
            progressed: Condvar::new(),
        }
    }

    /// Takes a fresh table of a size, the old one being given back first.
    ///
    /// # Errors
    /// If there is no memory for it; a small one is in use then.
    pub(crate) fn renew_table(&self, mebibytes: usize) -> io::Result<()> {
        *self.table.write() = Arc::new(Table::new(1)?);
        *self.table.write() = Arc::new(Table::new(mebibytes)?);
        Ok(())
    }

    pub(crate) fn table(&self) -> Arc<Table> {
        Arc::clone(&self.table.read())
    }

    #[inline(always)]
    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Takes over the node counters of a new set of threads.
    pub(crate) fn set_counters(&self, counters: Vec<NodeCounter>) {
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        self.crowded.store(counters.len() > processors, Ordering::Relaxed);
        *self.nodes.write() = counters;
    }

    /// Whether threads share processors: then each gives way now and then, so that one that has slept need not wait for the ends of
    /// long turns.
    pub(crate) fn is_crowded(&self) -> bool {
        self.crowded.load(Ordering::Relaxed)
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
        self.pondering.store(pondering, Ordering::Relaxed);
        self.nodes.read().iter().for_each(|counter| counter.store(0, Ordering::Relaxed));
        self.at_work.store(self.nodes.read().len(), Ordering::Release);
        *self.progress.lock() = Progress { held: hold, ..Progress::default() };
    }

    /// Whether the opponent's time is being used.
    #[inline(always)]
    pub(crate) fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Relaxed)
    }

    /// The move pondered on was played: the deadline counts from now on.
    pub(crate) fn end_pondering(&self) {
        self.pondering.store(false, Ordering::Relaxed);
    }

    /// The answer need not wait any longer.
    pub(crate) fn release(&self) {
        self.progress.lock().held = false;
        self.progressed.notify_all();
    }

    /// Ends the search at once.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.release();
    }

    /// Whether the answer has to wait.
    pub(crate) fn is_held(&self) -> bool {
        self.progress.lock().held
    }

    /// A thread has ended its part.
    pub(crate) fn come_home(&self, id: usize) {
        let last = self.at_work.fetch_sub(1, Ordering::AcqRel) == 1;
        if last || id == 0 {
            self.progress.lock().main_home |= id == 0;
            self.progressed.notify_all();
        }
    }

    /// Waits until the search is to end: it was stopped, its time is up, or the main thread has done what was asked and the answer
    /// may be given.
    pub(crate) fn wait_for_end(&self, clock: Clock) {
        let mut progress = self.progress.lock();
        while !self.stopped() && (progress.held || !progress.main_home) {
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
        let plan = self.deadline.plan().filter(|_| !self.is_pondering())?;
        Some(plan.maximum.saturating_sub(clock.elapsed()))
    }

    /// Waits until all threads have ended their parts, at most for `patience`.
    pub(crate) fn wait_for_all(&self, patience: Option<Duration>) {
        let mut progress = self.progress.lock();
        let lacking = |_: &mut Progress| self.at_work.load(Ordering::Acquire) > 0;
        match patience {
            Some(patience) => {
                self.progressed.wait_while_for(&mut progress, lacking, patience);
            }
            None => self.progressed.wait_while(&mut progress, lacking),
        }
    }
}

//! The facade of the search: go, stop and ponderhit, which never block. A pool of threads searches;
//! a coordinator waits and answers.

mod completion;
mod job;
mod outcome;
mod pool;

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crossbeam::channel::unbounded;
use kiki_board::Position;
use kiki_eval::Evaluator;
use kiki_eval::sigma::SigmaModel;
use kiki_platform::prefer_short_time_slices;
use parking_lot::Mutex;

use self::completion::{Completion, SearcherPhase};
use self::job::{IdleAtEnd, SearchJob, SearchThread, SearcherState};
pub(crate) use self::outcome::outcome;
use self::pool::ThreadPool;
use crate::control::SearchControl;
use crate::limits::{ClockTimes, Limits, Options};
use crate::order::history::SharedHistories;
use crate::reliability::{GambleMode, ProbCutObserver, Reliability};
use crate::report::{GatedReporter, Reporter};
use crate::root::{RootSearch, SearchRequest};
use crate::table::TranspositionTable;
use crate::time::Budget;
use crate::time::planner::TimePlanner;

/// Stack of a searching thread, in bytes: ample for deep recursion. Only touched pages are
/// committed.
pub const SEARCH_STACK_SIZE: usize = 16 << 20;
const COORDINATOR_STACK_SIZE: usize = 2 << 20;

/// With more threads per processor than this, their tables are not made resident in advance: they
/// would exceed the memory.
const RESIDENT_THREADS: usize = 4;

/// The table of a search below full strength has room for all positions of the highest level.
const SKILL_TABLE_MEBIBYTES: usize = 2;

/// A resource that the system refused.
#[derive(Debug, thiserror::Error)]
pub enum ResourceError {
    /// Memory for the transposition table.
    #[error("no memory for a table of {mebibytes} MiB: {source}")]
    Table {
        /// The size requested.
        mebibytes: usize,
        /// The system's error.
        source: std::io::Error,
    },
    /// A thread.
    #[error("{threads} threads cannot be started: {source}")]
    Threads {
        /// The number requested.
        threads: usize,
        /// The system's error.
        source: std::io::Error,
    },
}

/// Searches positions on its own threads.
///
/// ```
/// use kiki_board::Position;
/// use kiki_eval::{Formula, Weights};
/// use kiki_search::{Action, Limits, Options, Searcher};
///
/// let mut searcher = Searcher::<Formula>::new(Weights::default(), Options { table_mebibytes: 1, ..Options::default() })?;
/// let mated_in_one = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 b G 1").unwrap();
/// let searched = searcher.search(mated_in_one, Limits { depth: Some(3), ..Limits::default() }, &false.into());
/// assert!(matches!(searched.result.action, Action::Play(mv) if mv.to_string() == "G*5b"));
/// # Ok::<(), kiki_search::ResourceError>(())
/// ```
pub struct Searcher<E: Evaluator> {
    options: Options,
    weights: Arc<E::Weights>,
    sigma_model: Arc<SigmaModel>,
    probcut_observer: Option<ProbCutObserver>,
    table: Arc<TranspositionTable>,
    /// The table of searches below full strength, from the first such search on.
    skill_table: Option<Arc<TranspositionTable>>,
    shared: Arc<SearcherState>,
    /// Ends before the threads that it waits for.
    coordinator: ThreadPool<()>,
    threads: ThreadPool<SearchThread<E>>,
    /// The search that ponders now.
    pondering: Option<Arc<SearchRequest>>,
}

impl<E: Evaluator + 'static> Searcher<E> {
    /// Starts the threads. Memory is committed by [`Searcher::clear`] or as it is used.
    ///
    /// # Errors
    /// If the system refuses to start a thread or has no memory for the table.
    pub fn new(weights: E::Weights, options: Options) -> Result<Self, ResourceError> {
        let weights = Arc::new(weights);
        let coordinator = ThreadPool::new("coordinator", COORDINATOR_STACK_SIZE, [prefer_short_time_slices])
            .map_err(|source| ResourceError::Threads { threads: 1, source })?;
        let (shared, threads) = start_threads(options.threads, &weights, TimePlanner::default())?;
        Ok(Self {
            shared,
            coordinator,
            threads,
            table: Arc::new(new_table(options.table_mebibytes)?),
            sigma_model: Arc::default(),
            probcut_observer: None,
            weights,
            options,
            skill_table: None,
            pondering: None,
        })
    }

    /// Sets new options. Stops a search in progress first.
    ///
    /// # Errors
    /// If the system refuses to start a thread: all options stay as they were. If it has no memory
    /// for the table: a table of the smallest size is in use, and the other options stay as they
    /// were.
    pub fn set_options(&mut self, options: Options) -> Result<(), ResourceError> {
        self.stop();
        self.wait();
        if options.threads.max(1) != self.threads.queues.len() {
            let planner = self.shared.planner.lock().clone();
            (self.shared, self.threads) = start_threads(options.threads, &self.weights, planner)?;
            self.options.threads = options.threads;
        }
        if options.table_mebibytes.max(1) != self.table.mebibytes() {
            // The old table is freed first, so that both need not fit.
            self.table = Arc::new(TranspositionTable::empty());
            self.table = Arc::new(new_table(options.table_mebibytes)?);
        }
        self.options = options;
        Ok(())
    }

    /// The options in force.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Sets a model of the reliability of shallow searches for the evaluation in use, from the next
    /// search on. Without a model, ProbCut tries only captures, with its constant margin.
    pub fn set_sigma_model(&mut self, model: Arc<SigmaModel>) {
        self.sigma_model = model;
    }

    /// Sends each ProbCut cut to `observer`, from the next search on.
    pub fn set_probcut_observer(&mut self, observer: Option<ProbCutObserver>) {
        self.probcut_observer = observer;
    }

    /// Forgets earlier games: clears the table and all histories, and makes all memory resident.
    /// Stops a search in progress first.
    pub fn clear(&mut self) {
        self.clear_in_background(|| {});
        self.wait();
    }

    /// Begins [`Searcher::clear`] and returns. Calls `done` from another thread at the end. Calls
    /// of the searcher wait until then. Threads without memory get some only if there are few.
    pub fn clear_in_background(&mut self, done: impl FnOnce() + Send + 'static) {
        self.stop();
        self.wait();
        self.shared.planner.lock().new_game();
        self.shared.completion.enter(SearcherPhase::Preparing);
        let (idle, table) = (IdleAtEnd(Arc::clone(&self.shared)), Arc::clone(&self.table));
        let threads = Arc::clone(&self.threads.queues);
        let resident = threads.len() <= RESIDENT_THREADS * processors();
        let prepare = move |_: &mut ()| {
            let (finished, waiting) = unbounded::<()>();
            for thread in &*threads {
                let finished = finished.clone();
                let _ = thread.send(Box::new(move |thread: &mut SearchThread<E>| {
                    thread.new_game(resident);
                    drop(finished);
                }));
            }
            drop((threads, finished));
            table.clear(|| idle.0.leaving.load(Ordering::Relaxed));
            drop(table);
            // Ends when all threads have dropped their senders.
            while waiting.recv().is_ok() {}
            done();
        };
        let _ = self.coordinator.queues[0].send(Box::new(prepare));
    }

    /// Begins a search and returns. Stops a search in progress first.
    pub fn go(&mut self, position: Position, mut limits: Limits, reporter: Arc<dyn Reporter>) {
        let now = Instant::now();
        let begun = now.checked_sub(limits.elapsed).unwrap_or(now);
        self.stop();
        self.wait();
        let budget = self.plan(&limits, &position).map(|budget| budget.begun_after(begun.elapsed()));
        let mut options = self.options;
        let mut threads = self.threads.queues.len();
        limits.skill = limits.skill.filter(|_| !limits.is_analysis());
        let table = if let Some(skill) = limits.skill {
            // One thread, one line and an empty table: the strength depends on nothing else.
            limits.nodes = Some(limits.nodes.unwrap_or(u64::MAX).min(skill.nodes()));
            limits.depth = Some(limits.depth.unwrap_or(u32::MAX).min(skill.depth()));
            limits.search_moves = skill.moves(&position, limits.search_moves, options.rules.choice);
            (threads, options.gamble, options.multipv) = (1, GambleMode::Off, 1);
            self.empty_skill_table()
        } else {
            self.table.age();
            Arc::clone(&self.table)
        };
        self.shared.control.begin(budget, &limits);
        let (model, observer) = (Arc::clone(&self.sigma_model), self.probcut_observer.clone());
        let Options { probcut, gamble, .. } = options;
        let reliability = Arc::new(Reliability { probcut, gamble, model, observer });
        let request = Arc::new(SearchRequest { position, limits, options, reliability, begun });
        self.pondering = request.limits.ponder.then(|| Arc::clone(&request));
        let job = SearchJob {
            request,
            shared: Arc::clone(&self.shared),
            table,
            reporter: GatedReporter::new(reporter),
            results: (0..threads).map(|_| <_>::default()).collect(),
            threads: Arc::clone(&self.threads.queues),
        };
        job.begin(&self.coordinator.queues);
    }

    /// The table of searches below full strength, emptied. Made at the first use, in the smallest
    /// size if memory is short.
    fn empty_skill_table(&mut self) -> Arc<TranspositionTable> {
        let new = || {
            let table = TranspositionTable::new(SKILL_TABLE_MEBIBYTES);
            Arc::new(table.unwrap_or_else(|_| TranspositionTable::empty()))
        };
        let table = self.skill_table.get_or_insert_with(new);
        table.clear(|| false);
        table.age();
        Arc::clone(table)
    }

    fn plan(&self, limits: &Limits, position: &Position) -> Option<Budget> {
        self.shared.planner.lock().plan(limits, position, &self.options.time)
    }

    /// Ends pondering: the opponent played the expected move, `elapsed` ago. Limits count from then
    /// on, and `clocks` replaces the clocks given with the search. Does nothing without a pondering
    /// search.
    pub fn ponderhit(&mut self, clocks: Option<ClockTimes>, elapsed: Duration) {
        let Some(request) = self.pondering.take() else { return };
        let mut limits = request.limits.clone();
        limits.clocks = clocks.or(limits.clocks);
        limits.ponder = false;
        let budget = self.plan(&limits, &request.position);
        self.shared.control.deadline.set(budget, request.begun.elapsed().saturating_sub(elapsed));
        self.shared.control.end_pondering();
        if !limits.is_infinite() {
            self.shared.completion.release();
        }
    }

    /// Ends the search. The reporter receives the answer.
    pub fn stop(&self) {
        self.shared.control.stop();
        self.shared.completion.release();
    }

    /// Waits until no search is in progress and the last answer has been given.
    pub fn wait(&self) {
        self.shared.completion.wait_for_idle(None);
    }

    /// Like [`Searcher::wait`], but at most for `timeout`; false on a timeout.
    pub fn wait_at_most(&self, timeout: Duration) -> bool {
        self.shared.completion.wait_for_idle(Some(timeout))
    }

    /// Cuts the preparation for a game short, as no search will follow, and waits for its end.
    pub fn finish_preparing(&self) {
        self.shared.leaving.store(true, Ordering::Relaxed);
        self.wait();
    }

    /// Whether the current search waits for a stop or a ponder hit.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.shared.completion.is_held()
    }

    /// Whether the searcher is getting ready for a new game.
    #[must_use]
    pub fn is_preparing(&self) -> bool {
        self.shared.completion.is_in(SearcherPhase::Preparing)
    }

    /// Whether a search is in progress.
    #[must_use]
    pub fn is_searching(&self) -> bool {
        self.shared.completion.is_in(SearcherPhase::Searching)
    }
}

impl<E: Evaluator> Drop for Searcher<E> {
    fn drop(&mut self) {
        // Dropping the pools waits for their threads.
        self.shared.leaving.store(true, Ordering::Relaxed);
        self.shared.control.stop();
        self.shared.completion.release();
    }
}

/// Starts at least one searching thread, and creates what the threads share.
fn start_threads<E: Evaluator + 'static>(
    threads: usize,
    weights: &Arc<E::Weights>,
    planner: TimePlanner,
) -> Result<(Arc<SearcherState>, ThreadPool<SearchThread<E>>), ResourceError> {
    let threads = threads.max(1);
    let control = Arc::new(SearchControl::new(threads, processors()));
    let refused = |source| ResourceError::Threads { threads, source };
    let histories = Arc::new(SharedHistories::new(threads).map_err(refused)?);
    let states = (0..threads).map(|number| {
        let (weights, control, histories) = (Arc::clone(weights), Arc::clone(&control), Arc::clone(&histories));
        let search = move || RootSearch::new(number, &weights, Arc::clone(&control), Arc::clone(&histories));
        move || SearchThread::new(search)
    });
    let pool = ThreadPool::new("search", SEARCH_STACK_SIZE, states).map_err(refused)?;
    let shared = SearcherState {
        control,
        completion: Completion::default(),
        planner: Mutex::new(planner),
        leaving: false.into(),
    };
    Ok((Arc::new(shared), pool))
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

pub(crate) fn new_table(mebibytes: usize) -> Result<TranspositionTable, ResourceError> {
    TranspositionTable::new(mebibytes).map_err(|source| ResourceError::Table { mebibytes, source })
}

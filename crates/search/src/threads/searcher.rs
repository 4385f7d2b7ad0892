//! The facade of the search: go, stop and ponderhit, none of which blocks.

use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

use kiki_board::Position;
use kiki_eval::{Evaluator, SigmaModel};

use super::completion::Completion;
use super::completion::Phase;
use super::coordinator::Coordinator;
use super::job::SearchJob;
use super::options::{Options, ResourceError};
use super::pool::{Queues, ThreadPool};
use super::search_thread::SearchThread;
use crate::control::SearchControl;
use crate::gamble::GambleMode;
use crate::limits::{Limits, TimeControl};
use crate::probcut::{ProbCutMargins, ProbCutObserver};
use crate::report::{GatedReporter, Reporter};
use crate::root::SearchParams;
use crate::table::TranspositionTable;
use crate::time::{Budget, Stopwatch};
use crate::value::MAX_PLY;

/// Of a searching thread: deep recursion with generous room. Only touched pages are committed.
const STACK_SIZE: usize = 16 << 20;

/// With more threads than this for each processor their tables are not made resident beforehand: there would be more of them than memory.
const RESIDENT_THREADS: usize = 4;

/// The table of a search below the full strength has room for all that the highest level looks at.
const SKILL_TABLE_MEBIBYTES: usize = 2;

/// Searches positions on threads of its own.
///
/// ```
/// use std::sync::{Arc, mpsc};
/// use kiki_board::Position;
/// use kiki_eval::{Formula, Weights};
/// use kiki_search::{Action, Limits, Options, Reporter, SearchInfo, SearchResult, Searcher};
///
/// struct Wait(mpsc::Sender<SearchResult>);
/// impl Reporter for Wait {
///     fn info(&self, _: &SearchInfo) {}
///     fn note(&self, _: &str) {}
///     fn finished(&self, result: &SearchResult) {
///         let _ = self.0.send(result.clone());
///     }
/// }
///
/// let mut searcher = Searcher::<Formula>::new(Weights::default(), Options { table_mebibytes: 1, ..Options::default() })?;
/// let (sender, result) = mpsc::channel();
/// let mated_in_one = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 b G 1").unwrap();
/// searcher.go(mated_in_one, Limits { depth: Some(3), ..Limits::default() }, Arc::new(Wait(sender)));
/// assert!(matches!(result.recv().unwrap().action, Action::Play(mv) if mv.to_string() == "G*5b"));
/// # Ok::<(), kiki_search::ResourceError>(())
/// ```
pub struct Searcher<E: Evaluator> {
    options: Options,
    weights: Arc<E::Weights>,
    sigma_model: Arc<SigmaModel>,
    probcut_observer: Option<ProbCutObserver>,
    table: Arc<TranspositionTable>,
    /// That of searches below the full strength, from the first of them on.
    skill_table: Option<Arc<TranspositionTable>>,
    completion: Arc<Completion>,
    /// Ends before the threads that it waits for.
    coordinator: Coordinator,
    threads: SearchThreads<E>,
    /// The search that ponders now.
    pondering: Option<Pondering>,
}

/// The searching threads and what they look at.
struct SearchThreads<E: Evaluator> {
    control: Arc<SearchControl>,
    pool: ThreadPool<SearchThread<E>>,
    /// Whether the memory of the threads is made resident before a game.
    resident: bool,
}

/// What a search works under.
struct Conditions<E: Evaluator> {
    limits: Limits,
    threads: Queues<SearchThread<E>>,
    table: Arc<TranspositionTable>,
    multipv: usize,
    gamble: GambleMode,
}

struct Pondering {
    position: Position,
    limits: Limits,
    stopwatch: Stopwatch,
}

impl<E: Evaluator + 'static> Searcher<E> {
    /// Starts the threads. Memory is committed by [`Searcher::clear`] or as it is used.
    ///
    /// # Errors
    /// If the system refuses to start a thread or has no memory for the table.
    pub fn new(weights: E::Weights, options: Options) -> Result<Self, ResourceError> {
        let weights = Arc::new(weights);
        Ok(Self {
            coordinator: Coordinator::new().map_err(|source| ResourceError::Threads { threads: 1, source })?,
            threads: SearchThreads::start(options.threads, &weights)?,
            table: Arc::new(new_table(options.table_mebibytes)?),
            completion: Arc::default(),
            sigma_model: Arc::default(),
            probcut_observer: None,
            weights,
            options,
            skill_table: None,
            pondering: None,
        })
    }

    /// Takes over new options. A search in progress is stopped first.
    ///
    /// # Errors
    /// If the system refuses to start a thread: all options stay as they were. If it has no memory for the table: a table of the smallest size
    /// is in use then, the other options stay as they were.
    pub fn set_options(&mut self, options: Options) -> Result<(), ResourceError> {
        self.stop();
        self.wait();
        if options.threads.max(1) != self.threads.pool.queues().len() {
            self.threads = SearchThreads::start(options.threads, &self.weights)?;
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

    /// Takes over a model of the reliability of shallow searches with the evaluation in use, from the next search on. Without one ProbCut
    /// is tried by captures alone, with its constant margin.
    pub fn set_sigma_model(&mut self, model: Arc<SigmaModel>) {
        self.sigma_model = model;
    }

    /// From the next search on `observer` is told of each cut by ProbCut.
    pub fn set_probcut_observer(&mut self, observer: Option<ProbCutObserver>) {
        self.probcut_observer = observer;
    }

    /// Forgets earlier games: the table and all histories; then all memory is resident. A search in progress is stopped first.
    pub fn clear(&mut self) {
        self.clear_in_background(|| {});
        self.wait();
    }

    /// Begins [`Searcher::clear`] and returns. `done` is called from another thread at the end, unless the searcher is dropped before. What is asked
    /// of the searcher in the meantime waits.
    pub fn clear_in_background(&mut self, done: impl FnOnce() + Send + 'static) {
        self.stop();
        self.wait();
        self.coordinator.planner.lock().new_game();
        let (threads, table) = (self.threads.pool.queues().clone(), Arc::clone(&self.table));
        self.coordinator.prepare(threads, table, self.threads.resident, done);
    }

    /// Begins to search, and returns. A search in progress is stopped first.
    pub fn go(&mut self, position: Position, limits: Limits, reporter: Arc<dyn Reporter>) {
        let stopwatch = Stopwatch::started_before(limits.elapsed);
        self.stop();
        self.wait();
        let skill = limits.skill.filter(|_| limits.ponder || !limits.is_infinite());
        let budget = self.plan(&limits, &position).map(|budget| budget.begun_after(stopwatch.elapsed()));
        let limits = Limits { skill, ..limits };
        let Conditions { limits, threads, table, multipv, gamble } = self.conditions(limits, &position);
        let infinite = limits.is_infinite();
        self.pondering =
            limits.ponder.then(|| Pondering { position: position.clone(), limits: limits.clone(), stopwatch });
        self.threads.control.begin(budget, limits.nodes, limits.ponder);
        self.threads.control.nodes.set_holds_while_pondering(skill.is_some());
        self.completion.begin(threads.len(), infinite || limits.ponder);
        self.coordinator.search(SearchJob {
            params: SearchParams {
                position,
                rules: self.options.rules,
                gamble,
                sigma_model: Arc::clone(&self.sigma_model),
                probcut: ProbCutMargins::new(
                    self.options.probcut,
                    Arc::clone(&self.sigma_model),
                    self.probcut_observer.clone(),
                ),
                stopwatch,
                depth: limits.depth.unwrap_or(MAX_PLY as u32),
                multipv,
                // While pondering it is not known what will end the search.
                infinite: infinite && !limits.ponder,
                search_moves: limits.search_moves,
                skill,
            },
            options: self.options,
            table,
            control: Arc::clone(&self.threads.control),
            completion: Arc::clone(&self.completion),
            phase: Arc::clone(&self.coordinator.phase),
            planner: Arc::clone(&self.coordinator.planner),
            reporter: GatedReporter::new(reporter),
            results: (0..threads.len()).map(|_| <_>::default()).collect(),
            threads,
        });
    }

    /// What a search works under: at full strength all that there is, else one thread, one line and an empty table of its own.
    fn conditions(&mut self, limits: Limits, position: &Position) -> Conditions<E> {
        let Some(skill) = limits.skill else {
            self.table.age();
            let Options { multipv, gamble, .. } = self.options;
            let threads = self.threads.pool.queues().clone();
            return Conditions { limits, threads, table: Arc::clone(&self.table), multipv, gamble };
        };
        let limits = Limits {
            nodes: Some(limits.nodes.map_or(skill.nodes(), |nodes| nodes.min(skill.nodes()))),
            depth: Some(limits.depth.map_or(skill.depth(), |depth| depth.min(skill.depth()))),
            search_moves: skill.moves(position, limits.search_moves, self.options.rules.choice),
            ..limits
        };
        let threads = self.threads.pool.queues().first(1);
        Conditions { limits, threads, table: self.empty_skill_table(), multipv: 1, gamble: GambleMode::Off }
    }

    /// The table of searches below the full strength, emptied: made at the first of them, the smallest that there is if there is no memory.
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
        self.coordinator.planner.lock().plan(limits, position, &self.options.time)
    }

    /// The opponent played the move pondered on. Limits count from now; `time_control` replaces the one given with the search.
    /// Without a ponder search in progress nothing happens.
    pub fn ponderhit(&mut self, time_control: Option<TimeControl>) {
        let Some(Pondering { position, mut limits, stopwatch }) = self.pondering.take() else { return };
        limits.time_control = time_control.or(limits.time_control);
        limits.ponder = false;
        let budget = self.plan(&limits, &position);
        self.threads.control.deadline.set(budget, stopwatch.elapsed());
        self.threads.control.end_pondering();
        if !limits.is_infinite() {
            self.completion.release();
        }
    }

    /// Ends the search; the answer comes through the reporter.
    pub fn stop(&self) {
        self.threads.control.stop();
        self.completion.release();
    }

    /// Waits until no search is going on and the last one's answer has been given.
    pub fn wait(&self) {
        self.coordinator.phase.wait_for_idle(None);
    }

    /// Like [`Searcher::wait`], but only for some time; false if that was not long enough.
    pub fn wait_at_most(&self, timeout: Duration) -> bool {
        self.coordinator.phase.wait_for_idle(Some(timeout))
    }

    /// Whether the search in progress goes on until it is stopped or the move pondered on is played.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.completion.is_held()
    }

    /// Whether the searcher is getting ready for a new game.
    #[must_use]
    pub fn is_preparing(&self) -> bool {
        self.coordinator.phase.is(Phase::Preparing)
    }

    /// Whether a search is going on.
    #[must_use]
    pub fn is_searching(&self) -> bool {
        self.coordinator.phase.is(Phase::Searching)
    }
}

impl<E: Evaluator> Drop for Searcher<E> {
    fn drop(&mut self) {
        // The threads are waited for.
        self.coordinator.leave();
        self.threads.control.stop();
        self.completion.release();
    }
}

impl<E: Evaluator + 'static> SearchThreads<E> {
    /// Starts so many threads, at least one.
    fn start(threads: usize, weights: &Arc<E::Weights>) -> Result<Self, ResourceError> {
        let threads = threads.max(1);
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        let control = Arc::new(SearchControl::new(threads, processors));
        let states = (0..threads).map(|number| {
            let (weights, control) = (Arc::clone(weights), Arc::clone(&control));
            move || SearchThread::new(number, weights, control)
        });
        let pool = ThreadPool::new("search", STACK_SIZE, states)
            .map_err(|source| ResourceError::Threads { threads, source })?;
        Ok(Self { control, pool, resident: threads <= RESIDENT_THREADS * processors })
    }
}

fn new_table(mebibytes: usize) -> Result<TranspositionTable, ResourceError> {
    TranspositionTable::new(mebibytes).map_err(|source| ResourceError::Table { mebibytes, source })
}

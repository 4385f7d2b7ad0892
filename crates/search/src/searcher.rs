//! The facade: non-blocking go, stop and ponderhit.

use std::sync::Arc;
use std::time::Duration;

use kiki_board::Position;
use kiki_eval::Evaluator;

use crate::clock::Clock;
use crate::clock_kind::{ClockKind, ClockReading};
use crate::coordinator::{Phase, Running, Task};
use crate::limits::{Clocks, Limits, Rules, TimeOptions};
use crate::report::{GatedReporter, Reporter};
use crate::root::Plan;
use crate::shared::Shared;
use crate::smp::{Pool, Setting};
use crate::time::{Budget, ClockFacts, budget};
use crate::tt::Table;
use crate::value::{INFINITE, MATE_BOUND, MAX_PLY, Value};

/// How a searcher works; the limits of a single search are in [`Limits`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Searching threads, 1 to 1024.
    pub threads: usize,
    /// Size of the transposition table in MiB.
    pub table_mebibytes: usize,
    /// How many of the best moves are told with their lines.
    pub multipv: usize,
    /// Iterations are told at most this often; the last one always.
    pub pv_interval: Duration,
    /// Tell values that lie outside the search window as bounds.
    pub report_bounds: bool,
    /// How time is planned.
    pub time: TimeOptions,
    /// The rules of the game.
    pub rules: Rules,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            threads: 1,
            table_mebibytes: 256,
            multipv: 1,
            pv_interval: Duration::ZERO,
            report_bounds: false,
            time: TimeOptions::default(),
            rules: Rules::default(),
        }
    }
}

/// What the system refused.
#[derive(Debug, thiserror::Error)]
pub enum ResourceError {
    /// Memory for the transposition table.
    #[error("no memory for a table of {mebibytes} MiB: {source}")]
    Table {
        /// The size asked for.
        mebibytes: usize,
        /// What the system says.
        source: std::io::Error,
    },
    /// A thread.
    #[error("{threads} threads cannot be started: {source}")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system says.
        source: std::io::Error,
    },
}

/// Searches positions on threads of its own.
///
/// ```
/// use std::sync::{Arc, mpsc};
/// use kiki_board::Position;
/// use kiki_eval::{Formula, Weights};
/// use kiki_search::{Answer, Info, Limits, Options, Outcome, Reporter, Searcher};
///
/// struct Wait(mpsc::Sender<Outcome>);
/// impl Reporter for Wait {
///     fn info(&self, _: &Info) {}
///     fn note(&self, _: &str) {}
///     fn finished(&self, outcome: &Outcome) {
///         let _ = self.0.send(outcome.clone());
///     }
/// }
///
/// let mut searcher = Searcher::<Formula>::new(Weights::default(), Options { table_mebibytes: 1, ..Options::default() })?;
/// let (sender, outcome) = mpsc::channel();
/// let mated_in_one = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 b G 1").unwrap();
/// searcher.go(mated_in_one, Limits { depth: Some(3), ..Limits::default() }, Arc::new(Wait(sender)));
/// assert!(matches!(outcome.recv().unwrap().answer, Answer::Play(mv) if mv.to_string() == "G*5b"));
/// # Ok::<(), kiki_search::ResourceError>(())
/// ```
pub struct Searcher<E: Evaluator> {
    options: Options,
    shared: Arc<Shared<E::Weights>>,
    pool: Pool<E>,
    running: Arc<Running>,
    clock_kind: ClockKind,
    /// Of the search that ponders now.
    pondering: Option<Pondering>,
}

struct Pondering {
    position: Position,
    limits: Limits,
    clock: Clock,
}

impl<E: Evaluator + 'static> Searcher<E> {
    /// Starts the threads. Memory is committed by [`Searcher::clear`] or as it is used.
    ///
    /// # Errors
    /// If the system refuses to start a thread or has no memory for the table.
    pub fn new(weights: E::Weights, options: Options) -> Result<Self, ResourceError> {
        let shared = Arc::new(Shared::new(Arc::new(weights), Table::empty()));
        let pool = new_pool(options.threads, &shared)?;
        shared.set_table(new_table(options.table_mebibytes)?);
        let (running, clock_kind) = (Arc::default(), ClockKind::default());
        Ok(Self { options, shared, pool, running, clock_kind, pondering: None })
    }

    /// Takes over new options. A search in progress is stopped first.
    ///
    /// # Errors
    /// If the system refuses to start a thread: all options stay as they were. If it has no memory for the table: a table of the smallest size
    /// is in use then, the other options stay as they were.
    pub fn set_options(&mut self, options: Options) -> Result<(), ResourceError> {
        self.stop();
        self.wait();
        if options.threads.max(1) != self.pool.len() {
            self.pool = new_pool(options.threads, &self.shared)?;
            self.options.threads = options.threads;
        }
        if options.table_mebibytes.max(1) != self.shared.table().mebibytes() {
            // Given back first, so that both need not fit.
            self.shared.set_table(Table::empty());
            self.shared.set_table(new_table(options.table_mebibytes)?);
        }
        self.options = options;
        Ok(())
    }

    /// The options in force.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
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
        self.clock_kind = ClockKind::default();
        self.running.enter(Phase::Preparing);
        self.pool.prepare(&self.shared, &self.running, Box::new(done));
    }

    /// Begins to search, and returns. A search in progress is stopped first.
    pub fn go(&mut self, position: Position, limits: Limits, reporter: Arc<dyn Reporter>) {
        let clock = Clock::start();
        self.stop();
        self.wait();
        self.shared.table().age();
        let endless = limits.is_infinite();
        let hold = endless || limits.ponder;
        let plan = self.plan(&limits, &position);
        self.shared.begin(hold, limits.ponder, plan, limits.nodes);
        self.running.enter(Phase::Searching);
        self.pondering = limits.ponder.then(|| Pondering { position: position.clone(), limits: limits.clone(), clock });
        let setting = Setting {
            position,
            rules: self.options.rules,
            clock,
            plan: Plan { depth: limits.depth.unwrap_or(MAX_PLY as u32), lines: self.options.multipv, endless },
            search_moves: limits.search_moves,
        };
        self.pool.search(Task {
            setting,
            options: self.options,
            shared: Arc::clone(&self.shared),
            reporter: GatedReporter::new(reporter),
            parts: Vec::new(),
            threads: Vec::new(),
            running: Arc::clone(&self.running),
        });
    }

    fn plan(&mut self, limits: &Limits, position: &Position) -> Option<Budget> {
        if let Some(movetime) = limits.movetime {
            return Some(Budget::exactly(movetime));
        }
        let clocks = limits.clocks?;
        let (color, ply) = (position.side_to_move().array_index(), position.ply());
        let times = *self.shared.answer_times.lock();
        if !limits.ponder {
            // A clock that is shown for pondering has not come to rest.
            self.clock_kind.observe(ClockReading::new(&clocks, color, ply), times.used);
        }
        let learned = self.clock_kind.increment_comes_first();
        let facts = ClockFacts {
            increment_before_move: self.options.time.increment_before_move.unwrap_or(learned),
            late: times.lateness.margin(),
        };
        Some(budget(&clocks, color, ply, &self.options.time, facts))
    }

    /// The opponent played the move pondered on. Limits count from now; `clocks` replace those given with the search.
    /// Without a ponder search in progress nothing happens.
    pub fn ponderhit(&mut self, clocks: Option<Clocks>) {
        let Some(Pondering { position, mut limits, clock }) = self.pondering.take() else { return };
        limits.clocks = clocks.or(limits.clocks);
        limits.ponder = false;
        let plan = self.plan(&limits, &position);
        self.shared.deadline.set(plan, clock.elapsed());
        self.shared.end_pondering();
        if !limits.is_infinite() {
            self.shared.release();
        }
    }

    /// Ends the search; the answer comes through the reporter.
    pub fn stop(&self) {
        self.shared.stop();
    }

    /// Waits until no search is going on and the last one's answer has been given.
    pub fn wait(&self) {
        self.running.wait_for(Phase::Idle, None);
    }

    /// Like [`Searcher::wait`], but only for some time; false if that was not long enough.
    pub fn wait_at_most(&self, patience: Duration) -> bool {
        self.running.wait_for(Phase::Idle, Some(patience))
    }

    /// Whether the search in progress goes on until it is stopped or the move pondered on is played.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.shared.is_held()
    }

    /// Whether the searcher is getting ready for a new game.
    #[must_use]
    pub fn is_preparing(&self) -> bool {
        self.running.is(Phase::Preparing)
    }

    /// Whether a search is going on.
    #[must_use]
    pub fn is_searching(&self) -> bool {
        self.running.is(Phase::Searching)
    }
}

impl<E: Evaluator> Drop for Searcher<E> {
    fn drop(&mut self) {
        // The threads are waited for.
        self.shared.leave();
    }
}

fn new_table(mebibytes: usize) -> Result<Table, ResourceError> {
    Table::new(mebibytes).map_err(|source| ResourceError::Table { mebibytes, source })
}

fn new_pool<E: Evaluator + 'static>(
    threads: usize,
    shared: &Arc<Shared<E::Weights>>,
) -> Result<Pool<E>, ResourceError> {
    Pool::new(threads.max(1), shared).map_err(|source| ResourceError::Threads { threads, source })
}

/// Values of the mate range that only the search itself may produce.
const _: () = assert!((MATE_BOUND as i64) < (INFINITE as i64) && (INFINITE as Value) < i16::MAX as Value);

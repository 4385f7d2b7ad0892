//! The facade: non-blocking go, stop and ponderhit.

use std::sync::Arc;
use std::time::Duration;

use kiki_board::Position;
use kiki_eval::Evaluator;

use crate::clock::Clock;
use crate::conductor::{Phase, Running, Task};
use crate::limits::{Clocks, Limits, Rules, TimeOptions};
use crate::report::{Reporter, Voice};
use crate::root::Plan;
use crate::shared::Shared;
use crate::smp::{Pool, Setting};
use crate::time::{Budget, budget};
use crate::tt::Table;
use crate::value::{INFINITE, MATE_BOUND, MAX_PLY, Value};

/// How a searcher works; the limits of a single search are in [`Limits`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Searching threads, 1 to 1024.
    pub threads: usize,
    /// Size of the transposition table in MiB. Memory is committed as it is used.
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
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Searcher<E: Evaluator> {
    options: Options,
    shared: Arc<Shared<E::Weights>>,
    pool: Pool<E>,
    running: Arc<Running>,
    /// Of the search that ponders now.
    pondering: Option<Pondering>,
}

struct Pondering {
    position: Position,
    limits: Limits,
    clock: Clock,
}

impl<E: Evaluator + 'static> Searcher<E> {
    /// Starts the threads.
    ///
    /// # Errors
    /// If the system refuses to start one or has no memory for the table.
    pub fn new(weights: E::Weights, options: Options) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::new(Arc::new(weights), Table::new(options.table_mebibytes)?));
        let pool = Pool::new(options.threads.max(1), &shared)?;
        Ok(Self { options, shared, pool, running: Arc::default(), pondering: None })
    }

    /// Takes over new options. A search in progress is stopped first.
    ///
    /// # Errors
    /// If the system refuses to start a thread or has no memory for the table; the other options stay as they were.
    pub fn set_options(&mut self, options: Options) -> std::io::Result<()> {
        self.stop();
        self.wait();
        if options.threads.max(1) != self.pool.len() {
            self.pool = Pool::new(options.threads.max(1), &self.shared)?;
        }
        if options.table_mebibytes.max(1) != self.shared.table().mebibytes() {
            self.shared.renew_table(options.table_mebibytes)?;
        }
        self.options = options;
        Ok(())
    }

    /// The options in force.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Forgets earlier games: the table and all histories. A search in progress is stopped first.
    pub fn clear(&mut self) {
        self.stop();
        self.wait();
        self.pool.forget(&self.shared.table());
    }

    /// Begins to search, and returns. A search in progress is stopped first.
    pub fn go(&mut self, position: Position, limits: Limits, reporter: Arc<dyn Reporter>) {
        let clock = Clock::start();
        self.stop();
        self.wait();
        self.shared.table().age();
        let endless = limits.is_infinite();
        let hold = endless || limits.ponder;
        self.shared.begin(hold, limits.ponder, self.plan(&limits, &position), limits.nodes);
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
            voice: Voice::new(reporter),
            parts: Vec::new(),
            threads: Vec::new(),
            running: Arc::clone(&self.running),
        });
    }

    fn plan(&self, limits: &Limits, position: &Position) -> Option<Budget> {
        if let Some(movetime) = limits.movetime {
            return Some(Budget { optimum: movetime, maximum: movetime });
        }
        let clocks = limits.clocks?;
        Some(budget(&clocks, position.side_index(), position.ply(), &self.options.time))
    }

    /// The opponent played the move pondered on. Limits count from now; `clocks` replace those given with the search.
    /// Without a ponder search in progress nothing happens.
    pub fn ponderhit(&mut self, clocks: Option<Clocks>) {
        let Some(Pondering { position, mut limits, clock }) = self.pondering.take() else { return };
        limits.clocks = clocks.or(limits.clocks);
        self.shared.deadline.set(self.plan(&limits, &position), clock.elapsed());
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
        self.running.wait_for(Phase::Idle);
    }

    /// Whether the search in progress goes on until it is stopped or the move pondered on is played.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.shared.is_held()
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
        self.shared.stop();
    }
}

/// Values of the mate range that only the search itself may produce.
const _: () = assert!((MATE_BOUND as i64) < (INFINITE as i64) && (INFINITE as Value) < i16::MAX as Value);

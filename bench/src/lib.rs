//! The fixed work that Kiki is measured by: a set of positions searched to a fixed depth. The number of nodes is the signature of
//! the search: it changes exactly when the search plays differently.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use kiki_board::{Position, SfenError};
use kiki_eval::{Evaluator, SelectedEvaluator, SelectedWeights};
use kiki_search::{Limits, Options, Reporter, SearchInfo, SearchResult, Searcher};

/// The positions, one SFEN a line: the start, the drop-rich "matsuri" position, and middle games and endgames.
pub const POSITIONS: &str = include_str!("../positions.sfen");

/// Depth of the signature, in plies.
pub const DEPTH: u32 = 10;

/// How often a search that may be stopped from outside looks whether it was.
const STOP_INTERVAL: Duration = Duration::from_millis(20);

/// What a bench has counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    /// Nodes of all positions and threads.
    pub nodes: u64,
    /// Time spent searching.
    pub time: Duration,
}

impl Totals {
    /// Nodes per second.
    #[must_use]
    pub fn speed(&self) -> u64 {
        (self.nodes as u128 * 1_000_000_000 / self.time.as_nanos().max(1)) as u64
    }
}

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Not a position.
    #[error("{sfen}: {error}")]
    Sfen {
        /// The text.
        sfen: String,
        /// What is wrong with it.
        error: SfenError,
    },
    /// No memory for the table, or no threads.
    #[error("{0}")]
    Resources(#[from] kiki_search::ResourceError),
}

/// Searches every position of `sfens` within `limits`, starting each with an empty table. `visit` is called with each result.
///
/// # Errors
/// If a line is not an SFEN.
pub fn run<'a, E: Evaluator + 'static>(
    searcher: &mut Searcher<E>,
    sfens: impl IntoIterator<Item = &'a str>,
    limits: &Limits,
    visit: impl FnMut(&str, &SearchResult),
) -> Result<Totals, RunError> {
    run_until(searcher, sfens, limits, &AtomicBool::new(false), visit)
}

/// The same until `stop` is set. The totals hold the nodes of the search that was interrupted too; `visit` is not called for it.
///
/// # Errors
/// If a line is not an SFEN.
pub fn run_until<'a, E: Evaluator + 'static>(
    searcher: &mut Searcher<E>,
    sfens: impl IntoIterator<Item = &'a str>,
    limits: &Limits,
    stop: &AtomicBool,
    mut visit: impl FnMut(&str, &SearchResult),
) -> Result<Totals, RunError> {
    let mut totals = Totals::default();
    for sfen in sfens {
        let position = Position::from_sfen(sfen).map_err(|error| RunError::Sfen { sfen: sfen.to_owned(), error })?;
        searcher.clear();
        let result = search_until(searcher, position, limits.clone(), stop);
        totals.nodes += result.nodes;
        totals.time += result.time;
        if stop.load(Ordering::Relaxed) {
            break;
        }
        visit(sfen, &result);
    }
    Ok(totals)
}

/// The signature of the search in the present build: nodes to [`DEPTH`] with one thread and a table of 16 MiB.
#[must_use]
pub fn signature() -> u64 {
    let options = Options { threads: 1, table_mebibytes: 16, ..Options::default() };
    let limits = Limits { depth: Some(DEPTH), ..Limits::default() };
    let mut searcher =
        Searcher::<SelectedEvaluator>::new(SelectedWeights::default(), options).expect("one thread can be started");
    run(&mut searcher, POSITIONS.lines(), &limits, |_, _| {}).expect("the positions are SFEN").nodes
}

/// Searches one position and waits for the result.
pub fn search<E: Evaluator + 'static>(searcher: &mut Searcher<E>, position: Position, limits: Limits) -> SearchResult {
    search_until(searcher, position, limits, &AtomicBool::new(false))
}

/// Searches one position and waits for the result, which comes soon after `stop` is set.
fn search_until<E: Evaluator + 'static>(
    searcher: &mut Searcher<E>,
    position: Position,
    limits: Limits,
    stop: &AtomicBool,
) -> SearchResult {
    let (sender, result) = channel();
    searcher.go(position, limits, Arc::new(Deliver(sender)));
    loop {
        match result.recv_timeout(STOP_INTERVAL) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => searcher.stop(),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => panic!("every search ends with an result"),
        }
    }
}

struct Deliver(Sender<SearchResult>);

impl Reporter for Deliver {
    fn info(&self, _: &SearchInfo) {}
    fn note(&self, _: &str) {}
    fn finished(&self, result: &SearchResult) {
        let _ = self.0.send(result.clone());
    }
}

//! The fixed work that measures Kiki: a set of positions searched to a fixed depth. The number of
//! nodes is the signature of the search: it changes exactly when the search plays differently.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kiki_board::{Position, SfenError};
use kiki_eval::Evaluator;
use kiki_search::{Limits, SearchResult, Searcher};

/// SFENs, one a line: the start, the "matsuri" position with its many drops, and middle games and
/// endgames.
pub const POSITIONS: &str = include_str!("../positions.sfen");

/// Depth of the signature, in plies.
pub const DEPTH: u32 = 10;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    /// Nodes of all positions and threads.
    pub nodes: u64,
    /// Time spent searching.
    pub time: Duration,
}

impl Totals {
    #[must_use]
    pub fn speed(&self) -> u64 {
        (self.nodes as u128 * 1_000_000_000 / self.time.as_nanos().max(1)) as u64
    }
}

#[derive(Debug, thiserror::Error)]
pub enum BenchRunError {
    #[error("{sfen}: {error}")]
    Sfen { sfen: String, error: SfenError },
    /// No memory for the table, or no threads.
    #[error("{0}")]
    Resources(#[from] kiki_search::ResourceError),
}

/// Searches every position of `sfens` within `limits`, each with an empty table, until `stop` is
/// set. Calls `visit` with each complete result; the nodes of an interrupted one count in the
/// totals. Fails if a line is not an SFEN.
pub fn run_until<'a, E: Evaluator + 'static>(
    searcher: &mut Searcher<E>,
    sfens: impl IntoIterator<Item = &'a str>,
    limits: &Limits,
    stop: &AtomicBool,
    mut visit: impl FnMut(&str, &SearchResult),
) -> Result<Totals, BenchRunError> {
    let mut totals = Totals::default();
    for sfen in sfens {
        let position =
            Position::from_sfen(sfen).map_err(|error| BenchRunError::Sfen { sfen: sfen.to_owned(), error })?;
        searcher.clear();
        let result = searcher.search(position, limits.clone(), stop).result;
        totals.nodes += result.nodes;
        totals.time += result.time;
        if stop.load(Ordering::Relaxed) {
            break;
        }
        visit(sfen, &result);
    }
    Ok(totals)
}

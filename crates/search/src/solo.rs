//! A search in the caller's thread, for many short searches: waking other threads would take longer
//! than the search.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kiki_board::Position;
use kiki_eval::Evaluator;

use crate::blocking::Searched;
use crate::control::SearchControl;
use crate::limits::{Limits, Options};
use crate::order::history::SharedHistories;
use crate::reliability::Reliability;
use crate::report::{GatedReporter, Reporter, RootLine, SearchInfo, SearchResult};
use crate::root::{RootSearch, SearchRequest, work_done};
use crate::table::TranspositionTable;
use crate::threads::{ResourceError, new_table, outcome};

/// Searches positions in the caller's thread, which needs a stack of [`crate::SEARCH_STACK_SIZE`].
/// Its answers are those of a [`crate::Searcher`] with one thread.
pub struct SoloSearcher<E: Evaluator> {
    options: Options,
    control: Arc<SearchControl>,
    search: RootSearch<E>,
    table: Arc<TranspositionTable>,
}

/// Drops all reports: callers see a search only at its end.
struct Silence;

impl Reporter for Silence {
    fn info(&self, _: &SearchInfo) {}
    fn note(&self, _: &str) {}
    fn finished(&self, _: &SearchResult) {}
}

impl<E: Evaluator> SoloSearcher<E> {
    /// A searcher with these options; those for threads and reports have no effect.
    ///
    /// # Errors
    /// If there is no memory for the table.
    pub fn new(weights: E::Weights, options: Options) -> Result<Self, ResourceError> {
        let control = Arc::new(SearchControl::new(1, 1));
        let histories = SharedHistories::new(1).map_err(|source| ResourceError::Threads { threads: 1, source })?;
        Ok(Self {
            search: RootSearch::new(0, &Arc::new(weights), Arc::clone(&control), Arc::new(histories)),
            table: Arc::new(new_table(options.table_mebibytes)?),
            control,
            options,
        })
    }

    /// Forgets all earlier positions.
    pub fn clear(&mut self) {
        self.search.new_game(false);
        self.table.clear(|| false);
    }

    /// Searches a position for its `lines` best moves. Only the limits of nodes and depth count;
    /// without both the search does not end.
    pub fn search(&mut self, position: &Position, limits: &Limits, lines: usize) -> Searched {
        let begun = Instant::now();
        self.table.age();
        self.control.begin(None, limits);
        let Options { probcut, gamble, .. } = self.options;
        let request = SearchRequest {
            position: position.clone(),
            limits: limits.clone(),
            options: Options { multipv: lines, pv_interval: Duration::MAX, report_bounds: false, ..self.options },
            reliability: Arc::new(Reliability { probcut, gamble, ..Reliability::default() }),
            begun,
        };
        let reporter = GatedReporter::new(Arc::new(Silence));
        let mut best: Vec<RootLine> = Vec::new();
        self.search.run(&request, Arc::clone(&self.table), Some(&reporter), |lines| {
            if !lines.is_empty() {
                best = lines.to_vec();
                self.control.note_line();
            }
        });
        let work = work_done(&self.control, begun, &self.table);
        let (result, lines) = outcome(&request, &[best], &self.table, work);
        Searched { lines, notes: Vec::new(), result }
    }
}

#[cfg(test)]
mod tests {
    use kiki_eval::Formula;
    use kiki_tests::fixtures;

    use super::*;
    use crate::threads::Searcher;

    #[test]
    fn its_answers_are_those_of_a_searcher_with_one_thread() {
        let options = Options { table_mebibytes: 1, ..Options::default() };
        let mut solo = SoloSearcher::<Formula>::new(<_>::default(), options).unwrap();
        for (row, lines) in fixtures::midgame().iter().step_by(9).zip([1, 3, 1, 2, 1, 5]) {
            let mut searcher = Searcher::<Formula>::new(<_>::default(), Options { multipv: lines, ..options }).unwrap();
            let limits = Limits { nodes: Some(3_000), ..Limits::default() };
            solo.clear();
            let mut position = fixtures::position(row.sfen);
            for _ in 0..3 {
                let other = searcher.search(position.clone(), limits.clone(), &false.into());
                let own = solo.search(&position, &limits, lines);
                let told = |searched: &Searched| {
                    let lines: Vec<_> =
                        searched.best_lines().iter().map(|line| (line.score, line.pv.clone())).collect();
                    (searched.result.action, searched.result.score, searched.result.nodes, lines)
                };
                assert_eq!(told(&own), told(&other), "{}", row.sfen);
                let crate::Action::Play(mv) = own.result.action else { break };
                position.make(mv);
            }
        }
    }
}

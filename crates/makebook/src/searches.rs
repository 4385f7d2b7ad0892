//! Searches positions of books, each once, in any order, on any number of threads. Each result
//! depends on its position alone.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, Result};
use kiki_board::Position;
use kiki_book::{BookMove, GREATEST_VALUE};
use kiki_eval::{SelectedEvaluator, SelectedWeights};
use kiki_search::{Action, Limits, Options, SearchInfo, Searched, Searcher};
use serde::{Deserialize, Serialize};

use super::settings::{BookSettings, SearchSettings};
use kiki_run::journal::Journal;
use kiki_run::parallel;

#[derive(Clone)]
pub(super) struct WantedSearch {
    pub(super) sfen: String,
    /// Only these moves; all if empty.
    pub(super) moves: Vec<String>,
}

/// A line of the journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchLine {
    sfen: String,
    moves: Vec<BookMove>,
}

/// The positions searched so far.
pub(super) struct BookSearches {
    weights: SelectedWeights,
    pub(super) journal: Journal<BookSettings>,
    found: HashMap<String, Vec<BookMove>>,
}

impl BookSearches {
    /// Starts with the results of a journal.
    pub(super) fn new(journal: Journal<BookSettings>) -> Result<Self> {
        let mut found = HashMap::new();
        journal.replay(|SearchLine { sfen, moves }| {
            found.insert(sfen, moves);
            Ok(())
        })?;
        Ok(Self { weights: journal.settings.search.evaluation.load()?, journal, found })
    }

    /// Number of positions searched.
    pub(super) fn count(&self) -> usize {
        self.found.len()
    }

    /// The moves with the values of their search, best first.
    pub(super) fn of(&self, sfen: &str) -> Option<&Vec<BookMove>> {
        self.found.get(sfen)
    }

    /// Searches the positions without a result. After each one, `each` gets the number of all
    /// results. Some are missing afterwards if `stop` was set.
    pub(super) fn search(
        &mut self,
        wanted: &[WantedSearch],
        threads: usize,
        stop: &AtomicBool,
        mut each: impl FnMut(usize),
    ) -> Result<()> {
        let missing: Vec<&WantedSearch> =
            wanted.iter().filter(|wanted| !self.found.contains_key(&wanted.sfen)).collect();
        let Self { weights, journal, found } = self;
        let SearchSettings { nodes, lines, table_mebibytes, .. } = journal.settings.search;
        let options = Options { table_mebibytes, multipv: lines, ..Options::default() };
        let new_searcher = || Ok(Searcher::new(weights.clone(), options)?);
        let look =
            |searcher: &mut Searcher<SelectedEvaluator>, wanted: &&WantedSearch| search(searcher, wanted, nodes, stop);
        parallel::for_each(&missing, threads, new_searcher, look, |index, moves| {
            let line = SearchLine { sfen: missing[index].sfen.clone(), moves: moves? };
            journal.append(&line)?;
            found.insert(line.sfen, line.moves);
            each(found.len());
            Ok(())
        })
    }
}

/// `None` if `stop` was set.
fn search(
    searcher: &mut Searcher<SelectedEvaluator>,
    wanted: &WantedSearch,
    nodes: u64,
    stop: &AtomicBool,
) -> Option<Result<Vec<BookMove>>> {
    let place = || wanted.sfen.clone();
    let prepared = Position::from_sfen(&wanted.sfen).with_context(place).and_then(|position| {
        let search_moves = wanted.moves.iter().map(|mv| position.parse_move(mv)).collect::<Result<_, _>>();
        Ok((
            Limits { nodes: Some(nodes), search_moves: search_moves.with_context(place)?, ..Limits::default() },
            position,
        ))
    });
    let (limits, position) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => return Some(Err(error)),
    };
    if position.legal_moves().is_empty() {
        return Some(Ok(Vec::new()));
    }
    let searched = searcher.search_anew(&position, &limits, stop)?;
    Some(Ok(moves_of(&searched)))
}

fn moves_of(searched: &Searched) -> Vec<BookMove> {
    // A side that may declare the win needs no book.
    if searched.result.action == Action::DeclareWin {
        return Vec::new();
    }
    searched.best_lines().iter().filter_map(move_of).collect()
}

fn move_of(line: &SearchInfo) -> Option<BookMove> {
    Some(BookMove {
        ponder: line.pv.get(1).map(ToString::to_string),
        value: Some(line.score.centipawns().clamp(-GREATEST_VALUE, GREATEST_VALUE)),
        depth: Some(line.depth),
        ..BookMove::new(line.pv.first()?.to_string())
    })
}

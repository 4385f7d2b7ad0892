//! A book that is being made by search, in the folder of [`kiki_run::journal::MAKING`]. Positions are
//! searched once each, in any order, on any number of threads; a result depends on its position
//! alone.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, Result};
use kiki_board::Position;
use kiki_book::{BookMove, EntryTexts, Expansion, ExpansionSettings, GREATEST_VALUE, PositionedEntry};
use kiki_eval::{SelectedEvaluator, SelectedWeights};
use kiki_play::openings;
use kiki_run::journal::Journal;
use kiki_run::parallel;
use kiki_search::{Action, Limits, Options, SearchInfo, Searched, Searcher};
use serde::{Deserialize, Serialize};

use crate::settings::{BookSearchSettings, BookTask, MakingSettings};

pub(crate) struct BookMaking {
    weights: SelectedWeights,
    pub(crate) journal: Journal<MakingSettings>,
    /// The moves with the values of their search, best first, by the SFEN of the position.
    found: HashMap<String, Vec<BookMove>>,
}

struct WantedSearch {
    sfen: String,
    /// Only these moves; all if empty.
    moves: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchedPosition {
    sfen: String,
    moves: Vec<BookMove>,
}

impl BookMaking {
    /// Continues from the searches of a journal.
    pub(crate) fn new(journal: Journal<MakingSettings>) -> Result<Self> {
        let mut found = HashMap::new();
        journal.replay(|SearchedPosition { sfen, moves }| {
            found.insert(sfen, moves);
            Ok(())
        })?;
        Ok(Self { weights: journal.settings.search.evaluation.load()?, journal, found })
    }

    /// Number of positions searched before.
    pub(crate) fn searched(&self) -> usize {
        self.found.len()
    }

    /// Number of positions to search; fewer are searched if the book runs out of them.
    pub(crate) fn wanted(&self) -> usize {
        match self.journal.settings.task {
            BookTask::Expand { positions, .. } => positions,
            BookTask::Evaluate => self.entries().count(),
        }
    }

    /// Makes the book. `each` gets the number of positions searched and a message about them.
    /// Returns the entries in the order of books; `None` if `stop` was set before the end.
    pub(crate) fn run(
        &mut self,
        threads: usize,
        stop: &AtomicBool,
        each: impl FnMut(usize, &str),
    ) -> Result<Option<Vec<PositionedEntry>>> {
        match self.journal.settings.task {
            BookTask::Expand { settings, positions, margin } => {
                let expansion = self.expand(settings, positions, threads, stop, each)?;
                Ok(expansion.map(|expansion| expansion.entries(margin)))
            }
            BookTask::Evaluate => self.evaluate(threads, stop, each),
        }
    }

    /// Earlier searches determine the positions of a round, so a resumed run meets those of the
    /// journal again.
    fn expand(
        &mut self,
        settings: ExpansionSettings,
        positions: usize,
        threads: usize,
        stop: &AtomicBool,
        mut each: impl FnMut(usize, &str),
    ) -> Result<Option<Expansion>> {
        let roots: Vec<Position> = self.journal.items(|line| Ok(openings::position(line)?.1))?;
        let mut expansion = Expansion::new(settings, &roots);
        loop {
            let round = expansion.next_round(positions.saturating_sub(expansion.searched()));
            if round.is_empty() {
                return Ok(Some(expansion));
            }
            // Value and moves of the best line.
            let (line, value) = expansion.best_line();
            let word = value.map_or_else(String::new, |value| format!("{value:+} ")) + &line.join(" ");
            let wanted = round.iter().map(|sfen| WantedSearch { sfen: sfen.clone(), moves: Vec::new() });
            self.search(&wanted.collect::<Vec<_>>(), threads, stop, |done| each(done, &word))?;
            for sfen in &round {
                let Some(moves) = self.found.get(sfen) else { return Ok(None) };
                expansion.add(sfen, moves.clone())?;
            }
        }
    }

    /// The entries of the book whose moves get values.
    fn entries(&self) -> impl Iterator<Item = PositionedEntry> {
        let text = self.journal.list.join("\n").into_bytes();
        // This program wrote the text, so it has no faults.
        EntryTexts::new(std::io::Cursor::new(text)).map_while(Result::ok).filter_map(|text| text.entry())
    }

    fn evaluate(
        &mut self,
        threads: usize,
        stop: &AtomicBool,
        mut each: impl FnMut(usize, &str),
    ) -> Result<Option<Vec<PositionedEntry>>> {
        let mut entries: Vec<PositionedEntry> = self.entries().collect();
        let wanted = |(board, entry): &PositionedEntry| WantedSearch {
            sfen: format!("{board} {}", entry.ply.unwrap_or(1)),
            moves: entry.moves.iter().map(|mv| mv.mv.clone()).collect(),
        };
        let wanted: Vec<WantedSearch> = entries.iter().map(wanted).collect();
        self.search(&wanted, threads, stop, |done| each(done, ""))?;
        for ((_, entry), wanted) in entries.iter_mut().zip(&wanted) {
            let Some(found) = self.found.get(&wanted.sfen) else { return Ok(None) };
            entry.set_values(found);
        }
        Ok(Some(entries))
    }

    /// Searches the positions without a result. After each one, `each` gets the number of all
    /// results. Some are missing afterwards if `stop` was set.
    fn search(
        &mut self,
        wanted: &[WantedSearch],
        threads: usize,
        stop: &AtomicBool,
        mut each: impl FnMut(usize),
    ) -> Result<()> {
        let missing = wanted.iter().filter(|wanted| !self.found.contains_key(&wanted.sfen));
        let missing: Vec<&WantedSearch> = missing.collect();
        let Self { weights, journal, found } = self;
        let BookSearchSettings { nodes, lines, table_mebibytes, .. } = journal.settings.search;
        let options = Options { table_mebibytes, multipv: lines, ..Options::default() };
        let new_searcher = || Ok(Searcher::new(weights.clone(), options)?);
        let look = |searcher: &mut Searcher<SelectedEvaluator>, wanted: &&WantedSearch| {
            search(searcher, wanted, nodes, stop).transpose()
        };
        parallel::for_each(&missing, threads, new_searcher, look, |index, moves| {
            let line = SearchedPosition { sfen: missing[index].sfen.clone(), moves: moves? };
            journal.append(&line)?;
            found.insert(line.sfen, line.moves);
            each(found.len());
            Ok(())
        })
    }
}

/// The moves of a position with their values, best first; `None` if `stop` was set.
fn search(
    searcher: &mut Searcher<SelectedEvaluator>,
    wanted: &WantedSearch,
    nodes: u64,
    stop: &AtomicBool,
) -> Result<Option<Vec<BookMove>>> {
    let place = || wanted.sfen.clone();
    let position = Position::from_sfen(&wanted.sfen).with_context(place)?;
    let search_moves = wanted.moves.iter().map(|mv| position.parse_move(mv)).collect::<Result<_, _>>();
    let limits = Limits { nodes: Some(nodes), search_moves: search_moves.with_context(place)?, ..Limits::default() };
    if position.legal_moves().is_empty() {
        return Ok(Some(Vec::new()));
    }
    Ok(searcher.search_anew(&position, &limits, stop).map(|searched| moves_of(&searched)))
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

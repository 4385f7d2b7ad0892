//! A book that is being made by search, in a folder:
//!
//! | file | what |
//! |---|---|
//! | `book.json` | the settings |
//! | `start.txt` | the start: openings, or the lines of a book whose moves get values |
//! | `searches.jsonl` | the journal: one line for each position that was searched |

use std::path::Path;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use kiki_board::Position;
use kiki_book::{EntryTexts, Expansion, ExpansionSettings, PositionedEntry};
use kiki_play::openings;

use super::searches::{BookSearches, WantedSearch};
use super::settings::{BookSettings, BookTask};
use kiki_run::journal::Journal;

pub(crate) struct BookMaking {
    searches: BookSearches,
}

impl BookMaking {
    /// Continues from the searches of a journal.
    pub(crate) fn new(journal: Journal<BookSettings>) -> Result<Self> {
        Ok(Self { searches: BookSearches::new(journal)? })
    }

    fn journal(&self) -> &Journal<BookSettings> {
        &self.searches.journal
    }

    pub(crate) fn settings(&self) -> &BookSettings {
        &self.journal().settings
    }

    pub(crate) fn folder(&self) -> &Path {
        self.journal().folder()
    }

    /// Number of positions searched before.
    pub(crate) fn searched(&self) -> usize {
        self.searches.count()
    }

    /// Number of positions to search; fewer are searched if the book runs out of them.
    pub(crate) fn wanted(&self) -> usize {
        match self.settings().task {
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
        match self.settings().task.clone() {
            BookTask::Expand { settings, positions, margin } => {
                let expansion = self.expand(settings, positions, (threads, stop), each)?;
                Ok(expansion.map(|expansion| expansion.entries(margin)))
            }
            BookTask::Evaluate => self.evaluate((threads, stop), each),
        }
    }

    /// Earlier searches determine the positions of a round, so a resumed run meets those of the
    /// journal again.
    fn expand(
        &mut self,
        settings: ExpansionSettings,
        positions: usize,
        (threads, stop): (usize, &AtomicBool),
        mut each: impl FnMut(usize, &str),
    ) -> Result<Option<Expansion>> {
        let mut expansion = Expansion::new(settings, &self.roots()?);
        loop {
            let round = expansion.next_round(positions.saturating_sub(expansion.searched()));
            if round.is_empty() {
                return Ok(Some(expansion));
            }
            let word = describe(&expansion);
            let wanted: Vec<_> =
                round.iter().map(|sfen| WantedSearch { sfen: sfen.clone(), moves: Vec::new() }).collect();
            self.searches.search(&wanted, threads, stop, |done| each(done, &word))?;
            for sfen in &round {
                let Some(moves) = self.searches.of(sfen) else { return Ok(None) };
                expansion.add(sfen, moves.clone())?;
            }
        }
    }

    fn roots(&self) -> Result<Vec<Position>> {
        self.journal().items(|line| Ok(openings::position(line)?.1))
    }

    /// The entries of the book whose moves get values.
    fn entries(&self) -> impl Iterator<Item = PositionedEntry> {
        let text = self.journal().list.join("\n").into_bytes();
        // This program wrote the text, so it has no faults.
        EntryTexts::new(std::io::Cursor::new(text)).map_while(Result::ok).filter_map(|text| text.entry())
    }

    fn evaluate(
        &mut self,
        (threads, stop): (usize, &AtomicBool),
        mut each: impl FnMut(usize, &str),
    ) -> Result<Option<Vec<PositionedEntry>>> {
        let mut entries: Vec<PositionedEntry> = self.entries().collect();
        let sfen = |(board, entry): &PositionedEntry| format!("{board} {}", entry.ply.unwrap_or(1));
        let wanted: Vec<_> = entries
            .iter()
            .map(|of| WantedSearch { sfen: sfen(of), moves: of.1.moves.iter().map(|mv| mv.mv.clone()).collect() })
            .collect();
        self.searches.search(&wanted, threads, stop, |done| each(done, ""))?;
        for (of, wanted) in entries.iter_mut().zip(&wanted) {
            let Some(found) = self.searches.of(&wanted.sfen) else { return Ok(None) };
            of.1.set_values(found);
        }
        Ok(Some(entries))
    }
}

/// Value and moves of the best line of a book.
fn describe(expansion: &Expansion) -> String {
    let (line, value) = expansion.best_line();
    let value = value.map_or_else(String::new, |value| format!("{value:+} "));
    format!("{value}{}", line.join(" "))
}

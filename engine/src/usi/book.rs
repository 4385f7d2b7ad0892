//! The opening book at play.

use std::cmp::Reverse;
use std::path::Path;
use std::time::Duration;

use kiki_board::{Color, Move, Position};
use kiki_book::{BookKey, BookMove, BookPolicy};
use kiki_usi::{BestMove, Info, InfoString, OptionError, OptionSet, UsiScore};
use rand::RngExt;

use super::opened_book::{OpenedBook, named_book};
use super::session::UsiSession;

/// A legal move of the book, and what it says about it.
pub(super) struct BookCandidate {
    pub(super) mv: Move,
    pub(super) entry: BookMove,
}

impl BookCandidate {
    /// The answer that the book expects, if it is legal.
    fn answer(&self, position: &Position) -> Option<Move> {
        let mut after = position.clone();
        after.make(self.mv);
        after.parse_move(self.entry.ponder.as_deref()?).ok()
    }
}

/// When the book is asked, and what for.
pub(super) struct BookSettings {
    /// The last ply at which the book is asked.
    pub(super) last_ply: i64,
    /// Percent of the positions at which it is not.
    pub(super) ignore_rate: i64,
    pub(super) any_ply: bool,
    pub(super) either_colour: bool,
    pub(super) policy: BookPolicy,
}

impl BookSettings {
    fn read(options: &OptionSet, position: &Position) -> Result<Self, OptionError> {
        let number = |name: &str| options.spin(name);
        let limit = if position.side_to_move() == Color::Black { "BookEvalBlackLimit" } else { "BookEvalWhiteLimit" };
        Ok(Self {
            last_ply: number("BookMoves")?,
            ignore_rate: number("BookIgnoreRate")?,
            any_ply: options.check("IgnoreBookPly")?,
            either_colour: options.check("FlippedBook")?,
            policy: BookPolicy {
                value_difference: number("BookEvalDiff")? as i32,
                least_value: number(limit)? as i32,
                least_depth: number("BookDepthLimit")? as u32,
                by_count: options.check("ConsiderBookMoveCount")?,
                narrow: options.check("NarrowBook")?,
            },
        })
    }
}

impl UsiSession {
    /// Opens the book that the options name, unless that was done already, and waits for it at most so long. If it cannot be used, an `info string` says
    /// why, and there is no book.
    pub(super) fn open_book(&mut self, patience: Option<Duration>) {
        let wanted = named_book(&self.options).and_then(|named| Ok((named, self.options.check("BookOnTheFly")?)));
        let (named, on_the_fly) = match wanted {
            Ok((Some(named), on_the_fly)) => (named, on_the_fly),
            Ok((None, _)) => return self.book = None,
            Err(error) => return self.warn(error),
        };
        let same = self.book.take().filter(|opened| opened.named == named && opened.on_the_fly == on_the_fly);
        let mut book = same.unwrap_or_else(|| OpenedBook::open(named, on_the_fly));
        if let Err(error) = book.wait(patience) {
            self.warn(error);
        }
        self.book = Some(book);
    }

    /// The file of the book that is asked, if there is one.
    pub(super) fn book_in_use(&self) -> Option<&Path> {
        self.book.as_ref().filter(|opened| opened.book().is_some()).map(|opened| opened.path.as_path())
    }

    /// The moves that the book has for a position, best value first. The book is waited for at most so long. What is not legal here is as if it did not
    /// stand there.
    pub(super) fn book_candidates(&mut self, position: &Position, patience: Option<Duration>) -> Vec<BookCandidate> {
        self.open_book(patience);
        match BookSettings::read(&self.options, position) {
            Ok(settings) => self.look_up(position, settings.any_ply, settings.either_colour),
            Err(error) => {
                self.warn(error);
                Vec::new()
            }
        }
    }

    /// The moves of the book that is open.
    pub(super) fn look_up(&mut self, position: &Position, any_ply: bool, either_colour: bool) -> Vec<BookCandidate> {
        let Some(opened) = &self.book else { return Vec::new() };
        let (Some(book), Some(key)) = (opened.book(), BookKey::new(&position.to_sfen())) else { return Vec::new() };
        let found = if either_colour { book.moves_of_either_colour(&key, any_ply) } else { book.moves(&key, any_ply) };
        match found {
            Ok(moves) => {
                let legal = |entry: BookMove| Some(BookCandidate { mv: position.parse_move(&entry.mv).ok()?, entry });
                let mut candidates: Vec<BookCandidate> = moves.into_iter().filter_map(legal).collect();
                candidates.sort_by_key(|candidate| Reverse((candidate.entry.value, candidate.entry.count)));
                candidates
            }
            Err(error) => {
                self.warn(format_args!("the book {} is not used any more: {error}", opened.path.display()));
                if let Some(opened) = &mut self.book {
                    opened.refuse();
                }
                Vec::new()
            }
        }
    }

    /// The move of the book to play in a position, before the other candidates. The book is waited for at most so long. If there is none though the book has
    /// moves, and it was never used, a hint says once what hides them.
    pub(super) fn book_move(&mut self, position: &Position, patience: Option<Duration>) -> Option<Vec<BookCandidate>> {
        self.open_book(patience);
        let settings = BookSettings::read(&self.options, position).map_err(|error| self.warn(error)).ok()?;
        let mut random = rand::rng();
        let is_over = position.ply() as i64 > settings.last_ply;
        let is_ignored = random.random_range(0..100) < settings.ignore_rate;
        if (is_over || is_ignored) && !self.wants_book_hint() {
            return None;
        }
        let mut candidates = self.look_up(position, settings.any_ply, settings.either_colour);
        let entries: Vec<BookMove> = candidates.iter().map(|candidate| candidate.entry.clone()).collect();
        let chosen = (!is_over && !is_ignored).then(|| settings.policy.choose(&entries, &mut random)).flatten();
        let Some(chosen) = chosen.and_then(|chosen| entries.iter().position(|entry| entry == chosen)) else {
            self.give_book_hint(position, &settings, &candidates);
            return None;
        };
        if let Some(opened) = &mut self.book {
            opened.was_used = true;
        }
        candidates[..=chosen].rotate_right(1);
        Some(candidates)
    }

    /// Plays the first of these moves of the book.
    pub(super) fn report_book_move(&self, position: &Position, candidates: &[BookCandidate]) {
        let Some(played) = candidates.first() else { return };
        self.tell_entries(candidates);
        self.output.print(InfoString("a move of the book"));
        self.tell_lines(position, candidates);
        let best = match played.answer(position) {
            Some(answer) => BestMove::with_ponder(played.mv, answer),
            None => BestMove::new(played.mv),
        };
        self.output.print(best);
    }

    /// Shows moves of the book without playing one.
    pub(super) fn report_book_candidates(&self, position: &Position, candidates: &[BookCandidate]) {
        self.tell_entries(candidates);
        self.tell_lines(position, candidates);
    }

    /// All that the book says: no field of a line of play has room for a count.
    fn tell_entries(&self, candidates: &[BookCandidate]) {
        for BookCandidate { entry, .. } in candidates {
            let field =
                |name: &str, value: Option<i128>| value.map_or_else(String::new, |value| format!(" {name} {value}"));
            let value = field("value", entry.value.map(i128::from));
            let depth = field("depth", entry.depth.map(i128::from));
            let count = field("count", entry.count.map(i128::from));
            self.output.print(InfoString(format_args!("book {}{value}{depth}{count}", entry.mv)));
        }
    }

    /// The candidates as lines of play, which GUIs list as they list those of a search.
    fn tell_lines(&self, position: &Position, candidates: &[BookCandidate]) {
        for (index, candidate) in candidates.iter().enumerate() {
            let line = std::iter::once(candidate.mv).chain(candidate.answer(position));
            self.output.print(Info {
                depth: Some(candidate.entry.depth.unwrap_or(0)),
                multipv: (candidates.len() > 1).then_some(index as u32 + 1),
                score: candidate.entry.value.map(UsiScore::cp),
                pv: line.map(|mv| mv.to_string()).collect(),
                ..Info::default()
            });
        }
    }
}

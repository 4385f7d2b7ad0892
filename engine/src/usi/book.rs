//! Opening books in play: the files that the options name, their moves for a position, and why none
//! is played.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use kiki_board::{Color, Move, Position};
use kiki_book::{BUILT_IN, Book, BookError, BookKey, BookMove, BookPolicy};
use kiki_usi::{BestMove, Info, InfoString, UsiScore};
use rand::RngExt;

use super::options::BookSettings;
use crate::evaluation::find_file;
use crate::output::Output;

/// A legal book move, and the book's data on it.
pub(super) struct BookCandidate {
    mv: Move,
    entry: BookMove,
}

impl BookCandidate {
    /// The reply that the book expects, if it is legal.
    fn answer(&self, position: &Position) -> Option<Move> {
        let mut after = position.clone();
        after.make(self.mv);
        after.parse_move(self.entry.ponder.as_deref()?).ok()
    }
}

struct OpenedBook {
    named: PathBuf,
    /// The path where it was found.
    path: PathBuf,
    /// Whether it is the book in the program, and no file.
    is_built_in: bool,
    on_the_fly: bool,
    was_used: bool,
    /// Whether a hint has named the options that hide its moves.
    was_hinted: bool,
    has_told_damage: bool,
    state: BookState,
}

enum BookState {
    /// A thread is reading it.
    Opening(Receiver<Result<Book, BookError>>),
    Open(Book),
    /// It is unreadable or not a book; that was reported.
    Refused,
}

impl OpenedBook {
    /// Starts to open a book: in the working directory, or else next to the program.
    fn open(named: PathBuf, on_the_fly: bool) -> Self {
        let is_built_in = named == Path::new(BUILT_IN);
        let path = if is_built_in { named.clone() } else { find_file(&named) };
        let (sender, receiver) = channel();
        let (file, refused) = (path.clone(), sender.clone());
        let read = move || if is_built_in { Book::built_in() } else { Book::open(&file, on_the_fly) };
        let again = read.clone();
        if std::thread::Builder::new().name("book".to_owned()).spawn(move || drop(sender.send(read()))).is_err() {
            let _ = refused.send(again());
        }
        let state = BookState::Opening(receiver);
        Self { named, path, is_built_in, on_the_fly, was_used: false, was_hinted: false, has_told_damage: false, state }
    }

    /// Waits for the book to open, at most for `patience`; `None` for no limit. If it is still not
    /// open, the next call waits again. Fails once for an unusable book.
    fn wait(&mut self, patience: Option<Duration>) -> Result<(), BookError> {
        let BookState::Opening(receiver) = &self.state else { return Ok(()) };
        let opened = match receiver.recv_timeout(patience.unwrap_or(Duration::MAX)) {
            Err(RecvTimeoutError::Timeout) => return Ok(()),
            opened => opened,
        };
        self.state = BookState::Refused;
        // The thread ends without a result only by a panic, which the panic hook reports.
        if let Ok(opened) = opened {
            self.state = BookState::Open(opened?);
        }
        Ok(())
    }

    fn book(&self) -> Option<&Book> {
        if let BookState::Open(book) = &self.state { Some(book) } else { None }
    }

    /// The conditions for the moves of this book. The built-in book needs no least depth: its
    /// searches are known.
    fn policy(&self, settings: &BookSettings, side: Color) -> BookPolicy {
        let policy = settings.policy(side);
        if self.is_built_in { BookPolicy { least_depth: 0, ..policy } } else { policy }
    }

    /// Reports once the first fault of a damaged book that is used anyway.
    fn tell_damage(&mut self, output: &Output) {
        if let Some(damage) = self.book().and_then(Book::damage)
            && !self.has_told_damage
        {
            output.warn(format_args!("the book {} is damaged; the rest is used: {damage}", self.path.display()));
            self.has_told_damage = true;
        }
    }

    /// Whether no hint has yet named why no move of the book is played.
    fn wants_hint(&self) -> bool {
        self.book().is_some() && !self.was_used && !self.was_hinted
    }
}

/// The books of the engine. Methods that search them first open those in the settings.
pub(super) struct EngineBooks {
    opened: Vec<OpenedBook>,
    output: Arc<Output>,
}

impl EngineBooks {
    pub(super) fn new(output: &Arc<Output>) -> Self {
        Self { opened: Vec::new(), output: Arc::clone(output) }
    }

    /// Opens the books that the settings name, unless already done, and waits for them at most for
    /// `patience`; `None` for no limit. Reports each unusable book by an `info string`.
    pub(super) fn open(&mut self, settings: &BookSettings, patience: Option<Duration>) {
        let started = Instant::now();
        let mut before = std::mem::take(&mut self.opened);
        for named in settings.named() {
            let same = |opened: &OpenedBook| opened.named == named && opened.on_the_fly == settings.on_the_fly;
            let book = match before.iter().position(same) {
                Some(place) => before.swap_remove(place),
                None => OpenedBook::open(named, settings.on_the_fly),
            };
            self.opened.push(book);
        }
        for book in &mut self.opened {
            // They are read in parallel.
            if let Err(error) = book.wait(patience.map(|patience| patience.saturating_sub(started.elapsed()))) {
                self.output.warn(error);
            }
            book.tell_damage(&self.output);
        }
    }

    pub(super) fn paths_in_use(&self) -> impl Iterator<Item = &Path> {
        self.opened.iter().filter(|opened| opened.book().is_some()).map(|opened| opened.path.as_path())
    }

    /// The legal moves for a position from the first book that has any, best value first.
    pub(super) fn candidates(
        &mut self,
        settings: &BookSettings,
        position: &Position,
        patience: Option<Duration>,
    ) -> Vec<BookCandidate> {
        self.open(settings, patience);
        let (any_ply, either_colour) = (settings.any_ply, settings.either_colour);
        let mut found = (0..self.opened.len()).map(|number| self.look_up(number, position, any_ply, either_colour));
        found.find(|candidates| !candidates.is_empty()).unwrap_or_default()
    }

    /// The moves of one book, if it is open.
    fn look_up(
        &mut self,
        number: usize,
        position: &Position,
        any_ply: bool,
        either_colour: bool,
    ) -> Vec<BookCandidate> {
        let opened = &mut self.opened[number];
        let (Some(book), Some(key)) = (opened.book(), BookKey::new(&position.to_sfen())) else { return Vec::new() };
        let found = if either_colour { book.moves_of_either_colour(&key, any_ply) } else { book.moves(&key, any_ply) };
        opened.tell_damage(&self.output);
        match found {
            Ok(moves) => {
                let legal = |entry: BookMove| Some(BookCandidate { mv: position.parse_move(&entry.mv).ok()?, entry });
                let mut candidates: Vec<BookCandidate> = moves.into_iter().filter_map(legal).collect();
                candidates.sort_by_key(|candidate| Reverse((candidate.entry.value, candidate.entry.count)));
                candidates
            }
            Err(error) => {
                let path = opened.path.display();
                self.output.warn(format_args!("the book {path} is no longer used: {error}"));
                opened.state = BookState::Refused;
                Vec::new()
            }
        }
    }

    /// The move to play in a position, with the other candidates of its book: from the first book
    /// that offers one. The first time a book has moves but offers none, a hint names the options
    /// that hide them.
    pub(super) fn choose(
        &mut self,
        settings: &BookSettings,
        position: &Position,
        patience: Option<Duration>,
    ) -> Option<Vec<BookCandidate>> {
        self.open(settings, patience);
        let mut random = rand::rng();
        let is_over = position.ply() as i64 > settings.last_ply;
        let is_ignored = random.random_range(0..100) < settings.ignore_rate;
        for number in 0..self.opened.len() {
            if (is_over || is_ignored) && !self.opened[number].wants_hint() {
                continue;
            }
            let mut candidates = self.look_up(number, position, settings.any_ply, settings.either_colour);
            let policy = self.opened[number].policy(settings, position.side_to_move());
            let entries: Vec<BookMove> = candidates.iter().map(|candidate| candidate.entry.clone()).collect();
            let chosen = (!is_over && !is_ignored).then(|| policy.choose(&entries, &mut random)).flatten();
            let Some(chosen) = chosen.and_then(|chosen| entries.iter().position(|entry| entry == chosen)) else {
                self.give_hint(number, settings, position, &entries);
                continue;
            };
            self.opened[number].was_used = true;
            candidates[..=chosen].rotate_right(1);
            return Some(candidates);
        }
        None
    }

    /// Names, once, the options that hide the moves of a book when it offers none in this position.
    /// `entries` are those found with the current settings.
    fn give_hint(&mut self, number: usize, settings: &BookSettings, position: &Position, entries: &[BookMove]) {
        if !self.opened[number].wants_hint() {
            return;
        }
        let hidden = if entries.is_empty() {
            self.hidden_by_look_up(number, settings, position)
        } else {
            let policy = self.opened[number].policy(settings, position.side_to_move());
            hidden_by_limits(settings, policy, position, entries).map(|options| (entries.len(), options))
        };
        if let Some((moves, options)) = hidden {
            let opened = &mut self.opened[number];
            opened.was_hinted = true;
            let book = opened.path.display();
            let (plural, them) = if moves == 1 { ("", "it") } else { ("s", "them") };
            self.output
                .warn(format_args!("the book {book} has {moves} move{plural} here, but {options} excludes {them}"));
        }
    }

    /// Number of moves that a book would have with other options, and the options that hide them.
    fn hidden_by_look_up(
        &mut self,
        number: usize,
        settings: &BookSettings,
        position: &Position,
    ) -> Option<(usize, String)> {
        let (own_ply, own_colour) = (!settings.any_ply, !settings.either_colour);
        // Most positions are not in the book at all, and reading a file takes time.
        let found = if own_ply || own_colour { self.look_up(number, position, true, true).len() } else { 0 };
        if found == 0 {
            return None;
        }
        let (ply, colour) = ("IgnoreBookPly false", "FlippedBook false");
        Some(if own_ply && !self.look_up(number, position, true, settings.either_colour).is_empty() {
            (found, ply.to_owned())
        } else if own_colour && !self.look_up(number, position, settings.any_ply, true).is_empty() {
            (found, colour.to_owned())
        } else {
            (found, format!("{ply} with {colour}"))
        })
    }

    pub(super) fn play(&self, position: &Position, candidates: &[BookCandidate]) {
        let Some(played) = candidates.first() else { return };
        self.print_entries(candidates);
        self.output.print(InfoString("a move of the book"));
        self.print_lines(position, candidates);
        let best = match played.answer(position) {
            Some(answer) => BestMove::with_ponder(played.mv, answer),
            None => BestMove::new(played.mv),
        };
        self.output.print(best);
    }

    /// Shows book moves without playing one.
    pub(super) fn show(&self, position: &Position, candidates: &[BookCandidate]) {
        self.print_entries(candidates);
        self.print_lines(position, candidates);
    }

    /// Prints all book data: a line of play has no field for a count.
    fn print_entries(&self, candidates: &[BookCandidate]) {
        for BookCandidate { entry, .. } in candidates {
            let field =
                |name: &str, value: Option<i128>| value.map_or_else(String::new, |value| format!(" {name} {value}"));
            let value = field("value", entry.value.map(i128::from));
            let depth = field("depth", entry.depth.map(i128::from));
            let count = field("count", entry.count.map(i128::from));
            self.output.print(InfoString(format_args!("book {}{value}{depth}{count}", entry.mv)));
        }
    }

    /// Prints the candidates as lines of play, which GUIs list like those of a search.
    fn print_lines(&self, position: &Position, candidates: &[BookCandidate]) {
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

/// The options that keep all of these moves from being played, unless that is chance.
fn hidden_by_limits(
    settings: &BookSettings,
    policy: BookPolicy,
    position: &Position,
    entries: &[BookMove],
) -> Option<String> {
    if position.ply() as i64 > settings.last_ply {
        return Some(format!("BookMoves {}", settings.last_ply));
    }
    if settings.ignore_rate >= 100 {
        return Some(format!("BookIgnoreRate {}", settings.ignore_rate));
    }
    let plays = |policy: BookPolicy| policy.choose(entries, &mut rand::rng()).is_some();
    if plays(policy) {
        return None;
    }
    let limit = if position.side_to_move() == Color::Black { "BookEvalBlackLimit" } else { "BookEvalWhiteLimit" };
    let limits = [
        (BookPolicy { least_depth: 0, ..policy }, format!("BookDepthLimit {}", policy.least_depth)),
        (BookPolicy { least_value: i32::MIN, ..policy }, format!("{limit} {}", policy.least_value)),
        (BookPolicy { narrow: false, ..policy }, "NarrowBook true".to_owned()),
    ];
    let alone = limits.iter().find(|(without, _)| plays(*without)).map(|(_, option)| option.clone());
    // If no option alone hides all, name those that hide some.
    let in_force = |(without, option): &(BookPolicy, String)| (*without != policy).then(|| option.clone());
    Some(alone.unwrap_or_else(|| limits.iter().filter_map(in_force).collect::<Vec<_>>().join(" with ")))
}

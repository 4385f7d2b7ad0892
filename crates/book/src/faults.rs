//! The faults of a book, line by line, for book makers: reading is lenient, this check is strict.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};

use kiki_board::{Position, SfenError};
use kiki_text::excerpt;

use crate::entry::{BookEntry, BookLine, BookMove, is_move_or_word, is_word, sfen_of, split};
use crate::text::{EntryText, HEADER};

/// The greatest value in centipawns, for a mate.
pub const GREATEST_VALUE: i32 = 32_000;

/// A fault in a book.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct BookFault {
    /// The line, from 1.
    pub line: u64,
    /// The fault.
    pub problem: BookProblem,
}

/// The kinds of faults of a line in a book.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BookProblem {
    /// No header: other programs may refuse the book.
    #[error("the first line is not `{HEADER}`")]
    Header,
    /// The text is not UTF-8.
    #[error("the line is not UTF-8")]
    Encoding,
    /// The position breaks a rule, or cannot be read.
    #[error("no position: {0}")]
    Position(#[from] SfenError),
    /// An unusual spelling, although positions are compared as text.
    #[error("the position is usually written `{0}`; as it stands it is never found")]
    Unusual(String),
    /// A position without moves.
    #[error("no move follows the position")]
    NoMove,
    /// A line other than a comment before the first position.
    #[error("`{0}` stands before the first position")]
    NoPosition(String),
    /// Neither a move nor a comment.
    #[error("`{0}` is no move")]
    NotAMove(String),
    /// A move that is not legal in its position.
    #[error("the move {0} is illegal")]
    Illegal(String),
    /// A reply that is not legal after its move.
    #[error("the reply {ponder} is illegal after {mv}")]
    Ponder {
        /// The move.
        mv: String,
        /// The reply.
        ponder: String,
    },
    /// The same move of the same position again.
    #[error("the move {0} stands twice under its position")]
    SecondMove(String),
    /// A field that is not a number.
    #[error("the {field} `{text}` is not a number")]
    Number {
        /// The field.
        field: &'static str,
        /// Its text.
        text: String,
    },
    /// A value beyond every mate.
    #[error("the value {0} is beyond {GREATEST_VALUE}")]
    Value(i64),
    /// A field too many.
    #[error("`{0}` follows the count")]
    Extra(String),
    /// Not sorted: on-the-fly lookup would miss positions.
    #[error("the position is not sorted: by its text it comes before the one of line {0}")]
    Order(u64),
    /// The same position at the same ply again.
    #[error("the position stands in line {0} already")]
    SecondPosition(u64),
}

/// The check results of one entry.
#[derive(Clone, Debug)]
pub struct CheckedEntry {
    /// The line of the position.
    pub line: u64,
    /// The sort key of books; `None` if this is not a position.
    pub position: Option<String>,
    /// Number of moves that a reader finds, as in [`EntryText::entry`].
    pub moves: u64,
    /// In the order of the lines.
    pub faults: Vec<BookFault>,
}

impl EntryText {
    /// Checks everything that does not depend on other entries.
    pub fn check(&self) -> CheckedEntry {
        let mut check = EntryCheck {
            has_position: false,
            position: None,
            seen: Vec::new(),
            checked: CheckedEntry { line: self.line, position: None, moves: 0, faults: Vec::new() },
        };
        for (number, line) in (self.line..).zip(self.text.split_inclusive(|&byte| byte == b'\n')) {
            if let Err(problem) = check.line(line, number) {
                check.checked.faults.push(BookFault { line: number, problem });
            }
        }
        let EntryCheck { seen, mut checked, .. } = check;
        checked.moves = self.entry().map_or(0, |(_, entry)| entry.moves.len() as u64);
        if checked.position.is_some() && seen.is_empty() {
            checked.faults.push(BookFault { line: self.line, problem: BookProblem::NoMove });
        }
        checked
    }

    /// The positions, moves and replies that [`EntryText::entry`] drops as unreadable. It keeps
    /// illegal ones.
    pub fn left_out(&self) -> Vec<BookFault> {
        let text = String::from_utf8_lossy(&self.text);
        let mut has_position = false;
        let mut faults = Vec::new();
        for (number, line) in (self.line..).zip(text.lines()) {
            let problem = match BookLine::read(line) {
                BookLine::Position(sfen) => {
                    has_position = split(sfen).is_some();
                    if has_position { None } else { Position::from_sfen(sfen).err().map(BookProblem::Position) }
                }
                BookLine::Move(book_move) if !has_position => Some(BookProblem::NoPosition(excerpt(&book_move.mv))),
                BookLine::Move(BookMove { mv, ponder: None, .. }) => {
                    let wrong = line.split_ascii_whitespace().nth(1).filter(|word| !is_move_or_word(word));
                    wrong.map(|ponder| BookProblem::Ponder { mv, ponder: excerpt(ponder) })
                }
                BookLine::Unknown(word) => Some(BookProblem::NotAMove(excerpt(word))),
                BookLine::Move(_) | BookLine::Nothing => None,
            };
            faults.extend(problem.map(|problem| BookFault { line: number, problem }));
        }
        faults
    }
}

/// An entry while its lines are checked.
struct EntryCheck {
    /// Whether there was a position, valid or not.
    has_position: bool,
    /// `None` before the position, or if it is invalid.
    position: Option<Position>,
    /// The moves so far, or words in place of one.
    seen: Vec<String>,
    checked: CheckedEntry,
}

impl EntryCheck {
    fn line(&mut self, line: &[u8], number: u64) -> Result<(), BookProblem> {
        let line = if number == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
        let bytes = line.trim_ascii();
        let is_header = bytes == HEADER.as_bytes();
        if bytes.is_empty() || bytes.starts_with(b"#") || bytes.starts_with(b"//") {
            return if number == 1 && !is_header { Err(BookProblem::Header) } else { Ok(()) };
        }
        let text = std::str::from_utf8(bytes).map_err(|_| BookProblem::Encoding)?;
        let content = match sfen_of(text) {
            Some(sfen) => self.sfen(sfen),
            None => self.move_line(text),
        };
        // A missing header precedes other faults of the line.
        if number == 1 {
            self.checked.faults.push(BookFault { line: number, problem: BookProblem::Header });
        }
        content
    }

    fn sfen(&mut self, sfen: &str) -> Result<(), BookProblem> {
        self.has_position = true;
        if let Some((board, ply)) = split(sfen) {
            self.checked.position = Some(BookEntry::sort_text(&board, ply));
        }
        let position = Position::from_sfen(sfen)?;
        let usual = position.to_sfen();
        self.position = Some(position);
        match (split(sfen), split(&usual)) {
            (Some((board, _)), Some((usual_board, _))) if board != usual_board => {
                Err(BookProblem::Unusual(usual_board))
            }
            _ => Ok(()),
        }
    }

    fn move_line(&mut self, text: &str) -> Result<(), BookProblem> {
        let mut fields = text.split_ascii_whitespace();
        let (mv, ponder) = (fields.next().unwrap_or_default(), fields.next());
        if !self.has_position {
            return Err(BookProblem::NoPosition(excerpt(mv)));
        }
        if !is_move_or_word(mv) {
            return Err(BookProblem::NotAMove(excerpt(mv)));
        }
        if self.seen.iter().any(|seen| seen == mv) {
            return Err(BookProblem::SecondMove(mv.to_owned()));
        }
        self.seen.push(mv.to_owned());
        self.moves(mv, ponder)?;
        let value = number("value", fields.next())?;
        if let Some(value) = value.filter(|value| value.unsigned_abs() > u64::from(GREATEST_VALUE.unsigned_abs())) {
            return Err(BookProblem::Value(value));
        }
        for field in ["depth", "count"] {
            let text = fields.next();
            if number(field, text)?.is_some_and(i64::is_negative) {
                return Err(BookProblem::Number { field, text: text.unwrap_or_default().to_owned() });
            }
        }
        fields.next().map_or(Ok(()), |extra| Err(BookProblem::Extra(excerpt(extra))))
    }

    /// Checks the legality of a move and its reply.
    fn moves(&mut self, mv: &str, ponder: Option<&str>) -> Result<(), BookProblem> {
        let ponder = ponder.filter(|ponder| !is_word(ponder));
        let Some(position) = self.position.as_mut().filter(|_| !is_word(mv)) else { return Ok(()) };
        let legal = position.parse_move(mv).map_err(|_| BookProblem::Illegal(mv.to_owned()))?;
        let Some(ponder) = ponder else { return Ok(()) };
        position.make(legal);
        let answer = position.parse_move(ponder);
        position.unmake();
        let wrong = |_| BookProblem::Ponder { mv: mv.to_owned(), ponder: excerpt(ponder) };
        answer.map(|_| ()).map_err(wrong)
    }
}

/// A number that may be unknown.
fn number(field: &'static str, text: Option<&str>) -> Result<Option<i64>, BookProblem> {
    let Some(text) = text.filter(|text| *text != "none") else { return Ok(None) };
    text.parse().map(Some).map_err(|_| BookProblem::Number { field, text: excerpt(text) })
}

/// Checks that positions are sorted and that no two neighbours are equal. In a sorted book no
/// others can be.
#[derive(Default)]
pub struct OrderCheck {
    last: Option<(u64, String)>,
    /// Whether a position came before its predecessor.
    unsorted: bool,
}

impl OrderCheck {
    /// Checks the next entry, given by its first line and its sort key.
    pub fn compare(&mut self, entry_line: u64, position: &str) -> Option<BookFault> {
        let last = self.last.replace((entry_line, position.to_owned()));
        let (line, before) = last?;
        let problem = match position.cmp(before.as_str()) {
            Ordering::Greater => return None,
            Ordering::Equal => BookProblem::SecondPosition(line),
            Ordering::Less => BookProblem::Order(line),
        };
        self.unsorted |= matches!(problem, BookProblem::Order(_));
        Some(BookFault { line: entry_line, problem })
    }

    /// Whether equal positions may be far apart, so that only a second pass with [`DuplicateCheck`]
    /// finds them.
    pub const fn is_unsorted(&self) -> bool {
        self.unsorted
    }
}

/// Finds positions that occur twice anywhere in a book. Uses 24 bytes a position.
#[derive(Default)]
pub struct DuplicateCheck {
    hashers: [RandomState; 2],
    /// The line of each position by two hashes of its text, which are unique in practice.
    lines: HashMap<[u64; 2], u64>,
    last: Option<[u64; 2]>,
}

impl DuplicateCheck {
    /// Checks the next entry. Leaves equal neighbours to [`OrderCheck`].
    pub fn next(&mut self, entry: &EntryText) -> Option<BookFault> {
        let text = String::from_utf8_lossy(&entry.text);
        let (board, ply) = split(sfen_of(text.lines().next()?)?)?;
        let position = BookEntry::sort_text(&board, ply);
        let sums = self.hashers.each_ref().map(|hasher| hasher.hash_one(&position));
        let follows_its_like = self.last.replace(sums) == Some(sums);
        let earlier = *self.lines.entry(sums).or_insert(entry.line);
        (earlier != entry.line && !follows_its_like)
            .then_some(BookFault { line: entry.line, problem: BookProblem::SecondPosition(earlier) })
    }
}

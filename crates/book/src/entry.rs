//! The lines of a book: positions, and the moves of each.

use serde::{Deserialize, Serialize};

use crate::flip::{flipped_board, flipped_move};
use crate::move_shape::{is_move, is_word};

/// A position as the key of a book entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BookKey {
    /// Board, side to move and hands as in SFEN.
    pub(crate) board: String,
    pub(crate) ply: u32,
}

impl BookKey {
    /// From an SFEN of four fields, or three: then it is the first ply. `None` if there are fewer.
    #[must_use]
    pub fn new(sfen: &str) -> Option<Self> {
        let (board, ply) = split(sfen)?;
        Some(Self { board, ply: ply.unwrap_or(1) })
    }

    /// Board, side to move and hands.
    #[must_use]
    pub fn board(&self) -> &str {
        &self.board
    }

    pub(crate) fn is_white_to_move(&self) -> bool {
        self.board.split(' ').nth(1) == Some("w")
    }

    /// The position with colours and directions exchanged.
    pub(crate) fn flipped(&self) -> Self {
        Self { board: flipped_board(&self.board), ply: self.ply }
    }
}

/// A move of a book and what the book says about it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BookMove {
    /// In USI notation.
    pub mv: String,
    /// The expected reply.
    pub ponder: Option<String>,
    /// Centipawns for the side to move.
    pub value: Option<i32>,
    /// The search depth of the value in plies.
    pub depth: Option<u32>,
    /// How often it was played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
}

impl BookMove {
    /// A move that the book says nothing about.
    #[must_use]
    pub fn new(mv: impl Into<String>) -> Self {
        Self { mv: mv.into(), ponder: None, value: None, depth: None, count: None }
    }

    /// Reads `move [ponder [value [depth [count]]]]`; a reply that is no move is unknown, and so is a field that is missing or not a number.
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split_ascii_whitespace();
        let mv = fields.next().filter(|field| is_move(field))?.to_owned();
        let ponder = fields.next().filter(|field| is_move(field)).map(str::to_owned);
        Some(Self {
            mv,
            ponder,
            value: fields.next().and_then(|field| field.parse().ok()),
            depth: fields.next().and_then(|field| field.parse().ok()),
            count: fields.next().and_then(|field| field.parse().ok()),
        })
    }

    pub(crate) fn flip(&mut self) {
        self.mv = flipped_move(&self.mv);
        self.ponder = self.ponder.as_deref().map(flipped_move);
    }
}

/// The moves of a position at one ply.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BookEntry {
    /// The ply at which the position occurs; `None` if the book does not say.
    pub ply: Option<u32>,
    /// The moves in the order of the book.
    pub moves: Vec<BookMove>,
}

impl BookEntry {
    /// Puts the moves in the order of books: the best value first, then what was played most; moves without a value come last.
    pub fn sort(&mut self) {
        self.moves.sort_by_key(|book_move| std::cmp::Reverse((book_move.value, book_move.count)));
    }

    /// The text by which books are sorted: board, side and hands, then the ply as a text.
    #[must_use]
    pub fn sort_text(board: &str, ply: Option<u32>) -> String {
        ply.map_or_else(|| board.to_owned(), |ply| format!("{board} {ply}"))
    }

    /// Gives the moves the values and depths of a search, which may not know all of them, and sorts them.
    pub fn set_values(&mut self, searched: &[BookMove]) {
        for book_move in &mut self.moves {
            if let Some(found) = searched.iter().find(|found| found.mv == book_move.mv) {
                (book_move.value, book_move.depth) = (found.value, found.depth);
                book_move.ponder = book_move.ponder.take().or_else(|| found.ponder.clone());
            }
        }
        self.sort();
    }
}

/// The board, side and hands of an SFEN, its blanks made single, and its ply if it has one.
pub(crate) fn split(sfen: &str) -> Option<(String, Option<u32>)> {
    let mut fields = sfen.split_ascii_whitespace();
    let board = [fields.next()?, fields.next()?, fields.next()?].join(" ");
    Some((board, fields.next().and_then(|ply| ply.parse().ok())))
}

/// The text after the word `sfen` if a line is that of a position, as all readers see it; it may be empty.
pub(crate) fn sfen_of(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('\u{feff}').trim().strip_prefix("sfen")?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim())
}

/// One line of a book.
pub(crate) enum BookLine<'a> {
    /// A position: the text after `sfen`.
    Position(&'a str),
    Move(BookMove),
    /// Blank, a comment, or a word for no move.
    Nothing,
    /// The word that is not understood.
    Unknown(&'a str),
}

impl<'a> BookLine<'a> {
    pub(crate) fn read(line: &'a str) -> Self {
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() || line.starts_with('#') || line.starts_with("//") {
            return Self::Nothing;
        }
        if let Some(sfen) = sfen_of(line) {
            return Self::Position(sfen);
        }
        match (BookMove::parse(line), line.split_ascii_whitespace().next()) {
            (Some(book_move), _) => Self::Move(book_move),
            (None, Some(word)) if !is_word(word) => Self::Unknown(word),
            _ => Self::Nothing,
        }
    }
}

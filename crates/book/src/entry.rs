//! The lines of a book: positions, and the moves of each.

use crate::flip::{flipped_board, flipped_move};

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

    /// The position with colours and directions exchanged.
    pub(crate) fn flipped(&self) -> Self {
        Self { board: flipped_board(&self.board), ply: self.ply }
    }
}

/// A move of a book and what the book says about it.
#[derive(Clone, PartialEq, Eq, Debug)]
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
    pub count: Option<u64>,
}

impl BookMove {
    /// Reads `move [ponder [value [depth [count]]]]`; a field that is missing or not a number is unknown.
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split_ascii_whitespace();
        let is_move = |field: &&str| !field.eq_ignore_ascii_case("none") && !field.eq_ignore_ascii_case("resign");
        let mv = fields.next().filter(is_move)?.to_owned();
        let ponder = fields.next().filter(is_move).map(str::to_owned);
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
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BookEntry {
    /// `None` if the book does not say.
    pub(crate) ply: Option<u32>,
    pub(crate) moves: Vec<BookMove>,
}

/// The board, side and hands of an SFEN, its blanks made single, and its ply if it has one.
pub(crate) fn split(sfen: &str) -> Option<(String, Option<u32>)> {
    let mut fields = sfen.split_ascii_whitespace();
    let board = [fields.next()?, fields.next()?, fields.next()?].join(" ");
    Some((board, fields.next().and_then(|ply| ply.parse().ok())))
}

/// One line of a book.
pub(crate) enum BookLine<'a> {
    /// A position: the text after `sfen`.
    Position(&'a str),
    Move(BookMove),
    /// Blank, a comment, or not understood.
    Other,
}

impl<'a> BookLine<'a> {
    pub(crate) fn read(line: &'a str) -> Self {
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() || line.starts_with('#') || line.starts_with("//") {
            return Self::Other;
        }
        match line.strip_prefix("sfen").filter(|rest| rest.starts_with(char::is_whitespace)) {
            Some(sfen) => Self::Position(sfen.trim()),
            None => BookMove::parse(line).map_or(Self::Other, Self::Move),
        }
    }
}

/// The entries of a text in order, each with its board, side and hands.
pub(crate) struct BookEntries<'a> {
    lines: std::slice::Split<'a, u8, fn(&u8) -> bool>,
    /// The entry whose moves are being read.
    open: Option<(String, BookEntry)>,
}

impl<'a> BookEntries<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self { lines: text.split(|&byte| byte == b'\n'), open: None }
    }
}

impl Iterator for BookEntries<'_> {
    type Item = (String, BookEntry);

    fn next(&mut self) -> Option<Self::Item> {
        for line in self.lines.by_ref() {
            match BookLine::read(&String::from_utf8_lossy(line)) {
                BookLine::Position(sfen) => {
                    let begun = split(sfen).map(|(board, ply)| (board, BookEntry { ply, moves: Vec::new() }));
                    if let Some(done) = std::mem::replace(&mut self.open, begun) {
                        return Some(done);
                    }
                }
                BookLine::Move(book_move) => {
                    if let Some((_, entry)) = &mut self.open {
                        entry.moves.push(book_move);
                    }
                }
                BookLine::Other => {}
            }
        }
        self.open.take()
    }
}

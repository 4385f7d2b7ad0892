//! The entries of a book: positions with their moves, as lines of text, and seen from the other
//! side.

use serde::{Deserialize, Serialize};

/// A position as the key of a book entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BookKey {
    /// Board, side to move and hands as in SFEN.
    pub(crate) board: String,
    pub(crate) ply: u32,
}

impl BookKey {
    /// Reads an SFEN of four fields, or of three for the first ply. `None` for fewer.
    pub fn new(sfen: &str) -> Option<Self> {
        let (board, ply) = split(sfen)?;
        Some(Self { board, ply: ply.unwrap_or(1) })
    }

    /// Board, side to move and hands.
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

/// A move of a book with its data.
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
    /// Number of games with the move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
}

impl BookMove {
    /// A move without any data.
    pub fn new(mv: impl Into<String>) -> Self {
        Self { mv: mv.into(), ponder: None, value: None, depth: None, count: None }
    }

    /// Reads `move [ponder [value [depth [count]]]]`. An invalid reply, and a missing or invalid
    /// number, become unknown.
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
    /// Sorts the moves in book order: the best value first, then the greatest count; moves without
    /// a value come last.
    pub fn sort(&mut self) {
        self.moves.sort_by_key(|book_move| std::cmp::Reverse((book_move.value, book_move.count)));
    }

    /// The sort key of books: board, side and hands, then the ply as text.
    pub fn sort_text(board: &str, ply: Option<u32>) -> String {
        ply.map_or_else(|| board.to_owned(), |ply| format!("{board} {ply}"))
    }

    /// Sets values and depths from a search, for the moves that it knows, and sorts all moves.
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

/// The board, side and hands of an SFEN with single blanks, and its ply if it has one.
pub(crate) fn split(sfen: &str) -> Option<(String, Option<u32>)> {
    let mut fields = sfen.split_ascii_whitespace();
    let board = [fields.next()?, fields.next()?, fields.next()?].join(" ");
    Some((board, fields.next().and_then(|ply| ply.parse().ok())))
}

/// The text after the word `sfen` of a position's line, which may be empty. All readers recognise
/// positions by this.
pub(crate) fn sfen_of(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('\u{feff}').trim().strip_prefix("sfen")?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim())
}

/// One line of a book.
pub(crate) enum BookLine<'a> {
    /// A position: the text after `sfen`.
    Position(&'a str),
    Move(BookMove),
    /// Blank, a comment, or a word in place of a move.
    Nothing,
    /// Anything else, by its first word.
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

/// Board, side and hands with colours and directions exchanged. An invalid SFEN stays invalid.
pub(crate) fn flipped_board(board: &str) -> String {
    let mut fields = board.split(' ');
    let mut next = || fields.next().unwrap_or_default();
    let (squares, side, hands) = (next(), next(), next());
    let ranks: Vec<String> = squares.rsplit('/').map(flipped_rank).collect();
    let side = if side == "b" { "w" } else { "b" };
    format!("{} {side} {}", ranks.join("/"), flipped_hands(hands))
}

/// A rank reversed. A promoted piece is two letters that stay together.
fn flipped_rank(rank: &str) -> String {
    let mut letters = rank.chars().rev().peekable();
    let mut flipped = String::with_capacity(rank.len());
    while let Some(letter) = letters.next() {
        if letters.next_if_eq(&'+').is_some() {
            flipped.push('+');
        }
        flipped.push(other_case(letter));
    }
    flipped
}

/// Black's pieces come first before and after.
fn flipped_hands(hands: &str) -> String {
    let of = |is_own: fn(char) -> bool| {
        let mut count = String::new();
        let mut text = String::new();
        for letter in hands.chars() {
            if letter.is_ascii_alphabetic() {
                if is_own(letter) {
                    text.push_str(&count);
                    text.push(other_case(letter));
                }
                count.clear();
            } else {
                count.push(letter);
            }
        }
        text
    };
    let flipped = of(|letter| letter.is_ascii_lowercase()) + &of(|letter| letter.is_ascii_uppercase());
    if flipped.is_empty() { "-".to_owned() } else { flipped }
}

fn other_case(letter: char) -> char {
    if letter.is_ascii_uppercase() { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() }
}

/// A move in USI notation seen from the other side: files and ranks count from the other end. The
/// letter of a dropped piece stays.
pub(crate) fn flipped_move(mv: &str) -> String {
    let (dropped, squares) = match mv.split_once('*') {
        Some((piece, square)) => (Some(piece), square),
        None => (None, mv),
    };
    let turned = squares.chars().map(|letter| match letter {
        '1'..='9' => char::from(b'1' + b'9' - letter as u8),
        'a'..='i' => char::from(b'a' + b'i' - letter as u8),
        other => other,
    });
    dropped.map(|piece| format!("{piece}*")).unwrap_or_default() + &turned.collect::<String>()
}

/// Whether a word looks like a move, or replaces one in books.
pub(crate) fn is_move_or_word(text: &str) -> bool {
    is_word(text) || is_move(text)
}

/// Whether a word replaces a move in books.
pub(crate) fn is_word(text: &str) -> bool {
    ["none", "(none)", "resign", "win", "pass"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Whether a word looks like a move.
pub(crate) fn is_move(word: &str) -> bool {
    let is_file = |byte: &u8| (b'1'..=b'9').contains(byte);
    let is_rank = |byte: &u8| (b'a'..=b'i').contains(byte);
    match word.as_bytes() {
        [piece, b'*', file, rank] => b"PLNSGBR".contains(piece) && is_file(file) && is_rank(rank),
        [from_file, from_rank, file, rank] | [from_file, from_rank, file, rank, b'+'] => {
            is_file(from_file) && is_rank(from_rank) && is_file(file) && is_rank(rank)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_turn_round_and_back() {
        let board = "l4k2l/7g1/p3rpn1p/2p3pB1/4s4/1Ps1pSP2/P4P1RP/2GS5/LN1K3NL b G3Pbgn4p";
        let flipped = flipped_board(board);
        assert!(flipped.ends_with(" w BGN4Pg3p"), "{flipped}");
        assert_eq!(flipped_board(&flipped), board);
        let promoted = "9/1+r7/9/9/9/9/9/6+P2/9 w -";
        assert_eq!(flipped_board(promoted), "9/2+p6/9/9/9/9/9/7+R1/9 b -");
    }

    #[test]
    fn moves_turn_round_and_back() {
        for (mv, flipped) in [("7g7f", "3c3d"), ("8h2b+", "2b8h+"), ("P*5e", "P*5e"), ("R*1a", "R*9i")] {
            assert_eq!(flipped_move(mv), flipped);
            assert_eq!(flipped_move(flipped), mv);
        }
    }
}

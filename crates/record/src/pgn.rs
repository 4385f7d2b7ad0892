//! PGN result stubs, for rating programs such as Ordo.
//!
//! PGN is a chess format, where White moves first. Kiki's Black, the first mover of shogi, becomes
//! PGN's White, so that rating programs credit the first-move advantage to the right side. The
//! reader maps the colours back.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use kiki_text::excerpt;

use crate::ending::GameOutcome;
use crate::error::{ReadError, ReadProblem};
use crate::game::Game;
use crate::text::one_line;
use crate::usi::root_and_moves;

/// The result for PGN's White, Kiki's Black.
const RESULTS: [(&str, GameOutcome); 4] = [
    ("1-0", GameOutcome::BlackWins),
    ("0-1", GameOutcome::WhiteWins),
    ("1/2-1/2", GameOutcome::Draw),
    ("*", GameOutcome::Unknown),
];

/// The result of a game of a PGN file. Unknown texts (`?` in PGN) are empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PgnGame {
    /// The line of its first tag.
    pub line: usize,
    /// The tournament or match.
    pub event: String,
    /// The round, or the number of the game.
    pub round: String,
    /// Kiki's Black, who moves first: PGN's White.
    pub black: String,
    /// Kiki's White: PGN's Black.
    pub white: String,
    /// Who won, in Kiki's colours.
    pub outcome: GameOutcome,
}

/// Reads the results of a PGN file of shogi or chess, and skips moves, comments and variations.
///
/// PGN's White is Kiki's Black. A line that is not UTF-8 is Latin 1, the encoding of PGN.
///
/// A game is an error if it has a malformed tag, an unclosed comment or variation, or a result
/// other than `1-0`, `0-1`, `1/2-1/2` and `*`, or lacks one of the tags White, Black and Result.
/// Reading goes on with the next tag after moves or an empty line. But an unclosed comment or
/// variation swallows the tags of other games, up to the next bracket that closes it or to the end
/// of the file.
///
/// ```
/// use kiki_record::{GameOutcome, read_pgn};
///
/// let games = read_pgn(
///     b"[White \"a\"]\n[Black \"b\"]\n[Result \"0-1\"]\n\n1. e4 {a comment} e5 (1... c5) 0-1\n\n[White \"a\"]\n[Result \"2-0\"]\n",
/// );
/// let first = games[0].as_ref().expect("a game");
/// assert_eq!((first.black.as_str(), first.white.as_str()), ("a", "b"));
/// assert_eq!(first.outcome, GameOutcome::WhiteWins);
/// assert_eq!(games[1].as_ref().unwrap_err().to_string(), "line 8: `2-0` is not a result: 1-0, 0-1, 1/2-1/2 or *");
/// ```
pub fn read_pgn(bytes: &[u8]) -> Vec<Result<PgnGame, ReadError>> {
    let text = decode(bytes);
    let mut scanner = Scanner::new(text.strip_prefix('\u{feff}').unwrap_or(&text));
    let mut games = Vec::new();
    let mut tags: Option<Tags> = None;
    // Whether the text since the last tag has an empty line, which may end the game, or moves,
    // which do.
    let (mut gap, mut moves) = (false, false);
    loop {
        match scanner.next_item() {
            Ok(None) => break,
            Ok(Some(Item::Gap)) => gap = true,
            Ok(Some(Item::Movetext)) => moves = true,
            Ok(Some(Item::Tag(tag))) => {
                let is_again = |tags: &Tags| tag.as_ref().is_ok_and(|tag| tags.has(&tag.name));
                let ended = |tags: &mut Tags| moves || (gap && tags.is_complete()) || is_again(tags);
                games.extend(tags.take_if(ended).map(Tags::game));
                (gap, moves) = (false, false);
                match tag {
                    Ok(tag) => tags.get_or_insert_with(|| Tags::new(tag.line, &tag.name)).set(tag),
                    Err(fault) => tags.get_or_insert_with(|| Tags::new(fault.line, "")).set_fault(fault),
                }
            }
            Err(fault) => tags.get_or_insert_with(|| Tags::new(fault.line, "")).set_fault(fault),
        }
    }
    games.extend(tags.map(Tags::game));
    games
}

/// Decodes UTF-8, and lines that are not UTF-8 as Latin 1, where each byte is the character with
/// that number. A broken byte on one line must not change the names on others.
fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let line = |line: &[u8]| match std::str::from_utf8(line) {
        Ok(text) => text.to_owned(),
        Err(_) => line.iter().map(|&byte| char::from(byte)).collect(),
    };
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => bytes.split_inclusive(|&byte| byte == b'\n').map(line).collect::<String>().into(),
    }
}

/// The relevant tags of a game so far.
struct Tags {
    line: usize,
    first: String,
    texts: BTreeMap<&'static str, String>,
    result: Option<GameOutcome>,
    fault: Option<ReadError>,
}

impl Tags {
    const TEXTS: [&str; 4] = ["Event", "Round", "White", "Black"];

    fn new(line: usize, first: &str) -> Self {
        Self { line, first: format!("[{}", excerpt(first)), texts: BTreeMap::new(), result: None, fault: None }
    }

    /// Whether the game has all required tags, or is an error already.
    fn is_complete(&self) -> bool {
        self.fault.is_some() || ["White", "Black", "Result"].into_iter().all(|name| self.has(name))
    }

    /// Whether a relevant tag was already read, so that the same tag begins the next game. A wrong
    /// result does not count.
    fn has(&self, name: &str) -> bool {
        if name == "Result" { self.result.is_some() } else { self.texts.contains_key(name) }
    }

    fn set_fault(&mut self, fault: ReadError) {
        self.fault.get_or_insert(fault);
    }

    fn set(&mut self, Tag { line, name, value }: Tag) {
        if name == "Result" {
            self.result = RESULTS.iter().find(|(text, _)| *text == value.trim()).map(|&(_, outcome)| outcome);
            if self.result.is_none() {
                let expected = "a result: 1-0, 0-1, 1/2-1/2 or *";
                self.set_fault(ReadProblem::malformed(&value, expected).at(line));
            }
        } else if let Some(known) = Self::TEXTS.into_iter().find(|known| *known == name) {
            self.texts.insert(known, if value == "?" { String::new() } else { value });
        }
    }

    fn game(mut self) -> Result<PgnGame, ReadError> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let missing = |tag| ReadProblem::MissingTag { token: self.first.clone(), tag }.at(self.line);
        let mut text = |tag| self.texts.remove(tag);
        let black = text("White").ok_or_else(|| missing("White"))?;
        let white = text("Black").ok_or_else(|| missing("Black"))?;
        let outcome = self.result.ok_or_else(|| missing("Result"))?;
        let (event, round) = (text("Event").unwrap_or_default(), text("Round").unwrap_or_default());
        Ok(PgnGame { line: self.line, event, round, black, white, outcome })
    }
}

/// `[Name "value"]`.
struct Tag {
    line: usize,
    name: String,
    value: String,
}

enum Item {
    /// A tag, or what is wrong with a broken one.
    Tag(Result<Tag, ReadError>),
    Gap,
    /// A move, a number, a result or a variation.
    Movetext,
}

struct Scanner<'a> {
    rest: &'a str,
    /// The line where `rest` begins.
    line: usize,
    /// Whether only blanks come before `rest` on its line.
    at_line_start: bool,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str) -> Self {
        Self { rest: text, line: 1, at_line_start: true }
    }

    /// The next item. An error is a comment or a variation that is not closed.
    fn next_item(&mut self) -> Result<Option<Item>, ReadError> {
        while let Some(first) = self.rest.chars().next() {
            let line_start = std::mem::take(&mut self.at_line_start);
            match first {
                '\n' => {
                    self.skip(1);
                    if line_start {
                        return Ok(Some(Item::Gap));
                    }
                }
                _ if first.is_whitespace() => {
                    self.skip(first.len_utf8());
                    self.at_line_start = line_start;
                }
                '[' => {
                    let tag = self.tag();
                    if tag.is_err() {
                        self.skip_line();
                    }
                    return Ok(Some(Item::Tag(tag)));
                }
                '{' => self.skip_comment()?,
                ';' => self.skip_line(),
                '%' if line_start => self.skip_line(),
                '(' => {
                    self.skip_variation()?;
                    return Ok(Some(Item::Movetext));
                }
                _ => {
                    let ends = |c: char| c.is_whitespace() || matches!(c, '[' | '{' | ';' | '(');
                    let after_first = self.rest.get(first.len_utf8()..).unwrap_or_default();
                    self.skip(first.len_utf8() + after_first.find(ends).unwrap_or(after_first.len()));
                    return Ok(Some(Item::Movetext));
                }
            }
        }
        Ok(None)
    }

    fn skip(&mut self, bytes: usize) {
        let (skipped, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.line += skipped.bytes().filter(|&byte| byte == b'\n').count();
        self.at_line_start = skipped.ends_with('\n');
        self.rest = rest;
    }

    fn current_line(&self) -> &'a str {
        self.rest.split('\n').next().unwrap_or_default()
    }

    fn skip_line(&mut self) {
        self.skip(self.current_line().len());
    }

    fn skip_comment(&mut self) -> Result<(), ReadError> {
        match self.rest.find('}') {
            Some(end) => {
                self.skip(end + 1);
                Ok(())
            }
            None => {
                let error = self.unclosed('}');
                self.skip(self.rest.len());
                Err(error)
            }
        }
    }

    /// Skips a variation with its nested variations and comments.
    fn skip_variation(&mut self) -> Result<(), ReadError> {
        let error = self.unclosed(')');
        let mut depth = 0_usize;
        loop {
            match self.rest.chars().next() {
                Some('{') => self.skip_comment()?,
                Some(';') => self.skip_line(),
                Some(character) => {
                    self.skip(character.len_utf8());
                    match character {
                        '(' => depth += 1,
                        ')' => depth -= 1,
                        _ => {}
                    }
                    if depth == 0 {
                        return Ok(());
                    }
                }
                None => return Err(error),
            }
        }
    }

    /// Reads a tag. Skips nothing if it is broken.
    fn tag(&mut self) -> Result<Tag, ReadError> {
        let line = self.line;
        let text = self.current_line().trim_end();
        let malformed = || ReadProblem::malformed(text, "a tag like [Name \"value\"]").at(line);
        let inner = text.strip_prefix('[').ok_or_else(malformed)?.trim_start();
        let name_end = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').ok_or_else(malformed)?;
        let (name, after_name) = inner.split_at_checked(name_end).ok_or_else(malformed)?;
        let quoted = after_name.trim_start().strip_prefix('"').ok_or_else(malformed)?;
        let (value, after_value) = unquote(quoted).ok_or_else(|| self.unclosed('"'))?;
        let after_tag = after_value.trim_start().strip_prefix(']').ok_or_else(|| self.unclosed(']'))?;
        if name.is_empty() {
            return Err(malformed());
        }
        self.skip(text.len() - after_tag.len());
        Ok(Tag { line, name: name.to_owned(), value })
    }

    fn unclosed(&self, closing: char) -> ReadError {
        ReadProblem::Unclosed { token: excerpt(self.current_line().trim_end()), closing }.at(self.line)
    }
}

/// Reads to the closing quotation mark. Returns the unescaped text and the rest. A backslash
/// escapes only itself and quotation marks, because Windows paths contain others.
fn unquote(quoted: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((index, character)) = characters.next() {
        match character {
            '"' => return Some((value, quoted.get(index + 1..)?)),
            '\\' => match characters.clone().next() {
                Some((_, escaped @ ('"' | '\\'))) => {
                    value.push(escaped);
                    characters.next();
                }
                _ => value.push('\\'),
            },
            _ => value.push(character),
        }
    }
    None
}

/// Longest line of a comment, unless a single word is longer.
const LONGEST_LINE: usize = 79;

/// Whether a PGN stub contains the moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PgnMoves {
    /// It does not.
    #[default]
    Omitted,
    /// In a comment, as USI's `position` command, because chess programs cannot read shogi moves.
    Commented,
}

/// Writes the result of a game as PGN, which can be concatenated with others. Kiki's Black is PGN's
/// White; see [`crate::read_pgn`].
///
/// `round` is the round or the number of the game, or empty. A comment gives the reason of the
/// result.
///
/// ```
/// use kiki_record::{Game, GameOutcome, PgnMoves, EndReason, to_pgn};
///
/// let game = Game {
///     black: "first".to_owned(),
///     white: "second".to_owned(),
///     start_time: "2026/01/31 09:30:00".to_owned(),
///     outcome: GameOutcome::BlackWins,
///     reason: Some(EndReason::Resignation),
///     ..Game::default()
/// };
/// assert_eq!(
///     to_pgn(&game, "7", PgnMoves::Omitted),
///     r#"[Event "?"]
/// [Site "?"]
/// [Date "2026.01.31"]
/// [Round "7"]
/// [White "first"]
/// [Black "second"]
/// [Result "1-0"]
///
/// {resignation} 1-0
///
/// "#
/// );
/// ```
#[must_use]
pub fn to_pgn(game: &Game, round: &str, moves: PgnMoves) -> String {
    let result = RESULTS.iter().find(|(_, outcome)| *outcome == game.outcome).map_or("*", |&(text, _)| text);
    let mut out = String::with_capacity(256);
    for (name, value) in [
        ("Event", game.event.as_str()),
        ("Site", &game.site),
        ("Date", &date(&game.start_time)),
        ("Round", round),
        ("White", &game.black),
        ("Black", &game.white),
        ("Result", result),
    ] {
        let value = one_line(value);
        let value = if value.is_empty() { "?" } else { &value };
        let _ = writeln!(out, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""));
    }
    out.push('\n');
    if moves == PgnMoves::Commented {
        push_comment(&mut out, &format!("position {}", root_and_moves(game)));
        out.push('\n');
    }
    let reason = game.reason.map_or("", |reason| reason.name());
    let separator = if reason.is_empty() || game.remark.is_empty() { "" } else { ": " };
    let end = format!("{reason}{separator}{}", game.remark);
    if !end.is_empty() {
        push_comment(&mut out, &end);
        out.push(' ');
    }
    out.push_str(result);
    out.push_str("\n\n");
    out
}

/// The date of a start time like `2026/01/31 09:30:00`, as PGN writes it.
fn date(start_time: &str) -> String {
    let day = start_time.split(|c: char| c.is_whitespace() || c == 'T').next().unwrap_or_default();
    let mut parts = day.split(['/', '-', '.']);
    let mut number = |digits: usize| {
        let part = parts.next().filter(|part| part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit()));
        part.map_or_else(|| "?".repeat(digits), str::to_owned)
    };
    format!("{}.{}.{}", number(4), number(2), number(2))
}

/// Writes a comment, wrapped. Its brackets become round ones: a brace would end it, and simple
/// readers look for `[White "` on any line.
fn push_comment(out: &mut String, text: &str) {
    let text = text.replace(['{', '['], "(").replace(['}', ']'], ")");
    out.push('{');
    let mut length = 1;
    for (index, word) in one_line(&text).split_whitespace().enumerate() {
        let longer = length + 1 + word.len();
        if index > 0 && longer > LONGEST_LINE {
            out.push('\n');
            length = 0;
        } else if index > 0 {
            out.push(' ');
            length += 1;
        }
        out.push_str(word);
        length += word.len();
    }
    out.push('}');
}

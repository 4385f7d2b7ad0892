//! Results from PGN of any origin.

use std::borrow::Cow;

use kiki_board::excerpt;

use super::RESULTS;
use super::scan::{Item, Scanner};
use crate::ending::GameOutcome;
use crate::error::{ReadError, ReadProblem};

/// The result of a game of a PGN file. A text that is not known (`?` in PGN) is empty.
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

/// Reads the results of a PGN file, of shogi or chess: moves, comments and variations are skipped.
///
/// PGN's White, who moves first in chess, is Kiki's Black. Text that is not UTF-8 is taken for Latin 1, PGN's own encoding.
///
/// # Errors
/// A tag that cannot be read, a comment or variation that is never closed, a result that is none of `1-0`, `0-1`, `1/2-1/2` and `*`,
/// or a game without one of the tags White, Black and Result.
///
/// ```
/// use kiki_record::{GameOutcome, read_pgn};
///
/// let games = read_pgn(b"[White \"a\"]\n[Black \"b\"]\n[Result \"0-1\"]\n\n1. e4 {a comment} e5 (1... c5) 0-1\n")?;
/// assert_eq!((games[0].black.as_str(), games[0].white.as_str()), ("a", "b"));
/// assert_eq!(games[0].outcome, GameOutcome::WhiteWins);
///
/// let error = read_pgn(b"[White \"a\"]\n[Result \"2-0\"]\n").unwrap_err();
/// assert_eq!(error.to_string(), "line 2: `2-0` is not a result: 1-0, 0-1, 1/2-1/2 or *");
/// # Ok::<(), kiki_record::ReadError>(())
/// ```
pub fn read_pgn(bytes: &[u8]) -> Result<Vec<PgnGame>, ReadError> {
    let text = decode(bytes);
    let mut scanner = Scanner::new(text.strip_prefix('\u{feff}').unwrap_or(&text));
    let mut games = Vec::new();
    let mut tags: Option<Tags> = None;
    // Whether what was read since the last tag may end its game, or surely does.
    let (mut gap, mut moves) = (false, false);
    while let Some(item) = scanner.next_item()? {
        match item {
            Item::Gap => gap = true,
            Item::Movetext => moves = true,
            Item::Tag { line, name, value } => {
                let ended = |tags: &mut Tags| moves || (gap && tags.is_complete()) || tags.has(&name);
                if let Some(last) = tags.take_if(ended) {
                    games.push(last.game()?);
                }
                (gap, moves) = (false, false);
                tags.get_or_insert_with(|| Tags::new(line, &name)).set(line, &name, value)?;
            }
        }
    }
    if let Some(last) = tags {
        games.push(last.game()?);
    }
    Ok(games)
}

/// Every byte of Latin 1 is the character of its number.
fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect::<String>().into(),
    }
}

/// The tags of a game so far, of those that matter.
struct Tags {
    line: usize,
    first: String,
    event: Option<String>,
    round: Option<String>,
    white: Option<String>,
    black: Option<String>,
    result: Option<GameOutcome>,
}

impl Tags {
    fn new(line: usize, first: &str) -> Self {
        let first = format!("[{}", excerpt(first));
        Self { line, first, event: None, round: None, white: None, black: None, result: None }
    }

    fn is_complete(&self) -> bool {
        self.white.is_some() && self.black.is_some() && self.result.is_some()
    }

    /// Whether a tag was read already: no game has one twice.
    fn has(&self, name: &str) -> bool {
        match name {
            "Event" => self.event.is_some(),
            "Round" => self.round.is_some(),
            "White" => self.white.is_some(),
            "Black" => self.black.is_some(),
            "Result" => self.result.is_some(),
            _ => false,
        }
    }

    fn set(&mut self, line: usize, name: &str, value: String) -> Result<(), ReadError> {
        let slot = match name {
            "Event" => &mut self.event,
            "Round" => &mut self.round,
            "White" => &mut self.white,
            "Black" => &mut self.black,
            "Result" => {
                let outcome = RESULTS.iter().find(|(text, _)| *text == value.trim()).map(|&(_, outcome)| outcome);
                let expected = "a result: 1-0, 0-1, 1/2-1/2 or *";
                self.result = Some(outcome.ok_or_else(|| ReadProblem::malformed(&value, expected).at(line))?);
                return Ok(());
            }
            _ => return Ok(()),
        };
        *slot = Some(if value == "?" { String::new() } else { value });
        Ok(())
    }

    fn game(self) -> Result<PgnGame, ReadError> {
        let missing = |tag| ReadProblem::MissingTag { token: self.first.clone(), tag }.at(self.line);
        let black = self.white.ok_or_else(|| missing("White"))?;
        let white = self.black.ok_or_else(|| missing("Black"))?;
        let outcome = self.result.ok_or_else(|| missing("Result"))?;
        let (event, round) = (self.event.unwrap_or_default(), self.round.unwrap_or_default());
        Ok(PgnGame { line: self.line, event, round, black, white, outcome })
    }
}

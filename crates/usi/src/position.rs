//! The command `position`: a root and its moves, as text and played on a board.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use kiki_board::{Position, SfenError};
use kiki_text::excerpt_of;

use crate::text::{CommandError, LONGEST_EXCERPT, Words, clamped, number, write_words};

/// The middle-game position with many drops that shogi programs traditionally use for counts of
/// moves.
const MATSURI: &str = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";

/// Where the moves of a [`PositionSpec`] start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PositionRoot {
    /// The start of a game.
    Startpos,
    /// An SFEN without the word `sfen`, with single blanks; the move counter may be missing.
    Sfen(String),
}

/// What a `position` command names.
///
/// Its `Display` is the command.
///
/// ```
/// use kiki_usi::{Command, PositionSpec, PositionRoot};
///
/// let spec = PositionSpec { root: PositionRoot::Startpos, moves: vec!["7g7f".to_owned()] };
/// assert_eq!(spec.to_string(), "position startpos moves 7g7f");
/// // The word `moves` may be missing.
/// assert_eq!(Command::parse(b"position startpos 7g7f"), Ok(Command::Position(spec)));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PositionSpec {
    /// The first position.
    pub root: PositionRoot,
    /// The moves played from it, as they were written.
    pub moves: Vec<String>,
}

impl PositionSpec {
    /// The start of a game.
    #[must_use]
    pub fn startpos() -> Self {
        Self { root: PositionRoot::Startpos, moves: Vec::new() }
    }

    /// The position of the command `matsuri`, rich in drops: it has 207 legal moves.
    #[must_use]
    pub fn matsuri() -> Self {
        Self { root: PositionRoot::Sfen(MATSURI.to_owned()), moves: Vec::new() }
    }

    pub(crate) fn parse(mut words: Words<'_>) -> Result<Self, CommandError> {
        let root = match words.peek() {
            None | Some("moves") => {
                return Err(CommandError::NoPosition { after: "position", expected: "startpos or sfen" });
            }
            Some("startpos") => {
                words.next();
                PositionRoot::Startpos
            }
            Some("sfen") => {
                words.next();
                Self::parse_sfen(&mut words)?
            }
            Some(_) => Self::parse_sfen(&mut words)?,
        };
        if words.peek() == Some("moves") {
            words.next();
        }
        Ok(Self { root, moves: words.map(str::to_owned).collect() })
    }

    /// Reads board, side to move, hands and, if it is a number, the move counter.
    fn parse_sfen(words: &mut Words<'_>) -> Result<PositionRoot, CommandError> {
        let mut fields = Vec::with_capacity(4);
        while fields.len() < 4 {
            match words.peek() {
                None | Some("moves") => break,
                // No move is a number, so a word that is not a number is the first move.
                Some(word) if fields.len() == 3 && number(word).is_none() => break,
                Some(word) => fields.push(word),
            }
            words.next();
        }
        if fields.is_empty() {
            return Err(CommandError::NoPosition { after: "sfen", expected: "a board" });
        }
        Ok(PositionRoot::Sfen(fields.join(" ")))
    }
}

/// Reads a position as people copy it: a `position` command, the text after that word, or an SFEN
/// alone.
///
/// ```
/// use kiki_usi::PositionSpec;
///
/// for text in ["position startpos moves 7g7f", "startpos moves 7g7f", "startpos 7g7f"] {
///     assert_eq!(text.parse::<PositionSpec>()?.to_string(), "position startpos moves 7g7f");
/// }
/// for text in ["position sfen 9/9 b - 1", "sfen 9/9 b - 1", "9/9 b - 1"] {
///     assert_eq!(text.parse::<PositionSpec>()?.to_string(), "position sfen 9/9 b - 1");
/// }
/// # Ok::<(), kiki_usi::CommandError>(())
/// ```
impl FromStr for PositionSpec {
    type Err = CommandError;

    fn from_str(text: &str) -> Result<Self, CommandError> {
        let mut words = Words::new(text);
        if words.peek() == Some("position") {
            words.next();
        }
        Self::parse(words)
    }
}

impl fmt::Display for PositionSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.root {
            PositionRoot::Startpos => f.write_str("position startpos")?,
            PositionRoot::Sfen(sfen) => write!(f, "position sfen {sfen}")?,
        }
        if self.moves.is_empty() {
            return Ok(());
        }
        f.write_str(" moves")?;
        write_words(f, &self.moves)
    }
}

/// The largest move counter. Larger ones are cut to it: no game is that long, and the board can
/// count on from it.
const LARGEST_COUNTER: u32 = 1_000_000;

/// Why a [`PositionSpec`] could not be played out. The text is one line that can be shown. It may
/// quote Japanese: an [`InfoString`](crate::InfoString) makes it ASCII.
#[derive(Clone, thiserror::Error)]
pub enum PositionError {
    /// The root is no position.
    #[error("cannot set up the position: {}", excerpt_of(&.0.to_string(), 200))]
    Root(SfenError),
    /// A move cannot be read or is illegal.
    #[error("move {ply} of the position command is illegal: {token}")]
    IllegalMove {
        /// The move, shortened to quote it.
        token: String,
        /// Its number among the moves of the command, from 1.
        ply: usize,
        /// The last legal position: all moves before this one are made.
        reached: Box<Position>,
    },
}

/// A position has no `Debug`; the error text suffices.
impl fmt::Debug for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Sets up the root and makes the moves, so that the position has its full history for repetition.
/// All legal moves count, also unpromoted pawns, bishops and rooks.
///
/// # Errors
/// A bad root gives no position. An illegal move returns the last legal position of the line in
/// `reached`, for the caller to use or not.
///
/// ```
/// use kiki_usi::{PositionError, PositionSpec, set_up};
///
/// let mut spec = PositionSpec::startpos();
/// spec.moves = ["7g7f", "3c3d", "5e5d"].map(String::from).to_vec();
/// let Err(PositionError::IllegalMove { token, ply, reached }) = set_up(&spec) else { unreachable!() };
/// assert_eq!((token.as_str(), ply, reached.moves_made()), ("5e5d", 3, 2));
/// ```
pub fn set_up(spec: &PositionSpec) -> Result<Position, PositionError> {
    let mut position = match &spec.root {
        PositionRoot::Startpos => Position::startpos(),
        PositionRoot::Sfen(sfen) => Position::from_sfen(&with_bounded_counter(sfen)).map_err(PositionError::Root)?,
    };
    for (index, token) in spec.moves.iter().enumerate() {
        let Ok(mv) = position.parse_move(token) else {
            return Err(PositionError::IllegalMove {
                token: excerpt_of(token, LONGEST_EXCERPT),
                ply: index + 1,
                reached: Box::new(position),
            });
        };
        position.make(mv);
    }
    Ok(position)
}

/// Move counters below 1 or absurdly large ones occur; they are no reason to refuse a position.
fn with_bounded_counter(sfen: &str) -> Cow<'_, str> {
    let counter = sfen.rsplit_once(' ').and_then(|(fields, last)| {
        let counter = number(last)?;
        Some((fields, counter))
    });
    match counter {
        Some((fields, counter)) => format!("{fields} {}", clamped(counter, 1, LARGEST_COUNTER)).into(),
        None => sfen.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<PositionSpec, CommandError> {
        PositionSpec::parse(Words::new(text))
    }

    fn spec(sfen: &str, moves: &[&str]) -> PositionSpec {
        let root = PositionRoot::Sfen(sfen.to_owned());
        PositionSpec { root, moves: moves.iter().map(|&mv| mv.to_owned()).collect() }
    }

    #[test]
    fn every_word_that_adds_nothing_may_be_missing() {
        for counter in ["", " 1", " 1.0", " 0", " -3", " 99999999999999999999"] {
            for word in ["sfen ", ""] {
                for moves in [" moves", ""] {
                    let text = format!("{word}9/9 b -{counter}{moves} 7g7f 3c3d");
                    assert_eq!(parse(&text), Ok(spec(&format!("9/9 b -{counter}"), &["7g7f", "3c3d"])));
                }
            }
        }
    }

    #[test]
    fn an_incomplete_sfen_is_handed_on_as_it_is() {
        assert_eq!(parse("sfen 9/9 moves 7g7f"), Ok(spec("9/9", &["7g7f"])));
        assert_eq!(parse("sfen 9/9 b"), Ok(spec("9/9 b", &[])));
    }

    #[test]
    fn a_position_without_a_root_is_an_error() {
        for text in ["", "  ", "moves 7g7f", "sfen", "sfen moves 7g7f"] {
            assert!(matches!(parse(text), Err(CommandError::NoPosition { .. })), "{text}");
        }
    }

    #[test]
    fn any_move_counter_will_do() {
        for counter in ["", " 0", " -7", " 4294967295", " 99999999999999999999999"] {
            let spec = spec(&format!("4k4/9/9/9/9/9/9/9/4K4 b -{counter}"), &["5i5h", "5a5b"]);
            let position = set_up(&spec).unwrap();
            assert_eq!(position.moves_made(), 2, "{counter}");
        }
    }

    #[test]
    fn a_root_that_is_no_position_is_named_in_short() {
        for sfen in ["", "x", "9/9 b", &"歩".repeat(100_000), "4k4/9/9/9/9/9/9/9/4K4 歩 -"] {
            let error = set_up(&spec(sfen, &[])).err().unwrap();
            assert!(matches!(error, PositionError::Root(_)));
            let text = error.to_string();
            assert!(text.chars().count() < 300 && !text.contains("\\u{"), "{text}");
            assert!(crate::InfoString(&error).to_string().is_ascii());
        }
    }

    #[test]
    fn a_malformed_move_is_illegal_at_its_ply() {
        let mut spec = PositionSpec::startpos();
        spec.moves = vec!["7g7f".to_owned(), "歩".repeat(1000)];
        let error = set_up(&spec).err().unwrap();
        assert_eq!(error.to_string(), format!("move 2 of the position command is illegal: {}...", "歩".repeat(40)));
        assert!(crate::InfoString(&error).to_string().is_ascii());
        let PositionError::IllegalMove { ply: 2, reached, .. } = error else { panic!("{error}") };
        assert_eq!(reached.moves_made(), 1);
    }
}

//! The command `position` as text: a root and the moves played from it. Whether they are legal is for [`crate::set_up`] to say.

use std::fmt;
use std::str::FromStr;

use crate::command_error::CommandError;
use crate::text::{Words, number, write_words};

/// The drop-rich middle-game position that shogi programs traditionally count moves in.
const MATSURI: &str = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";

/// Where the moves of a [`PositionSpec`] start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PositionRoot {
    /// The start of a game.
    Startpos,
    /// An SFEN without the word `sfen`, its fields separated by one blank each; the move counter may be missing.
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

    /// Reads what follows the word `position`.
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
                // No move is a number, so what is not a number here is the first move.
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

/// Reads a position as people copy it: the command, what follows its first word, or an SFEN alone.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<PositionSpec, CommandError> {
        PositionSpec::parse(Words::new(text))
    }

    fn sfen(sfen: &str, moves: &[&str]) -> Result<PositionSpec, CommandError> {
        Ok(PositionSpec {
            root: PositionRoot::Sfen(sfen.to_owned()),
            moves: moves.iter().map(|&mv| mv.to_owned()).collect(),
        })
    }

    #[test]
    fn every_word_that_adds_nothing_may_be_missing() {
        for counter in ["", " 1", " 1.0", " 0", " -3", " 99999999999999999999"] {
            for word in ["sfen ", ""] {
                for moves in [" moves", ""] {
                    let text = format!("{word}9/9 b -{counter}{moves} 7g7f 3c3d");
                    assert_eq!(parse(&text), sfen(&format!("9/9 b -{counter}"), &["7g7f", "3c3d"]));
                }
            }
        }
    }

    #[test]
    fn an_incomplete_sfen_is_handed_on_as_it_is() {
        assert_eq!(parse("sfen 9/9 moves 7g7f"), sfen("9/9", &["7g7f"]));
        assert_eq!(parse("sfen 9/9 b"), sfen("9/9 b", &[]));
    }

    #[test]
    fn a_position_without_a_root_is_an_error() {
        for text in ["", "  ", "moves 7g7f", "sfen", "sfen moves 7g7f"] {
            assert!(matches!(parse(text), Err(CommandError::NoPosition { .. })), "{text}");
        }
    }
}

//! Errors of reading and writing records.

use kiki_board::{Position, SfenError};
use kiki_text::excerpt;

/// Where and why a record cannot be read. Its text is one line and does not name the file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ReadError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: ReadProblem,
}

/// The fault of a line. Long tokens are shortened.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReadProblem {
    /// A token is not of the expected form.
    #[error("`{token}` is not {expected}")]
    Malformed {
        /// The token.
        token: String,
        /// The expected text.
        expected: &'static str,
    },
    /// The start position breaks a rule.
    #[error("the position before `{token}` cannot be played from: {reason}")]
    Position {
        /// The token after the position.
        token: String,
        /// Which rule.
        reason: SfenError,
    },
    /// A move by the side that is not to move.
    #[error("`{token}` is a move of the wrong side")]
    WrongSide {
        /// The move.
        token: String,
    },
    /// A move that breaks a rule and did not end the game.
    #[error("the move `{token}` is illegal in the position {sfen}")]
    IllegalMove {
        /// The move.
        token: String,
        /// The position.
        sfen: String,
    },
    /// A move in Japanese notation that fits several legal moves.
    #[error("`{token}` may be {candidates}")]
    AmbiguousMove {
        /// The move.
        token: String,
        /// The legal moves, in USI and in exact Japanese notation.
        candidates: String,
    },
    /// A file of an unknown form.
    #[error("this is not a game record: neither its name nor its content is that of CSA, KIF, KI2, USI or JKF")]
    UnknownForm,
    /// A text that is not JSON, or not the JSON of a game.
    #[error("{0}")]
    Json(String),
    /// A line that comes after the part of the record that it belongs to.
    #[error("`{token}` comes after {after}")]
    TooLate {
        /// The line.
        token: String,
        /// What it comes after.
        after: &'static str,
    },
    /// A bracket, brace or quotation mark is never closed.
    #[error("`{token}` is not closed by `{closing}`")]
    Unclosed {
        /// The text at the opening mark.
        token: String,
        /// The missing closing mark.
        closing: char,
    },
    /// The game that begins on this line lacks a tag.
    #[error("the game that begins with `{token}` has no tag {tag}")]
    MissingTag {
        /// Its first tag.
        token: String,
        /// The missing tag's name.
        tag: &'static str,
    },
}

impl ReadProblem {
    pub(crate) fn malformed(token: &str, expected: &'static str) -> Self {
        Self::Malformed { token: excerpt(token), expected }
    }

    pub(crate) fn illegal(token: &str, position: &Position) -> Self {
        Self::IllegalMove { token: excerpt(token), sfen: position.to_sfen() }
    }

    pub(crate) fn too_late(token: &str, after: &'static str) -> Self {
        Self::TooLate { token: excerpt(token), after }
    }

    /// The text that is wrong, if one is; long ones are shortened.
    pub(crate) fn token(&self) -> Option<&str> {
        match self {
            Self::Malformed { token, .. }
            | Self::Position { token, .. }
            | Self::WrongSide { token }
            | Self::IllegalMove { token, .. }
            | Self::AmbiguousMove { token, .. }
            | Self::TooLate { token, .. }
            | Self::Unclosed { token, .. }
            | Self::MissingTag { token, .. } => Some(token),
            Self::UnknownForm | Self::Json(_) => None,
        }
    }

    pub(crate) fn at(self, line: usize) -> ReadError {
        ReadError { line, problem: self }
    }
}

/// Why a game cannot be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WriteError {
    /// The root is not a position.
    #[error("the root of the game is not a position: {0}")]
    Root(#[from] SfenError),
    /// A move is illegal.
    #[error("move {ply} of the game, {mv}, is illegal in the position {sfen}")]
    IllegalMove {
        /// The number of the move in the game, from 1.
        ply: usize,
        /// The move in USI.
        mv: String,
        /// The position.
        sfen: String,
    },
    /// The form is always in UTF-8.
    #[error("{form} is always UTF-8")]
    Encoding {
        /// The form.
        form: &'static str,
    },
}

//! Errors of reading and writing records.

use kiki_board::{SfenError, excerpt};

/// Where and why a record cannot be read. The text is one line; it does not name the file, which nothing here knows.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ReadError {
    /// The line; the first of the file is 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: ReadProblem,
}

/// What is wrong with a line. Tokens are shortened to quote them.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReadProblem {
    /// A token is not of the expected form.
    #[error("`{token}` is not {expected}")]
    Malformed {
        /// The token.
        token: String,
        /// What it should be.
        expected: &'static str,
    },
    /// The position that the moves should start from breaks a rule.
    #[error("the position before `{token}` cannot be played from: {reason}")]
    Position {
        /// What follows the position.
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
    /// A move in Japanese notation that may be several.
    #[error("`{token}` may be {candidates}")]
    AmbiguousMove {
        /// The move.
        token: String,
        /// The moves it may be, in USI and in exact Japanese notation.
        candidates: String,
    },
    /// A file of a form that is not known.
    #[error("this is no game record: neither its name nor its content is that of CSA, KIF, KI2, USI or JKF")]
    UnknownForm,
    /// A text that is no JSON, or not the JSON of a game.
    #[error("{0}")]
    Json(String),
    /// A line that comes after the part of the record it belongs to.
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
        /// What begins there.
        token: String,
        /// What should close it.
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

    pub(crate) fn at(self, line: usize) -> ReadError {
        ReadError { line, problem: self }
    }
}

/// Why a game cannot be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WriteError {
    /// The root is no position.
    #[error("the root of the game is no position: {0}")]
    Root(#[from] SfenError),
    /// A move is illegal.
    #[error("move {ply} of the game, {mv}, is illegal in the position {sfen}")]
    IllegalMove {
        /// Its place among the moves of the game; the first is 1.
        ply: usize,
        /// The move in USI.
        mv: String,
        /// The position.
        sfen: String,
    },
    /// A form that has an encoding of its own.
    #[error("{form} is always UTF-8")]
    Encoding {
        /// The form.
        form: &'static str,
    },
}

//! What can be wrong with a command.

use crate::text::excerpt;

/// Why a line is not a command. Tokens are shortened and ASCII.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CommandError {
    /// No command begins with this word.
    #[error("unknown command `{0}`")]
    Unknown(String),
    /// Something must follow a word, but nothing does.
    #[error("`{after}` needs {expected}")]
    Missing {
        /// The word.
        after: String,
        /// What must follow.
        expected: &'static str,
    },
    /// A command `position` names no position: something must follow a word of it, but nothing does.
    #[error("`{after}` needs {expected}")]
    NoPosition {
        /// The word.
        after: &'static str,
        /// What must follow.
        expected: &'static str,
    },
    /// A number must follow a word, but something else does.
    #[error("`{after}` needs a number, not `{token}`")]
    NotANumber {
        /// The word.
        after: String,
        /// What follows it.
        token: String,
    },
    /// The value of an option has bytes that are neither UTF-8 nor Shift_JIS, so it cannot be kept as it is.
    #[error("the value of the option `{name}` is neither UTF-8 nor Shift_JIS: `{value}`")]
    NotText {
        /// The option.
        name: String,
        /// Its value, with `\u{fffd}` for what cannot be read.
        value: String,
    },
}

impl CommandError {
    pub(crate) fn missing(after: &str, expected: &'static str) -> Self {
        Self::Missing { after: excerpt(after), expected }
    }
}

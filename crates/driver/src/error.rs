//! Errors of engines.

use std::time::Duration;

use kiki_text::excerpt_of;
use kiki_usi::OptionError;

use crate::answers::{MAX_OPTION_BYTES, MAX_OPTIONS};
use crate::program::ProgramError;

/// Number of characters that an error quotes: of an engine's line, and of its option names.
const LONGEST_QUOTE: usize = 200;
const LONGEST_NAMES: usize = 2000;

/// Why an engine failed. After any error but [`EngineError::Cancelled`] the engine cannot be used
/// further.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EngineError {
    /// The system did not start the program.
    #[error("cannot start `{}`: {reason}", excerpt_of(.command, LONGEST_QUOTE))]
    CannotStart {
        /// The command line.
        command: String,
        /// The system's message.
        reason: String,
    },
    /// The process ended, or closed its output.
    #[error("{} while `{awaited}` was awaited{}", .how, last_line(.last_lines))]
    Ended {
        /// The word that was awaited, such as `bestmove`.
        awaited: String,
        /// `exited with status 1`, `was killed by signal 11`, `closed its output`.
        how: String,
        /// The last lines of its output.
        last_lines: Vec<String>,
    },
    /// The awaited word did not come in time.
    #[error("no `{awaited}` within {:.1} s{}", .waited.as_secs_f64(), last_line(.last_lines))]
    TimedOut {
        /// The word that was awaited, such as `bestmove`.
        awaited: String,
        /// How long it was waited for.
        waited: Duration,
        /// The last lines of its output.
        last_lines: Vec<String>,
    },
    /// It declares too many options.
    #[error("it declares more than {MAX_OPTIONS} options, or {} MiB of them", MAX_OPTION_BYTES >> 20)]
    TooManyOptions,
    /// The caller no longer wants an answer.
    #[error("cancelled")]
    Cancelled,
}

impl EngineError {
    /// The last lines of the engine's output, oldest first.
    #[must_use]
    pub fn last_lines(&self) -> &[String] {
        match self {
            Self::Ended { last_lines, .. } | Self::TimedOut { last_lines, .. } => last_lines,
            Self::CannotStart { .. } | Self::TooManyOptions | Self::Cancelled => &[],
        }
    }
}

/// Why an option was not sent to an engine.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SetOptionError {
    /// The engine lacks the option or refuses the value.
    #[error("{error}{}", known_options(.known))]
    Invalid {
        /// The error.
        error: OptionError,
        /// The names of the engine's options, if it lacks this one.
        known: Vec<String>,
    },
    /// The engine has failed.
    #[error(transparent)]
    Failed(#[from] EngineError),
}

/// Why an engine cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The command names no program.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The program does not start, ends, or does not answer.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The engine lacks an option or refuses its value.
    #[error(transparent)]
    Option(#[from] SetOptionError),
}

impl StartError {
    /// The error of the engine, if one caused this error.
    #[must_use]
    pub fn engine_error(&self) -> Option<&EngineError> {
        match self {
            Self::Engine(error) | Self::Option(SetOptionError::Failed(error)) => Some(error),
            Self::Program(_) | Self::Option(SetOptionError::Invalid { .. }) => None,
        }
    }
}

/// The end of an error's text: the engine's last line.
fn last_line(lines: &[String]) -> String {
    let Some(last) = lines.last() else { return "; it printed nothing".to_owned() };
    format!("; its last line: {}", excerpt_of(last, LONGEST_QUOTE))
}

/// The end of an error's text: the options that exist.
fn known_options(names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    format!(" (it has {})", excerpt_of(&names.join(", "), LONGEST_NAMES))
}

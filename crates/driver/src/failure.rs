//! What may go wrong with an engine.

use std::fmt;
use std::time::Duration;

use kiki_usi::OptionError;

/// Why an engine does not do what it was asked. The engine is of no further use after any of these but [`Failure::Cancelled`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Failure {
    /// The system did not start the program.
    #[error("cannot start `{command}`: {reason}")]
    CannotStart {
        /// The command line.
        command: String,
        /// What the system said.
        reason: String,
    },
    /// The process ended, or closed its output.
    #[error("{} while `{awaited}` was awaited{}", .how, Said(.said))]
    Ended {
        /// What it was to say.
        awaited: String,
        /// `exited with status 1`, `was killed by signal 11`, `closed its output`.
        how: String,
        /// The last lines that it said.
        said: Vec<String>,
    },
    /// It did not say in time what it was to say.
    #[error("no `{awaited}` within {:.1} s{}", .waited.as_secs_f64(), Said(.said))]
    Silent {
        /// What it was to say.
        awaited: String,
        /// How long it was given.
        waited: Duration,
        /// The last lines that it said.
        said: Vec<String>,
    },
    /// The caller no longer wants an answer.
    #[error("cancelled")]
    Cancelled,
}

impl Failure {
    /// The last lines that the engine said, oldest first.
    #[must_use]
    pub fn said(&self) -> &[String] {
        match self {
            Self::Ended { said, .. } | Self::Silent { said, .. } => said,
            Self::CannotStart { .. } | Self::Cancelled => &[],
        }
    }
}

/// Why an option was not sent to an engine.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OptionRefusal {
    /// The engine has no such option, or it takes other values.
    #[error("{error}{}", Known(.known))]
    Invalid {
        /// Which and why.
        error: OptionError,
        /// The names of the options that the engine has, if the name is the trouble.
        known: Vec<String>,
    },
    /// The engine has failed.
    #[error(transparent)]
    Failed(#[from] Failure),
}

struct Said<'a>(&'a [String]);

impl fmt::Display for Said<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(last) = self.0.last() else { return f.write_str("; it said nothing") };
        write!(f, "; its last line: {last}")
    }
}

struct Known<'a>(&'a [String]);

impl fmt::Display for Known<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, " (it has {})", self.0.join(", ")) }
    }
}

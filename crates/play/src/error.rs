//! Why games cannot be played.

use std::io;
use std::path::PathBuf;

use kiki_driver::{EngineError, ProgramError, SetOptionError};

use crate::affinity::AffinityError;

/// Why games cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// An engine does not start or does not get ready.
    #[error("engine `{name}`: {reason}")]
    Engine {
        /// The name of the engine.
        name: String,
        /// What is wrong with it.
        reason: StartError,
    },
    /// An option of a running engine cannot be set.
    #[error(transparent)]
    Option(#[from] SetOptionError),
    /// A log cannot be written.
    #[error("{}: {error}", .path.display())]
    Log {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// CPUs cannot be assigned.
    #[error(transparent)]
    Affinity(#[from] AffinityError),
    /// The games have been cancelled.
    #[error("cancelled")]
    Cancelled,
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
    /// The engine does not have an option, or does not take its value.
    #[error(transparent)]
    Option(#[from] SetOptionError),
}

impl StartError {
    /// The error of the engine, if there is one behind it.
    pub(crate) fn engine_error(&self) -> Option<&EngineError> {
        match self {
            Self::Engine(error) | Self::Option(SetOptionError::Failed(error)) => Some(error),
            Self::Program(_) | Self::Option(SetOptionError::Invalid { .. }) => None,
        }
    }
}

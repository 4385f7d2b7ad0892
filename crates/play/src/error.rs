//! Why games cannot be played.

use std::io;
use std::path::PathBuf;

use kiki_driver::{SetOptionError, StartError};

use crate::affinity::AffinityError;

/// Why games cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// An engine does not start or does not get ready.
    #[error("engine `{name}`: {reason}")]
    Engine {
        /// The name of the engine.
        name: String,
        /// Its fault.
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

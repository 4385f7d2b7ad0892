//! Why games cannot be played.

use std::io;
use std::path::PathBuf;

use kiki_driver::{SetOptionError, StartError};

use crate::affinity::AffinityError;

#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    #[error("engine `{name}`: {reason}")]
    Engine { name: String, reason: StartError },
    #[error(transparent)]
    Option(#[from] SetOptionError),
    #[error("{}: {error}", .path.display())]
    Log { path: PathBuf, error: io::Error },
    #[error(transparent)]
    Affinity(#[from] AffinityError),
    #[error("cancelled")]
    Cancelled,
}

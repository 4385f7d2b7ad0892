//! Why a command for people failed.

use std::io;

use crate::bench::BenchError;
use crate::perft::PerftError;

/// Why a command for people failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error("{0}")]
    Position(#[from] kiki_usi::PositionError),
    #[error("{0}")]
    Bench(#[from] BenchError),
    #[error("{0}")]
    Resources(#[from] kiki_search::ResourceError),
    #[error("{0}")]
    Perft(#[from] PerftError),
    #[error("{0}")]
    Interrupts(#[from] ctrlc::Error),
    #[error("{0}")]
    Io(#[from] io::Error),
}

//! How a searcher works.

use std::time::Duration;

use crate::gamble::GambleMode;
use crate::limits::{Rules, TimeOptions};
use crate::probcut::ProbCutOptions;

/// How a searcher works; the limits of a single search are in [`crate::Limits`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Searching threads, 1 to 1024.
    pub threads: usize,
    /// Size of the transposition table in MiB.
    pub table_mebibytes: usize,
    /// How many of the best moves are reported with their lines.
    pub multipv: usize,
    /// Iterations are reported at most this often; the last one always.
    pub pv_interval: Duration,
    /// Report values that lie outside the search window as bounds.
    pub report_bounds: bool,
    /// How time is planned.
    pub time: TimeOptions,
    /// The rules of the game.
    pub rules: Rules,
    /// How ProbCut is done.
    pub probcut: ProbCutOptions,
    /// Whether a move with a better chance is played instead of the best one. Unless off, [`Options::multipv`] says among how many.
    pub gamble: GambleMode,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            threads: 1,
            table_mebibytes: 256,
            multipv: 1,
            pv_interval: Duration::ZERO,
            report_bounds: false,
            time: TimeOptions::default(),
            rules: Rules::default(),
            probcut: ProbCutOptions::default(),
            gamble: GambleMode::default(),
        }
    }
}

/// What the system refused.
#[derive(Debug, thiserror::Error)]
pub enum ResourceError {
    /// Memory for the transposition table.
    #[error("no memory for a table of {mebibytes} MiB: {source}")]
    Table {
        /// The size asked for.
        mebibytes: usize,
        /// What the system says.
        source: std::io::Error,
    },
    /// A thread.
    #[error("{threads} threads cannot be started: {source}")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system says.
        source: std::io::Error,
    },
}

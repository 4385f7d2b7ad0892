//! Arguments that several commands have.

use std::time::Duration;

use kiki_board::Position;
use kiki_usi::{PositionError, PositionSpec};

/// The position that a command for people is about.
#[derive(clap::Args)]
pub(crate) struct PositionArguments {
    /// The position, as an SFEN or as it stands in a command `position`; the start of a game if left out.
    #[arg(long, value_name = "SFEN")]
    sfen: Option<PositionSpec>,
    /// Moves from that position, in USI, separated by blanks.
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,
}

impl PositionArguments {
    pub(crate) fn set_up(&self) -> Result<Position, PositionError> {
        let mut spec = self.sfen.clone().unwrap_or_else(PositionSpec::startpos);
        let moves = self.moves.as_deref().unwrap_or_default();
        spec.moves.extend(moves.split_whitespace().map(str::to_owned));
        kiki_usi::set_up(&spec)
    }
}

/// Reads a time in seconds.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    /// About four months: no time that anybody waits for, and no time that overflows a sum.
    const MOST: f64 = 1e7;
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= MOST => Ok(Duration::from_secs_f64(seconds)),
        _ => Err(format!("not a number of seconds above 0 and up to {MOST}")),
    }
}

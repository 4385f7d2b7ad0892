//! The games of one candidate.

use crate::Result;
use crate::error::check;
use crate::tally::{DrawPolicy, Tally};

/// The games of one candidate against the base. There may be none yet.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CandidateRecord {
    wins: f64,
    losses: f64,
}

impl CandidateRecord {
    /// Wins and losses; halves are usual where draws count half.
    ///
    /// # Errors
    /// If one of them is negative or no finite number.
    pub fn new(wins: f64, losses: f64) -> Result<Self> {
        check("a number of wins", wins, |wins| wins >= 0.0, "0 or more")?;
        check("a number of losses", losses, |losses| losses >= 0.0, "0 or more")?;
        Ok(Self { wins, losses })
    }

    /// Whole wins out of so many games.
    pub(super) fn of_wins(wins: u64, games: u64) -> Self {
        Self { wins: wins as f64, losses: (games - wins) as f64 }
    }

    /// A match under a draw policy.
    #[must_use]
    pub fn from_tally(tally: Tally, policy: DrawPolicy) -> Self {
        let half = match policy {
            DrawPolicy::Drop => 0.0,
            DrawPolicy::Half => 0.5 * tally.draws as f64,
        };
        Self { wins: tally.wins as f64 + half, losses: tally.losses as f64 + half }
    }

    /// Wins, with the halves of draws.
    #[must_use]
    pub fn wins(&self) -> f64 {
        self.wins
    }

    /// Losses, with the halves of draws.
    #[must_use]
    pub fn losses(&self) -> f64 {
        self.losses
    }

    /// Games that count.
    #[must_use]
    pub fn games(&self) -> f64 {
        self.wins + self.losses
    }

    /// The same ratio with `factor` times the games.
    pub(super) fn scaled(&self, factor: f64) -> Self {
        Self { wins: self.wins * factor, losses: self.losses * factor }
    }
}

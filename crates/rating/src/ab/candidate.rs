//! The games of one candidate.

use kiki_stats::Result;
use kiki_stats::error::check;
use kiki_stats::tally::{DrawPolicy, Tally};

/// The most wins, and the most losses, that a candidate has: the posterior of more takes seconds.
pub const MOST_WINS: f64 = 1e10;

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
    /// If one of them is negative, no finite number, or above [`MOST_WINS`].
    pub fn new(wins: f64, losses: f64) -> Result<Self> {
        for (what, number) in [("a number of wins", wins), ("a number of losses", losses)] {
            check(what, number, |number| (0.0..=MOST_WINS).contains(&number), "from 0 to 10,000,000,000")?;
        }
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

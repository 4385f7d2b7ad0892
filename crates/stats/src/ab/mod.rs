//! Is candidate A better than candidate B, when both played the same base engine?
//!
//! Two answers stand side by side: the [`chi_square`] rule, which is the pooled two-proportion test, and the posterior probability of
//! a [`Comparison`] under beta priors. Both are meant for a number of games fixed beforehand. Whoever looks again and again and stops
//! at 95 % errs far more often than 5 %: [`peek`] shows how often, and [`crate::sprt`] is the test to stop by.
//!
//! ```
//! use kiki_stats::ab::{Candidate, Comparison, chi_square};
//!
//! let (a, b) = (Candidate::new(1000.0, 500.0)?, Candidate::new(1000.0, 490.0)?);
//! assert!((chi_square(&a, &b).a_better - 0.39746).abs() < 1e-5);
//! assert!((Comparison::uniform(a, b).a_better() - 0.39753).abs() < 1e-5);
//! # Ok::<(), kiki_stats::StatsError>(())
//! ```

mod chi_square;
mod closed_form;
mod comparison;
mod difference;
mod horizon;
mod peek;

pub use chi_square::{ChiSquare, chi_square};
pub use comparison::{Comparison, EloDifference, Prior};
pub use horizon::{Horizon, Rule, games_to_decide};
pub use peek::{PeekPlan, PeekReport, peek};

use crate::Result;
use crate::error::check;
use crate::tally::{DrawPolicy, Tally};

/// The games of one candidate against the base. There may be none yet.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Candidate {
    wins: f64,
    losses: f64,
}

impl Candidate {
    /// Wins and losses; halves are usual where draws count half.
    ///
    /// # Errors
    /// If one of them is negative or no finite number.
    pub fn new(wins: f64, losses: f64) -> Result<Self> {
        check("a number of wins", wins, |wins| wins >= 0.0, "0 or more")?;
        check("a number of losses", losses, |losses| losses >= 0.0, "0 or more")?;
        Ok(Self { wins, losses })
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
    fn scaled(&self, factor: f64) -> Self {
        Self { wins: self.wins * factor, losses: self.losses * factor }
    }
}

//! The model of a council.

use std::ops::RangeInclusive;

use kiki_stats::Result;
use kiki_stats::error::{check, probability};

/// The most members: the exact majority goes through all ways to vote.
pub(super) const MOST_MEMBERS: f64 = 12.0;

/// The noises of members, in losses of a wrong move: less is none, more knows nothing.
const NOISES: RangeInclusive<f64> = 1e-6..=1e6;

/// Members, candidates and how often two members are one.
#[derive(Clone, PartialEq, Debug)]
pub struct CouncilModel {
    pub(super) noises: Vec<f64>,
    pub(super) candidates: u32,
    pub(super) synchronisation: f64,
}

impl CouncilModel {
    /// A council of independent members with these noises, in units of the loss of a wrong move, before so many candidates.
    ///
    /// # Errors
    /// If there are no members or more than 12, a noise is not from 1e-6 to 1e6, or there are fewer than 2 candidates or more than 1,000.
    pub fn new(noises: Vec<f64>, candidates: u32) -> Result<Self> {
        check("the number of members", noises.len() as f64, |n| (1.0..=MOST_MEMBERS).contains(&n), "from 1 to 12")?;
        for &noise in &noises {
            check("a member's noise", noise, |noise| NOISES.contains(&noise), "from 0.000001 to 1,000,000")?;
        }
        check("the number of candidates", f64::from(candidates), |n| (2.0..=1000.0).contains(&n), "from 2 to 1,000")?;
        Ok(Self { noises, candidates, synchronisation: 0.0 })
    }

    /// The same council with its third member giving the move and the value of the second with this probability.
    ///
    /// # Errors
    /// If there are fewer than three members, or it is no probability.
    pub fn synchronised(mut self, synchronisation: f64) -> Result<Self> {
        check("the number of members", self.noises.len() as f64, |n| n >= 3.0, "3 or more, for synchronisation")?;
        self.synchronisation = probability("the synchronisation", synchronisation)?;
        Ok(self)
    }

    /// How many members it has.
    #[must_use]
    pub fn members(&self) -> usize {
        self.noises.len()
    }

    /// The members without the third, who copies the second.
    pub(super) fn without_copy(&self) -> Vec<f64> {
        let mut noises = self.noises.clone();
        if noises.len() > 2 {
            noises.remove(2);
        }
        noises
    }

    /// Mixes a rate of independent members with that of members of whom the third copies the second.
    pub(super) fn mix(&self, independent: impl Fn() -> f64, copied: impl Fn() -> f64) -> f64 {
        let share = self.synchronisation;
        // What has no share is not computed.
        let part = |share: f64, rate: &dyn Fn() -> f64| if share > 0.0 { share * rate() } else { 0.0 };
        part(1.0 - share, &independent) + part(share, &copied)
    }
}

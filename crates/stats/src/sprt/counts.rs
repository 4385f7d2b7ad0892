//! The results of a match, counted by outcome.

use crate::Result;
use crate::tally::{Tally, some_games};

/// Number of observations of each outcome for the tested player, worst outcome first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counts {
    /// Games without draws: L, W.
    Bernoulli([u64; 2]),
    /// Games: L, D, W.
    Trinomial([u64; 3]),
    /// Pairs of games on one opening with colours exchanged: LL, LD, WL + DD, WD, WW.
    Pentanomial([u64; 5]),
}

/// Which kind of [`Counts`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CountKind {
    /// Wins and losses.
    Bernoulli,
    /// Wins, draws and losses.
    Trinomial,
    /// Pairs of games.
    Pentanomial,
}

impl Counts {
    /// Empty counts.
    pub fn empty(kind: CountKind) -> Self {
        match kind {
            CountKind::Bernoulli => Self::Bernoulli([0; 2]),
            CountKind::Trinomial => Self::Trinomial([0; 3]),
            CountKind::Pentanomial => Self::Pentanomial([0; 5]),
        }
    }

    /// Which kind of counts these are.
    pub fn kind(&self) -> CountKind {
        match self {
            Self::Bernoulli(_) => CountKind::Bernoulli,
            Self::Trinomial(_) => CountKind::Trinomial,
            Self::Pentanomial(_) => CountKind::Pentanomial,
        }
    }

    /// The counts, worst outcome first.
    pub fn as_slice(&self) -> &[u64] {
        match self {
            Self::Bernoulli(counts) => counts,
            Self::Trinomial(counts) => counts,
            Self::Pentanomial(counts) => counts,
        }
    }

    fn as_mut_slice(&mut self) -> &mut [u64] {
        match self {
            Self::Bernoulli(counts) => counts,
            Self::Trinomial(counts) => counts,
            Self::Pentanomial(counts) => counts,
        }
    }

    /// Counts one more observation of the outcome with this index; ignores unknown indices.
    pub fn record(&mut self, outcome: usize) {
        if let Some(count) = self.as_mut_slice().get_mut(outcome) {
            *count = count.saturating_add(1);
        }
    }

    /// The score of each outcome, as a share of the greatest one, and its count.
    pub(super) fn scores(&self) -> impl ExactSizeIterator<Item = (f64, u64)> {
        let counts = self.as_slice();
        let greatest = (counts.len() - 1) as f64;
        counts.iter().enumerate().map(move |(index, &count)| (index as f64 / greatest, count))
    }

    /// How many games one observation has.
    pub fn games_each(&self) -> u64 {
        if self.kind() == CountKind::Pentanomial { 2 } else { 1 }
    }

    /// Number of observations: games, or pairs of games. It saturates.
    pub fn observations(&self) -> u64 {
        self.as_slice().iter().fold(0, |sum, &count| sum.saturating_add(count))
    }

    /// The number of observations. Refuses an empty match, and more than
    /// [`MOST_GAMES`](crate::tally::MOST_GAMES) games.
    pub(super) fn some_observations(&self) -> Result<f64> {
        Ok(some_games(self.games())? / self.games_each() as f64)
    }

    /// Number of games. It saturates.
    pub fn games(&self) -> u64 {
        self.observations().saturating_mul(self.games_each())
    }

    /// The same match from the opponent's view.
    pub fn reversed(mut self) -> Self {
        self.as_mut_slice().reverse();
        self
    }

    /// The mean score of an observation and its variance (divided by the number of observations,
    /// not by one less). Fails without observations.
    pub fn moments(&self) -> Result<(f64, f64)> {
        let observations = self.some_observations()?;
        let weighted = |value: &dyn Fn(f64) -> f64| {
            self.scores().map(|(score, count)| count as f64 * value(score)).sum::<f64>() / observations
        };
        let mean = weighted(&|score| score);
        Ok((mean, weighted(&|score| (score - mean).powi(2))))
    }
}

impl From<Tally> for Counts {
    /// Single games with draws.
    fn from(tally: Tally) -> Self {
        Self::Trinomial([tally.losses, tally.draws, tally.wins])
    }
}

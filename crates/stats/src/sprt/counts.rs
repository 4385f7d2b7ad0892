//! The results of a match, counted by outcome.

use crate::Result;
use crate::tally::{Tally, some_games};

/// The scores of each outcome, as shares of the greatest score: of a game without draws, of a game,
/// and of a pair of games.
const BERNOULLI: [f64; 2] = [0.0, 1.0];
const TRINOMIAL: [f64; 3] = [0.0, 0.5, 1.0];
const PENTANOMIAL: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

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

    /// Counts one more observation of the outcome with this index; ignores unknown indices.
    pub fn record(&mut self, outcome: usize) {
        let counts: &mut [u64] = match self {
            Self::Bernoulli(counts) => counts,
            Self::Trinomial(counts) => counts,
            Self::Pentanomial(counts) => counts,
        };
        if let Some(count) = counts.get_mut(outcome) {
            *count = count.saturating_add(1);
        }
    }

    /// The score of each outcome, 0 to 1.
    pub fn scores(&self) -> &'static [f64] {
        match self {
            Self::Bernoulli(_) => &BERNOULLI,
            Self::Trinomial(_) => &TRINOMIAL,
            Self::Pentanomial(_) => &PENTANOMIAL,
        }
    }

    /// How many games one observation has.
    pub fn games_each(&self) -> u64 {
        match self {
            Self::Bernoulli(_) | Self::Trinomial(_) => 1,
            Self::Pentanomial(_) => 2,
        }
    }

    /// Number of observations: games, or pairs of games. It saturates.
    pub fn observations(&self) -> u64 {
        self.as_slice().iter().fold(0, |sum, &count| sum.saturating_add(count))
    }

    /// The number of observations.
    ///
    /// # Errors
    /// [`StatsError::NoGames`](crate::StatsError::NoGames) if there are none; with more than
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
        match &mut self {
            Self::Bernoulli(counts) => counts.reverse(),
            Self::Trinomial(counts) => counts.reverse(),
            Self::Pentanomial(counts) => counts.reverse(),
        }
        self
    }

    /// The mean score of an observation and its variance (divided by the number of observations,
    /// not by one less).
    ///
    /// # Errors
    /// [`StatsError::NoGames`](crate::StatsError::NoGames) without observations; with too many.
    pub fn moments(&self) -> Result<(f64, f64)> {
        let observations = self.some_observations()?;
        let weighted = |value: &dyn Fn(f64) -> f64| {
            let terms = self.as_slice().iter().zip(self.scores()).map(|(&count, &score)| count as f64 * value(score));
            terms.sum::<f64>() / observations
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

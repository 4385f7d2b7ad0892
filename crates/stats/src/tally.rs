//! Wins, draws and losses of a match, and its score.

use crate::error::check;
use crate::{Result, StatsError};

/// The longest match in games. Up to here every computation from counts takes less than a second,
/// and no sum overflows.
pub const MOST_GAMES: u64 = 10_000_000_000_000;

/// A number of games, checked for computations.
///
/// # Errors
/// Without games, or with more than [`MOST_GAMES`].
pub fn some_games(games: u64) -> Result<f64> {
    if games == 0 {
        return Err(StatsError::NoGames);
    }
    check("the number of games", games as f64, |_| games <= MOST_GAMES, "at most 10,000,000,000,000")
}

/// How many games a player won, drew and lost.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

/// How draws count in a model of wins and losses only.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum DrawPolicy {
    /// They are not counted.
    Drop,
    /// Each gives both players half a win.
    #[default]
    Half,
}

impl Tally {
    /// All games, with draws. It saturates.
    pub fn games(&self) -> u64 {
        self.wins.saturating_add(self.draws).saturating_add(self.losses)
    }

    /// The points of the games under a policy.
    ///
    /// # Errors
    /// [`StatsError::NoGames`] if no game is left; with more than [`MOST_GAMES`].
    pub fn score(&self, policy: DrawPolicy) -> Result<MatchScore> {
        let draws = match policy {
            DrawPolicy::Drop => 0,
            DrawPolicy::Half => self.draws,
        };
        let games = Self { draws, ..*self }.games();
        MatchScore::new(self.wins as f64 + 0.5 * draws as f64, games)
    }
}

/// Points out of at least one game: 0 to 1 for each game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MatchScore {
    points: f64,
    games: u64,
}

impl MatchScore {
    /// A score. Half points are usual, other fractions are allowed.
    ///
    /// # Errors
    /// If there are no games or more than [`MOST_GAMES`], or the points are not a number from 0 to
    /// `games`.
    pub fn new(points: f64, games: u64) -> Result<Self> {
        some_games(games)?;
        if !(0.0..=games as f64).contains(&points) {
            return Err(StatsError::InvalidScore { points, games: games as f64 });
        }
        Ok(Self { points, games })
    }

    /// The points, k.
    pub fn points(&self) -> f64 {
        self.points
    }

    /// The games, n.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Points per game, q = k / n.
    pub fn share(&self) -> f64 {
        self.points / self.games as f64
    }

    /// Whole points; an odd half point is dropped.
    pub fn whole_points(&self) -> u64 {
        self.points as u64
    }

    /// Whether the points are a whole number, so that the binomial distribution applies.
    pub fn is_whole(&self) -> bool {
        self.points.fract() == 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_dropped_or_halved() {
        let tally = Tally { wins: 5, draws: 3, losses: 2 };
        let half = tally.score(DrawPolicy::Half).unwrap();
        let dropped = tally.score(DrawPolicy::Drop).unwrap();
        assert_eq!((half.points(), half.games(), half.whole_points(), half.is_whole()), (6.5, 10, 6, false));
        assert_eq!((dropped.points(), dropped.games(), dropped.is_whole()), (5.0, 7, true));
    }

    #[test]
    fn impossible_scores_are_refused() {
        assert_eq!(Tally { draws: 4, ..Tally::default() }.score(DrawPolicy::Drop), Err(StatsError::NoGames));
        assert!(
            MatchScore::new(3.0, 2).is_err()
                && MatchScore::new(-0.5, 2).is_err()
                && MatchScore::new(f64::NAN, 2).is_err()
        );
    }
}

//! Wins, draws and losses of a match, and its score.

use serde::{Deserialize, Serialize};

use crate::error::check;
use crate::{Result, StatsError};

/// The longest match in games. Up to here every computation from counts takes less than a second,
/// and no sum overflows.
pub const MOST_GAMES: u64 = 10_000_000_000_000;

/// A number of games, checked for computations. Refuses a match without games, and more than
/// [`MOST_GAMES`].
pub fn some_games(games: u64) -> Result<f64> {
    if games == 0 {
        return Err(StatsError::NoGames);
    }
    check("the number of games", games as f64, |_| games <= MOST_GAMES, "at most 10,000,000,000,000")
}

/// How many games a player won, drew and lost.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Tally {
    /// Counts a game: positive for a win, 0 for a draw.
    pub fn add(&mut self, result: i8) {
        match result.signum() {
            1 => self.wins += 1,
            0 => self.draws += 1,
            _ => self.losses += 1,
        }
    }

    /// The points, half a point for a draw.
    pub fn points(&self) -> f64 {
        self.wins as f64 + 0.5 * self.draws as f64
    }

    /// All games, with draws. It saturates.
    pub fn games(&self) -> u64 {
        self.wins.saturating_add(self.draws).saturating_add(self.losses)
    }

    /// The points of the games, a draw giving half a point. Refuses a match without games, and more
    /// than [`MOST_GAMES`].
    pub fn score(&self) -> Result<MatchScore> {
        MatchScore::new(self.points(), self.games())
    }
}

/// Points out of at least one game: 0 to 1 for each game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MatchScore {
    points: f64,
    games: u64,
}

impl MatchScore {
    /// A score. Half points are usual, other fractions are allowed. Refuses what no match can give.
    pub fn new(points: f64, games: u64) -> Result<Self> {
        let most = some_games(games)?;
        let is_score = (0.0..=most).contains(&points);
        if is_score { Ok(Self { points, games }) } else { Err(StatsError::InvalidScore { points, games: most }) }
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
    fn draws_are_halves() {
        let score = Tally { wins: 5, draws: 3, losses: 2 }.score().unwrap();
        assert_eq!((score.points(), score.games(), score.whole_points(), score.is_whole()), (6.5, 10, 6, false));
    }

    #[test]
    fn impossible_scores_are_refused() {
        assert_eq!(Tally::default().score(), Err(StatsError::NoGames));
        assert!([3.0, -0.5, f64::NAN].iter().all(|&points| MatchScore::new(points, 2).is_err()));
    }
}

//! Incremental ratings, as they are kept game by game (Elo 1978), to be shown beside static ones.

use kiki_stats::error::check;
use kiki_stats::logistic::{ELO_SCALE, MOST_RATING, logistic};
use kiki_stats::{Result, StatsError};

/// The greatest K: a single game moves no rating further.
const MOST_K: f64 = 10_000.0;

/// One game of a series.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RatedGame {
    /// The two players, numbers from 0 on.
    pub players: [usize; 2],
    /// The score of the first of them: 0, 1/2 or 1.
    pub score: f64,
}

/// A player's rating after one of its games.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RatingStep {
    /// The game's number in the series, from 0 on.
    pub game: usize,
    /// The rating after it, in Elo.
    pub rating: f64,
}

/// How ratings move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EloUpdateRule {
    /// The most that one game can move a rating, in Elo; 16 to 32 is usual.
    pub k: f64,
    /// The rating of everyone before the first game.
    pub initial: f64,
}

/// The ratings of every player after each of its games: `R += K (score - expected)`. One list for each player.
///
/// ```
/// use kiki_rating::sequential::{RatedGame, EloUpdateRule, trajectories};
///
/// let games = [RatedGame { players: [0, 1], score: 1.0 }];
/// let steps = trajectories(2, &games, &EloUpdateRule { k: 32.0, initial: 1500.0 })?;
/// assert_eq!((steps[0][0].rating, steps[1][0].rating), (1516.0, 1484.0));
/// # Ok::<(), kiki_stats::StatsError>(())
/// ```
///
/// # Errors
/// If a player is unknown or plays itself, a score is not from 0 to 1, K is not from 0 to 10,000, or the
/// initial rating is beyond a million.
pub fn trajectories(players: usize, games: &[RatedGame], rule: &EloUpdateRule) -> Result<Vec<Vec<RatingStep>>> {
    check("K", rule.k, |k| (0.0..=MOST_K).contains(&k), "from 0 to 10,000")?;
    let possible = |rating: f64| rating.abs() <= MOST_RATING;
    check("the initial rating", rule.initial, possible, "between -1,000,000 and 1,000,000")?;
    let mut ratings = vec![rule.initial; players];
    let mut steps = vec![Vec::new(); players];
    for (number, game) in games.iter().enumerate() {
        let [a, b] = game.players;
        if let Some(&player) = game.players.iter().find(|&&player| player >= players) {
            return Err(StatsError::UnknownPlayer { player, players });
        }
        if a == b {
            return Err(StatsError::SelfPlay { player: a });
        }
        let score = kiki_stats::error::probability("a score", game.score)?;
        let gain = rule.k * (score - logistic((ratings[a] - ratings[b]) / ELO_SCALE));
        ratings[a] += gain;
        ratings[b] -= gain;
        for player in game.players {
            steps[player].push(RatingStep { game: number, rating: ratings[player] });
        }
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_only_passed_on() {
        let games: Vec<RatedGame> = (0..300)
            .map(|i| RatedGame { players: [i % 4, (i + 1 + i % 3) % 4], score: (i % 5) as f64 / 4.0 })
            .collect();
        let steps = trajectories(4, &games, &EloUpdateRule { k: 24.0, initial: 1000.0 }).unwrap();
        let last: f64 = steps.iter().map(|steps| steps.last().unwrap().rating).sum();
        assert!((last - 4000.0).abs() < 1e-9);
        assert_eq!(steps.iter().map(Vec::len).sum::<usize>(), 600);
    }

    #[test]
    fn impossible_games_are_refused() {
        let rule = EloUpdateRule { k: 16.0, initial: 0.0 };
        for rule in [EloUpdateRule { k: 1e308, ..rule }, EloUpdateRule { initial: 1e308, ..rule }] {
            assert!(trajectories(2, &[RatedGame { players: [0, 1], score: 1.0 }], &rule).is_err(), "{rule:?}");
        }
        let series = |players, score| trajectories(2, &[RatedGame { players, score }], &rule);
        assert!(series([0, 2], 1.0).is_err() && series([1, 1], 1.0).is_err() && series([0, 1], 2.0).is_err());
    }
}

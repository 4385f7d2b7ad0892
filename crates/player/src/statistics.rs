//! Means over moves, with intervals. The moves of one game are not independent: a game is what varies.

use std::collections::BTreeMap;

use kiki_stats::beta::Beta;

/// The share of intervals that hold the truth.
pub const LEVEL: f64 = 0.95;

/// With fewer games there is no interval of a mean.
pub const LEAST_GAMES: usize = 3;

/// The number of a move with its game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OfGame {
    /// The place of the game.
    pub game: usize,
    /// What is averaged.
    pub value: f64,
}

/// A mean over moves.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Mean {
    /// The mean.
    pub value: f64,
    /// Number of moves.
    pub moves: usize,
    /// Number of games.
    pub games: usize,
    /// Its standard error by games; `None` with one game.
    pub error: Option<f64>,
}

impl Mean {
    /// The mean; `None` without moves.
    pub fn new(sample: &[OfGame]) -> Option<Self> {
        let moves = sample.len();
        if moves == 0 {
            return None;
        }
        let value = sample.iter().map(|of| of.value).sum::<f64>() / moves as f64;
        let mut of_game: BTreeMap<usize, f64> = BTreeMap::new();
        for of in sample {
            *of_game.entry(of.game).or_default() += (of.value - value) / moves as f64;
        }
        let games = of_game.len();
        let squares: f64 = of_game.values().map(|share| share * share).sum();
        let error = (games > 1).then(|| (squares * games as f64 / (games - 1) as f64).sqrt());
        Some(Self { value, moves, games, error })
    }

    /// The interval of this level, by Student's distribution over games; `None` with few games.
    pub fn interval(&self, level: f64) -> Option<[f64; 2]> {
        let half = self.error.filter(|_| self.games >= LEAST_GAMES)? * student(self.games - 1, level);
        Some([self.value - half, self.value + half])
    }
}

/// How much greater the mean of one sample is than that of another.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Difference {
    /// The difference.
    pub value: f64,
    /// Its interval.
    pub interval: [f64; 2],
}

impl Difference {
    /// The difference with an interval of this level. The smaller number of games gives the degrees of freedom; what moves of a game in both
    /// samples share is counted. `None` if a sample has fewer than two games.
    pub fn new(sample: &[OfGame], other: &[OfGame], level: f64) -> Option<Self> {
        let (mean, other_mean) = (Mean::new(sample)?, Mean::new(other)?);
        let least = mean.games.min(other_mean.games);
        let mut of_game: BTreeMap<usize, f64> = BTreeMap::new();
        for (sample, mean, sign) in [(sample, mean, 1.0), (other, other_mean, -1.0)] {
            for of in sample {
                *of_game.entry(of.game).or_default() += sign * (of.value - mean.value) / mean.moves as f64;
            }
        }
        let squares: f64 = of_game.values().map(|share| share * share).sum();
        let error = (squares * least as f64 / least.checked_sub(1).filter(|&free| free > 0)? as f64).sqrt();
        let half = student(least - 1, level) * error;
        let value = mean.value - other_mean.value;
        Some(Self { value, interval: [value - half, value + half] })
    }
}

/// Half the width of an interval in standard errors, by Student's distribution with `freedom` degrees of freedom.
pub fn student(freedom: usize, level: f64) -> f64 {
    let freedom = freedom as f64;
    // freedom / (freedom + t^2) has this distribution.
    let share = Beta::from_shapes(freedom / 2.0, 0.5).lower_quantile(1.0 - level);
    (freedom * (1.0 - share) / share).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(values: &[(usize, f64)]) -> Vec<OfGame> {
        values.iter().map(|&(game, value)| OfGame { game, value }).collect()
    }

    #[test]
    fn students_distribution_is_that_of_tables() {
        for (freedom, level, expected) in [(1, 0.95, 12.706), (5, 0.95, 2.571), (9, 0.99, 3.250), (100, 0.95, 1.984)] {
            assert!(
                (student(freedom, level) - expected).abs() < 1e-3,
                "{freedom} {level}: {}",
                student(freedom, level)
            );
        }
    }

    #[test]
    fn moves_of_one_game_count_once_for_the_error() {
        let alone = Mean::new(&sample(&[(0, 1.0), (1, 3.0)])).unwrap();
        let twice = Mean::new(&sample(&[(0, 1.0), (0, 1.0), (1, 3.0), (1, 3.0)])).unwrap();
        assert_eq!((alone.value, alone.error), (2.0, Some(1.0)));
        assert_eq!((twice.value, twice.error, twice.games), (2.0, Some(1.0), 2));
        assert_eq!(alone.interval(LEVEL), None);
        let three = Mean::new(&sample(&[(0, 1.0), (1, 2.0), (2, 3.0)])).unwrap().interval(LEVEL).unwrap();
        assert!((three[1] - 2.0 - 4.303 / 3.0f64.sqrt()).abs() < 1e-3, "{three:?}");
        assert_eq!(Mean::new(&sample(&[(0, 1.0)])).unwrap().error, None);
        assert_eq!(Mean::new(&[]), None);
    }

    #[test]
    fn what_a_game_adds_to_both_samples_is_no_difference() {
        // Every game has its own level, and the first sample is always 1 above the second.
        let level = |game: usize| [0.0, 7.0, -4.0][game];
        let of = |more: f64| sample(&[0, 1, 2].map(|game| (game, level(game) + more)));
        let found = Difference::new(&of(1.0), &of(0.0), LEVEL).unwrap();
        assert!((found.value - 1.0).abs() < 1e-12 && (found.interval[1] - found.interval[0]).abs() < 1e-9, "{found:?}");
        assert_eq!(Difference::new(&of(1.0)[..1], &of(0.0), LEVEL), None);
    }
}

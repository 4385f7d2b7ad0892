//! Means over moves, with intervals. Moves of one game are not independent, so games are the
//! sampling units.

use std::collections::BTreeMap;

use crate::beta::Beta;

/// With fewer games a mean has no interval.
const LEAST_GAMES: usize = 3;

/// A number for a move, with its game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OfGame {
    /// The index of the game.
    pub game: usize,
    /// The value to average.
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

    /// The interval at this level, by Student's distribution over games; `None` with few games.
    pub fn interval(&self, level: f64) -> Option<[f64; 2]> {
        let half = self.error.filter(|_| self.games >= LEAST_GAMES)? * student((self.games - 1) as f64, level);
        Some([self.value - half, self.value + half])
    }
}

/// The standard error of a sum of independent parts, and its degrees of freedom (Satterthwaite
/// 1946, Welch 1947). Each part is a standard error with its degrees of freedom. `None` if no part
/// has an error above 0.
pub fn sum_of_errors(parts: &[(f64, f64)]) -> Option<(f64, f64)> {
    let error = parts.iter().fold(0.0, |sum: f64, part| sum.hypot(part.0));
    let shares: f64 = parts.iter().map(|(part, freedom)| (part / error).powi(4) / freedom).sum();
    (error > 0.0).then_some((error, 1.0 / shares))
}

/// A product or quotient of means.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ratio {
    /// The product of the numerator's means over that of the denominator's.
    pub value: f64,
    /// Its interval.
    pub interval: [f64; 2],
}

impl Ratio {
    /// The ratio with an interval at this level, by the delta method on its logarithm. The smallest
    /// number of games gives the degrees of freedom. Covariances between moves of one game in
    /// several samples are included. `None` if a sample has fewer than two games or a mean that is
    /// not above 0.
    pub fn new<'a>(
        above: impl IntoIterator<Item = &'a [OfGame]>,
        below: impl IntoIterator<Item = &'a [OfGame]>,
        level: f64,
    ) -> Option<Self> {
        let (above, below) =
            (above.into_iter().map(|sample| (sample, 1.0)), below.into_iter().map(|sample| (sample, -1.0)));
        let (mut logarithm, mut least) = (0.0, usize::MAX);
        let mut of_game: BTreeMap<usize, f64> = BTreeMap::new();
        for (sample, sign) in above.chain(below) {
            let mean = Mean::new(sample).filter(|mean| mean.value > 0.0)?;
            logarithm += sign * mean.value.ln();
            least = least.min(mean.games);
            for of in sample {
                *of_game.entry(of.game).or_default() += sign * (of.value / mean.value - 1.0) / mean.moves as f64;
            }
        }
        let squares: f64 = of_game.values().map(|share| share * share).sum();
        let error = (squares * least as f64 / least.checked_sub(1).filter(|&free| free > 0)? as f64).sqrt();
        let half = student((least - 1) as f64, level) * error;
        Some(Self { value: logarithm.exp(), interval: [(logarithm - half).exp(), (logarithm + half).exp()] })
    }
}

/// Half the width of an interval in standard errors, by Student's distribution with `freedom`
/// degrees of freedom, more than 0 and not necessarily whole.
pub fn student(freedom: f64, level: f64) -> f64 {
    // freedom / (freedom + t^2) has this distribution.
    let share = Beta::new(freedom / 2.0, 0.5).lower_quantile(1.0 - level);
    (freedom * (1.0 - share) / share).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEVEL: f64 = 0.95;

    fn sample(values: &[(usize, f64)]) -> Vec<OfGame> {
        values.iter().map(|&(game, value)| OfGame { game, value }).collect()
    }

    #[test]
    fn students_distribution_is_that_of_tables() {
        for (freedom, level, expected) in
            [(1.0, 0.95, 12.706), (2.5, 0.95, 3.575), (5.0, 0.95, 2.571), (9.0, 0.99, 3.250), (100.0, 0.95, 1.984)]
        {
            assert!(
                (student(freedom, level) - expected).abs() < 1e-3,
                "{freedom} {level}: {}",
                student(freedom, level)
            );
        }
    }

    /// Two equal errors have the freedom of both, and a small one hardly counts.
    #[test]
    fn independent_errors_add_up_with_their_freedom() {
        let near = |found: Option<(f64, f64)>, error: f64, freedom: f64| {
            let (found_error, found_freedom) = found.unwrap();
            assert!((found_error - error).abs() < 1e-9 && (found_freedom - freedom).abs() < 1e-3, "{found:?}");
        };
        near(sum_of_errors(&[(3.0, 5.0), (3.0, 7.0)]), 18.0_f64.sqrt(), 4.0 / (1.0 / 5.0 + 1.0 / 7.0));
        near(sum_of_errors(&[(1e-6, 1.0), (2.0, 7.0)]), 2.0, 7.0);
        near(sum_of_errors(&[(0.0, 2.0), (2.0, 7.0)]), 2.0, 7.0);
        assert_eq!(sum_of_errors(&[(0.0, 2.0), (0.0, 7.0)]), None);
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
    fn what_a_game_multiplies_in_both_samples_is_no_difference() {
        // Every game has its own level, and the first sample always has twice that of the second.
        let of = |times: f64| sample(&[(0, times), (1, 7.0 * times), (2, 4.0 * times)]);
        let found = Ratio::new([&of(2.0)[..]], [&of(1.0)[..]], LEVEL).unwrap();
        assert!((found.value - 2.0).abs() < 1e-12 && (found.interval[1] - found.interval[0]).abs() < 1e-9, "{found:?}");
        assert_eq!(Ratio::new([&of(1.0)[..1]], [&of(1.0)[..]], LEVEL), None, "one game");
        assert_eq!(Ratio::new([&of(0.0)[..]], [&of(1.0)[..]], LEVEL), None, "nothing to compare with");
    }

    #[test]
    fn a_ratio_of_two_means_has_the_error_of_the_delta_method() {
        let [above, below] = [sample(&[(0, 1.0), (1, 2.0), (2, 3.0)]), sample(&[(3, 4.0), (4, 4.0), (5, 7.0)])];
        let found = Ratio::new([&above[..]], [&below[..]], LEVEL).unwrap();
        // By hand: squares of (-1/6, 0, 1/6) and (-1/15, -1/15, 2/15), times 3/2, and Student's
        // 4.303.
        let half = 4.303 * (1.5_f64 * (2.0 / 36.0 + 6.0 / 225.0)).sqrt();
        assert!((found.value - 0.4).abs() < 1e-12, "{found:?}");
        assert!((found.interval[1] / found.value - half.exp()).abs() < 1e-3 * half.exp(), "{found:?} {half}");
    }
}

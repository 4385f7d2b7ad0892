//! Numbers with errors out of the lines of many positions.

use std::collections::BTreeMap;

use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;

use super::line_search::{LeftOut, LineOutcome, LineValues};

/// Resamples of the bootstrap. The error of a standard error is then about 2 percent.
const REPLICATES: usize = 1000;

/// A number with its standard error; the error is `None` for fewer than two games.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Estimate {
    pub(crate) value: f64,
    pub(crate) standard_error: Option<f64>,
}

/// How much the static value changes along the principal variations, in centipawns.
#[derive(Clone, Debug)]
pub(crate) struct QualitySummary {
    /// Positions that were compared.
    pub(crate) compared: usize,
    /// Games that they come from.
    pub(crate) games: usize,
    /// Positions that were left out, by reason in the order of [`LeftOut::ALL`].
    pub(crate) left_out: [usize; LeftOut::ALL.len()],
    /// The mean of |static value of the root - static value at the end|.
    pub(crate) mean: Estimate,
    /// Their median.
    pub(crate) median: f64,
    /// The standard deviation of the static values of the roots.
    pub(crate) spread: f64,
    /// The mean divided by the spread, which has no scale; `None` without spread.
    pub(crate) relative: Option<Estimate>,
    /// The mean of |static value of the root - searched value|.
    pub(crate) searched: f64,
    /// The mean length of the principal variations in plies.
    pub(crate) plies: f64,
}

/// Sums over the positions of one game.
#[derive(Clone, Copy, Default)]
struct GameSums {
    count: f64,
    difference: f64,
    root: f64,
    square: f64,
}

impl GameSums {
    fn plus(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            difference: self.difference + other.difference,
            root: self.root + other.root,
            square: self.square + other.square,
        }
    }

    fn mean(self) -> f64 {
        self.difference / self.count
    }

    /// The standard deviation of the roots.
    fn spread(self) -> f64 {
        let mean = self.root / self.count;
        (self.square / self.count - mean * mean).max(0.0).sqrt()
    }
}

fn difference(values: &LineValues) -> f64 {
    f64::from((values.root - values.leaf).abs())
}

impl QualitySummary {
    /// Of outcomes with the games they come from; `None` if no position was compared. Standard errors are those of a bootstrap over whole
    /// games (Efron 1979), since positions of one game are alike.
    pub(crate) fn of(outcomes: &[(u64, LineOutcome)], seed: u64) -> Option<Self> {
        let mut games: BTreeMap<u64, GameSums> = BTreeMap::new();
        let mut left_out = [0; LeftOut::ALL.len()];
        let mut lines = Vec::new();
        for (game, outcome) in outcomes {
            match outcome {
                LineOutcome::LeftOut(reason) => {
                    left_out[LeftOut::ALL.iter().position(|other| other == reason).unwrap_or(0)] += 1;
                }
                LineOutcome::Compared(values) => {
                    let root = f64::from(values.root);
                    let one = GameSums { count: 1.0, difference: difference(values), root, square: root * root };
                    let sums = games.entry(*game).or_default();
                    *sums = sums.plus(one);
                    lines.push(*values);
                }
            }
        }
        if lines.is_empty() {
            return None;
        }
        let games: Vec<GameSums> = games.into_values().collect();
        let all = games.iter().copied().fold(GameSums::default(), GameSums::plus);
        let [mean_error, relative_error] = bootstrap(&games, seed);
        let (mean, spread) = (all.mean(), all.spread());
        let average = |of: &dyn Fn(&LineValues) -> f64| lines.iter().map(of).sum::<f64>() / lines.len() as f64;
        Some(Self {
            compared: lines.len(),
            games: games.len(),
            left_out,
            mean: Estimate { value: mean, standard_error: mean_error },
            median: median(lines.iter().map(difference).collect()),
            spread,
            relative: (spread > 0.0).then(|| Estimate { value: mean / spread, standard_error: relative_error }),
            searched: average(&|values| f64::from((values.root - values.searched).abs())),
            plies: average(&|values| values.plies as f64),
        })
    }
}

/// The middle value, or the mean of the two in the middle.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len().is_multiple_of(2) { (values[middle - 1] + values[middle]) / 2.0 } else { values[middle] }
}

/// The standard errors of the mean and of the mean divided by the spread.
fn bootstrap(games: &[GameSums], seed: u64) -> [Option<f64>; 2] {
    if games.len() < 2 {
        return [None; 2];
    }
    let mut random = Pcg64::seed_from_u64(seed);
    let (mut means, mut relatives) = (Vec::new(), Vec::new());
    for _ in 0..REPLICATES {
        let draw = |_| games[random.random_range(0..games.len())];
        let sums = (0..games.len()).map(draw).fold(GameSums::default(), GameSums::plus);
        means.push(sums.mean());
        if sums.spread() > 0.0 {
            relatives.push(sums.mean() / sums.spread());
        }
    }
    [means, relatives].map(|values| deviation(&values))
}

/// The standard deviation of a sample; `None` for fewer than two values.
fn deviation(values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() > 1).then(|| (squares / (count - 1.0)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(root: i32, leaf: i32) -> LineOutcome {
        LineOutcome::Compared(LineValues { root, leaf, searched: leaf + 10, plies: 4 })
    }

    #[test]
    fn a_few_positions_by_hand() {
        // Differences 50, 10, 150, 30: mean 60, median 40. Roots 100, -100, 100, -100: standard deviation 100.
        let outcomes = [
            (1, line(100, 50)),
            (1, line(-100, -110)),
            (2, line(100, 250)),
            (3, line(-100, -70)),
            (3, LineOutcome::LeftOut(LeftOut::Mate)),
        ];
        let summary = QualitySummary::of(&outcomes, 1).unwrap();
        assert_eq!((summary.compared, summary.games, summary.left_out), (4, 3, [0, 1, 0, 0]));
        assert_eq!((summary.mean.value, summary.median, summary.spread), (60.0, 40.0, 100.0));
        assert_eq!((summary.relative.unwrap().value, summary.plies), (0.6, 4.0));
        // Differences to the searched values: 40, 0, 160, 40.
        assert_eq!(summary.searched, 60.0);
    }

    #[test]
    fn the_error_is_that_of_independent_games() {
        // 400 games with differences 0 and 100 in turn: the standard error of the mean is 50 / 20.
        let lines: Vec<_> = (0..400_u64).map(|game| (game, line(if game % 2 == 0 { 0 } else { 100 }, 0))).collect();
        let error = |outcomes: &[_]| QualitySummary::of(outcomes, 1).unwrap().mean.standard_error;
        assert!((error(&lines).unwrap() - 2.5).abs() < 0.25, "{:?}", error(&lines));
        // The same positions, each four times in its game, say no more.
        let repeated: Vec<_> = lines.iter().flat_map(|&line| [line; 4]).collect();
        assert!((error(&repeated).unwrap() - 2.5).abs() < 0.25, "{:?}", error(&repeated));
        assert_eq!(error(&lines[..1]), None);
    }

    #[test]
    fn nothing_to_compare_is_no_summary() {
        assert!(QualitySummary::of(&[(1, LineOutcome::LeftOut(LeftOut::InCheck))], 1).is_none());
        let level = QualitySummary::of(&[(1, line(0, 5)), (2, line(0, 7))], 1).unwrap();
        assert!(level.relative.is_none() && level.mean.value == 6.0, "{level:?}");
    }
}

//! Static values at both ends of principal variations, and their summary over many positions.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use kiki_board::{Move, Position, SearchRepetition};
use kiki_eval::{Evaluator as _, SelectedEvaluator, SelectedWeights};
use kiki_search::{Limits, Options, ResourceError, RootScore, Searcher};
use kiki_stats::numeric::{quantile, variance};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;
use serde::Serialize;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LineOutcome {
    /// Both ends have a static value.
    Compared(LineValues),
    /// They cannot be compared.
    LeftOut(LineExclusion),
}

/// Values in centipawns for the side to move at the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LineValues {
    /// Static value of the root.
    pub(super) root: i32,
    /// Static value at the end of the principal variation.
    pub(super) leaf: i32,
    /// Value of the search.
    pub(super) searched: i32,
    /// Length of the principal variation.
    pub(super) plies: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum LineExclusion {
    /// The side to move is in check, where searches use no static value.
    InCheck,
    /// The search found a mate, a win by declaration, or no legal move.
    Mate,
    /// The line ends in a repetition, which has a value by the rules.
    Repetition,
    /// The line ends in a position in check.
    EndsInCheck,
}

impl LineExclusion {
    pub(super) const ALL: [Self; 4] = [Self::InCheck, Self::Mate, Self::Repetition, Self::EndsInCheck];
}

/// Searches positions one by one on a single thread.
pub(super) struct LineSearcher {
    searcher: Searcher<SelectedEvaluator>,
    weights: Arc<SelectedWeights>,
    limits: Limits,
}

impl LineSearcher {
    pub(super) fn new(
        weights: &SelectedWeights,
        limits: Limits,
        table_mebibytes: usize,
    ) -> Result<Self, ResourceError> {
        // Only the last line counts, which is complete and exact.
        let options = Options {
            threads: 1,
            table_mebibytes,
            pv_interval: Duration::from_secs(3600),
            report_bounds: false,
            ..Options::default()
        };
        let searcher = Searcher::new(weights.clone(), options)?;
        Ok(Self { searcher, weights: Arc::new(weights.clone()), limits })
    }

    /// Searches a position with an empty table; `None` if `stop` was set.
    pub(super) fn look(&mut self, position: &Position, stop: &AtomicBool) -> Option<LineOutcome> {
        if position.in_check() {
            return Some(LineOutcome::LeftOut(LineExclusion::InCheck));
        }
        let searched = self.searcher.search_anew(position, &self.limits, stop)?;
        Some(match searched.result.score {
            RootScore::Mate(_) => LineOutcome::LeftOut(LineExclusion::Mate),
            RootScore::Centipawns(value) => {
                let line = searched.lines.last().map_or(&[][..], |info| &info.pv);
                compare(&self.weights, position, line, value)
            }
        })
    }
}

/// Compares the static values at both ends of a line.
fn compare(weights: &Arc<SelectedWeights>, root: &Position, line: &[Move], searched: i32) -> LineOutcome {
    let mut position = root.clone();
    line.iter().for_each(|&mv| {
        position.make(mv);
    });
    let plies = line.len();
    if position.search_repetition(plies) != SearchRepetition::None {
        return LineOutcome::LeftOut(LineExclusion::Repetition);
    }
    if position.in_check() {
        return LineOutcome::LeftOut(LineExclusion::EndsInCheck);
    }
    let of_side_to_move = |position: &Position| SelectedEvaluator::new(weights, position).evaluate(position);
    let leaf = of_side_to_move(&position);
    // After an odd number of plies the other side is to move.
    let leaf = if plies.is_multiple_of(2) { leaf } else { -leaf };
    LineOutcome::Compared(LineValues { root: of_side_to_move(root), leaf, searched, plies })
}

/// Resamples of the bootstrap, which give standard errors to about 2 percent.
const REPLICATES: usize = 1000;

/// A number with its standard error; the error is `None` for fewer than two games.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub(super) struct Estimate {
    pub(super) value: f64,
    pub(super) standard_error: Option<f64>,
}

/// Change of static values along principal variations, in centipawns.
#[derive(Clone, Debug, Serialize)]
pub(super) struct QualitySummary {
    pub(super) compared: usize,
    /// Number of games of the compared positions.
    pub(super) games: usize,
    pub(super) left_out: BTreeMap<LineExclusion, usize>,
    /// Mean of |static value of the root - static value at the end|.
    #[serde(rename = "mean_difference")]
    pub(super) mean: Estimate,
    #[serde(rename = "median_difference")]
    pub(super) median: f64,
    /// Standard deviation of the static values of the roots.
    pub(super) spread: f64,
    /// Mean divided by the spread, which has no unit; `None` without spread.
    #[serde(rename = "relative_difference")]
    pub(super) relative: Option<Estimate>,
    /// Mean of |static value of the root - searched value|.
    #[serde(rename = "searched_difference")]
    pub(super) searched: f64,
    /// Mean length of the principal variations in plies.
    pub(super) plies: f64,
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
    /// Summary of outcomes with their games; `None` if no position was compared. A bootstrap over
    /// whole games (Efron 1979) gives standard errors, since positions of a game are alike.
    pub(super) fn of(outcomes: &[(u64, LineOutcome)], seed: u64) -> Option<Self> {
        let mut games: BTreeMap<u64, GameSums> = BTreeMap::new();
        let mut left_out = BTreeMap::from(LineExclusion::ALL.map(|reason| (reason, 0)));
        let mut lines = Vec::new();
        for (game, outcome) in outcomes {
            match outcome {
                LineOutcome::LeftOut(reason) => *left_out.entry(*reason).or_default() += 1,
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
        let mut differences: Vec<f64> = lines.iter().map(difference).collect();
        differences.sort_unstable_by(f64::total_cmp);
        let average = |of: &dyn Fn(&LineValues) -> f64| lines.iter().map(of).sum::<f64>() / lines.len() as f64;
        Some(Self {
            compared: lines.len(),
            games: games.len(),
            left_out,
            mean: Estimate { value: mean, standard_error: mean_error },
            median: quantile(&differences, 0.5),
            spread,
            relative: (spread > 0.0).then(|| Estimate { value: mean / spread, standard_error: relative_error }),
            searched: average(&|values| f64::from((values.root - values.searched).abs())),
            plies: average(&|values| values.plies as f64),
        })
    }
}

/// Standard errors of the mean and of the mean divided by the spread.
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
    [means, relatives].map(|values| (values.len() > 1).then(|| variance(&values).sqrt()))
}

#[cfg(test)]
mod tests {
    use kiki_eval::Weights;

    use super::*;

    /// Weights of material alone, equal on the board and in hand.
    fn material() -> SelectedWeights {
        let mut weights = Weights::default();
        for name in ["own_effect", "enemy_effect", "board_discount"] {
            assert!(weights.set(name, 0), "{name}");
        }
        assert!(weights.set("material_pawn", 100));
        SelectedWeights::Formula(Arc::new(weights))
    }

    fn look(sfen: &str, depth: u32) -> LineOutcome {
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let mut searcher = LineSearcher::new(&material(), limits, 1).unwrap();
        searcher.look(&Position::from_sfen(sfen).unwrap(), &AtomicBool::new(false)).unwrap()
    }

    #[test]
    fn values_at_the_end_are_those_of_the_side_that_moved_first() {
        // A pawn takes the only pawn: one pawn ahead before, three after.
        for sfen in ["4k4/9/9/4p4/4P4/9/9/9/4K4 b P 1", "4k4/9/9/9/4p4/4P4/9/9/4K4 w p 1"] {
            let values = LineValues { root: 100, leaf: 300, searched: 300, plies: 1 };
            assert_eq!(look(sfen, 1), LineOutcome::Compared(values), "{sfen}");
        }
    }

    #[test]
    fn both_ends_of_a_longer_line_belong_to_the_same_side() {
        // After two plies the value is still that of the first side.
        let LineOutcome::Compared(values) = look("4k4/9/9/4p4/4P4/9/9/9/4K4 w - 1", 2) else { panic!("compared") };
        assert_eq!((values.root, values.leaf), (0, values.searched), "{values:?}");
    }

    #[test]
    fn what_has_no_static_value_is_left_out() {
        let left_out = |sfen, depth| match look(sfen, depth) {
            LineOutcome::LeftOut(reason) => reason,
            LineOutcome::Compared(values) => panic!("{sfen}: {values:?}"),
        };
        // A rook gives check; a gold mates.
        assert_eq!(left_out("4k4/9/9/4R4/9/9/9/9/4K4 w - 1", 2), LineExclusion::InCheck);
        assert_eq!(left_out("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", 2), LineExclusion::Mate);
    }

    #[test]
    fn a_line_back_to_the_root_ends_in_a_repetition() {
        let root = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b - 1").unwrap();
        let line = root.legal_line(["5i4i", "5a4a", "4i5i", "4a5a"]);
        let weights = Arc::new(material());
        assert_eq!(compare(&weights, &root, &line, 0), LineOutcome::LeftOut(LineExclusion::Repetition));
        let values = LineValues { root: 0, leaf: 0, searched: 0, plies: 3 };
        assert_eq!(compare(&weights, &root, &line[..3], 0), LineOutcome::Compared(values));
    }

    #[test]
    fn a_stopped_search_has_no_outcome() {
        let mut searcher = LineSearcher::new(&material(), Limits { depth: Some(60), ..Limits::default() }, 1).unwrap();
        assert_eq!(searcher.look(&Position::startpos(), &AtomicBool::new(true)), None);
    }

    fn line(root: i32, leaf: i32) -> LineOutcome {
        LineOutcome::Compared(LineValues { root, leaf, searched: leaf + 10, plies: 4 })
    }

    #[test]
    fn a_few_positions_by_hand() {
        // Differences 50, 10, 150, 30: mean 60, median 40. Roots 100, -100, 100, -100: standard
        // deviation 100.
        let outcomes = [
            (1, line(100, 50)),
            (1, line(-100, -110)),
            (2, line(100, 250)),
            (3, line(-100, -70)),
            (3, LineOutcome::LeftOut(LineExclusion::Mate)),
        ];
        let summary = QualitySummary::of(&outcomes, 1).unwrap();
        assert_eq!((summary.compared, summary.games, summary.left_out[&LineExclusion::Mate]), (4, 3, 1));
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
        // Each position four times in its game adds no information.
        let repeated: Vec<_> = lines.iter().flat_map(|&line| [line; 4]).collect();
        assert!((error(&repeated).unwrap() - 2.5).abs() < 0.25, "{:?}", error(&repeated));
        assert_eq!(error(&lines[..1]), None);
    }

    #[test]
    fn nothing_to_compare_is_no_summary() {
        assert!(QualitySummary::of(&[(1, LineOutcome::LeftOut(LineExclusion::InCheck))], 1).is_none());
        let level = QualitySummary::of(&[(1, line(0, 5)), (2, line(0, 7))], 1).unwrap();
        assert!(level.relative.is_none() && level.mean.value == 6.0, "{level:?}");
    }
}

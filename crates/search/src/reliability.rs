//! How far to trust shallow searches: the only part of the search that uses a model of sigma.
//! ProbCut (Buro 1995) gets its margins here, gambling moves (勝負手) their chances (Kameko 2013). A
//! side that is behind prefers an uncertain line; a side ahead, a sure one.

use std::sync::Arc;

use kiki_board::{Position, SearchRepetition};
use kiki_eval::sigma::{PairModel, SigmaModel, progress_elements};

use crate::params;
use crate::report::{Chance, RootLine};
use crate::value::{MATE_BOUND, RootScore, Value};

/// The source of ProbCut's margins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ProbCutMode {
    /// ProbCut is off.
    Off,
    /// Margins are the same everywhere.
    #[default]
    Constant,
    /// Margins are multiples of the sigma given by the progress of the game.
    Progress,
    /// Margins are multiples of the sigma given by all features of the position.
    Features,
    /// Margins are multiples of the sigma given by the progress and the values.
    Sigma,
}

/// The claim of a ProbCut cut: a search of the position to this depth would give at least this
/// value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProbCutClaim {
    /// The depth in plies.
    pub depth: i32,
    /// In centipawns, for the side to move.
    pub value: Value,
}

/// Options of ProbCut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProbCutOptions {
    /// The source of its margins.
    pub mode: ProbCutMode,
    /// The margin in hundredths of sigma, for modes that use sigma.
    pub k: i32,
}

impl Default for ProbCutOptions {
    fn default() -> Self {
        Self { mode: ProbCutMode::default(), k: 130 }
    }
}

/// Receives each cut on the searching threads, to verify it.
pub type ProbCutObserver = Arc<dyn Fn(&Position, &ProbCutClaim) + Send + Sync>;

/// When to play a gambling move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum GambleMode {
    /// Never, and chances are not reported.
    #[default]
    Off,
    /// Never, but the chances of the best lines are reported.
    Show,
    /// Where it should gain.
    Auto,
    /// Always.
    On,
}

/// Standard deviation in centipawns that the rest of a game adds to a value. For the network, win
/// rates fit a total of 850 (a logistic scale of 500 in docs/experiments/2026-11-22-foresight.md),
/// and sigma is about 330 of it. The formula, whose values spread more, was not measured.
const REST_OF_GAME: f64 = 780.0;

impl GambleMode {
    /// Centipawns that the rest of the game adds to the sigma of a line, where the chance to win
    /// decides the move. `None` where the best value decides.
    #[must_use]
    pub const fn rest_of_game(self) -> Option<f64> {
        match self {
            Self::Off | Self::Show => None,
            Self::Auto => Some(REST_OF_GAME),
            Self::On => Some(0.0),
        }
    }
}

/// How far one search trusts shallow searches.
#[derive(Default)]
pub(crate) struct Reliability {
    pub(crate) probcut: ProbCutOptions,
    pub(crate) gamble: GambleMode,
    pub(crate) model: Arc<SigmaModel>,
    pub(crate) observer: Option<ProbCutObserver>,
}

impl Reliability {
    /// The value that a capture must reach in a shallow search, so that a search to this depth is
    /// expected `k` sigma above `beta`. `raw_eval` is the static evaluation before corrections.
    /// `None` if margins do not use sigma, or the model has no pair of such depths.
    pub(crate) fn threshold(&self, depth: i32, position: &Position, raw_eval: Value, beta: Value) -> Option<Value> {
        if self.probcut.mode == ProbCutMode::Constant {
            return None;
        }
        let index = nearest_pair(&self.model, depth, params::probcut_reduction())?;
        let elements = progress_elements(position);
        let fit = self.model.value_fit(index, &elements);
        // The shallow value at which the expected deep value equals the bound.
        let level = (beta as f32 - fit.offset) / fit.slope;
        let sigma = match self.probcut.mode {
            ProbCutMode::Off | ProbCutMode::Constant => return None,
            ProbCutMode::Progress => self.model.sigma_of_progress(index, &elements),
            ProbCutMode::Features => self.model.sigma_of_features(index, position),
            ProbCutMode::Sigma => self.model.sigma_of_values(index, &elements, raw_eval, level as Value),
        };
        let deviations = self.probcut.k as f32 / 100.0;
        Some((level + deviations * sigma * fit.share / fit.slope) as Value)
    }

    /// Reports a cut to the observer, if there is one.
    #[inline(always)]
    pub(crate) fn observe(&self, position: &Position, claim: &ProbCutClaim) {
        if let Some(observer) = &self.observer {
            observer(position, claim);
        }
    }

    /// Moves the line to play to the front of the best lines. Returns the chances of all in their
    /// old order; none if gambling is off.
    pub(crate) fn choose_line(&self, root: &Position, lines: &mut [RootLine]) -> Vec<Chance> {
        if self.gamble == GambleMode::Off || lines.is_empty() {
            return Vec::new();
        }
        let chances: Vec<Chance> = lines.iter().map(|line| self.chance(root, line)).collect();
        let chosen = self.gamble.rest_of_game().map_or(0, |rest| likeliest(&chances, rest));
        lines[..=chosen].rotate_right(1);
        chances
    }

    fn chance(&self, root: &Position, line: &RootLine) -> Chance {
        let sure = |probability| Chance {
            mv: line.moves[0],
            score: RootScore::from_value(line.value),
            sigma: None,
            probability,
        };
        if line.value.abs() >= MATE_BOUND {
            return sure(if line.value > 0 { 1.0 } else { 0.0 });
        }
        let mut leaf = root.clone();
        line.moves.iter().for_each(|&mv| {
            leaf.make(mv);
        });
        if leaf.search_repetition(line.moves.len()) != SearchRepetition::None {
            return sure(0.5);
        }
        let Some(sigma) = self.sigma(line.depth, &leaf) else {
            return sure(if line.value > 0 { 1.0 } else { 0.0 });
        };
        let probability = normal_probability(f64::from(line.value) / f64::from(sigma));
        Chance { sigma: Some(sigma), ..sure(probability) }
    }

    /// The standard deviation in centipawns of the error of a search to this depth, relative to the
    /// deepest search in the model. `None` without a model.
    pub(crate) fn sigma(&self, depth: u32, position: &Position) -> Option<f32> {
        Some(self.model.sigma_of_features(farthest_pair(&self.model, depth)?, position))
    }
}

/// The pair for a search to this depth whose shallow search is `reduction` plies shallower. If none
/// has the depth, the nearest: sigma changes little from depth to depth.
fn nearest_pair(model: &SigmaModel, depth: i32, reduction: i32) -> Option<usize> {
    let pairs = model.pairs.iter().enumerate().filter(|(_, pair)| i32::from(pair.deep - pair.shallow) == reduction);
    pairs.min_by_key(|(_, pair)| i32::from(pair.deep).abs_diff(depth)).map(|(index, _)| index)
}

/// The pair that looks farthest beyond a search of this depth; of equal ones, that with the nearest
/// shallow depth.
fn farthest_pair(model: &SigmaModel, depth: u32) -> Option<usize> {
    let key =
        |pair: &PairModel| (pair.shallow.abs_diff(pair.deep), -(i64::from(pair.shallow) - i64::from(depth)).abs());
    (0..model.pairs.len()).max_by_key(|&index| key(&model.pairs[index]))
}

/// `P(Z <= x)` of a standard normal Z.
fn normal_probability(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// The index of the line most likely to win the game; the first of equal ones, and 0 if there are
/// none. The sigma of a search covers only part of the game; the rest adds `rest_of_game`
/// centipawns. The more it adds, the less a gambling move may cost.
#[must_use]
pub fn likeliest(chances: &[Chance], rest_of_game: f64) -> usize {
    let probability = |chance: &Chance| match (chance.score, chance.sigma) {
        (RootScore::Centipawns(value), Some(sigma)) => {
            normal_probability(f64::from(value) / rest_of_game.hypot(f64::from(sigma)))
        }
        // Mates and repetitions are certain.
        _ => chance.probability,
    };
    let likelier = |best: usize, index: usize| {
        if probability(&chances[index]) > probability(&chances[best]) { index } else { best }
    };
    (0..chances.len()).fold(0, likelier)
}

#[cfg(test)]
mod tests {
    use kiki_board::Move;
    use kiki_eval::sigma::{ProgressWeights, ValueFit};

    use super::*;

    fn choose(mode: GambleMode, chances: &[Chance]) -> usize {
        mode.rest_of_game().map_or(0, |rest| likeliest(chances, rest))
    }

    /// Lines with a value and a sigma each.
    fn lines(lines: &[(i32, f64)]) -> Vec<Chance> {
        let chance = |&(value, sigma): &(i32, f64)| Chance {
            mv: Move::NONE,
            score: RootScore::Centipawns(value),
            sigma: Some(sigma as f32),
            probability: normal_probability(f64::from(value) / sigma),
        };
        lines.iter().map(chance).collect()
    }

    /// The examples of the slides (Kameko 2013): the best move is a.
    #[test]
    fn behind_the_uncertain_line_is_likelier_and_ahead_the_sure_one() {
        let losing = lines(&[(-200, 150.0), (-300, 400.0), (-1000, 500.0)]);
        for (chance, expected) in losing.iter().zip([0.091_211_219_726, 0.226_627_352_377, 0.022_750_131_948]) {
            assert!((chance.probability - expected).abs() < 1e-12);
        }
        assert_eq!(choose(GambleMode::On, &losing), 1);
        assert_eq!(choose(GambleMode::Off, &losing), 0);
        assert_eq!(choose(GambleMode::Show, &losing), 0);
        assert_eq!(choose(GambleMode::On, &lines(&[(300, 400.0), (200, 100.0)])), 1);
        // Of equal chances, the best value is played.
        assert_eq!(choose(GambleMode::On, &lines(&[(0, 100.0), (0, 400.0)])), 0);
        assert_eq!(likeliest(&[], 0.0), 0);
    }

    #[test]
    fn auto_gambles_only_where_the_whole_game_is_likelier_to_be_won() {
        let auto = |best: (i32, f64), other: (i32, f64)| choose(GambleMode::Auto, &lines(&[best, other]));
        // -500 / hypot(780, 300) = -0.5983
        // -510 / hypot(780, 420) = -0.5757
        // -550 / hypot(780, 420) = -0.6208
        assert_eq!(auto((-500, 300.0), (-510, 420.0)), 1);
        assert_eq!(auto((-500, 300.0), (-550, 420.0)), 0, "it costs too much");
        assert_eq!(choose(GambleMode::On, &lines(&[(-500, 300.0), (-550, 420.0)])), 1);
        // 500 / hypot(780, 420) = 0.5644; 490 / hypot(780, 300) = 0.5863.
        assert_eq!(auto((500, 420.0), (490, 300.0)), 1, "ahead the sure line is likelier");
        assert_eq!(auto((-500, 300.0), (-490, 300.0)), 1);
        let mate = Chance { score: RootScore::Mate(-5), sigma: None, probability: 0.0, ..lines(&[(0, 1.0)])[0] };
        let repetition = Chance { probability: 0.5, ..mate };
        assert_eq!(choose(GambleMode::Auto, &[lines(&[(-300, 200.0)])[0], mate, repetition]), 2);
    }

    #[test]
    fn mates_and_repetitions_are_sure() {
        let position = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b - 1").unwrap();
        let mv = |text: &str| position.parse_move(text).unwrap();
        let line = |value, moves: Vec<Move>| RootLine { depth: 5, seldepth: 5, value, moves };
        let probability = |line: RootLine| Reliability::default().chance(&position, &line).probability;
        assert_eq!(probability(line(MATE_BOUND + 5, vec![mv("5i5h")])), 1.0);
        assert_eq!(probability(line(-MATE_BOUND - 5, vec![mv("5i5h")])), 0.0);
        let mut other = position.clone();
        let mut moves = Vec::new();
        for text in ["5i5h", "5a5b", "5h5i", "5b5a"] {
            let mv = other.parse_move(text).unwrap();
            other.make(mv);
            moves.push(mv);
        }
        assert_eq!(probability(line(-30, moves)), 0.5);
    }

    #[test]
    fn the_pair_that_looks_furthest_is_taken_and_of_those_the_nearest() {
        let pair = PairModel::zero;
        let model = SigmaModel { pairs: vec![pair(4, 8), pair(1, 7), pair(4, 10)], ..SigmaModel::default() };
        assert_eq!((farthest_pair(&model, 12), farthest_pair(&model, 1)), (Some(2), Some(1)));
        assert_eq!(farthest_pair(&SigmaModel::default(), 5), None);
    }

    /// The depth of nodes.
    const DEPTH: i32 = 8;

    /// Sigma is 100 everywhere. The deep value is the shallow one less 40, in the endgame less 90.
    fn model() -> SigmaModel {
        let mut pair = PairModel {
            floor: 10.0,
            fits: [-40.0, -40.0, -90.0].map(|offset| ValueFit { slope: 1.0, offset, share: 1.0 }),
            progress: [100.0, 0.0],
            ..PairModel::zero((DEPTH - params::probcut_reduction()) as u8, DEPTH as u8)
        };
        (pair.values[0], pair.weights[0]) = (100.0, 100.0);
        SigmaModel { pairs: vec![pair], ..SigmaModel::default() }
    }

    #[test]
    fn margins_are_multiples_of_sigma_around_the_value_that_is_expected() {
        let threshold = |mode, k, model: SigmaModel, depth| {
            let position = Position::startpos();
            let (probcut, model) = (ProbCutOptions { mode, k }, Arc::new(model));
            Reliability { probcut, model, ..Reliability::default() }.threshold(depth, &position, 0, 300)
        };
        for mode in [ProbCutMode::Progress, ProbCutMode::Features, ProbCutMode::Sigma] {
            for k in [50, 100, 200] {
                // For a deep value of 300, the expected shallow one is 340.
                assert_eq!(threshold(mode, k, model(), DEPTH), Some(340 + k), "{mode:?}");
                // A depth without a pair of its own takes the nearest.
                assert_eq!(threshold(mode, k, model(), DEPTH + 20), Some(340 + k), "{mode:?}");
            }
        }
        assert_eq!(threshold(ProbCutMode::Constant, 100, model(), DEPTH), None);
        assert_eq!(threshold(ProbCutMode::Sigma, 100, SigmaModel::default(), DEPTH), None, "there is no model");
        // A line that leaves half of sigma, at a slope of 1/2: (300 + 40 + 100 / 2) / (1 / 2).
        let mut steep = model();
        steep.pairs[0].fits = [ValueFit { slope: 0.5, offset: -40.0, share: 0.5 }; 3];
        assert_eq!(threshold(ProbCutMode::Sigma, 100, steep, DEPTH), Some(780));
        // In the endgame shallow values overestimate more.
        let mut progress = ProgressWeights::default();
        progress.0[0] = 5.0;
        assert_eq!(threshold(ProbCutMode::Sigma, 100, SigmaModel { progress, ..model() }, DEPTH), Some(390 + 100));
    }
}

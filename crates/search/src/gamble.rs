//! Gambling moves (勝負手): the move with the best chance to turn out well, instead of the one with the best value. Behind, an uncertain
//! line gives hope; ahead, a sure one is safer (Kameko 2013).

use kiki_board::{Position, SearchRepetition};
use kiki_eval::SigmaModel;

use crate::node::RootLine;
use crate::report::Chance;
use crate::value::{MATE_BOUND, RootScore};

/// When a gambling move is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum GambleMode {
    /// Never, and nothing is said about it.
    #[default]
    Off,
    /// Never, but the chances of the best lines are reported.
    Show,
    /// Where it is expected to gain.
    Auto,
    /// Always.
    On,
}

/// What the rest of a game adds to a value: its standard deviation in centipawns. Values of the network win as often as with 850 in all (a
/// logistic scale of 500 in docs/experiments/2026-11-22-foresight.md), of which some 330 are sigma. For the
/// formula, whose values are wider, nothing was measured.
const REST_OF_GAME: f64 = 780.0;

impl GambleMode {
    /// What the rest of the game adds to the sigma of a line, in centipawns, where a move is chosen by its probability to win; `None` where
    /// the best value is played.
    #[must_use]
    pub const fn rest_of_game(self) -> Option<f64> {
        match self {
            Self::Off | Self::Show => None,
            Self::Auto => Some(REST_OF_GAME),
            Self::On => Some(0.0),
        }
    }
}

/// The chances of lines that were searched from a position, in their order.
pub(crate) fn chances(root: &Position, lines: &[RootLine], model: &SigmaModel) -> Vec<Chance> {
    lines.iter().map(|line| chance(root, line, model)).collect()
}

fn chance(root: &Position, line: &RootLine, model: &SigmaModel) -> Chance {
    let sure =
        |probability| Chance { mv: line.moves[0], score: RootScore::from_value(line.value), sigma: None, probability };
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
    let Some(sigma) = sigma_beyond(model, line.depth, &leaf) else {
        return sure(if line.value > 0 { 1.0 } else { 0.0 });
    };
    let probability = normal_probability(f64::from(line.value) / f64::from(sigma));
    Chance { sigma: Some(sigma), ..sure(probability) }
}

/// The standard deviation in centipawns of the error of a search to this depth, as far beyond it as the model looks; `None` without a model.
pub(crate) fn sigma_beyond(model: &SigmaModel, depth: u32, position: &Position) -> Option<f32> {
    Some(model.sigma_of_features(horizon(model, depth)?, position))
}

/// The pair of depths that looks furthest beyond a search of this depth: of those that look as far, that of the nearest shallow depth.
fn horizon(model: &SigmaModel, depth: u32) -> Option<usize> {
    let key = |pair: &kiki_eval::PairModel| {
        (pair.shallow.abs_diff(pair.deep), -(i64::from(pair.shallow) - i64::from(depth)).abs())
    };
    (0..model.pairs.len()).max_by_key(|&index| key(&model.pairs[index]))
}

/// `P(Z <= x)` of a standard normal Z.
fn normal_probability(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// The place of the line that is played.
pub(crate) fn choose(mode: GambleMode, chances: &[Chance]) -> usize {
    mode.rest_of_game().map_or(0, |rest| likeliest(chances, rest))
}

/// The place of the line that is likeliest to win the game: what lies beyond the horizon is only a part of what is still to come, and the rest
/// adds so many centipawns to its sigma, so that a gambling move may cost the less the more that is. Of equals the first; 0 if there are none.
#[must_use]
pub fn likeliest(chances: &[Chance], rest_of_game: f64) -> usize {
    let probability = |chance: &Chance| match (chance.score, chance.sigma) {
        (RootScore::Centipawns(value), Some(sigma)) => {
            normal_probability(f64::from(value) / rest_of_game.hypot(f64::from(sigma)))
        }
        // Mates and repetitions are sure.
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

    use super::*;

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
        // Of equal chances the best value is played.
        assert_eq!(choose(GambleMode::On, &lines(&[(0, 100.0), (0, 400.0)])), 0);
        assert_eq!(likeliest(&[], 0.0), 0);
    }

    #[test]
    fn auto_gambles_only_where_the_whole_game_is_likelier_to_be_won() {
        let auto = |best: (i32, f64), other: (i32, f64)| choose(GambleMode::Auto, &lines(&[best, other]));
        // -500 / hypot(780, 300) = -0.5983; -510 / hypot(780, 420) = -0.5757; -550 / hypot(780, 420) = -0.6208.
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
        let probability = |line: RootLine| chances(&position, &[line], &SigmaModel::default())[0].probability;
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
        let pair = |shallow, deep| kiki_eval::PairModel {
            shallow,
            deep,
            floor: 10.0,
            lines: [kiki_eval::ValueLine { slope: 1.0, offset: 0.0, share: 1.0 }; kiki_eval::PROGRESS_BANDS],
            constant: 100.0,
            progress: [100.0, 0.0],
            values: [0.0; 11],
            weights: vec![0.0; kiki_eval::FEATURES],
        };
        let model = SigmaModel { pairs: vec![pair(4, 8), pair(1, 7), pair(4, 10)], ..SigmaModel::default() };
        assert_eq!((horizon(&model, 12), horizon(&model, 1)), (Some(2), Some(1)));
        assert_eq!(horizon(&SigmaModel::default(), 5), None);
    }
}

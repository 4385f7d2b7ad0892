//! What an engine thinks of a position.

use kiki_stats::logistic::logistic;
use kiki_usi::{ScoreValue, UsiScore};
use serde::{Deserialize, Serialize};

/// A value from the view of one side, usually the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// Hundredths of a pawn.
    Cp(i32),
    /// Plies to mate: positive for a win, negative for a loss; never 0.
    Mate(i32),
}

impl Value {
    /// The value of an engine's score; that a score may be a bound is not part of it.
    #[must_use]
    pub fn of_score(score: UsiScore) -> Self {
        match score.value {
            ScoreValue::Cp(centipawns) => Self::Cp(centipawns),
            ScoreValue::Mate(plies) => Self::Mate(plies.get()),
        }
    }

    /// The same value from the view of the other side.
    #[must_use]
    pub fn of_other_side(self) -> Self {
        match self {
            Self::Cp(centipawns) => Self::Cp(centipawns.saturating_neg()),
            Self::Mate(plies) => Self::Mate(plies.saturating_neg()),
        }
    }

    /// The value of the move that leads to a position with this value for the other side: a mate is one ply farther away.
    #[must_use]
    pub fn of_move_before(self) -> Self {
        match self.of_other_side() {
            Self::Mate(plies) => Self::Mate(plies.saturating_add(plies.signum())),
            centipawns => centipawns,
        }
    }

    /// The probability to win, by a logistic curve: `scale` centipawns stand for odds of e to 1. A mate is certain.
    ///
    /// ```
    /// use kiki_analysis::value::Value;
    ///
    /// assert_eq!(Value::Cp(0).winning_probability(600.0), 0.5);
    /// assert!((Value::Cp(600).winning_probability(600.0) - 0.7310585786).abs() < 1e-9);
    /// assert_eq!(Value::Mate(-4).winning_probability(600.0), 0.0);
    /// ```
    #[must_use]
    pub fn winning_probability(self, scale: f64) -> f64 {
        match self {
            Self::Cp(centipawns) => logistic(f64::from(centipawns) / scale),
            Self::Mate(plies) => f64::from(u8::from(plies > 0)),
        }
    }

    /// A number that is greater for what is better: near mates before far ones, and to be mated late before soon.
    #[must_use]
    pub fn rank(self) -> (i8, i32) {
        match self {
            Self::Cp(centipawns) => (0, centipawns),
            Self::Mate(plies) => (if plies > 0 { 1 } else { -1 }, plies.saturating_neg()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mate_is_one_ply_farther_from_the_move_before() {
        assert_eq!(Value::Mate(-2).of_move_before(), Value::Mate(3));
        assert_eq!(Value::Mate(3).of_move_before(), Value::Mate(-4));
        assert_eq!(Value::Cp(120).of_move_before(), Value::Cp(-120));
        assert_eq!(Value::Cp(i32::MIN).of_other_side(), Value::Cp(i32::MAX));
    }

    #[test]
    fn better_values_rank_higher() {
        let ranked =
            [Value::Mate(1), Value::Mate(9), Value::Cp(31_000), Value::Cp(-5), Value::Mate(-8), Value::Mate(-2)];
        assert!(ranked.is_sorted_by(|better, worse| better.rank() > worse.rank()));
    }

    #[test]
    fn both_sides_share_one_probability() {
        for value in [Value::Cp(37), Value::Cp(-2900), Value::Mate(5)] {
            let sum = value.winning_probability(600.0) + value.of_other_side().winning_probability(600.0);
            assert!((sum - 1.0).abs() < 1e-12, "{value:?}");
        }
    }
}

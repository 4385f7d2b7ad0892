//! Players rated by their judged moves.

use std::collections::BTreeMap;

use crate::model::{
    CHESS_LINE, Choice, ChoiceFit, LineFit, PercentileFit, Projection, RatingLine, fit, fit_line, fit_percentiles,
    mean_error_deviation, scaled_error,
};
use anyhow::Result;
use kiki_stats::StatsError;

use super::judging::{Judgement, Judging};

/// What judged positions become ratings with.
#[derive(Clone, Debug)]
pub(crate) struct RatingSettings {
    /// The unit of values, a pawn, in centipawns.
    pub(crate) unit: f64,
    /// Positions whose best value is beyond this, in centipawns, are left out.
    pub(crate) lopsided: i32,
    /// Samples of the games for errors.
    pub(crate) replicates: u32,
    pub(crate) seed: u64,
}

/// The judged moves of a player.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlayerMoves {
    pub(crate) name: String,
    pub(crate) choices: Vec<Choice>,
    /// The number of the game of each choice.
    pub(crate) games: Vec<u64>,
    /// How many positions were left out, for each reason.
    pub(crate) left_out: BTreeMap<&'static str, usize>,
}

/// What the moves of a player say.
#[derive(Clone, Debug)]
pub(crate) struct PlayerRating {
    pub(crate) moves: PlayerMoves,
    pub(crate) fit: Result<ChoiceFit, StatsError>,
    pub(crate) percentiles: Result<PercentileFit, StatsError>,
    /// Match rate and mean error, by the fitted model too if there is one.
    pub(crate) projection: Option<Projection>,
    /// The standard error of the mean scaled error, by samples of the games.
    pub(crate) mean_error_deviation: Result<f64, StatsError>,
}

/// What relates mean errors to ratings.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scale {
    /// The line of chess: its ratings are on the scale of chess.
    Chess,
    /// A line fitted to players of known rating.
    Fitted(LineFit),
}

impl Scale {
    /// The line through players whose ratings are known, given with their mean errors.
    pub(crate) fn fitted(points: &[(f64, f64)]) -> Result<Self, StatsError> {
        fit_line(points).map(Self::Fitted)
    }

    pub(crate) fn line(&self) -> RatingLine {
        match self {
            Self::Chess => CHESS_LINE,
            Self::Fitted(fitted) => fitted.line,
        }
    }
}

impl PlayerRating {
    /// The mean scaled error that ratings follow from: by the model, or as it was where there is none.
    pub(crate) fn mean_error(&self) -> Option<f64> {
        self.projection.map(|found| if self.fit.is_ok() { found.expected_mean_error } else { found.mean_error })
    }

    /// Whether the two fits differ by more than three standard errors.
    pub(crate) fn fits_differ(&self) -> bool {
        let (Ok(likeliest), Ok(percentiles)) = (&self.fit, &self.percentiles) else { return false };
        let far = |a: f64, b: f64, error: f64| (a / b).ln().abs() > 3.0 * error;
        far(percentiles.model.sensitivity(), likeliest.model.sensitivity(), likeliest.error_ln_s)
            || far(percentiles.model.consistency(), likeliest.model.consistency(), likeliest.error_ln_c)
    }
}

/// The moves of all players, in the order of their names.
///
/// # Errors
/// If a judgement is none.
pub(crate) fn players_of(judging: &Judging, settings: &RatingSettings) -> Result<Vec<PlayerMoves>> {
    let mut players: BTreeMap<&str, PlayerMoves> = BTreeMap::new();
    for (index, turn) in judging.turns.iter().enumerate() {
        let player = players.entry(&turn.player).or_default();
        let mut leave_out = |reason: &'static str| *player.left_out.entry(reason).or_default() += 1;
        match (turn.unjudged, judging.judgements.get(&index)) {
            (Some(reason), _) => leave_out(reason.name()),
            (None, None) => leave_out("not_judged"),
            (None, Some(Judgement::Mate)) => leave_out("mate"),
            (None, Some(Judgement::Lopsided)) => leave_out("lopsided"),
            (None, Some(Judgement::Values { values, .. })) if is_lopsided(values, settings.lopsided) => {
                leave_out("lopsided");
            }
            (None, Some(Judgement::Values { values, played })) => {
                player.choices.push(choice(values, *played, settings.unit)?);
                player.games.push(turn.game);
            }
        }
    }
    Ok(players.into_iter().map(|(name, player)| PlayerMoves { name: name.to_owned(), ..player }).collect())
}

pub(super) fn is_lopsided(values: &[i32], limit: i32) -> bool {
    values.first().is_none_or(|best| best.abs() > limit)
}

pub(super) fn choice(values: &[i32], played: usize, unit: f64) -> Result<Choice> {
    let best = f64::from(values.first().copied().unwrap_or_default());
    let errors = values.iter().map(|&value| scaled_error(best, value.into(), unit));
    Ok(Choice::new(errors.collect::<Result<_, _>>()?, played)?)
}

/// Rates a player.
pub(crate) fn rate_player(moves: PlayerMoves, settings: &RatingSettings) -> PlayerRating {
    let fit = fit(&moves.choices);
    let model = fit.as_ref().ok().map(|fit| fit.model);
    let projection = Projection::new(model.as_ref(), &moves.choices).ok();
    let mean_error_deviation =
        mean_error_deviation(&moves.choices, &moves.games, model.as_ref(), settings.replicates, settings.seed);
    PlayerRating { percentiles: fit_percentiles(&moves.choices), fit, projection, mean_error_deviation, moves }
}

/// Spearman's rank correlation of pairs; none with fewer than three, or where all of one kind are equal.
pub(crate) fn rank_correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    let ranks = |of: fn(&(f64, f64)) -> f64| -> Vec<f64> {
        let rank = |pair: &(f64, f64)| {
            let less = pairs.iter().filter(|other| of(other) < of(pair)).count();
            let equal = pairs.iter().filter(|other| of(other) == of(pair)).count();
            // Equal ones share the mean of their ranks.
            less as f64 + (equal as f64 - 1.0) / 2.0
        };
        pairs.iter().map(rank).collect()
    };
    let points: Vec<(f64, f64)> = ranks(|pair| pair.0).into_iter().zip(ranks(|pair| pair.1)).collect();
    let varies = |of: fn(&(f64, f64)) -> f64| points.iter().any(|point| of(point) != of(&points[0]));
    let varied = points.len() > 2 && varies(|point| point.0) && varies(|point| point.1);
    if varied { fit_line(&points).ok().map(|fitted| fitted.correlation) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_compared_not_values() {
        assert_eq!(rank_correlation(&[(1.0, 10.0), (2.0, 1000.0), (3.0, 1001.0)]), Some(1.0));
        let turned = rank_correlation(&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]).unwrap();
        assert!((turned + 1.0).abs() < 1e-12);
        assert_eq!(rank_correlation(&[(1.0, 3.0), (2.0, 3.0), (3.0, 3.0)]), None);
        assert_eq!(rank_correlation(&[(1.0, 3.0), (2.0, 2.0)]), None);
    }

    #[test]
    fn lopsided_positions_are_those_whose_best_value_is_far_from_0() {
        assert!(is_lopsided(&[301, 0], 300) && is_lopsided(&[-301], 300) && is_lopsided(&[], 300));
        assert!(!is_lopsided(&[300, -900], 300));
        let found = choice(&[50, 20, -30], 2, 100.0).unwrap();
        assert!((found.errors[2] - 0.667_829_372_575_655).abs() < 1e-12 && found.errors[0] == 0.0);
    }
}

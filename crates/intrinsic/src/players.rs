//! Players rated by their judged moves.

use std::collections::BTreeMap;

use anyhow::Result;
use clap::Args;
use kiki_stats::StatsError;
use kiki_stats::line::LineFit;
use kiki_stats::means::{Mean, OfGame};
use serde_json::{Value, json};

use crate::choice::{Choice, Projection, scaled_error};
use crate::fit::{ChoiceFit, PercentileFit, fit, fit_percentiles};
use crate::judge::{Judging, TurnJudgement};
use crate::line::{CHESS_LINE, RatingLine};

/// Settings that turn judged positions into ratings.
#[derive(Args, Clone, Copy, Debug)]
pub struct RatingSettings {
    /// The unit of values, a pawn, in centipawns
    #[arg(long, default_value_t = 100.0)]
    pub unit: f64,
    /// Leave out positions whose best value is beyond this, in centipawns
    #[arg(long, value_name = "CENTIPAWNS", default_value_t = 300)]
    pub lopsided: i32,
}

/// The defaults of `intrinsic report`.
impl Default for RatingSettings {
    fn default() -> Self {
        Self { unit: 100.0, lopsided: 300 }
    }
}

#[derive(Clone, Debug, Default)]
pub struct PlayerMoves {
    pub name: String,
    /// The choices that count.
    pub choices: Vec<Choice>,
    /// The number of the game of each choice.
    pub games: Vec<usize>,
    pub left_out: BTreeMap<&'static str, usize>,
}

/// What the moves of a player say about their strength.
#[derive(Clone, Debug)]
pub struct IntrinsicRating {
    pub moves: PlayerMoves,
    pub fit: Result<ChoiceFit, StatsError>,
    pub percentiles: Result<PercentileFit, StatsError>,
    /// Match rate and mean error, by the fitted model too if there is one.
    pub projection: Option<Projection>,
    /// The standard error of the mean scaled error, by how games differ; `None` with one game.
    pub mean_error_deviation: Option<f64>,
}

/// The line of ratings by mean errors: a fitted one, or that of chess, with ratings on the scale of
/// chess.
pub(crate) fn rating_line(fitted: Option<&LineFit>) -> RatingLine {
    fitted.map_or(CHESS_LINE, RatingLine::from)
}

pub(crate) fn line_json(fitted: Option<&LineFit>) -> Value {
    let RatingLine { intercept, slope } = rating_line(fitted);
    let scale = if fitted.is_some() { "fitted" } else { "chess" };
    let errors = fitted.map(|fitted| {
        json!({
            "error_intercept": fitted.intercept_error,
            "error_slope": fitted.slope_error,
            "correlation": fitted.correlation,
            "residual_deviation": fitted.residual_deviation,
        })
    });
    json!({ "scale": scale, "intercept": intercept, "slope": slope, "errors": errors })
}

impl IntrinsicRating {
    /// The observed mean scaled error, from which ratings follow. Expected errors would not compare
    /// all players: not every player has a model, and models expect greater errors.
    pub fn mean_error(&self) -> Option<f64> {
        self.projection.map(|found| found.mean_error)
    }

    /// Whether the two fits differ by more than three standard errors.
    pub fn fits_differ(&self) -> bool {
        let (Ok(likeliest), Ok(percentiles)) = (&self.fit, &self.percentiles) else { return false };
        let far = |a: f64, b: f64, error: f64| (a / b).ln().abs() > 3.0 * error;
        far(percentiles.model.sensitivity(), likeliest.model.sensitivity(), likeliest.error_ln_s)
            || far(percentiles.model.consistency(), likeliest.model.consistency(), likeliest.error_ln_c)
    }
}

/// Why a position is left out: no search has judged it.
pub const NOT_JUDGED: &str = "not_judged";
/// The best move mates, or every move is mated.
pub const MATE: &str = "mate";
/// One side is far ahead.
pub const LOPSIDED: &str = "lopsided";

/// The moves of all players, in the order of their names.
pub(crate) fn players_of(judging: &Judging, settings: &RatingSettings) -> Result<Vec<PlayerMoves>> {
    let mut players: BTreeMap<&str, PlayerMoves> = BTreeMap::new();
    for (index, turn) in judging.items.iter().enumerate() {
        let player = players.entry(&turn.player).or_default();
        match judged_values(judging, index, settings) {
            Ok((values, played)) => {
                player.choices.push(choice(values, played, settings.unit)?);
                player.games.push(turn.game as usize);
            }
            Err(reason) => *player.left_out.entry(reason).or_default() += 1,
        }
    }
    Ok(players.into_iter().map(|(name, player)| PlayerMoves { name: name.to_owned(), ..player }).collect())
}

/// The values of a turn's moves, best first, and the index of the played one; or why the turn does
/// not count.
pub(crate) fn judged_values<'a>(
    judging: &'a Judging,
    index: usize,
    settings: &RatingSettings,
) -> Result<(&'a [i32], usize), &'static str> {
    match (judging.items[index].unjudged, judging.found.get(&index).map(|line| &line.judgement)) {
        (Some(reason), _) => Err(reason.name()),
        (None, None) => Err(NOT_JUDGED),
        (None, Some(TurnJudgement::Mate)) => Err(MATE),
        (None, Some(TurnJudgement::Values { values, played })) if !is_lopsided(values, settings.lopsided) => {
            Ok((values, *played))
        }
        (None, Some(_)) => Err(LOPSIDED),
    }
}

/// Whether the best value is beyond a limit, in centipawns.
pub fn is_lopsided(values: &[i32], limit: i32) -> bool {
    values.first().is_none_or(|best| best.abs() > limit)
}

/// The choice of the move `played` among moves with these values, best first.
pub fn choice(values: &[i32], played: usize, unit: f64) -> Result<Choice> {
    let best = f64::from(values.first().copied().unwrap_or_default());
    let errors = values.iter().map(|&value| scaled_error(best, value.into(), unit));
    Ok(Choice::new(errors.collect::<Result<_, _>>()?, played)?)
}

pub fn rate_player(moves: PlayerMoves) -> IntrinsicRating {
    let fit = fit(&moves.choices);
    let model = fit.as_ref().ok().map(|fit| fit.model);
    let projection = Projection::new(model.as_ref(), &moves.choices).ok();
    let errors: Vec<OfGame> = moves
        .choices
        .iter()
        .zip(&moves.games)
        .map(|(choice, &game)| OfGame { game, value: choice.errors[choice.played] })
        .collect();
    let mean_error_deviation = Mean::new(&errors).and_then(|mean| mean.error);
    IntrinsicRating { percentiles: fit_percentiles(&moves.choices), fit, projection, mean_error_deviation, moves }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lopsided_positions_are_those_whose_best_value_is_far_from_0() {
        assert!(is_lopsided(&[301, 0], 300) && is_lopsided(&[-301], 300) && is_lopsided(&[], 300));
        assert!(!is_lopsided(&[300, -900], 300));
        let found = choice(&[50, 20, -30], 2, 100.0).unwrap();
        assert!((found.errors[2] - 0.667_829_372_575_655).abs() < 1e-12 && found.errors[0] == 0.0);
    }
}

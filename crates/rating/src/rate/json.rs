//! Ratings as JSON; docs/rate.md documents the keys.

use crate::bradley_terry::{Covariance, Fit, HoldOut, SimulatedSpread, residuals};
use anyhow::Result;
use serde_json::{Map, Value, json};

use super::rating::RatingReport;
use super::rows::{PlayerRating, PlayerRow};

/// Most players for which all pairs are given: a larger matrix is of no use, and each entry takes a system of equations.
pub(super) const MAX_IN_MATRIX: usize = 200;

pub(super) fn value(rating: &RatingReport<'_>) -> Result<Value> {
    let names = rating.results.names();
    let players: Vec<Value> = rating.players.iter().map(player).collect();
    let simulation = rating.simulated.as_ref().map(|simulated| {
        json!({
            "replicates": simulated.replicates,
            "used": simulated.used,
            "dropped": simulated.dropped,
            "relative_error": simulated.relative_error(),
            "first_move": simulated.first_move.map(spread),
        })
    });
    let residuals: Vec<Value> = residuals(rating.fit)
        .iter()
        .map(|residual| {
            json!({
                "players": residual.players.map(|player| &names[player]),
                "games": residual.games,
                "observed": residual.observed,
                "expected": residual.expected,
                "z": residual.z,
            })
        })
        .collect();
    let others = rating.others.iter().map(|fit| other(fit, names)).collect::<Result<Vec<_>>>()?;
    Ok(json!({
        "anchor": names[rating.fit.classification().anchor],
        "scale": if rating.is_centred { "mean" } else { "anchor" },
        "draw_policy": rating.draw_policy.name(),
        "draw_share": rating.draw_share.map(|draws| draws.share),
        "draw_share_error": rating.draw_share.map(|draws| draws.error),
        "games": rating.results.games(),
        "unfinished": rating.results.unfinished,
        "repeated": rating.results.repeats,
        "left_out": rating.left_out,
        "ln_likelihood": rating.fit.ln_likelihood(),
        "largest_gradient": rating.fit.largest_gradient(),
        "first_move_advantage": rating.fit.first_move_advantage(),
        "first_move_error": rating.covariance.first_move_error(),
        "players": players,
        "pairs": pairs(rating)?,
        "residuals": residuals,
        "simulation": simulation,
        "other_components": others,
        "hold_out": rating.hold_out.as_ref().map(hold_out),
    }))
}

fn player(row: &PlayerRow) -> Value {
    let mut value = json!({
        "name": row.name,
        "class": row.class.name(),
        "games": row.games(),
        "wins": row.wins,
        "draws": row.draws,
        "losses": row.losses,
        "score": row.share(),
    });
    if let (Some(rated), Some(fields)) = (&row.rated, value.as_object_mut()) {
        fields.extend(rated_fields(rated));
    }
    value
}

fn rated_fields(rated: &PlayerRating) -> Map<String, Value> {
    let fields = [
        ("rank", json!(rated.rank)),
        ("rating", json!(rated.rating)),
        ("error_anchored", json!(rated.anchored_error)),
        ("error_centred", json!(rated.centred_error)),
        ("simulated_anchored", json!(rated.simulated_anchored.map(spread))),
        ("simulated_centred", json!(rated.simulated_centred.map(spread))),
        ("rated_games", json!(rated.standing.games)),
        ("rated_points", json!(rated.standing.points)),
        ("mean_opponent", json!(rated.standing.mean_opponent)),
    ];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn spread(spread: SimulatedSpread) -> Value {
    json!({ "mean": spread.mean, "deviation": spread.deviation, "bias": spread.bias })
}

/// Every two rated players: the error of their difference, the covariance of their anchored ratings, and the probability that the first is better.
fn pairs(rating: &RatingReport<'_>) -> Result<Value> {
    let rated: Vec<&PlayerRow> = rating.players.iter().filter(|row| row.rated.is_some()).collect();
    if rated.len() > MAX_IN_MATRIX {
        return Ok(Value::Null);
    }
    let mut pairs = Vec::new();
    for (index, a) in rated.iter().enumerate() {
        for b in &rated[index + 1..] {
            pairs.push(json!({
                "players": [a.name, b.name],
                "difference_error": rating.covariance.difference_error(a.player, b.player)?,
                "covariance_anchored": rating.covariance.anchored(a.player, b.player)?,
                "first_better": rating.covariance.probability_better(a.player, b.player)?,
            }));
        }
    }
    Ok(pairs.into())
}

fn other(fit: &Fit, names: &[String]) -> Result<Value> {
    let covariance = Covariance::new(fit)?;
    let mut players = Vec::new();
    for &player in fit.players() {
        players.push(json!({
            "name": names[player],
            "rating": fit.rating(player)?,
            "error_anchored": covariance.anchored_error(player)?,
        }));
    }
    Ok(json!({ "anchor": names[fit.classification().anchor], "players": players }))
}

fn hold_out(hold_out: &HoldOut) -> Value {
    let bins: Vec<Value> = hold_out
        .calibration
        .iter()
        .map(|bin| json!({ "games": bin.games, "predicted": bin.predicted, "observed": bin.observed }))
        .collect();
    json!({
        "games": hold_out.games,
        "unrated_games": hold_out.unrated_games,
        "log_loss": hold_out.log_loss,
        "calibration": bins,
    })
}

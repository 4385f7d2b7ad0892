//! Intrinsic ratings as text and as JSON.

use serde_json::{Value, json};

use super::answer::IntrinsicReport;
use crate::{PlayerRating, Scale};
use kiki_run::numbers::{json_or_reason, percent, table};
use kiki_run::say;

const COLUMNS: [&str; 11] =
    ["player", "positions", "left out", "match", "by model", "error", "by model", "intrinsic", "by results", "s", "c"];

pub(super) fn print(report: &IntrinsicReport) {
    say!("{}", table(&COLUMNS, report.players.iter().map(|player| cells(report, player))));
    match &report.scale {
        Scale::Chess => {
            say!("intrinsic ratings: on the scale of chess, which is not that of shogi (--ratings fits a line)");
        }
        Scale::Fitted(fit) => say!(
            "intrinsic ratings: {:.0} ± {:.0} {:+.0} ± {:.0} times the mean error, fitted to {} players; they lie {:.0} from the line",
            fit.line.intercept,
            fit.error_intercept,
            fit.line.slope,
            fit.error_slope,
            report.players.iter().filter(|player| report.known.contains_key(&player.moves.name)).count(),
            fit.residual_deviation
        ),
    }
    if let Some(correlation) = report.rank_correlation {
        say!("rank correlation of intrinsic ratings and results: {correlation:.3}");
    }
    if let Some(correlation) = report.rank_correlation_of_best_moves {
        say!("rank correlation of the share of best moves and results: {correlation:.3}");
    }
    say!("error: mean scaled error; ±: standard errors, by samples of games for ratings, of the line not counted");
    for player in &report.players {
        if let Err(reason) = &player.fit {
            say!("{}: {reason}", player.moves.name);
        }
        if player.fits_differ() {
            say!(
                "{}: the fit of percentiles differs by more than three standard errors: the model does not suit these moves",
                player.moves.name
            );
        }
    }
}

fn cells(report: &IntrinsicReport, player: &PlayerRating) -> Vec<String> {
    let none = || "-".to_owned();
    let of = |number: Option<f64>, text: fn(f64) -> String| number.map_or_else(none, text);
    let projection = player.projection.as_ref();
    let by_model = projection.filter(|_| player.fit.is_ok());
    let error = |number: f64| format!("{number:.4}");
    let (line, mean) = (report.scale.line(), player.mean_error());
    let spread = player.mean_error_deviation.as_ref().ok().map(|deviation| line.slope.abs() * deviation);
    let rating = match (mean, spread) {
        (Some(mean), Some(spread)) => format!("{:.0} ± {spread:.0}", line.rating(mean)),
        (Some(mean), None) => format!("{:.0}", line.rating(mean)),
        (None, _) => none(),
    };
    let fitted = |of: &dyn Fn(&crate::model::ChoiceFit) -> (f64, f64)| {
        player.fit.as_ref().map_or_else(
            |_| none(),
            |fit| {
                let (value, error) = of(fit);
                format!("{value:.4} ± {:.4}", value * error)
            },
        )
    };
    vec![
        player.moves.name.clone(),
        player.moves.choices.len().to_string(),
        player.moves.left_out.values().sum::<usize>().to_string(),
        of(projection.map(|found| found.match_rate), percent),
        of(by_model.map(|found| found.expected_match_rate), percent),
        of(projection.map(|found| found.mean_error), error),
        of(by_model.map(|found| found.expected_mean_error), error),
        rating,
        of(report.known.get(&player.moves.name).copied(), |rating| format!("{rating:.0}")),
        fitted(&|fit| (fit.model.sensitivity(), fit.error_ln_s)),
        fitted(&|fit| (fit.model.consistency(), fit.error_ln_c)),
    ]
}

pub(super) fn as_json(report: &IntrinsicReport) -> Value {
    let line = report.scale.line();
    let player = |player: &PlayerRating| {
        json!({
            "name": player.moves.name,
            "positions": player.moves.choices.len(),
            "left_out": player.moves.left_out.iter().map(|(reason, count)| json!({ "reason": reason, "count": count })).collect::<Vec<_>>(),
            "projection": player.projection.map(|found| json!({
                "match_rate": found.match_rate,
                "expected_match_rate": found.expected_match_rate,
                "mean_error": found.mean_error,
                "expected_mean_error": found.expected_mean_error,
            })),
            "mean_error_deviation": json_or_reason(&player.mean_error_deviation, |deviation| json!(deviation)),
            "intrinsic_rating": player.mean_error().map(|error| line.rating(error)),
            "rating": report.known.get(&player.moves.name),
            "fit": json_or_reason(&player.fit, |fit| json!({
                "s": fit.model.sensitivity(),
                "c": fit.model.consistency(),
                "error_ln_s": fit.error_ln_s,
                "error_ln_c": fit.error_ln_c,
                "correlation": fit.correlation,
                "log_likelihood": fit.log_likelihood,
            })),
            "percentile_fit": json_or_reason(&player.percentiles, |fit| json!({
                "s": fit.model.sensitivity(),
                "c": fit.model.consistency(),
                "distance": fit.distance,
            })),
            "fits_differ": player.fits_differ(),
        })
    };
    let errors = match &report.scale {
        Scale::Chess => Value::Null,
        Scale::Fitted(fit) => json!({
            "error_intercept": fit.error_intercept,
            "error_slope": fit.error_slope,
            "correlation": fit.correlation,
            "residual_deviation": fit.residual_deviation,
        }),
    };
    json!({
        "line": {
            "scale": if matches!(report.scale, Scale::Chess) { "chess" } else { "fitted" },
            "intercept": line.intercept,
            "slope": line.slope,
            "errors": errors,
        },
        "players": report.players.iter().map(player).collect::<Vec<_>>(),
        "rank_correlation": report.rank_correlation,
        "rank_correlation_of_best_moves": report.rank_correlation_of_best_moves,
    })
}

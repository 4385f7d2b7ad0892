//! Estimates from counts and decisions of sequential tests, for people and as JSON.

use kiki_stats::Result;
use kiki_stats::sprt::{Decision, Estimates, MeanMethod};
use serde_json::{Value, json};

use kiki_run::numbers;
use kiki_run::numbers::{interval, json_interval, json_or_reason, percent, signed};

/// The rating difference with its standard error, its interval at a level, and the superiority, each with its method.
pub fn elo_lines(estimates: &Estimates, level: f64) -> String {
    let error = match &estimates.elo_standard_error {
        Ok(error) => format!("standard error {error:.1}"),
        Err(error) => error.to_string(),
    };
    let ends = interval(estimates.elo_interval);
    let method = match (estimates.method, &estimates.elo_interval_normal) {
        (MeanMethod::Normal, _) => "normal".to_owned(),
        (MeanMethod::Gaffke, Ok(normal)) => format!("Gaffke's bounds, not the normal {}", interval(*normal)),
        (MeanMethod::Gaffke, Err(_)) => "Gaffke's bounds".to_owned(),
    };
    let superiority = percent(estimates.superiority);
    format!(
        "Elo {} ({error})\n{} interval {ends} ({method})\nsuperiority {superiority}",
        signed(estimates.elo),
        percent(level)
    )
}

/// The normalized Elo with the half width of its interval, where that is known.
pub fn normalized(estimates: &Estimates) -> Result<String> {
    let elo = signed(estimates.normalized_elo.clone()?);
    Ok(match &estimates.normalized_elo_half_width {
        Ok(half) => format!("{elo} ± {half:.1}"),
        Err(_) => elo,
    })
}

/// The estimates as JSON.
pub fn estimates_value(estimates: &Estimates) -> Value {
    json!({
        "score": estimates.score,
        "variance": estimates.variance,
        "elo": numbers::json(estimates.elo),
        "standard_error": estimates.standard_error,
        "elo_standard_error": json_or_reason(&estimates.elo_standard_error, |value| json!(value)),
        "method": estimates.method.name(),
        "elo_interval": json_interval(estimates.elo_interval),
        "elo_interval_normal": json_or_reason(&estimates.elo_interval_normal, |ends| json_interval(*ends)),
        "normalized_elo": json_or_reason(&estimates.normalized_elo, |value| numbers::json(*value)),
        "normalized_elo_half_width": json_or_reason(&estimates.normalized_elo_half_width, |value| json!(value)),
        "superiority": estimates.superiority,
    })
}

/// The decision as it is written in JSON.
pub fn decision_name(decision: Decision) -> &'static str {
    match decision {
        Decision::AcceptH0 => "h0",
        Decision::AcceptH1 => "h1",
        Decision::Continue => "continue",
    }
}

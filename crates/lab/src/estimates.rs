//! Estimates from counts, as people read them.

use kiki_stats::Result;
use kiki_stats::sprt::{Estimates, MeanMethod};

use crate::numbers::{interval, percent, signed};

/// The rating difference with its standard error, its interval at a level, and the superiority, each with what it is and how it is made.
pub(crate) fn elo_lines(estimates: &Estimates, level: f64) -> String {
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
pub(crate) fn normalized(estimates: &Estimates) -> Result<String> {
    let elo = signed(estimates.normalized_elo.clone()?);
    Ok(match &estimates.normalized_elo_half_width {
        Ok(half) => format!("{elo} ± {half:.1}"),
        Err(_) => elo,
    })
}

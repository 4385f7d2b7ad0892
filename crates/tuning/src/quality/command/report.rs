//! The table of `quality`, and its JSON.

use anyhow::Result;
use serde_json::{Map, Value, json};

use crate::quality::line_search::LeftOut;
use crate::quality::summary::{Estimate, QualitySummary};
use kiki_run::numbers::{print_json, table};
use kiki_run::say;

/// An evaluation at one limit.
pub(super) struct QualityRow {
    pub(super) evaluation: String,
    pub(super) limit: String,
    /// None if no position could be compared.
    pub(super) summary: Option<QualitySummary>,
}

const HEADER: [&str; 10] = [
    "evaluation",
    "limit",
    "positions",
    "games",
    "mean |change|",
    "median",
    "spread",
    "mean / spread",
    "to search",
    "plies",
];

/// Prints the rows; `positions` were drawn.
pub(super) fn print(rows: &[QualityRow], positions: usize, complete: bool, as_json: bool) -> Result<()> {
    if as_json {
        return print_json(&json!({
            "ending": if complete { "complete" } else { "interrupted" },
            "positions": positions,
            "rows": rows.iter().map(value).collect::<Vec<_>>(),
        }));
    }
    say!("{}", table(&HEADER, rows.iter().map(cells)));
    for row in rows {
        let Some(summary) = &row.summary else { continue };
        let [in_check, mate, repetition, ends_in_check] = summary.left_out;
        say!(
            "{}, {}: left out {in_check} in check, {mate} won or lost by force, {repetition} that repeat, {ends_in_check} that end in check",
            row.evaluation,
            row.limit
        );
    }
    say!("centipawns of each evaluation; ± is one standard error, by a bootstrap over games");
    if !complete {
        say!("interrupted: the rows that were not complete are missing");
    }
    Ok(())
}

fn cells(row: &QualityRow) -> Vec<String> {
    let mut cells = vec![row.evaluation.clone(), row.limit.clone()];
    match &row.summary {
        None => cells.resize(HEADER.len(), "-".to_owned()),
        Some(summary) => cells.extend([
            summary.compared.to_string(),
            summary.games.to_string(),
            text(summary.mean, 1),
            format!("{:.1}", summary.median),
            format!("{:.1}", summary.spread),
            summary.relative.map_or_else(|| "-".to_owned(), |relative| text(relative, 3)),
            format!("{:.1}", summary.searched),
            format!("{:.1}", summary.plies),
        ]),
    }
    cells
}

fn text(estimate: Estimate, decimals: usize) -> String {
    let Estimate { value, standard_error } = estimate;
    let error = standard_error.map(|error| format!(" ± {error:.decimals$}")).unwrap_or_default();
    format!("{value:.decimals$}{error}")
}

fn value(row: &QualityRow) -> Value {
    let estimate =
        |Estimate { value, standard_error }: Estimate| json!({ "value": value, "standard_error": standard_error });
    let summary = row.summary.as_ref().map(|summary| {
        let left_out: Map<String, Value> = LeftOut::ALL
            .iter()
            .zip(summary.left_out)
            .map(|(reason, count)| (reason.name().to_owned(), count.into()))
            .collect();
        json!({
            "compared": summary.compared,
            "games": summary.games,
            "left_out": left_out,
            "mean_difference": estimate(summary.mean),
            "median_difference": summary.median,
            "spread": summary.spread,
            "relative_difference": summary.relative.map(estimate),
            "searched_difference": summary.searched,
            "plies": summary.plies,
        })
    });
    json!({ "evaluation": row.evaluation, "limit": row.limit, "summary": summary })
}

//! Pictures of what the steps are worth.

use std::path::Path;

use anyhow::Result;

use super::rows::AblationRow;
use kiki_plot::{ErrorBar, error_bars};

/// The picture goes no farther, in Elo and in nodes.
const ELO_LIMIT: f64 = 800.0;
const RATIO_LIMIT: f64 = 20.0;

/// Writes `elo.svg` and `nodes.svg`, each if there is something to show.
pub(super) fn write(folder: &Path, rows: &[AblationRow<'_>]) -> Result<()> {
    let bar = |row: &AblationRow<'_>, value: f64, low: f64, high: f64| ErrorBar {
        name: row.ablation.name.clone(),
        value,
        low,
        high,
    };
    let elo = |row: &AblationRow<'_>| {
        let (elo, ends) = row.games.as_ref()?.elo()?;
        let [value, low, high] = [elo, ends.low, ends.high].map(|elo| elo.clamp(-ELO_LIMIT, ELO_LIMIT));
        Some(bar(row, value, low, high))
    };
    let ratio = |row: &AblationRow<'_>| {
        let nodes = row.nodes?;
        let [value, low, high] =
            [nodes.ratio, nodes.interval.low, nodes.interval.high].map(|ratio| ratio.min(RATIO_LIMIT));
        Some(bar(row, value, low, high))
    };
    let bars: Vec<ErrorBar> = rows.iter().filter_map(elo).collect();
    if !bars.is_empty() {
        let label = "Elo that the engine loses without it, with 95 % interval";
        error_bars(&folder.join("elo.svg"), "What each step is worth", label, &bars)?;
    }
    let bars: Vec<ErrorBar> = rows.iter().filter_map(ratio).collect();
    if !bars.is_empty() {
        let label = "nodes to the same depth without it, as a multiple, with 95 % interval";
        error_bars(&folder.join("nodes.svg"), "What each step saves", label, &bars)?;
    }
    Ok(())
}

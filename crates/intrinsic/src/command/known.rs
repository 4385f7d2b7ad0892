//! Ratings that are known from results.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use kiki_platform::{MOST_SETTINGS, read_regular_text};
use serde_json::Value;

/// The ratings that `kiki-lab rate --json` has told, by player.
///
/// # Errors
/// If the file cannot be read, is not such an answer, or has no ratings.
pub(super) fn read(path: &Path) -> Result<BTreeMap<String, f64>> {
    let place = || path.display().to_string();
    let text = read_regular_text(path, MOST_SETTINGS).with_context(place)?;
    let answer: Value = serde_json::from_str(&text).with_context(place)?;
    let players = answer["players"].as_array().with_context(|| format!("{}: there are no `players`", place()))?;
    let rated = |player: &Value| Some((player["name"].as_str()?.to_owned(), player["rating"].as_f64()?));
    let ratings: BTreeMap<String, f64> = players.iter().filter_map(rated).collect();
    ensure!(!ratings.is_empty(), "{}: no player has a `rating`", place());
    Ok(ratings)
}

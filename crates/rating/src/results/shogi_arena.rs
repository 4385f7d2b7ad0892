//! Results of ShogiArena, the tournament platform for USI engines: `results/tournament_results.json` in the folder of a run.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use super::raw_result::RawResult;

/// Where the results stand in the folder of a run.
pub(super) const RESULTS: &str = "results/tournament_results.json";

#[derive(Deserialize)]
struct ShogiArenaResults {
    /// For each pairing the wins of both players, as `NAME_wins`, and `draws`. The name of the pairing, `A_vs_B`, is not looked at:
    /// names may hold `_vs_` themselves.
    pair_results: BTreeMap<String, BTreeMap<String, u64>>,
}

/// The sums for each pairing; they tell no colours. Games that failed are not among them.
pub(super) fn rows(text: &str) -> Result<Vec<RawResult>> {
    let tournament: ShogiArenaResults = serde_json::from_str(text)?;
    tournament.pair_results.iter().map(|(name, counts)| row(counts).with_context(|| format!("pair `{name}`"))).collect()
}

fn row(counts: &BTreeMap<String, u64>) -> Result<RawResult> {
    let mut players = Vec::new();
    let mut draws = 0;
    for (key, &count) in counts {
        match key.strip_suffix("_wins") {
            Some(name) => players.push((name, count)),
            None if key == "draws" => draws = count,
            None => bail!("`{key}` is neither a player's wins nor draws"),
        }
    }
    let [(first, wins), (second, losses)] = players.as_slice() else {
        bail!("it has {} players", players.len());
    };
    let counts = [*wins, *losses, draws].map(|count| count as f64);
    Ok(RawResult::sums(first, second, counts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_found_whatever_their_names_hold() {
        let text = r#"{"pair_results":{"a_vs_b_vs_c":{"a_vs_b_wins":9,"c_wins":2,"draws":1}},"total_games":12}"#;
        let rows = rows(text).unwrap();
        assert_eq!((rows[0].first.as_str(), rows[0].second.as_str()), ("a_vs_b", "c"));
        assert_eq!(rows[0].counts, Some([9.0, 2.0, 1.0]));
    }

    #[test]
    fn a_file_of_another_form_is_named() {
        let error = |text| format!("{:#}", rows(text).unwrap_err());
        assert!(error("{}").contains("missing field `pair_results`"));
        assert_eq!(error(r#"{"pair_results":{"x":{"a_wins":1}}}"#), "pair `x`: it has 1 players");
        assert_eq!(error(r#"{"pair_results":{"x":{"a":1}}}"#), "pair `x`: `a` is neither a player's wins nor draws");
    }
}

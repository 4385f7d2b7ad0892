//! Leaves out players with few games, whose ratings would be uncertain.

use serde::Serialize;

use super::collection::Results;

/// A player that was left out.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct LeftOutPlayer {
    pub(crate) name: String,
    /// Its games against those that were not left out before it.
    pub(crate) games: f64,
}

/// Leaves out players with fewer than so many games, and their games; then those who have too few without them, and so on. Returns
/// who was left out, in that order.
pub(crate) fn with_least_games(mut results: Results, least: f64) -> (Results, Vec<LeftOutPlayer>) {
    let mut left_out = Vec::new();
    if least <= 0.0 {
        return (results, left_out);
    }
    let mut stays = vec![true; results.names().len()];
    loop {
        let mut games = vec![0.0; results.names().len()];
        for row in &results.rows {
            games[row.first] += row.games();
            games[row.second] += row.games();
        }
        let before = left_out.len();
        for player in 0..results.names().len() {
            if stays[player] && games[player] < least {
                stays[player] = false;
                left_out.push(LeftOutPlayer { name: results.names()[player].clone(), games: games[player] });
            }
        }
        if left_out.len() == before {
            break;
        }
        results.rows.retain(|row| stays[row.first] && stays[row.second]);
    }
    results.keep_players(&stays);
    (results, left_out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::collection::ResultRow;

    fn results(pairs: &[(&str, &str, f64)]) -> Results {
        let mut results = Results::default();
        for &(a, b, wins) in pairs {
            let (first, second) = (results.number(a), results.number(b));
            results.rows.push(ResultRow { first, second, wins, losses: 0.0, draws: 0.0, colors_known: false });
        }
        results
    }

    #[test]
    fn who_loses_its_opponents_is_left_out_as_well() {
        // Without d, c has too few games; without c, a and b have enough.
        let few = results(&[("d", "c", 4.0), ("a", "b", 9.0), ("c", "a", 3.0), ("b", "e", 1.0)]);
        let (kept, left_out) = with_least_games(few, 5.0);
        let names: Vec<_> = left_out.iter().map(|left| (left.name.as_str(), left.games)).collect();
        assert_eq!(names, [("d", 4.0), ("e", 1.0), ("c", 3.0)]);
        assert_eq!((kept.names(), kept.games()), (["a".to_owned(), "b".to_owned()].as_slice(), 9.0));
        assert_eq!((kept.rows[0].first, kept.rows[0].second, kept.find("b").unwrap()), (0, 1, 1));
    }

    #[test]
    fn nobody_may_be_left() {
        let (kept, left_out) = with_least_games(results(&[("a", "b", 1.0)]), 2.0);
        assert_eq!((kept.names().len(), kept.rows.len(), left_out.len()), (0, 0, 2));
        let all = results(&[("a", "b", 1.0)]);
        assert_eq!(with_least_games(all.clone(), 0.0), (all, Vec::new()));
    }
}

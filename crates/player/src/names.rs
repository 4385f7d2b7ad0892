//! Which names are the player's, and which are similar.

use std::collections::BTreeMap;

use clap::Args;
use serde::{Deserialize, Serialize};
use strsim::levenshtein;

/// Maximum number of names that an error lists.
const MOST_NAMES: usize = 10;

/// The wanted name. Blanks and case do not matter: records write `羽生 善治` and `羽生善治`.
#[derive(Clone, PartialEq, Eq, Debug, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerName {
    /// The player's name in the records; blanks and case do not matter
    pub name: String,
    /// Count names that contain NAME as the player's too
    #[arg(long)]
    pub part: bool,
}

impl PlayerName {
    /// Whether a name in a record is the player's.
    ///
    /// ```
    /// use kiki_player::names::PlayerName;
    ///
    /// let whole = PlayerName { name: "GPS".to_owned(), part: false };
    /// assert!(whole.is(" gps") && !whole.is("gps_normal"));
    /// assert!(PlayerName { part: true, ..whole }.is("gps_normal"));
    /// ```
    pub fn is(&self, name: &str) -> bool {
        let (wanted, name) = (plain(&self.name), plain(name));
        if self.part { name.contains(&wanted) } else { name == wanted }
    }

    /// Whether the name has only blanks.
    pub fn is_empty(&self) -> bool {
        plain(&self.name).is_empty()
    }
}

fn plain(name: &str) -> String {
    name.chars().filter(|letter| !letter.is_whitespace()).flat_map(char::to_lowercase).collect()
}

/// The names most similar to `wanted`, or if none is similar, those with most games; each with its
/// number of games.
pub fn near_names(wanted: &str, games: &BTreeMap<String, usize>) -> Vec<String> {
    let wanted = plain(wanted);
    let most_edits = (wanted.chars().count() / 3).max(2);
    let distance = |name: &str| {
        let name = plain(name);
        let is_part = !name.is_empty() && (name.contains(&wanted) || wanted.contains(&name));
        if is_part { 0 } else { levenshtein(&wanted, &name) }
    };
    let mut names: Vec<(usize, &String, usize)> =
        games.iter().map(|(name, &count)| (distance(name), name, count)).collect();
    if names.iter().any(|&(distance, ..)| distance <= most_edits) {
        names.retain(|&(distance, ..)| distance <= most_edits);
        names.sort();
    } else {
        names.sort_by_key(|&(_, name, count)| (std::cmp::Reverse(count), name));
    }
    let text = |&(_, name, count): &(usize, &String, usize)| format!("`{name}` ({count})");
    names.iter().take(MOST_NAMES).map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games(names: &[(&str, usize)]) -> BTreeMap<String, usize> {
        names.iter().map(|&(name, count)| (name.to_owned(), count)).collect()
    }

    #[test]
    fn blanks_and_capitals_make_no_difference() {
        let name = PlayerName { name: "羽生　善治".to_owned(), part: false };
        assert!(name.is("羽生善治") && !name.is("羽生善治九段"));
        assert!(PlayerName { part: true, ..name }.is("羽生善治九段"));
    }

    #[test]
    fn near_names_come_first_and_far_ones_not_at_all() {
        let all = games(&[("gps", 3), ("gps_normal", 2), ("gsp", 1), ("Bonanza", 9)]);
        assert_eq!(near_names("GSP", &all), ["`gsp` (1)", "`gps` (3)"]);
        assert_eq!(near_names("gps_", &all)[..2], ["`gps` (3)", "`gps_normal` (2)"]);
        assert_eq!(near_names("yamada", &all)[0], "`Bonanza` (9)");
    }
}

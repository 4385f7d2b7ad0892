//! How games are played.

use serde::{Deserialize, Serialize};

/// When the search of a position ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SelfPlayLimit {
    /// After so many nodes.
    Nodes(u64),
    /// After so many iterations.
    Depth(u32),
}

/// All that games follow from, apart from the evaluation and their numbers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfPlaySettings {
    /// Games of different seeds have nothing to do with each other.
    pub seed: u64,
    /// When the search of a position ends.
    pub limit: SelfPlayLimit,
    /// Each game begins with at least so many random moves.
    pub min_random_plies: u32,
    /// Each game begins with at most so many random moves; all numbers between are equally likely.
    pub max_random_plies: u32,
    /// A random beginning whose value goes beyond this is drawn anew, in centipawns.
    pub opening_limit: i32,
    /// In so many plies after the random ones, the move is drawn among the best of the search.
    pub choice_plies: u32,
    /// Among so many of the best.
    pub choice_lines: usize,
    /// Among those that are worse than the best by at most this, in centipawns.
    pub choice_margin: i32,
    /// A value that counts for the end of the game by agreement, in centipawns.
    pub win_score: i32,
    /// After so many plies with such a value for the same side, that side has won.
    pub win_plies: u32,
    /// The game is drawn after so many plies.
    pub max_plies: u32,
    /// Size of the transposition table, in MiB. It is empty when a game begins.
    pub table_mebibytes: usize,
}

impl Default for SelfPlaySettings {
    fn default() -> Self {
        Self {
            seed: 1,
            limit: SelfPlayLimit::Nodes(500),
            min_random_plies: 4,
            max_random_plies: 24,
            opening_limit: 1000,
            choice_plies: 4,
            choice_lines: 4,
            choice_margin: 100,
            win_score: 3000,
            win_plies: 4,
            max_plies: 320,
            table_mebibytes: 2,
        }
    }
}

/// Why games cannot be played with some settings.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SettingsError {
    /// A number is too small.
    #[error("{name} must be at least {least}")]
    TooSmall {
        /// Of what.
        name: &'static str,
        /// The smallest that is allowed.
        least: u64,
    },
    /// The range of random plies is empty.
    #[error("{min} random plies at least and {max} at most: the range is empty")]
    RandomPlies {
        /// The lower end.
        min: u32,
        /// The upper end.
        max: u32,
    },
    /// Games would be over before they have begun.
    #[error("games of at most {max_plies} plies have no room for {opening} random and chosen ones")]
    NoRoom {
        /// The longest game.
        max_plies: u32,
        /// Random plies and plies with a choice, at most.
        opening: u32,
    },
}

impl SelfPlaySettings {
    /// Whether games can be played with them.
    ///
    /// # Errors
    /// What is out of range is named.
    pub fn check(&self) -> Result<(), SettingsError> {
        let limit = match self.limit {
            SelfPlayLimit::Nodes(nodes) => nodes,
            SelfPlayLimit::Depth(depth) => u64::from(depth),
        };
        let at_least = |name, value: i64, least: u64| {
            if value < least as i64 { Err(SettingsError::TooSmall { name, least }) } else { Ok(()) }
        };
        at_least("the limit of a search", limit.min(i64::MAX as u64) as i64, 1)?;
        at_least("the limit of openings", self.opening_limit.into(), 1)?;
        at_least("the number of lines to choose among", self.choice_lines as i64, 1)?;
        at_least("the margin of choices", self.choice_margin.into(), 0)?;
        at_least("the value that wins", self.win_score.into(), 1)?;
        at_least("the number of plies that win", self.win_plies.into(), 1)?;
        at_least("the size of the table", self.table_mebibytes as i64, 1)?;
        let (min, max) = (self.min_random_plies, self.max_random_plies);
        if min > max {
            return Err(SettingsError::RandomPlies { min, max });
        }
        let opening = max.saturating_add(self.choice_plies);
        if opening >= self.max_plies {
            return Err(SettingsError::NoRoom { max_plies: self.max_plies, opening });
        }
        Ok(())
    }
}

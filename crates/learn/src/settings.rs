//! The settings of all stages: the defaults in `learn.toml`, changed by a file.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use clap::ValueEnum;
use kiki_platform::{MOST_SETTINGS, read_regular_text};
use kiki_run::files::{from_toml, toml_error};
use serde::{Deserialize, Serialize};

const USUAL: &str = include_str!("learn.toml");
const WEEK: &str = include_str!("week.toml");

/// Settings for some time on some machine.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub(crate) enum Recipe {
    /// Eight hours on two cores
    #[default]
    Evening,
    /// A week on sixteen cores
    Week,
}

impl Recipe {
    /// Hours of work.
    pub(crate) fn hours(self) -> f64 {
        match self {
            Self::Evening => 8.0,
            Self::Week => 168.0,
        }
    }

    /// The default settings, or those that differ from them.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Evening => USUAL,
            Self::Week => WEEK,
        }
    }
}

/// All that a run depends on, apart from time. `learn.toml` explains each setting.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LearnSettings {
    pub(crate) seed: u64,
    pub(crate) least_elo: f64,
    pub(crate) patience: usize,
    pub(crate) most_mebibytes: u64,
    pub(crate) selfplay: SelfPlayStage,
    pub(crate) training: TrainingStage,
    pub(crate) test: TestStage,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SelfPlayStage {
    pub(crate) positions: u64,
    pub(crate) growth: f64,
    pub(crate) most_positions: u64,
    pub(crate) held_out: u64,
    pub(crate) nodes: u64,
    pub(crate) formula_nodes: u64,
    pub(crate) win_score: i32,
    pub(crate) formula_win_score: i32,
    pub(crate) handicaps: f64,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrainingStage {
    pub(crate) shape: String,
    pub(crate) window: u64,
    pub(crate) passes: f64,
    pub(crate) batch: usize,
    pub(crate) own: f64,
    pub(crate) decay: f64,
    pub(crate) arguments: Vec<String>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TestStage {
    pub(crate) games: u64,
    pub(crate) nodes: u64,
}

impl LearnSettings {
    /// The settings of a recipe with the changes of a file, which must have no unknown key.
    pub(crate) fn read(recipe: Recipe, changes: Option<&Path>) -> Result<Self> {
        let place = || changes.map_or_else(|| "the default settings".to_owned(), |path| path.display().to_string());
        let mut settings: toml::Table = USUAL.parse().with_context(place)?;
        merge(&mut settings, recipe.text().parse().with_context(place)?);
        if let Some(path) = changes {
            let text = read_regular_text(path, MOST_SETTINGS).with_context(place)?;
            merge(&mut settings, from_toml(&text).with_context(place)?);
        }
        let settings: Self = settings.try_into().map_err(|error| toml_error(&error, "")).with_context(place)?;
        settings.check().with_context(place)?;
        Ok(settings)
    }

    /// Checks the settings now: a stage may begin only after hours.
    fn check(&self) -> Result<()> {
        let Self { selfplay, training, test, .. } = self;
        for (name, value) in [
            ("selfplay.positions", selfplay.positions),
            ("selfplay.held_out", selfplay.held_out),
            ("selfplay.nodes", selfplay.nodes),
            ("selfplay.formula_nodes", selfplay.formula_nodes),
            ("test.nodes", test.nodes),
            ("patience", self.patience as u64),
        ] {
            ensure!(value > 0, "{name} must be at least 1");
        }
        for (name, value, range) in [
            ("selfplay.growth", selfplay.growth, 1.0..=10.0),
            ("selfplay.handicaps", selfplay.handicaps, 0.0..=1.0),
            ("training.passes", training.passes, 0.01..=100.0),
            ("training.own", training.own, 0.0..=1.0),
            ("training.decay", training.decay, 0.0..=1.0),
        ] {
            ensure!(range.contains(&value), "{name} = {value}: expected {} to {}", range.start(), range.end());
        }
        let are_pairs = test.games >= 2 && test.games.is_multiple_of(2);
        ensure!(are_pairs, "test.games = {}: expected pairs of games", test.games);
        ensure!(self.seed <= 1_000_000_000, "seed = {}: expected at most 1000000000", self.seed);
        ensure!(self.least_elo.is_finite(), "least_elo = {}: expected a finite number", self.least_elo);
        Ok(())
    }

    /// Number of positions to play in a generation, counted from 1.
    pub(crate) fn positions(&self, generation: usize) -> u64 {
        let SelfPlayStage { positions, growth, most_positions, .. } = self.selfplay;
        let wanted = positions as f64 * growth.powf(generation as f64 - 1.0);
        (wanted as u64).min(most_positions.max(positions))
    }
}

/// Replaces entries; tables are merged recursively.
fn merge(settings: &mut toml::Table, changes: toml::Table) {
    for (key, change) in changes {
        match (settings.get_mut(&key), change) {
            (Some(toml::Value::Table(table)), toml::Value::Table(changes)) => merge(table, changes),
            (_, change) => drop(settings.insert(key, change)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(text: &str) -> Result<LearnSettings> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.toml");
        std::fs::write(&path, text).unwrap();
        LearnSettings::read(Recipe::Evening, Some(&path))
    }

    #[test]
    fn the_recipes_are_sound_and_differ() {
        let [evening, week] = [Recipe::Evening, Recipe::Week].map(|recipe| LearnSettings::read(recipe, None).unwrap());
        assert!(week.selfplay.positions > evening.selfplay.positions && week.selfplay.nodes == evening.selfplay.nodes);
    }

    #[test]
    fn a_file_changes_what_it_names_and_nothing_else() {
        let usual = LearnSettings::read(Recipe::Evening, None).unwrap();
        let settings = changed("seed = 7\n[selfplay]\nnodes = 300\n").unwrap();
        assert_eq!((settings.seed, settings.selfplay.nodes), (7, 300));
        let mut same = settings;
        (same.seed, same.selfplay.nodes) = (usual.seed, usual.selfplay.nodes);
        assert_eq!(same, usual);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, expected) in [
            ("sed = 1", "sed"),
            ("[selfplay]\nnodes = 'many'", "nodes"),
            ("[selfplay]\ngrowth = 0.5", "selfplay.growth = 0.5"),
            ("[test]\ngames = 3", "test.games = 3"),
            ("[training]\nown = 2.0", "training.own = 2"),
            ("least_elo = nan", "least_elo = NaN"),
            ("least_elo = -inf", "least_elo = -inf"),
            ("= 1", "mine.toml"),
        ] {
            let error = format!("{:#}", changed(text).unwrap_err());
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn generations_grow_up_to_the_limit() {
        let settings = changed("[selfplay]\npositions = 100\ngrowth = 2.0\nmost_positions = 350\n").unwrap();
        assert_eq!([1, 2, 3, 9].map(|generation| settings.positions(generation)), [100, 200, 350, 350]);
    }
}

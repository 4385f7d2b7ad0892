//! The settings of a tuning: the engine, its parameters and the SPSA iteration.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, ensure};
use kiki_platform::{MOST_SETTINGS, read_regular_text};
use kiki_play::player::PlayerSpec;
use kiki_play::rules::MatchRules;
use serde::{Deserialize, Serialize};

use crate::spsa::{Spsa, SpsaParameter};

/// The settings of a tuning, as they stand in its folder.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct TuningSettings {
    pub(crate) engine: PlayerSpec,
    pub(crate) parameters: BTreeMap<String, ParameterRange>,
    pub(crate) updates: u64,
    pub(crate) rate: f64,
    pub(crate) seed: u64,
    pub(crate) rules: MatchRules,
}

/// A number that is tuned: the engine's option of that name, which takes whole numbers.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ParameterRange {
    pub(crate) start: i32,
    pub(crate) min: i32,
    pub(crate) max: i32,
    pub(crate) step: f64,
}

impl TuningSettings {
    /// # Errors
    /// Tells what is wrong with the settings.
    pub(crate) fn spsa(&self) -> Result<Spsa> {
        // Every update is two games, and games are numbered.
        let games = usize::try_from(self.updates).ok().and_then(|updates| updates.checked_mul(2));
        ensure!(games.is_some(), "{} updates are more games than can be counted", self.updates);
        for name in self.parameters.keys() {
            let fixed = self.engine.options.keys().find(|option| option.eq_ignore_ascii_case(name));
            ensure!(fixed.is_none(), "`{name}` is to be looked for and set to a value by option.{name} as well");
        }
        for (name, &range) in &self.parameters {
            let alone = Spsa::new(vec![range.into()], 1, 1.0, 0);
            alone.map_err(|error| anyhow!("parameter `{name}`: {error}"))?;
        }
        let parameters = self.parameters.values().map(|&range| range.into()).collect();
        Ok(Spsa::new(parameters, self.updates, self.rate, self.seed)?)
    }
}

impl From<ParameterRange> for SpsaParameter {
    fn from(range: ParameterRange) -> Self {
        Self { start: range.start.into(), min: range.min.into(), max: range.max.into(), step: range.step }
    }
}

/// The parameters of a file: one line each, `name = { start = 60, min = 0, max = 200, step = 15 }`.
///
/// # Errors
/// Names the file, the line and what is wrong in it.
pub(crate) fn read_parameters(path: &Path) -> Result<BTreeMap<String, ParameterRange>> {
    let place = || format!("parameters {}", path.display());
    let text = read_regular_text(path, MOST_SETTINGS).with_context(place)?;
    toml::from_str(&text).with_context(place)
}

/// Parameters as text of such a file, with other starts.
pub(crate) fn parameters_text(parameters: &BTreeMap<String, ParameterRange>, values: &[f64]) -> String {
    let mut text = String::new();
    for ((name, range), value) in parameters.iter().zip(values) {
        text += &parameter_line(name, range, *value);
    }
    text
}

/// One line of such a file.
pub(crate) fn parameter_line(name: &str, range: &ParameterRange, start: f64) -> String {
    let ParameterRange { min, max, step, .. } = range;
    let key = toml_key(name);
    format!("{key} = {{ start = {start:.0}, min = {min}, max = {max}, step = {step} }}\n")
}

/// A name as a key of TOML: between quotes if it has blanks, dots or other characters that mean something there.
fn toml_key(name: &str) -> String {
    // The library writes keys only as a part of a table.
    let line = toml::to_string(&BTreeMap::from([(name, 0)])).unwrap_or_default();
    line.trim_end().strip_suffix(" = 0").unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use kiki_play::clock::PlayLimits;
    use kiki_play::rules::EnteringKingRule;

    use super::*;

    #[test]
    fn a_number_is_looked_for_or_given_not_both() {
        let settings = |option: &str| TuningSettings {
            engine: PlayerSpec {
                name: "kiki".to_owned(),
                command: vec!["kiki".to_owned()],
                directory: None,
                restart: false,
                ponder: false,
                options: BTreeMap::from([(option.to_owned(), "3".to_owned())]),
                limits: PlayLimits { nodes: Some(1), ..PlayLimits::default() },
            },
            parameters: toml::from_str("Depth = { start = 1, min = 0, max = 9, step = 1 }").unwrap(),
            updates: 1,
            rate: 0.1,
            seed: 1,
            rules: MatchRules {
                max_plies: 320,
                declaration: EnteringKingRule::None,
                tolerance: 0,
                patience: 0,
                resign: None,
                draw: None,
            },
        };
        assert!(settings("Threads").spsa().is_ok());
        let error = settings("depth").spsa().unwrap_err().to_string();
        assert!(error.contains("`Depth` is to be looked for"), "{error}");
    }

    #[test]
    fn parameters_are_read_as_they_are_written() {
        let range = ParameterRange { start: 60, min: -10, max: 200, step: 7.5 };
        let names = ["alpha", "Late Move", "Search.LMR", "x = 0", "it's \"so\"", "\u{30ad}\u{30ad}", ""];
        let parameters: BTreeMap<String, ParameterRange> = names.map(|name| (name.to_owned(), range)).into();
        let text = parameters_text(&parameters, &[60.4, -3.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        assert!(text.contains("\nalpha = { start = "), "{text}");
        let read: BTreeMap<String, ParameterRange> = toml::from_str(&text).unwrap();
        let starts = [60, -3, 1, 2, 3, 4, 5];
        let expected = parameters.into_keys().zip(starts.map(|start| ParameterRange { start, ..range }));
        assert_eq!(read, expected.collect());
    }
}

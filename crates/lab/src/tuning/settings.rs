//! What a tuning is about: the engine, its parameters and how they are looked for.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, ensure};
use kiki_stats::spsa::{Parameter, Spsa};
use serde::{Deserialize, Serialize};

use crate::contest::rules::Rules;
use crate::contest::spec::EngineSpec;

/// The settings of a tuning, as they stand in its folder.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Settings {
    pub(crate) engine: EngineSpec,
    pub(crate) parameters: BTreeMap<String, Range>,
    pub(crate) updates: u64,
    pub(crate) rate: f64,
    pub(crate) seed: u64,
    pub(crate) rules: Rules,
}

/// A number that is looked for: the engine's option of that name, which takes whole numbers.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Range {
    pub(crate) start: i32,
    pub(crate) min: i32,
    pub(crate) max: i32,
    pub(crate) step: f64,
}

impl Settings {
    /// # Errors
    /// Tells what is wrong with the settings.
    pub(crate) fn spsa(&self) -> Result<Spsa> {
        // Every update is two games, which are numbered.
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

impl From<Range> for Parameter {
    fn from(range: Range) -> Self {
        Self { start: range.start.into(), min: range.min.into(), max: range.max.into(), step: range.step }
    }
}

/// The parameters of a file: one line each, `name = { start = 60, min = 0, max = 200, step = 15 }`.
///
/// # Errors
/// Names the file, the line and what is wrong in it.
pub(crate) fn read_parameters(path: &Path) -> Result<BTreeMap<String, Range>> {
    let place = || format!("parameters {}", path.display());
    let text = fs::read_to_string(path).with_context(place)?;
    toml::from_str(&text).with_context(place)
}

/// The same with other starts, as text of such a file.
pub(crate) fn parameters_text(parameters: &BTreeMap<String, Range>, values: &[f64]) -> String {
    let mut text = String::new();
    for ((name, range), value) in parameters.iter().zip(values) {
        let Range { min, max, step, .. } = range;
        text += &format!("{name} = {{ start = {value:.0}, min = {min}, max = {max}, step = {step} }}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::rules::Declaration;
    use crate::contest::spec::Draft;

    #[test]
    fn a_number_is_looked_for_or_given_not_both() {
        let settings = |engine: &str| Settings {
            engine: Draft::parse(engine).unwrap().complete(&Draft::default()).unwrap(),
            parameters: toml::from_str("Depth = { start = 1, min = 0, max = 9, step = 1 }").unwrap(),
            updates: 1,
            rate: 0.1,
            seed: 1,
            rules: Rules {
                max_plies: 320,
                declaration: Declaration::None,
                tolerance: 0,
                patience: 0,
                resign: None,
                draw: None,
            },
        };
        assert!(settings("kiki nodes=1 option.Threads=1").spsa().is_ok());
        let error = settings("kiki nodes=1 option.depth=3").spsa().unwrap_err().to_string();
        assert!(error.contains("`Depth` is to be looked for"), "{error}");
    }

    #[test]
    fn parameters_are_read_as_they_are_written() {
        let range = Range { start: 60, min: -10, max: 200, step: 7.5 };
        let parameters = BTreeMap::from([("alpha".to_owned(), range), ("beta".to_owned(), range)]);
        let text = parameters_text(&parameters, &[60.4, -3.0]);
        let read: BTreeMap<String, Range> = toml::from_str(&text).unwrap();
        assert_eq!(read["alpha"], range);
        assert_eq!(read["beta"], Range { start: -3, ..range });
    }
}

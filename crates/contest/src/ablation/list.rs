//! The steps that are switched off, and by which options.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use kiki_play::player::PlayerSpec;
use serde::{Deserialize, Serialize};

/// The steps of Kiki's search.
pub const KIKI: &str = include_str!("ablations.toml");

/// The name of the engine that has all steps.
pub const WHOLE: &str = "whole";

/// A step of the search, and how it is switched off.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ablation {
    /// Of its row, and of the folder of its match.
    pub name: String,
    /// What kind of step it is.
    pub group: String,
    /// What the engine does with it and not without it.
    pub meaning: String,
    /// USI options by name with the values that switch it off.
    pub options: BTreeMap<String, i64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AblationFile {
    ablation: Vec<Ablation>,
}

impl Ablation {
    /// The engine without this step.
    pub fn engine(&self, whole: &PlayerSpec) -> PlayerSpec {
        let mut engine = PlayerSpec { name: format!("without-{}", self.name), ..whole.clone() };
        engine.options.extend(self.options.iter().map(|(name, value)| (name.clone(), value.to_string())));
        engine
    }
}

/// Reads a list in the form of [`KIKI`].
///
/// # Errors
/// What is no such list, an empty one, two steps of one name, and names that are no names of folders.
pub fn parse(text: &str) -> Result<Vec<Ablation>> {
    let AblationFile { ablation: list } = toml::from_str(text)?;
    ensure!(!list.is_empty(), "it names no ablation");
    for (index, ablation) in list.iter().enumerate() {
        let name = &ablation.name;
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
        ensure!(!name.is_empty() && name.chars().all(plain), "`{name}`: expected letters, digits, - and _ as a name");
        ensure!(list[..index].iter().all(|other| other.name != *name), "two ablations are named `{name}`");
        ensure!(name != WHOLE, "`{WHOLE}` is the engine with all steps");
        ensure!(!ablation.options.is_empty(), "`{name}` has no options, so that nothing is switched off");
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use kiki_search::params;

    use super::*;

    #[test]
    fn each_option_is_one_of_the_engine_and_changes_what_it_is() {
        let tunables: Vec<_> = params::ALL.iter().chain(params::ABLATION_FLAGS).collect();
        for ablation in parse(KIKI).unwrap() {
            for (option, &value) in &ablation.options {
                let tunable = tunables.iter().find(|tunable| tunable.name == option);
                let tunable = tunable.unwrap_or_else(|| panic!("{}: there is no {option}", ablation.name));
                let range = i64::from(tunable.min)..=i64::from(tunable.max);
                assert!(range.contains(&value) && value != i64::from(tunable.default), "{option} = {value}");
            }
        }
    }

    #[test]
    fn each_switch_is_used() {
        let list = parse(KIKI).unwrap();
        for switch in params::ABLATION_FLAGS {
            let used = list.iter().any(|ablation| ablation.options.contains_key(switch.name));
            assert!(used, "{}: in no ablation", switch.name);
        }
    }

    #[test]
    fn a_list_that_makes_no_sense_is_refused() {
        let entry = |name: &str, options: &str| {
            format!("[[ablation]]\nname = \"{name}\"\ngroup = \"g\"\nmeaning = \"m\"\noptions = {{ {options} }}\n")
        };
        let error = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(parse(&entry("a", "b = 1")).unwrap()[0].options["b"], 1);
        assert!(error(&entry("a", "")).contains("no options"));
        assert!(error(&entry("a/b", "b = 1")).contains("`a/b`"));
        assert!(error(&entry("whole", "b = 1")).contains("all steps"));
        assert!(error(&(entry("a", "b = 1") + &entry("a", "c = 1"))).contains("two ablations"));
        assert!(error("ablation = []").contains("no ablation"));
        assert!(error(&entry("a", "b = \"x\"")).contains("i64"));
    }
}

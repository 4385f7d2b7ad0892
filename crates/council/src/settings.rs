//! Who the members are and how they decide: a file in TOML.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use kiki_driver::Program;
use serde::Deserialize;

use crate::rule::Rule;

/// A council.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CouncilSettings {
    /// How it chooses.
    pub rule: Rule,
    /// What a wrong move is taken to lose, in centipawns.
    pub loss: f64,
    /// How many milliseconds before the end of the time for a move it answers.
    pub margin: u32,
    /// How many milliseconds members may answer later than the first, in games by the clock; as long as the first took if that is more.
    pub patience: u32,
    /// How many lines each member is asked for, if its program has the option `MultiPV`.
    #[serde(rename = "multipv")]
    pub multi_pv: u32,
    /// The members.
    #[serde(rename = "member")]
    pub members: Vec<MemberSettings>,
}

impl Default for CouncilSettings {
    fn default() -> Self {
        Self { rule: Rule::default(), loss: 100.0, margin: 30, patience: 2000, multi_pv: 1, members: Vec::new() }
    }
}

/// A member.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemberSettings {
    /// What it is called; else its program tells.
    pub name: Option<String>,
    /// The program and its arguments as on a command line; `ssh host engine` puts a member on another machine.
    pub command: String,
    /// The folder that it works in.
    pub directory: Option<PathBuf>,
    /// What its values are multiplied by so that all members tell centipawns of the same worth.
    #[serde(default = "one")]
    pub scale: f64,
    /// The standard deviation of its errors in these centipawns: the smaller, the stronger.
    #[serde(default = "usual_noise")]
    pub noise: f64,
    /// Options of its program.
    #[serde(default)]
    pub options: BTreeMap<String, toml::Value>,
}

fn one() -> f64 {
    1.0
}

fn usual_noise() -> f64 {
    100.0
}

impl MemberSettings {
    /// A member that is known by its command alone.
    #[must_use]
    pub fn of_command(command: &str) -> Self {
        Self {
            name: None,
            command: command.to_owned(),
            directory: None,
            scale: one(),
            noise: usual_noise(),
            options: BTreeMap::new(),
        }
    }

    /// The program to start.
    ///
    /// # Errors
    /// A command line that is none, or no such file.
    pub fn program(&self) -> Result<Program> {
        let words = shell_words::split(&self.command).with_context(|| format!("`{}`", self.command))?;
        Ok(Program::from_words(words)?.in_directory(self.directory.as_deref()))
    }

    /// Whether its file gives this option of its program a value.
    #[must_use]
    pub fn fixes(&self, name: &str) -> bool {
        self.options.keys().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// The options with their values as text.
    pub fn option_texts(&self) -> impl Iterator<Item = (String, String)> {
        let text = |value: &toml::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        self.options.iter().map(move |(name, value)| (name.clone(), text(value)))
    }
}

impl CouncilSettings {
    /// Reads a file.
    ///
    /// # Errors
    /// Names the file, and the line or the member at fault.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        Self::parse(&text).with_context(|| path.display().to_string())
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// Names the line or the member at fault.
    pub fn parse(text: &str) -> Result<Self> {
        let settings: Self = toml::from_str(text)?;
        ensure!(settings.loss > 0.0 && settings.loss.is_finite(), "loss is {}, but must be above 0", settings.loss);
        ensure!((1..=64).contains(&settings.multi_pv), "multipv is {}, but must be from 1 to 64", settings.multi_pv);
        for (index, member) in settings.members.iter().enumerate() {
            let number = index + 1;
            ensure!(!member.command.trim().is_empty(), "member {number} has no command");
            for (what, value) in [("scale", member.scale), ("noise", member.noise)] {
                ensure!(value > 0.0 && value.is_finite(), "member {number}: {what} is {value}, but must be above 0");
            }
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_names_members_with_their_options() {
        let text = r#"
            rule = "majority"
            loss = 80
            [[member]]
            command = "kiki"
            noise = 90
            options = { Threads = 2, Eval = "formula" }
            [[member]]
            name = "far"
            command = "ssh host 'my engine'"
            scale = 0.9
        "#;
        let settings = CouncilSettings::parse(text).unwrap();
        assert_eq!((settings.rule, settings.loss, settings.members.len()), (Rule::Majority, 80.0, 2));
        let options: Vec<(String, String)> = settings.members[0].option_texts().collect();
        assert_eq!(options, [("Eval".to_owned(), "formula".to_owned()), ("Threads".to_owned(), "2".to_owned())]);
        assert_eq!(settings.members[1].program().unwrap().line(), "ssh host my engine");
        assert_eq!(settings.members[1].noise, 100.0);
        assert!(settings.members[0].fixes("threads") && !settings.members[0].fixes("MultiPV"));
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_its_place() {
        for (text, reason) in [
            ("rule = 'dictator'", "unknown variant `dictator`"),
            ("lose = 3", "unknown field `lose`"),
            ("loss = 0", "loss is 0"),
            ("multipv = 0", "multipv is 0"),
            ("[[member]]\nname = 'x'", "missing field `command`"),
            ("[[member]]\ncommand = ' '", "member 1 has no command"),
            ("[[member]]\ncommand = 'x'\nnoise = -1", "member 1: noise is -1"),
            ("[[member]]\ncommand = 'x'\nscale = nan", "member 1: scale is NaN"),
        ] {
            let error = format!("{:#}", CouncilSettings::parse(text).unwrap_err());
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}

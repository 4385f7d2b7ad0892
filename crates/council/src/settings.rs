//! The members and the decision rule: a file in TOML.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use clap::ValueEnum;
use kiki_driver::Program;
use kiki_run::files::{from_toml, read_text};
use serde::Deserialize;

/// How a council chooses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Rule {
    /// The move that most members name.
    Majority,
    /// The move with the greatest value.
    Optimistic,
    /// The move with the least value.
    Pessimistic,
    /// The weighted vote. The value that the strongest member reports counts as the value of the
    /// best move.
    Best,
    /// The weighted vote; the value of the best move is predicted from the mean of all reported
    /// values.
    Predicted,
    /// The same with a mean that is weighted by precision.
    #[default]
    Precision,
    /// The move with the greatest mean over the lines of all members.
    Mean,
}

impl Rule {
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// The longest margin and patience, in milliseconds.
pub(crate) const LONGEST_TIME: u32 = 600_000;

pub(crate) const MOST_MEMBERS: usize = 64;

/// Allowed losses of a wrong move, in centipawns.
const LOSSES: RangeInclusive<f64> = 0.01..=10_000.0;

/// Allowed scales and noises; others would make weights of votes infinite.
pub(crate) const SCALES_AND_NOISES: RangeInclusive<f64> = 0.001..=1_000_000.0;

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CouncilSettings {
    pub rule: Rule,
    /// The loss of a wrong move, in centipawns.
    pub loss: f64,
    /// The council answers this many milliseconds before the end of its time for a move.
    pub margin: u32,
    /// How many milliseconds after the first member others may answer, in games by the clock; at
    /// least as long as the first took.
    pub patience: u32,
    /// Number of lines requested from each member whose program has the option `MultiPV`.
    #[serde(rename = "multipv")]
    pub multi_pv: u32,
    #[serde(rename = "member")]
    pub members: Vec<MemberSettings>,
}

impl Default for CouncilSettings {
    fn default() -> Self {
        Self { rule: Rule::default(), loss: 100.0, margin: 30, patience: 2000, multi_pv: 1, members: Vec::new() }
    }
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemberSettings {
    /// Default: the name of its program.
    pub name: Option<String>,
    /// The program and its arguments as on a command line; `ssh host engine` puts a member on
    /// another machine.
    pub command: String,
    pub directory: Option<PathBuf>,
    /// Factor that brings its values to the centipawns that all members share.
    #[serde(default = "usual_scale")]
    pub scale: f64,
    /// The standard deviation of its errors in these centipawns: the smaller, the stronger.
    #[serde(default = "usual_noise")]
    pub noise: f64,
    #[serde(default)]
    pub options: BTreeMap<String, toml::Value>,
}

fn usual_scale() -> f64 {
    1.0
}

fn usual_noise() -> f64 {
    100.0
}

impl Default for MemberSettings {
    fn default() -> Self {
        let (scale, noise) = (usual_scale(), usual_noise());
        Self { name: None, command: String::new(), directory: None, scale, noise, options: BTreeMap::new() }
    }
}

impl MemberSettings {
    #[cfg(test)]
    pub(crate) fn of_command(command: &str) -> Self {
        Self { command: command.to_owned(), ..Self::default() }
    }

    pub fn program(&self) -> Result<Program> {
        Ok(Program::from_line(&self.command)?.in_directory(self.directory.as_deref()))
    }

    /// Whether the file sets this option of its program.
    #[must_use]
    pub fn fixes(&self, name: &str) -> bool {
        self.options.keys().any(|known| known.eq_ignore_ascii_case(name))
    }

    pub fn option_texts(&self) -> impl Iterator<Item = (String, String)> {
        let text = |value: &toml::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        self.options.iter().map(move |(name, value)| (name.clone(), text(value)))
    }
}

impl CouncilSettings {
    /// Errors name the file, and the line or the member at fault.
    pub fn read(path: &Path) -> Result<Self> {
        Self::parse(&read_text(path)?).with_context(|| path.display().to_string())
    }

    /// Errors name the line or the member at fault.
    pub fn parse(text: &str) -> Result<Self> {
        let settings: Self = from_toml(text)?;
        ensure!(LOSSES.contains(&settings.loss), "loss is {}, but must be {}", settings.loss, range(&LOSSES));
        for (what, time) in [("margin", settings.margin), ("patience", settings.patience)] {
            ensure!(time <= LONGEST_TIME, "{what} is {time}, but must be at most {LONGEST_TIME} milliseconds");
        }
        let members = settings.members.len();
        ensure!(members <= MOST_MEMBERS, "there are {members} members, but {MOST_MEMBERS} at most can be");
        ensure!((1..=64).contains(&settings.multi_pv), "multipv is {}, but must be from 1 to 64", settings.multi_pv);
        for (index, member) in settings.members.iter().enumerate() {
            let number = index + 1;
            ensure!(!member.command.trim().is_empty(), "member {number} has no command");
            for (what, value) in [("scale", member.scale), ("noise", member.noise)] {
                let allowed = range(&SCALES_AND_NOISES);
                ensure!(
                    SCALES_AND_NOISES.contains(&value),
                    "member {number}: {what} is {value}, but must be {allowed}"
                );
            }
            for (name, value) in &member.options {
                let is_one_value = !value.is_array() && !value.is_table();
                ensure!(is_one_value, "member {number}: the option {name} has several values, but takes one");
            }
            let texts = member.option_texts().flat_map(|(name, value)| [name, value]);
            let odd = texts.chain([member.command.clone()]).find(|text| text.contains(char::is_control));
            ensure!(odd.is_none(), "member {number}: {odd:?} is more than one line");
        }
        Ok(settings)
    }
}

pub(crate) fn range(allowed: &RangeInclusive<f64>) -> String {
    format!("from {} to {}", allowed.start(), allowed.end())
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
            ("loss = 1e300", "loss is 1000"),
            ("multipv = 0", "multipv is 0"),
            ("margin = 700000", "margin is 700000, but must be at most 600000 milliseconds"),
            ("patience = 600001", "patience is 600001"),
            ("[[member]]\nname = 'x'", "line 1: missing field `command`"),
            ("[[member]]\ncommand = ' '", "member 1 has no command"),
            ("[[member]]\ncommand = 'x'\nnoise = -1", "member 1: noise is -1"),
            ("[[member]]\ncommand = 'x'\nscale = nan", "member 1: scale is NaN"),
            ("[[member]]\ncommand = 'x'\nnoise = 1e-200", "but must be from 0.001 to 1000000"),
            ("[[member]]\ncommand = 'x'\noptions = { Eval = \"a\\nquit\" }", "is more than one line"),
            ("[[member]]\ncommand = 'x'\noptions = { Threads = [1, 2] }", "the option Threads has several values"),
        ] {
            let error = format!("{:#}", CouncilSettings::parse(text).unwrap_err());
            assert!(error.contains(reason), "{text}: {error}");
        }
        let many = "[[member]]\ncommand = 'x'\n".repeat(65);
        assert!(CouncilSettings::parse(&many).unwrap_err().to_string().contains("there are 65 members"));
    }
}

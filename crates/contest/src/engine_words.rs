//! Engines as people describe them, on the command line and in a tournament file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail, ensure};
use kiki_driver::split_words;
use kiki_play::clock::PlayLimits;
use kiki_play::player::PlayerSpec;
use kiki_text::is_printable;
use serde::Deserialize;

/// Part of an engine's description: one `--engine`, one `--each` or one table of a file. Another
/// part supplies missing values.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineWords {
    name: Option<String>,
    command: Option<CommandText>,
    directory: Option<PathBuf>,
    restart: Option<bool>,
    ponder: Option<bool>,
    #[serde(default)]
    options: BTreeMap<String, OptionText>,
    #[serde(default)]
    #[serde(rename = "limit")]
    limits: PlayLimits,
}

/// In a file a command is one line of words or a list of them.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(untagged)]
enum CommandText {
    Line(String),
    Words(Vec<String>),
}

/// In a file the value of an option may be a number or a truth value.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(untagged)]
enum OptionText {
    Text(String),
    Number(i64),
    Check(bool),
}

impl EngineWords {
    /// Reads `name=kiki cmd="target/release/kiki" nodes=1000 option.Threads=1`. Words are split as
    /// a shell does. A word without `=` is the command.
    pub fn parse(text: &str) -> Result<Self> {
        let words = split_words(text)?;
        let mut engine = Self::default();
        for word in &words {
            match word.split_once('=') {
                // One line, as clap shows no chain of errors.
                Some((key, value)) => engine.set(key, value).map_err(|error| anyhow!("`{word}`: {error}"))?,
                None if engine.command.is_none() => {
                    engine.command = Some(CommandText::Words(vec![word.clone()]));
                }
                None => bail!(
                    "`{word}` is not of the form key=value; a program with arguments is quoted: cmd='PROGRAM ARGUMENTS'"
                ),
            }
        }
        Ok(engine)
    }

    /// The same, but words without any `=` are a program with its arguments.
    pub fn parse_with_arguments(text: &str) -> Result<Self> {
        let words = split_words(text)?;
        if words.iter().any(|word| word.contains('=')) {
            return Self::parse(text);
        }
        Ok(Self { command: Some(CommandText::Words(words)), ..Self::default() })
    }

    fn set(&mut self, key: &str, value: &str) -> Result<()> {
        match key {
            "name" => self.name = Some(value.to_owned()),
            "cmd" | "command" => self.command = Some(CommandText::Line(value.to_owned())),
            "dir" | "directory" => self.directory = Some(value.into()),
            "restart" => self.restart = Some(value.parse().map_err(|_| anyhow!("restart is true or false"))?),
            "ponder" => self.ponder = Some(value.parse().map_err(|_| anyhow!("ponder is true or false"))?),
            _ if PlayLimits::NAMES.contains(&key) => {
                let number = value.parse().map_err(|_| anyhow!("{key} takes a whole number"))?;
                self.limits.set(key, number).map_err(|error| anyhow!(error))?;
            }
            _ => {
                let known = PlayLimits::NAMES.join(", ");
                let Some(option) = key.strip_prefix("option.").filter(|name| !name.is_empty()) else {
                    bail!("`{key}` is not one of name, cmd, dir, restart, ponder, {known}, option.NAME");
                };
                self.options.insert(option.to_owned(), OptionText::Text(value.to_owned()));
            }
        }
        Ok(())
    }

    /// The engine, with missing values from `each`, the time control only as a whole. Paths become
    /// absolute, because runs can be resumed from any folder. Refuses an engine without a command,
    /// a usable name or a time control.
    pub fn complete(self, each: &Self) -> Result<PlayerSpec> {
        let spec = self.complete_unlimited(each)?;
        ensure!(
            !spec.limits.is_empty(),
            "nothing limits the thinking of engine `{}`: give one of {}",
            spec.name,
            PlayLimits::NAMES.join(", ")
        );
        Ok(spec.with_absolute_paths()?)
    }

    /// The same, but the time control may be missing and paths stay as they are.
    pub fn complete_unlimited(self, each: &Self) -> Result<PlayerSpec> {
        let command =
            self.command.or_else(|| each.command.clone()).ok_or_else(|| anyhow!("an engine has no command"))?;
        let command = match command {
            CommandText::Line(line) => split_words(&line)?,
            CommandText::Words(words) => words,
        };
        ensure!(!command.is_empty(), "an engine has an empty command");
        let stem = || Path::new(&command[0]).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let name = self.name.or_else(stem).unwrap_or_default();
        ensure!(is_word(&name), "`{name}` is no name of an engine: use one to 60 characters without blanks");
        let limits = if self.limits.is_empty() { each.limits } else { self.limits };
        let mut options = each.options.clone();
        for (name, value) in self.options {
            // Names of options ignore case.
            options.retain(|other, _| !other.eq_ignore_ascii_case(&name));
            options.insert(name, value);
        }
        let text = |value| match value {
            OptionText::Text(text) => text,
            OptionText::Number(number) => number.to_string(),
            OptionText::Check(check) => check.to_string(),
        };
        Ok(PlayerSpec {
            name,
            command,
            directory: self.directory.or_else(|| each.directory.clone()),
            restart: self.restart.or(each.restart).unwrap_or(false),
            ponder: self.ponder.or(each.ponder).unwrap_or(false),
            options: options.into_iter().map(|(name, value)| (name, text(value))).collect(),
            limits,
        })
    }
}

/// Whether a text can be a name: in tables, files and protocols a blank would end it.
fn is_word(name: &str) -> bool {
    (1..=60).contains(&name.chars().count())
        && name.chars().all(|letter| is_printable(letter) && !letter.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete(text: &str, each: &str) -> Result<PlayerSpec> {
        EngineWords::parse(text)?.complete(&EngineWords::parse(each)?)
    }

    #[test]
    fn an_engine_is_one_line_of_words() {
        let text = r#"name=fast cmd="bin/kiki --quiet 'a b'" nodes=1000 option.Threads=1 option.BookFile=no=book restart=true"#;
        let spec = complete(text, "option.threads=2 option.USI_Hash=64 byoyomi=100").unwrap();
        assert_eq!(spec.name, "fast");
        assert_eq!(spec.command, ["bin/kiki", "--quiet", "a b"]);
        assert_eq!(spec.limits, PlayLimits { nodes: Some(1000), ..PlayLimits::default() });
        let options: Vec<_> = spec.options.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(options, [("BookFile", "no=book"), ("Threads", "1"), ("USI_Hash", "64")]);
        assert!(spec.restart);
    }

    #[test]
    fn a_path_alone_is_an_engine_named_after_its_file() {
        let spec = complete("target/release/kiki", "nodes=5").unwrap();
        assert_eq!((spec.name.as_str(), spec.command.len()), ("kiki", 1));
        assert_eq!(complete("'my engines/kiki'", "nodes=5").unwrap().command, ["my engines/kiki"]);
        assert_eq!(complete("name=new target/release/kiki", "nodes=5").unwrap().name, "new");
    }

    #[test]
    fn paths_become_absolute() {
        let complete = |text| complete(text, "").unwrap();
        let here = std::env::current_dir().unwrap();
        let spec = complete("cmd='src/lib.rs src/lib.rs' dir=src nodes=5");
        assert_eq!(spec.command, [here.join("src").join("lib.rs").to_str().unwrap(), "src/lib.rs"]);
        assert_eq!(spec.directory, Some(here.join("src")));
        let spec = complete("kiki nodes=5");
        assert_eq!((spec.command, spec.directory), (vec!["kiki".to_owned()], Some(here)));
        assert_eq!(complete("./no/such/engine nodes=5").command, ["./no/such/engine"], "for the message");
    }

    #[test]
    fn a_program_may_have_arguments_where_no_word_has_a_key() {
        let words = |text| EngineWords::parse_with_arguments(text)?.complete_unlimited(&EngineWords::default());
        assert_eq!(words("bin/council 'my council.toml'").unwrap().command, ["bin/council", "my council.toml"]);
        let spec = words("name=x cmd='bin/kiki usi' option.Threads=1").unwrap();
        assert_eq!((spec.command.len(), spec.options["Threads"].as_str()), (2, "1"));
        assert!(words("").is_err() && words("kiki fast=1").is_err());
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, expected) in [
            ("kiki nodes=many", "`nodes=many`"),
            ("kiki threads=1", "`threads=1`"),
            ("kiki fast", "`fast`"),
            ("name=x", "no command"),
            ("kiki", "nothing limits"),
            ("name='a b' cmd=x nodes=1", "`a b`"),
            ("cmd='x", "cmd='x"),
            ("cmd= nodes=1", "empty command"),
            ("kiki option.=3", "`option.=3`"),
        ] {
            let error = complete(text, "").unwrap_err();
            assert!(format!("{error:#}").contains(expected), "{text}: {error:#}");
        }
    }
}

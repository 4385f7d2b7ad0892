//! The tournament file: a contest described in TOML.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::ValueEnum;
use kiki_platform::{MOST_SETTINGS, read_regular_text};
use serde::Deserialize;

use super::engine_words::EngineWords;
use super::run_args::RuleTable;
use super::sprt_options::SprtOptions;
use crate::schedule::PairingFormat;

/// Everything that can also be given on the command line. See examples/round-robin.toml.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TournamentFile {
    /// The name of the event.
    pub event: Option<String>,
    /// Who plays whom.
    pub format: Option<PairingFormat>,
    /// Number of games, of each pairing in a round robin.
    pub games: Option<usize>,
    /// The file of openings.
    pub openings: Option<PathBuf>,
    /// The order of the openings.
    pub order: Option<OpeningOrder>,
    /// The seed of the order.
    pub seed: Option<u64>,
    /// The folder of the match.
    pub output: Option<PathBuf>,
    /// How often a game that failed is played again.
    pub replay_faults: Option<u32>,
    /// How games are played.
    #[serde(default)]
    pub rules: RuleTable,
    /// The sequential test.
    pub sprt: Option<SprtOptions>,
    /// What holds for each engine.
    #[serde(default)]
    pub each: EngineWords,
    /// The engines.
    #[serde(default)]
    pub engine: Vec<EngineWords>,
}

/// The order of openings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OpeningOrder {
    /// Shuffled by the seed.
    Random,
    /// As they stand in the file.
    Sequential,
}

impl TournamentFile {
    /// # Errors
    /// Names the file, the line and what is wrong in it.
    pub fn read(path: &Path) -> Result<Self> {
        let text = read_regular_text(path, MOST_SETTINGS).with_context(|| path.display().to_string())?;
        toml::from_str(&text).with_context(|| path.display().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_what_the_command_line_says() {
        let text = r#"
            event = "nodes"
            format = "gauntlet"
            games = 20
            replay-faults = 2
            openings = "openings.sfen"
            order = "sequential"
            [rules]
            max-plies = 256
            resign = { moves = 5, score = 3000 }
            [sprt]
            elo0 = 0
            elo1 = 10
            [each]
            options = { Threads = 1, USI_Ponder = false }
            limit = { nodes = 1000 }
            [[engine]]
            command = "target/release/kiki"
            [[engine]]
            name = "b"
            command = ["my engine", "x"]
            limit = { byoyomi = 100 }
        "#;
        let file: TournamentFile = toml::from_str(text).unwrap();
        assert_eq!(file.replay_faults, Some(2));
        let engines: Vec<_> = file.engine.into_iter().map(|engine| engine.complete(&file.each).unwrap()).collect();
        assert_eq!((engines[0].name.as_str(), engines[1].name.as_str()), ("kiki", "b"));
        assert_eq!(engines[1].command, ["my engine", "x"]);
        assert_eq!(engines[0].options["USI_Ponder"], "false");
        assert_eq!(engines[1].limits.byoyomi, Some(100));
    }

    #[test]
    fn an_unknown_word_is_named_with_its_line() {
        let error = toml::from_str::<TournamentFile>("games = 2\ngame = 3\n").unwrap_err();
        assert!(error.to_string().contains("line 2") && error.to_string().contains("game"), "{error}");
    }
}

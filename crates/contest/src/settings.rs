//! A contest described: on the command line, in a tournament file, and in the folder of the match.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Error, Result, ensure};
use clap::{Args, ValueEnum};
use kiki_play::openings;
use kiki_play::player::PlayerSpec;
use kiki_play::rules::MatchRules;
use kiki_run::ensure_usage;
use kiki_run::files::{read_openings, read_toml};
use kiki_run::usage::{WrongUsage, wrong_usage};
use serde::{Deserialize, Serialize};

use crate::engine_words::EngineWords;
use crate::run_args::{ReportedRunArgs, RuleOptions};
use crate::sprt::{SprtOptions, SprtSettings};
use crate::standings::{PairingFormat, Schedule};

const NO_FOLDER: &str = "--output FOLDER is missing: the folder for the records";
const DEFAULT_GAMES: usize = 100;
const DEFAULT_SPRT_GAMES: usize = 100_000;

/// A contest as a command line or a tournament file describes it; see examples/round-robin.toml.
#[derive(Clone, Debug, Default, Args, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct ContestOptions {
    /// An engine; give it twice or more
    #[arg(long = "engine", value_name = "WORDS", value_parser = EngineWords::parse)]
    #[serde(rename = "engine")]
    pub(crate) engines: Vec<EngineWords>,
    /// Settings of all engines that do not set their own
    #[arg(long, value_name = "WORDS", value_parser = EngineWords::parse)]
    pub(crate) each: Option<EngineWords>,
    /// Games for each pairing, an even number [default: 100, of a sequential test 100000]
    #[arg(long)]
    pub(crate) games: Option<usize>,
    /// File of openings, one a line [default: the start of the game only]
    #[arg(long, value_name = "FILE")]
    pub(crate) openings: Option<PathBuf>,
    /// Order of the openings
    #[arg(long, value_enum)]
    pub(crate) order: Option<OpeningOrder>,
    /// Seed of the random order [default: 1]
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Folder for the records; it must not hold a match yet
    #[arg(long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    /// Void games that a crash, a hang or a failed handshake ended, and replay each up to this
    /// number of times [default: 3]
    #[arg(long, value_name = "TIMES", num_args = 0..=1, default_missing_value = "3")]
    pub(crate) replay_faults: Option<u32>,
    /// Name of the event in records
    #[arg(long)]
    pub(crate) event: Option<String>,
    // The two commands have options of their own for these.
    #[arg(skip)]
    pub(crate) format: Option<PairingFormat>,
    #[arg(skip)]
    pub(crate) sprt: Option<SprtOptions>,
    #[command(flatten)]
    pub(crate) rules: RuleOptions,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum OpeningOrder {
    /// Shuffled by the seed.
    Random,
    /// In the order of the file.
    Sequential,
}

pub(crate) struct NewContest {
    pub(crate) folder: PathBuf,
    pub(crate) settings: ContestSettings,
    /// Openings in the order of play.
    pub(crate) openings: Vec<String>,
}

impl ContestOptions {
    /// Each setting from these options, else from the tournament file, else the default.
    pub(crate) fn over(self, file: Option<&Path>) -> Result<NewContest> {
        let file: Self = file.map(read_toml).transpose()?.unwrap_or_default();
        let each = self.each.or(file.each).unwrap_or_default();
        let engines = if self.engines.is_empty() { file.engines } else { self.engines };
        let sprt = match (self.sprt, file.sprt) {
            (None, None) => None,
            (given, file) => Some(given.unwrap_or_default().over(file.unwrap_or_default())?),
        };
        let usual_games = if sprt.is_some() { DEFAULT_SPRT_GAMES } else { DEFAULT_GAMES };
        let settings = ContestSettings {
            event: self.event.or(file.event).unwrap_or_else(|| "kiki-lab".to_owned()),
            format: self.format.or(file.format).unwrap_or_default(),
            engines: engines
                .into_iter()
                .map(|engine| engine.complete(&each))
                .collect::<Result<_>>()
                .map_err(wrong_usage)?,
            rounds: rounds(self.games.or(file.games).unwrap_or(usual_games))?,
            rules: self.rules.over(&file.rules)?,
            replay_faults: self.replay_faults.or(file.replay_faults).unwrap_or(0),
            sprt,
            handshake: BTreeMap::new(),
        };
        settings.check().map_err(wrong_usage)?;
        let order = self.order.or(file.order).unwrap_or(OpeningOrder::Random);
        let path = self.openings.or(file.openings);
        let openings = openings_of(path.as_deref(), order, self.seed.or(file.seed).unwrap_or(1))?;
        check_lengths(&openings, &settings.rules)?;
        let folder = self.output.or(file.output).ok_or_else(no_folder)?;
        Ok(NewContest { folder, settings, openings })
    }
}

/// Arguments of a run that plays many games of one engine in a folder of its own.
#[derive(Args, Debug)]
pub struct FolderArgs {
    /// File of openings, one a line [default: the start of the game only]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Seed of the order of the openings and of all other draws
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Folder for the records; it must be new
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    #[command(flatten)]
    pub reported: ReportedRunArgs,
    #[command(flatten)]
    rules: RuleOptions,
}

impl FolderArgs {
    /// Openings in the order of play.
    pub fn openings(&self) -> Result<Vec<String>> {
        let openings = openings_of(self.openings.as_deref(), OpeningOrder::Random, self.seed)?;
        check_lengths(&openings, &self.rules()?)?;
        Ok(openings)
    }

    pub fn folder(&self) -> Result<&Path> {
        self.output.as_deref().ok_or_else(no_folder)
    }

    pub fn rules(&self) -> Result<MatchRules> {
        self.rules.over(&RuleOptions::default())
    }
}

fn no_folder() -> Error {
    WrongUsage(NO_FOLDER.to_owned()).into()
}

/// Pairs of games. Refuses odd numbers of games.
pub(crate) fn rounds(games: usize) -> Result<usize> {
    ensure_usage!(games.is_multiple_of(2), "--games must be even: each opening is played with both colours");
    Ok(games / 2)
}

/// Raises the number of pairs of games to a number that is not less; returns whether it changed.
pub(crate) fn raise(rounds: &mut usize, wanted: Option<usize>) -> Result<bool> {
    let before = std::mem::replace(rounds, wanted.unwrap_or(*rounds));
    ensure_usage!(*rounds >= before, "--games: each pair of engines has {} games already", 2 * before);
    Ok(*rounds > before)
}

/// The openings of a file, or the start of the game, in the order of play.
fn openings_of(path: Option<&Path>, order: OpeningOrder, seed: u64) -> Result<Vec<String>> {
    let Some(path) = path else { return Ok(vec!["startpos".to_owned()]) };
    let mut list = read_openings(path)?;
    if order == OpeningOrder::Random {
        openings::shuffle(&mut list, seed);
    }
    Ok(list)
}

/// Refuses openings whose games would end before their first move.
fn check_lengths(openings: &[String], rules: &MatchRules) -> Result<()> {
    let plies = |line: &String| line.split_whitespace().skip_while(|&word| word != "moves").skip(1).count();
    let (longest, most) = (openings.iter().map(plies).max().unwrap_or(0), rules.max_plies);
    ensure_usage!(longest < most, "--max-plies {most} ends a game with an opening of {longest} plies at once");
    Ok(())
}

/// Settings that decide which games are played and how they are judged, as the folder of a match
/// keeps them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ContestSettings {
    pub event: String,
    pub format: PairingFormat,
    pub engines: Vec<PlayerSpec>,
    /// Pairs of games for each pairing.
    pub rounds: usize,
    pub rules: MatchRules,
    /// How often a game that a failed process ended is replayed before it counts as a loss.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub replay_faults: u32,
    /// The sequential test that ends the match, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtSettings>,
    /// `info string` texts of each engine before it was ready, without repetitions. Found, not set.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub handshake: BTreeMap<String, Vec<String>>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl ContestSettings {
    /// Refuses settings that cannot be played; the error names the first contradiction.
    pub(crate) fn check(&self) -> Result<()> {
        ensure!(self.engines.len() >= 2, "a match needs two engines or more, not {}", self.engines.len());
        for (index, engine) in self.engines.iter().enumerate() {
            let twice = self.engines[..index].iter().any(|other| other.name == engine.name);
            ensure!(!twice, "two engines are named `{}`: give them names by name=..", engine.name);
        }
        ensure!(self.rounds > 0, "--games: a match needs at least two games for each pairing");
        self.schedule(1)?;
        if let Some(sprt) = &self.sprt {
            ensure!(self.engines.len() == 2, "a sequential test compares two engines, not {}", self.engines.len());
            sprt.sprt()?;
        }
        Ok(())
    }

    pub(crate) fn schedule(&self, openings: usize) -> Result<Schedule> {
        Schedule::new(self.format, self.engines.len(), self.rounds, openings)
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
        let file: ContestOptions = toml::from_str(text).unwrap();
        assert_eq!(file.replay_faults, Some(2));
        let each = file.each.unwrap();
        let engines: Vec<_> = file.engines.into_iter().map(|engine| engine.complete(&each).unwrap()).collect();
        assert_eq!((engines[0].name.as_str(), engines[1].name.as_str()), ("kiki", "b"));
        assert_eq!(engines[1].command, ["my engine", "x"]);
        assert_eq!(engines[0].options["USI_Ponder"], "false");
        assert_eq!(engines[1].limits.byoyomi, Some(100));
        assert!(toml::from_str::<ContestOptions>("replay-fault = 2").is_err());
    }
}

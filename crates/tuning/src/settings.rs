//! What is tuned: the settings of a tuning, files of parameters, the numbers that an engine
//! announces for tuning, and the formula with the numbers of a file.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use crossbeam::channel::unbounded;
use kiki_board::PieceKind;
use kiki_driver::{CancellationToken, EngineSpec, LineDirection, LineLogger, Timeouts};
use kiki_eval::{TUNABLES, Tunable, Weights};
use kiki_play::player::PlayerSpec;
use kiki_play::rules::MatchRules;
use kiki_run::ensure_usage;
use kiki_run::files::read_toml;
use serde::{Deserialize, Serialize};

use crate::spsa::{ParameterRange, Spsa};

/// Settings of a tuning, as its folder keeps them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct TuningSettings {
    pub(crate) engine: PlayerSpec,
    pub(crate) parameters: BTreeMap<String, ParameterRange>,
    pub(crate) updates: u64,
    pub(crate) rate: f64,
    pub(crate) seed: u64,
    /// Number of updates under way at the same time: each starts from the values after the one so
    /// many before.
    #[serde(default = "ahead_of_old_runs")]
    pub(crate) ahead: u64,
    pub(crate) rules: MatchRules,
}

/// Runs of versions without this number began updates as workers came free.
fn ahead_of_old_runs() -> u64 {
    8
}

impl TuningSettings {
    /// The iteration before the first update. The error names the first contradiction.
    pub(crate) fn spsa(&self) -> Result<Spsa> {
        // Each update is two games, and games have numbers.
        let games = usize::try_from(self.updates).ok().and_then(|updates| updates.checked_mul(2));
        ensure_usage!(self.ahead >= 1, "--ahead must be 1 or more");
        ensure!(games.is_some(), "{} updates are more games than can be counted", self.updates);
        for name in self.parameters.keys() {
            let fixed = self.engine.options.keys().find(|option| option.eq_ignore_ascii_case(name));
            ensure!(fixed.is_none(), "`{name}` is both a parameter to tune and fixed by option.{name}");
        }
        for (name, &range) in &self.parameters {
            let alone = Spsa::new(vec![range], 1, 1.0, 0);
            alone.map_err(|error| anyhow!("parameter `{name}`: {error}"))?;
        }
        let parameters = self.parameters.values().copied().collect();
        Ok(Spsa::new(parameters, self.updates, self.rate, self.seed)?)
    }
}

/// Reads a file of parameters, one a line: `name = { start = 60, min = 0, max = 200, step = 15 }`.
/// The error names the file, the line and the mistake.
pub(crate) fn read_parameters(path: &Path) -> Result<BTreeMap<String, ParameterRange>> {
    read_toml(path).context("parameters")
}

pub(crate) fn parameters_text<'a>(parameters: impl IntoIterator<Item = (&'a String, ParameterRange)>) -> String {
    let line = |(name, range): (&String, ParameterRange)| {
        let ParameterRange { start, min, max, step } = range;
        format!("{} = {{ start = {start}, min = {min}, max = {max}, step = {step} }}\n", toml_key(name))
    };
    parameters.into_iter().map(line).collect()
}

/// A name as a key of TOML, with quotes if TOML needs them.
fn toml_key(name: &str) -> String {
    // The library writes keys only as part of a table.
    let line = toml::to_string(&BTreeMap::from([(name, 0)])).unwrap_or_default();
    line.trim_end().strip_suffix(" = 0").unwrap_or(name).to_owned()
}

/// The text before the list, which is JSON on the same line.
const LIST: &str = "info string shogiarena_tunables_json ";

#[derive(Deserialize)]
struct AnnouncedList {
    tunables: Vec<AnnouncedNumber>,
}

#[derive(Deserialize)]
struct AnnouncedNumber {
    option: String,
    default: i32,
    min: i32,
    max: i32,
    schedule: AnnouncedSchedule,
}

#[derive(Deserialize)]
struct AnnouncedSchedule {
    /// Last perturbation of SPSA.
    c_end: f64,
}

/// Asks an engine by `usi_tunables` for its numbers to tune, in its own order.
pub(crate) fn announced_parameters(spec: &PlayerSpec, timeouts: Timeouts) -> Result<Vec<(String, ParameterRange)>> {
    let lines = ask(spec, timeouts).with_context(|| format!("engine `{}`", spec.name))?;
    let list = lines.iter().rev().find_map(|line| line.strip_prefix(LIST));
    let Some(list) = list else {
        bail!("engine `{}` announces no numbers to tune: Kiki does if built with `--features tune`", spec.name);
    };
    let list: AnnouncedList =
        serde_json::from_str(list).with_context(|| format!("engine `{}`: its numbers to tune", spec.name))?;
    let parameter = |number: AnnouncedNumber| {
        let AnnouncedNumber { option, default, min, max, schedule } = number;
        (option, ParameterRange { start: default, min, max, step: schedule.c_end })
    };
    Ok(list.tunables.into_iter().map(parameter).collect())
}

/// Output of the engine from its start to `readyok`, which comes after its list.
fn ask(spec: &PlayerSpec, timeouts: Timeouts) -> Result<Vec<String>> {
    let (sender, received) = unbounded();
    let logger: LineLogger = Arc::new(move |direction, line: &[u8]| {
        if direction == LineDirection::FromEngine {
            let _ = sender.send(String::from_utf8_lossy(line).into_owned());
        }
    });
    let options = spec.options.clone().into_iter().collect();
    let engine = EngineSpec { program: spec.program()?, options, ponders: false };
    let mut engine = engine.start(timeouts, &CancellationToken::never(), Some(logger))?;
    engine.send_extension("usi_tunables")?;
    engine.ready()?;
    engine.quit();
    Ok(received.try_iter().collect())
}

/// Names of all kinds within the names of the formula's numbers, in the order of the kinds.
pub(crate) const KIND_NAMES: [&str; PieceKind::NUM] = [
    "pawn",
    "lance",
    "knight",
    "silver",
    "gold",
    "bishop",
    "rook",
    "king",
    "pro_pawn",
    "pro_lance",
    "pro_knight",
    "pro_silver",
    "horse",
    "dragon",
];

/// The formula's numbers in use, changed by the starts of a file of parameters.
/// Refuses numbers that the formula lacks, and values out of range.
pub(crate) fn read_weights(path: &Path) -> Result<Weights> {
    let mut weights = Weights::default();
    for (name, range) in &read_parameters(path)? {
        let (path, value) = (path.display(), range.start);
        let tunable = TUNABLES.iter().find(|tunable| tunable.name == name);
        let Tunable { min, max, .. } =
            tunable.with_context(|| format!("{path}: `{name}` is not a number of the formula"))?;
        ensure!((min..=max).contains(&&value), "{path}: `{name}` is {value}, not from {min} to {max}");
        weights.set(name, value);
    }
    Ok(weights)
}

pub(crate) fn kind_name(kind: PieceKind) -> String {
    KIND_NAMES[kind.array_index()].replace("pro_", "promoted ")
}

/// Numbers of the formula with a name for pictures and tables.
#[derive(Clone, Debug)]
pub(crate) struct NamedWeights {
    pub(crate) name: String,
    pub(crate) weights: Weights,
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
            ahead: 1,
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
        assert!(error.contains("`Depth` is both a parameter"), "{error}");
    }

    #[test]
    fn parameters_are_read_as_they_are_written() {
        let range = ParameterRange { start: 60, min: -10, max: 200, step: 7.5 };
        let names = ["alpha", "Late Move", "Search.LMR", "x = 0", "it's \"so\"", "\u{30ad}\u{30ad}", ""];
        let parameters: BTreeMap<String, ParameterRange> = names.map(|name| (name.to_owned(), range)).into();
        let text = parameters_text(parameters.iter().map(|(name, &range)| (name, range)));
        assert!(text.contains("\nalpha = { start = "), "{text}");
        assert_eq!(toml::from_str::<BTreeMap<String, ParameterRange>>(&text).unwrap(), parameters);
    }
}

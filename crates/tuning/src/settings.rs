//! What is tuned: the settings of a tuning, files of parameters, the numbers that an engine
//! announces for tuning, and the formula with the numbers of a file.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use crossbeam::channel::unbounded;
use kiki_board::PieceKind;
use kiki_driver::{CancellationToken, LineDirection, LineLogger, Timeouts, UsiEngine};
use kiki_eval::{TUNABLES, Weights};
use kiki_platform::{MOST_SETTINGS, read_regular_text};
use kiki_play::player::PlayerSpec;
use kiki_play::rules::MatchRules;
use kiki_run::files::from_toml;
use serde::{Deserialize, Serialize};

use crate::spsa::{Spsa, SpsaParameter};

/// Settings of a tuning, as its folder keeps them.
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

/// Range of an engine's option to tune, in whole numbers.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ParameterRange {
    pub(crate) start: i32,
    pub(crate) min: i32,
    pub(crate) max: i32,
    pub(crate) step: f64,
}

impl TuningSettings {
    /// The iteration before the first update. The error names the first contradiction.
    pub(crate) fn spsa(&self) -> Result<Spsa> {
        // Each update is two games, and games have numbers.
        let games = usize::try_from(self.updates).ok().and_then(|updates| updates.checked_mul(2));
        ensure!(games.is_some(), "{} updates are more games than can be counted", self.updates);
        for name in self.parameters.keys() {
            let fixed = self.engine.options.keys().find(|option| option.eq_ignore_ascii_case(name));
            ensure!(fixed.is_none(), "`{name}` is both a parameter to tune and fixed by option.{name}");
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

/// Reads a file of parameters, one a line: `name = { start = 60, min = 0, max = 200, step = 15 }`.
/// The error names the file, the line and the mistake.
pub(crate) fn read_parameters(path: &Path) -> Result<BTreeMap<String, ParameterRange>> {
    let place = || format!("parameters {}", path.display());
    let text = read_regular_text(path, MOST_SETTINGS).with_context(place)?;
    from_toml(&text).with_context(place)
}

/// Text of a file of parameters with other starts.
pub(crate) fn parameters_text(parameters: &BTreeMap<String, ParameterRange>, values: &[f64]) -> String {
    let mut text = String::new();
    for ((name, range), value) in parameters.iter().zip(values) {
        text += &parameter_line(name, range, *value);
    }
    text
}

pub(crate) fn parameter_line(name: &str, range: &ParameterRange, start: f64) -> String {
    let ParameterRange { min, max, step, .. } = range;
    let key = toml_key(name);
    format!("{key} = {{ start = {start:.0}, min = {min}, max = {max}, step = {step} }}\n")
}

/// A name as a key of TOML, with quotes if TOML needs them.
fn toml_key(name: &str) -> String {
    // The library writes keys only as part of a table.
    let line = toml::to_string(&BTreeMap::from([(name, 0)])).unwrap_or_default();
    line.trim_end().strip_suffix(" = 0").unwrap_or(name).to_owned()
}

/// Texts before the list, which is JSON on the same line, and after it.
const LIST: &str = "info string shogiarena_tunables_json ";
const END: &str = "usi_tunablesok";

#[derive(Deserialize)]
struct AnnouncedList {
    tunables: Vec<AnnouncedNumber>,
}

#[derive(Deserialize)]
struct AnnouncedNumber {
    /// Name of the USI option.
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
    let list: AnnouncedList = serde_json::from_str(list).with_context(|| format!("engine `{}`: {END}", spec.name))?;
    let parameter = |number: AnnouncedNumber| {
        let AnnouncedNumber { option, default, min, max, schedule } = number;
        (option, ParameterRange { start: default, min, max, step: schedule.c_end })
    };
    Ok(list.tunables.into_iter().map(parameter).collect())
}

/// Output of the engine up to the end of its list.
fn ask(spec: &PlayerSpec, timeouts: Timeouts) -> Result<Vec<String>> {
    let (sender, received) = unbounded();
    let logger: LineLogger = Arc::new(move |direction, line: &[u8]| {
        if direction == LineDirection::FromEngine {
            let _ = sender.send(String::from_utf8_lossy(line).into_owned());
        }
    });
    let mut engine = UsiEngine::start(&spec.program()?, timeouts, &CancellationToken::never(), Some(logger))?;
    engine.send_extension("usi_tunables")?;
    let deadline = Instant::now() + timeouts.ready;
    let mut lines = Vec::new();
    loop {
        let line = received.recv_deadline(deadline).with_context(|| format!("it does not answer `{END}`"))?;
        if line == END {
            break;
        }
        lines.push(line);
    }
    engine.quit();
    Ok(lines)
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
        let place = || path.display().to_string();
        let tunable = TUNABLES.iter().find(|tunable| tunable.name == name);
        let tunable =
            tunable.with_context(|| format!("`{name}` is not a number of the formula")).with_context(place)?;
        let (value, min, max) = (range.start, tunable.min, tunable.max);
        ensure!((min..=max).contains(&value), "{}: `{name}` is {value}, not from {min} to {max}", path.display());
        weights.set(name, value);
    }
    Ok(weights)
}

/// Name of a kind for people.
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
        let text = parameters_text(&parameters, &[60.4, -3.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        assert!(text.contains("\nalpha = { start = "), "{text}");
        let read: BTreeMap<String, ParameterRange> = toml::from_str(&text).unwrap();
        let starts = [60, -3, 1, 2, 3, 4, 5];
        let expected = parameters.into_keys().zip(starts.map(|start| ParameterRange { start, ..range }));
        assert_eq!(read, expected.collect());
    }
}

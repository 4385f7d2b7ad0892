//! An ablation study in its folder: its list of steps, nodes to a fixed depth, a contest for each
//! step, and the results.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use kiki_driver::CancellationSource;
use kiki_play::openings;
use kiki_play::player::{LogFolder, Player, PlayerFailure, PlayerSpec};
use kiki_play::pool::{GameWorker, PoolEvent, RunOptions, WorkQueue, WorkerPool};
use kiki_play::rules::MatchRules;
use kiki_run::files::from_toml;
use kiki_run::interrupt::Interrupt;
use kiki_run::journal::{CONTEST, Journal, STUDY};
use kiki_run::output::{ProgressLine, name_option};
use kiki_stats::Interval;
use kiki_stats::numeric::{mean, variance};
use kiki_stats::sprt::Estimates;
use kiki_stats::tally::Tally;
use kiki_usi::GoSpec;
use serde::{Deserialize, Serialize};

use crate::runner::Contest;
use crate::settings::{ContestSettings, raise};
use crate::standings::{LEVEL, PairingFormat, Standings};

pub(super) const KIKI: &str = include_str!("ablations.toml");

/// Name of the engine with all steps.
pub(super) const WHOLE: &str = "whole";

/// A step of the search, and the options that switch it off.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ablation {
    /// Name of its row and of the folder of its match.
    pub(super) name: String,
    pub(super) group: String,
    /// What this step does in the engine.
    pub(super) meaning: String,
    /// USI options by name with the values that switch it off.
    pub(super) options: BTreeMap<String, i64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AblationFile {
    ablation: Vec<Ablation>,
}

impl Ablation {
    /// The engine without this step.
    pub(super) fn engine(&self, whole: &PlayerSpec) -> PlayerSpec {
        let mut engine = PlayerSpec { name: format!("without-{}", self.name), ..whole.clone() };
        engine.options.extend(self.options.iter().map(|(name, value)| (name.clone(), value.to_string())));
        engine
    }
}

/// Reads a list in the form of [`KIKI`].
/// Refuses an empty list, a name given twice, and a name unfit for a folder.
pub(super) fn parse(text: &str) -> Result<Vec<Ablation>> {
    let AblationFile { ablation: list } = from_toml(text)?;
    ensure!(!list.is_empty(), "the list has no ablation");
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

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct AblationSettings {
    pub(super) engine: PlayerSpec,
    /// Steps to switch off one by one.
    pub(super) ablations: Vec<Ablation>,
    /// Pairs of games for each step; 0 for none.
    pub(super) rounds: usize,
    /// Depth in plies to count nodes to; 0 for no count.
    pub(super) depth: u32,
    /// Positions to count nodes at, as SFEN.
    pub(super) positions: Vec<String>,
    pub(super) rules: MatchRules,
}

impl AblationSettings {
    /// Refuses a study without work, and an engine that sets an option of an ablation.
    pub(super) fn check(&self) -> Result<()> {
        ensure!(self.rounds > 0 || self.depth > 0, "neither games nor a depth: there is nothing to do");
        for ablation in &self.ablations {
            for option in ablation.options.keys() {
                let fixed = self.engine.options.keys().find(|fixed| fixed.eq_ignore_ascii_case(option));
                ensure!(fixed.is_none(), "`{option}` is set by the engine, and by the ablation `{}`", ablation.name);
            }
        }
        Ok(())
    }

    fn whole(&self) -> PlayerSpec {
        PlayerSpec { name: WHOLE.to_owned(), ..self.engine.clone() }
    }

    /// The match: the whole engine comes first, then the one without the step.
    fn contest(&self, ablation: &Ablation) -> ContestSettings {
        let whole = self.whole();
        ContestSettings {
            event: format!("ablation of {}", ablation.name),
            format: PairingFormat::RoundRobin,
            engines: vec![whole.clone(), ablation.engine(&whole)],
            rounds: self.rounds,
            rules: self.rules,
            replay_faults: 0,
            sprt: None,
            handshake: BTreeMap::new(),
        }
    }
}

/// Standard deviations around the mean that hold 95 percent of a normal distribution.
const NORMAL_95: f64 = 1.959_964;

/// Row of the table: the effect of a step.
#[derive(Clone, Debug)]
pub(super) struct AblationRow<'a> {
    pub(super) ablation: &'a Ablation,
    /// `None` before the first game.
    pub(super) games: Option<MatchResult>,
    /// `None` if nodes were not counted.
    pub(super) nodes: Option<NodeRatio>,
}

/// Result of the whole engine against the one without a step.
#[derive(Clone, Debug)]
pub(super) struct MatchResult {
    /// From the view of the whole engine.
    pub(super) tally: Tally,
    pub(super) estimates: kiki_stats::Result<Estimates>,
}

impl MatchResult {
    /// `None` before the first game.
    fn of(standings: &Standings) -> Option<Self> {
        let (_, score) = standings.pairings().next().filter(|(_, score)| score.tally.games() > 0)?;
        Some(Self { tally: score.tally, estimates: score.counts().estimates(LEVEL) })
    }
}

impl AblationRow<'_> {
    /// Elo advantage of the whole engine with its interval, if it can be estimated.
    pub(super) fn elo(&self) -> Option<(f64, Interval)> {
        let estimates = self.games.as_ref()?.estimates.as_ref().ok()?;
        Some((estimates.elo, estimates.elo_interval))
    }
}

/// Nodes without a step as a multiple of those of the whole engine, to the same depth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct NodeRatio {
    /// Sum over all positions, without the step.
    pub(super) nodes: u64,
    /// Geometric mean of the ratios of the positions.
    pub(super) ratio: f64,
    /// Interval of 95 percent, with normal logarithms.
    pub(super) interval: Interval,
}

impl NodeRatio {
    /// Both slices hold nodes by position, at least one.
    fn of(whole: &[u64], without: &[u64]) -> Self {
        let logarithms: Vec<f64> =
            whole.iter().zip(without).map(|(&whole, &without)| (without as f64 / whole as f64).ln()).collect();
        let (count, mean) = (logarithms.len() as f64, mean(&logarithms));
        // A single position has no spread.
        let half = if count > 1.0 { NORMAL_95 * (variance(&logarithms) / count).sqrt() } else { f64::INFINITY };
        let interval = Interval { low: (mean - half).exp(), high: (mean + half).exp() };
        Self { nodes: without.iter().sum(), ratio: mean.exp(), interval }
    }
}

pub(super) struct AblationStudy {
    pub(super) journal: Journal<AblationSettings>,
    /// Nodes by name and position.
    counts: BTreeMap<String, Vec<u64>>,
}

impl AblationStudy {
    pub(super) fn begin(folder: &Path, settings: AblationSettings, openings: Vec<String>) -> Result<Self> {
        settings.check()?;
        Self::new(Journal::begin(folder, STUDY, settings, openings)?)
    }

    /// Continues an earlier study; `rounds` may raise its number of pairs.
    pub(super) fn resume(folder: &Path, rounds: Option<usize>) -> Result<Self> {
        let mut journal = Journal::<AblationSettings>::resume(folder, STUDY)?;
        let is_raised = raise(&mut journal.settings.rounds, rounds)?;
        journal.settings.check()?;
        if is_raised {
            journal.write_settings()?;
        }
        Self::new(journal)
    }

    fn new(journal: Journal<AblationSettings>) -> Result<Self> {
        let mut counts = BTreeMap::new();
        journal.replay(|NodeCounts { name, nodes }| {
            ensure!(nodes.len() == journal.settings.positions.len(), "{name}: not as many numbers as positions");
            counts.insert(name, nodes);
            Ok(())
        })?;
        Ok(Self { journal, counts })
    }

    /// Counts the remaining nodes and plays the remaining games, until the user interrupts.
    pub(super) fn run(&mut self, options: &RunOptions) -> Result<()> {
        let interrupt = Interrupt::listen()?;
        let engines: Vec<PlayerSpec> = self.engines().map(|(_, engine)| engine).collect();
        let pool = WorkerPool { engines: &engines, options, cancellation: &interrupt.cancellation };
        let checked = pool.check_engines(|_| Ok(())).map_err(name_option);
        let checked = checked.context("the switches are options of an engine built with `--features tune`");
        if interrupt.unless_cancelled(checked)?.is_some() {
            self.count_nodes(options, &interrupt)?;
            self.play(options, &interrupt)?;
        }
        Ok(())
    }

    /// The whole engine, then those without a step, each with its name in the journal.
    fn engines(&self) -> impl Iterator<Item = (&str, PlayerSpec)> {
        let whole = self.journal.settings.whole();
        let without = |ablation: &'_ Ablation| ablation.engine(&self.journal.settings.engine);
        let others =
            self.journal.settings.ablations.iter().map(move |ablation| (ablation.name.as_str(), without(ablation)));
        std::iter::once((WHOLE, whole)).chain(others)
    }

    fn count_nodes(&mut self, options: &RunOptions, interrupt: &Interrupt) -> Result<()> {
        if self.journal.settings.depth == 0 {
            return Ok(());
        }
        let engines = self.engines().map(|(name, engine)| (name.to_owned(), engine));
        let missing: Vec<_> = engines.filter(|(name, _)| !self.counts.contains_key(name)).collect();
        let options = RunOptions { logs: None, ..options.clone() };
        let positions = self.journal.settings.positions.len();
        let before = self.counts.len() * positions;
        let scheduled = (self.journal.settings.ablations.len() + 1) * positions;
        let mut line = ProgressLine::new("positions", scheduled as u64, before as u64);
        for (index, (name, engine)) in missing.into_iter().enumerate() {
            let done = before + index * positions;
            let each = |more: usize| line.show((done + more) as u64, || format!("nodes of {}", engine.name));
            let Some(nodes) = count(&self.journal.settings, &engine, &options, &interrupt.cancellation, each)? else {
                break;
            };
            self.journal.append(&NodeCounts { name: name.clone(), nodes: nodes.clone() })?;
            self.counts.insert(name, nodes);
        }
        line.finish();
        Ok(())
    }

    fn play(&self, options: &RunOptions, interrupt: &Interrupt) -> Result<()> {
        for ablation in self.journal.settings.ablations.iter().filter(|_| self.journal.settings.rounds > 0) {
            if interrupt.cancellation.token().is_cancelled() {
                break;
            }
            let folder = self.contest_folder(ablation);
            let rounds = self.journal.settings.rounds;
            let mut contest = if was_begun(&folder) {
                Contest::resume(&folder, Some(rounds))?
            } else {
                Contest::begin(&folder, self.journal.settings.contest(ablation), self.journal.list.clone())?
            };
            let of_contest = |logs: &LogFolder| LogFolder { path: logs.path.join(&ablation.name), ..logs.clone() };
            let options = RunOptions { logs: options.logs.as_ref().map(of_contest), ..options.clone() };
            contest.run(&options, None, false, interrupt)?;
        }
        Ok(())
    }

    pub(super) fn rows(&self) -> Result<Vec<AblationRow<'_>>> {
        let row = |ablation| {
            let folder = self.contest_folder(ablation);
            let contest = was_begun(&folder).then(|| Contest::read(&folder, |_| ())).transpose()?;
            let games = contest.and_then(|(contest, _)| MatchResult::of(&contest.standings));
            let both = self.counts.get(WHOLE).zip(self.counts.get(&ablation.name));
            Ok(AblationRow { ablation, games, nodes: both.map(|(whole, without)| NodeRatio::of(whole, without)) })
        };
        self.journal.settings.ablations.iter().map(row).collect()
    }

    /// Whether all games were played and all nodes counted.
    pub(super) fn is_complete(&self, rows: &[AblationRow<'_>]) -> bool {
        let games = 2 * self.journal.settings.rounds as u64;
        let played = |row: &AblationRow<'_>| row.games.as_ref().map_or(0, |result| result.tally.games());
        rows.iter().all(|row| played(row) == games && (self.journal.settings.depth == 0 || row.nodes.is_some()))
    }

    /// Nodes of the whole engine over all positions, if they were counted.
    pub(super) fn whole_nodes(&self) -> Option<u64> {
        self.counts.get(WHOLE).map(|nodes| nodes.iter().sum())
    }

    fn contest_folder(&self, ablation: &Ablation) -> PathBuf {
        self.journal.folder().join(&ablation.name)
    }
}

fn was_begun(folder: &Path) -> bool {
    folder.join(CONTEST.settings).exists()
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct NodeCounts {
    /// Name of the ablation, or of the whole engine.
    pub(super) name: String,
    pub(super) nodes: Vec<u64>,
}

/// Counts the nodes of an engine; `None` after a cancellation. The engine forgets each position
/// before the next. Calls `each` with the number of finished positions.
fn count(
    settings: &AblationSettings,
    engine: &PlayerSpec,
    options: &RunOptions,
    cancellation: &CancellationSource,
    mut each: impl FnMut(usize),
) -> Result<Option<Vec<u64>>> {
    let engines = [engine.clone()];
    let pool = WorkerPool { engines: &engines, options, cancellation };
    let mut counted = vec![None; settings.positions.len()];
    let queue = WorkQueue::new(counted.len(), HashSet::new());
    let next = |worker: &mut GameWorker<'_>| -> Result<_> {
        let Some(index) = queue.take() else { return Ok(None) };
        let nodes = nodes_at(&settings.positions[index], settings, &mut worker.players[0])?;
        Ok(Some((index, nodes)))
    };
    let mut done = 0;
    pool.run(
        counted.len(),
        || next,
        |event| {
            if let PoolEvent::Result((position, nodes)) = event {
                counted[position] = Some(nodes);
                done += 1;
                each(done);
            }
            Ok(ControlFlow::Continue(()))
        },
    )
    .with_context(|| format!("nodes to depth {} of `{}`", settings.depth, engine.name))?;
    Ok(counted.into_iter().collect())
}

/// Nodes of a position, at least 1.
fn nodes_at(sfen: &str, settings: &AblationSettings, player: &mut Player<'_>) -> Result<u64> {
    player.start().map_err(name_option)?;
    let (position, _) = openings::position(sfen)?;
    let go = GoSpec { depth: Some(settings.depth), ..GoSpec::default() };
    let patience = Duration::from_millis(settings.rules.patience);
    match player.prepare().and_then(|()| player.think(&position, &go, None, patience)) {
        Ok(answer) => {
            let nodes = answer.info.nodes.with_context(|| format!("{sfen}: the engine reports no nodes"))?;
            Ok(nodes.max(1))
        }
        Err(PlayerFailure::Cancelled) => bail!("cancelled"),
        Err(failure) => bail!("{sfen}: the engine {failure}"),
    }
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

    #[test]
    fn the_ratio_is_the_geometric_mean_of_the_positions() {
        let same = NodeRatio::of(&[10, 1000], &[20, 2000]);
        assert!((same.ratio - 2.0).abs() < 1e-12 && (same.interval.high - 2.0).abs() < 1e-12, "{same:?}");
        // Logarithms 0 and ln 4: mean ln 2, standard deviation ln 4 / sqrt 2, standard error ln 2.
        let spread = NodeRatio::of(&[10, 10], &[10, 40]);
        assert_eq!(spread.nodes, 50);
        assert!((spread.ratio - 2.0).abs() < 1e-12, "{spread:?}");
        let high = 2.0_f64.powf(1.0 + 1.959_964);
        assert!((spread.interval.high - high).abs() < 1e-6, "{spread:?}");
        let one = NodeRatio::of(&[10], &[5]);
        assert_eq!((one.ratio, one.interval.low, one.interval.high), (0.5, 0.0, f64::INFINITY));
    }
}

//! An ablation study in its folder: begun or resumed, and carried out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use kiki_play::player::{LogFolder, PlayerSpec};
use kiki_play::pool::{RunOptions, WorkerPool};
use kiki_run::interrupt::Interrupt;
use kiki_run::journal::Journal;
use kiki_run::journal_layouts::STUDY;
use kiki_run::play_errors::name_option;
use kiki_run::progress_line::ProgressLine;

use super::list::{Ablation, WHOLE};
use super::node_counts::{NodeCounts, count};
use super::picture;
use super::rows::{AblationRow, MatchResult, NodeRatio};
use super::settings::AblationSettings;
use crate::runner::Contest;

/// A study with what it has found so far.
pub struct AblationStudy {
    /// The settings of the study.
    pub settings: AblationSettings,
    openings: Vec<String>,
    journal: Journal,
    /// Nodes by name and position.
    counts: BTreeMap<String, Vec<u64>>,
}

impl AblationStudy {
    /// A new study in a folder.
    pub fn begin(folder: &Path, settings: AblationSettings, openings: Vec<String>) -> Result<Self> {
        settings.check()?;
        let journal = Journal::create(folder, STUDY, &settings, &openings)?;
        Ok(Self { settings, openings, journal, counts: BTreeMap::new() })
    }

    /// A study that was begun before. It may be given more pairs of games than it had, but not fewer.
    pub fn resume(folder: &Path, rounds: Option<usize>) -> Result<Self> {
        let (mut journal, mut settings, openings) = Journal::resume::<AblationSettings>(folder, STUDY)?;
        if let Some(rounds) = rounds.filter(|&rounds| rounds != settings.rounds) {
            ensure!(rounds > settings.rounds, "the study has {} games for each step already", 2 * settings.rounds);
            settings.rounds = rounds;
            journal.write_settings(&settings)?;
        }
        settings.check()?;
        let mut counts = BTreeMap::new();
        journal.replay(|NodeCounts { name, nodes }| {
            ensure!(nodes.len() == settings.positions.len(), "{name}: not as many numbers as positions");
            counts.insert(name, nodes);
            Ok(())
        })?;
        Ok(Self { settings, openings, journal, counts })
    }

    /// Counts the nodes and plays the games that are missing, until the user interrupts, and writes the pictures.
    pub fn run(&mut self, options: &RunOptions) -> Result<()> {
        let interrupt = Interrupt::listen()?;
        let engines: Vec<PlayerSpec> = self.engines().map(|(_, engine)| engine).collect();
        let pool = WorkerPool { engines: &engines, options, cancellation: &interrupt.cancellation };
        let checked = pool.check_engines(|_| Ok(())).map_err(name_option);
        let checked = checked.context("the switches are options of an engine built with `--features tune`");
        if interrupt.unless_cancelled(checked)?.is_some() {
            self.count_nodes(options, &interrupt)?;
            self.play(options, &interrupt)?;
        }
        picture::write(self.folder(), &self.rows()?)
    }

    /// The whole engine, and then those without a step, each with its name in the journal.
    fn engines(&self) -> impl Iterator<Item = (&str, PlayerSpec)> {
        let whole = self.settings.whole();
        let without = |ablation: &'_ Ablation| ablation.engine(&self.settings.engine);
        let others = self.settings.ablations.iter().map(move |ablation| (ablation.name.as_str(), without(ablation)));
        std::iter::once((WHOLE, whole)).chain(others)
    }

    fn count_nodes(&mut self, options: &RunOptions, interrupt: &Interrupt) -> Result<()> {
        if self.settings.depth == 0 {
            return Ok(());
        }
        let missing: Vec<_> = self
            .engines()
            .filter(|(name, _)| !self.counts.contains_key(*name))
            .map(|(name, engine)| (name.to_owned(), engine))
            .collect();
        let options = RunOptions { logs: None, ..options.clone() };
        let positions = self.settings.positions.len();
        let before = self.counts.len() * positions;
        let scheduled = (self.settings.ablations.len() + 1) * positions;
        let mut line = ProgressLine::new("positions", scheduled as u64, before as u64);
        for (index, (name, engine)) in missing.into_iter().enumerate() {
            let done = before + index * positions;
            let each = |more: usize| line.show((done + more) as u64, || format!("nodes of {}", engine.name));
            let Some(nodes) = count(&self.settings, &engine, &options, &interrupt.cancellation, each)? else { break };
            self.journal.append(&NodeCounts { name: name.clone(), nodes: nodes.clone() })?;
            self.counts.insert(name, nodes);
        }
        line.finish();
        Ok(())
    }

    fn play(&self, options: &RunOptions, interrupt: &Interrupt) -> Result<()> {
        for ablation in self.settings.ablations.iter().filter(|_| self.settings.rounds > 0) {
            if interrupt.cancellation.token().is_cancelled() {
                break;
            }
            let folder = self.contest_folder(ablation);
            let rounds = self.settings.rounds;
            let mut contest = if was_begun(&folder) {
                Contest::resume(&folder, Some(rounds), |_| Ok(()))?
            } else {
                Contest::begin(&folder, self.settings.contest(ablation), self.openings.clone())?
            };
            let of_contest = |logs: &LogFolder| LogFolder { path: logs.path.join(&ablation.name), ..logs.clone() };
            let options = RunOptions { logs: options.logs.as_ref().map(of_contest), ..options.clone() };
            contest.run_until(&options, false, interrupt)?;
        }
        Ok(())
    }

    /// What each step is worth, as far as it is known.
    pub fn rows(&self) -> Result<Vec<AblationRow<'_>>> {
        let row = |ablation| {
            let folder = self.contest_folder(ablation);
            let games = if was_begun(&folder) {
                let (contest, _) = Contest::read(&folder, |_| ())?;
                MatchResult::of(&contest.standings)
            } else {
                None
            };
            let both = self.counts.get(WHOLE).zip(self.counts.get(&ablation.name));
            Ok(AblationRow { ablation, games, nodes: both.map(|(whole, without)| NodeRatio::of(whole, without)) })
        };
        self.settings.ablations.iter().map(row).collect()
    }

    /// Whether every game was played and all nodes were counted.
    pub fn is_complete(&self, rows: &[AblationRow<'_>]) -> bool {
        let games = 2 * self.settings.rounds as u64;
        let played = |row: &AblationRow<'_>| row.games.as_ref().map_or(0, |result| result.tally.games());
        rows.iter().all(|row| played(row) == games && (self.settings.depth == 0 || row.nodes.is_some()))
    }

    /// Nodes of the whole engine over all positions, if they were counted.
    pub fn whole_nodes(&self) -> Option<u64> {
        self.counts.get(WHOLE).map(|nodes| nodes.iter().sum())
    }

    /// The folder of the study.
    pub fn folder(&self) -> &Path {
        self.journal.folder()
    }

    fn contest_folder(&self, ablation: &Ablation) -> PathBuf {
        self.folder().join(&ablation.name)
    }
}

fn was_begun(folder: &Path) -> bool {
    folder.join("match.json").exists()
}

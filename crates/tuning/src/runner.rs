//! A tuning in its folder: begun or resumed, and played.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;

use anyhow::{Result, ensure};
use kiki_play::player::PlayerSpec;
use kiki_play::pool::{PoolEvent, RunOptions, WorkQueue, WorkerPool};
use kiki_run::files::write_atomically;
use kiki_run::interrupt::Interrupt;
use kiki_run::journal::Journal;
use kiki_run::journal_layouts::TUNING;
use kiki_run::numbers::signed;
use kiki_run::play_errors::name_option;
use kiki_run::progress_line::ProgressLine;
use parking_lot::Mutex;

use super::game_pairs::{GamePair, PairPlan, PairTask, SharedSpsa};
use super::picture::ParameterCurves;
use super::settings::{ParameterRange, TuningSettings, parameters_text};
use crate::spsa::Spsa;

/// How many updates there are between two writes of the result.
const WRITE_EVERY: u64 = 200;

/// A tuning with the updates that were played.
pub(crate) struct Tuning {
    pub(crate) settings: TuningSettings,
    openings: Vec<String>,
    journal: Journal,
    spsa: Spsa,
    played: BTreeSet<u64>,
    curves: ParameterCurves,
}

impl Tuning {
    /// A new tuning in a folder.
    pub(crate) fn begin(folder: &Path, settings: TuningSettings, openings: Vec<String>) -> Result<Self> {
        let spsa = settings.spsa()?;
        let journal = Journal::create(folder, TUNING, &settings, &openings)?;
        Ok(Self::with(settings, openings, journal, spsa))
    }

    /// A tuning that was begun before.
    pub(crate) fn resume(folder: &Path) -> Result<Self> {
        let (journal, settings, openings) = Journal::resume::<TuningSettings>(folder, TUNING)?;
        let spsa = settings.spsa()?;
        let mut tuning = Self::with(settings, openings, journal, spsa);
        let Self { journal, spsa, played, curves, settings, .. } = &mut tuning;
        journal.replay(|update: GamePair| record(spsa, played, curves, settings.updates, &update))?;
        Ok(tuning)
    }

    fn with(settings: TuningSettings, openings: Vec<String>, journal: Journal, spsa: Spsa) -> Self {
        let curves = ParameterCurves::new(&settings);
        Self { settings, openings, journal, spsa, played: BTreeSet::new(), curves }
    }

    /// Plays the updates that are missing, until the user interrupts, and writes the result.
    pub(crate) fn run(&mut self, options: &RunOptions) -> Result<()> {
        let interrupt = Interrupt::listen()?;
        if !self.is_complete() && interrupt.unless_cancelled(self.check_engine(options, &interrupt))?.is_some() {
            self.play(options, &interrupt)?;
        }
        self.write()
    }

    /// Starts the engine once and sets every parameter to its ends and its start, so that what cannot work is known before the first game.
    ///
    /// # Errors
    /// An engine that does not start, does not have the options, or does not get ready.
    fn check_engine(&self, options: &RunOptions, interrupt: &Interrupt) -> Result<()> {
        let engines = [self.settings.engine.clone()];
        let pool = WorkerPool { engines: &engines, options, cancellation: &interrupt.cancellation };
        let checked = pool.check_engines(|engine| {
            for (name, range) in &self.settings.parameters {
                for value in [range.min, range.max, range.start] {
                    engine.set_option(name, &value.to_string())?;
                }
            }
            Ok(())
        });
        checked.map(drop).map_err(name_option)
    }

    fn play(&mut self, options: &RunOptions, interrupt: &Interrupt) -> Result<()> {
        let (settings, openings) = (self.settings.clone(), self.openings.clone());
        let named = |name: &str| PlayerSpec { name: name.to_owned(), ..settings.engine.clone() };
        let engines = [named("plus"), named("minus")];
        let played = self.played.iter().map(|update| *update as usize - 1).collect();
        let queue = WorkQueue::new(settings.updates as usize, played);
        let most_workers = queue.count();
        let shared = Mutex::new(SharedSpsa { spsa: self.spsa.clone(), queue });
        let plan = PairPlan { settings: &settings, openings: &openings, shared: &shared };
        let new_task = || {
            let task = PairTask::new(&plan);
            move |worker: &mut _| task.play_next(worker)
        };
        let pool = WorkerPool { engines: &engines, options, cancellation: &interrupt.cancellation };
        let mut line = ProgressLine::new("updates", settings.updates, self.played());
        let outcome = pool.run(most_workers, new_task, |event| {
            if let PoolEvent::Result(update) = event {
                self.journal.append(&update)?;
                record(&mut self.spsa, &mut self.played, &mut self.curves, settings.updates, &update)?;
                if self.played().is_multiple_of(WRITE_EVERY) {
                    self.write()?;
                }
            }
            line.show(self.played(), || self.farthest());
            Ok(ControlFlow::Continue(()))
        });
        line.finish();
        outcome.map(|_| ())
    }

    /// Writes the values found so far.
    fn write(&self) -> Result<()> {
        let text = parameters_text(&self.settings.parameters, self.spsa.values());
        write_atomically(&self.folder().join("parameters.toml"), text.as_bytes())?;
        self.curves.write(&self.folder().join("parameters.svg"))
    }

    pub(crate) fn played(&self) -> u64 {
        self.played.len() as u64
    }

    /// Whether all updates have been played.
    pub(crate) fn is_complete(&self) -> bool {
        self.played() == self.settings.updates
    }

    pub(crate) fn folder(&self) -> &Path {
        self.journal.folder()
    }

    /// The parameters that have moved farthest, in steps.
    fn farthest(&self) -> String {
        const SHOWN: usize = 4;
        let mut values: Vec<_> = self.found_values().collect();
        values.sort_by(|one, other| other.3.abs().total_cmp(&one.3.abs()));
        let shown =
            values.iter().take(SHOWN).map(|(name, _, value, steps)| format!("{name} {value:.1} ({})", signed(*steps)));
        shown.collect::<Vec<_>>().join(", ")
    }

    /// The parameters with the values found so far, and their distances from the start in steps.
    pub(crate) fn found_values(&self) -> impl Iterator<Item = (&str, ParameterRange, f64, f64)> {
        let values = self.spsa.values();
        self.settings.parameters.iter().zip(values).map(|((name, &range), &value)| {
            (name.as_str(), range, value, (value - f64::from(range.start)) / range.step)
        })
    }
}

/// The numbers of a tuning after each hundredth of its updates, in the second half of what has been played; also of one that is being
/// played. None before the first hundredth.
pub(crate) fn checkpoints(folder: &Path) -> Result<Vec<BTreeMap<String, f64>>> {
    let (mut journal, settings, _) = Journal::read::<TuningSettings>(folder, TUNING)?;
    let (mut spsa, mut played) = (settings.spsa()?, BTreeSet::new());
    let mut curves = ParameterCurves::new(&settings);
    let every = settings.updates.div_ceil(100);
    let mut values = Vec::new();
    journal.replay(|update: GamePair| {
        record(&mut spsa, &mut played, &mut curves, settings.updates, &update)?;
        if (played.len() as u64).is_multiple_of(every) {
            values.push(settings.parameters.keys().cloned().zip(spsa.values().iter().copied()).collect());
        }
        Ok(())
    })?;
    Ok(values.split_off(values.len() / 2))
}

/// Records the result of an update.
fn record(
    spsa: &mut Spsa,
    played: &mut BTreeSet<u64>,
    curves: &mut ParameterCurves,
    updates: u64,
    done: &GamePair,
) -> Result<()> {
    let GamePair { update, points, .. } = *done;
    ensure!((1..=updates).contains(&update), "there is no update {update} of {updates}");
    ensure!((0.0..=2.0).contains(&points), "two games do not give {points} points");
    ensure!(played.insert(update), "update {update} stands there twice");
    spsa.record_result(update, done.advantage());
    curves.add(played.len() as u64, spsa.values());
    Ok(())
}

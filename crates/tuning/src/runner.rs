//! A tuning in its folder: begun or resumed, and played in pairs of games between two processes of
//! one engine.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use kiki_driver::CancellationToken;
use kiki_machines::context::{StopSignal, WorkerContext};
use kiki_machines::coordinator::{Coordinator, NextTask, RunPlan};
use kiki_machines::engines::SharedEngines;
use kiki_machines::job::{Job, JobNeeds};
use kiki_play::openings;
use kiki_play::player::PlayerSpec;
use kiki_play::pool::{GameWorker, PoolEvent, RunOptions, WorkQueue, WorkerPool};
use kiki_play::referee::GameStart;
use kiki_play::rules::MatchRules;
use kiki_plot::{ChartLine, CurveStyle, LineChart};
use kiki_record::EndReason;
use kiki_run::files::write_atomically;
use kiki_run::interrupt::Interrupt;
use kiki_run::journal::{Journal, TUNING};
use kiki_run::output::{ProgressLine, name_option, signed};
use parking_lot::{Condvar, Mutex};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

use crate::settings::{TuningSettings, parameters_text};
use crate::spsa::{ParameterRange, Spsa};

/// Number of updates between two writes of the result.
const WRITE_EVERY: u64 = 200;

pub(crate) struct Tuning {
    pub(crate) journal: Journal<TuningSettings>,
    updates: PlayedUpdates,
}

/// The state of a tuning, which follows from its journal.
struct PlayedUpdates {
    /// The iteration after the last counted updates, oldest first: updates start from them.
    states: VecDeque<Spsa>,
    /// Updates are counted in the order of their numbers.
    counted: u64,
    /// Advantages in updates that wait for earlier ones.
    early: BTreeMap<u64, f64>,
    numbers: BTreeSet<u64>,
    /// Distance of each parameter from its start, in its own steps, over the updates.
    curves: Vec<Curve>,
}

type Curve = Vec<(f64, f64)>;

/// A parameter with its value so far. Its serialized form is that of JSON reports.
#[derive(Serialize)]
pub(crate) struct FoundValue<'a> {
    pub(crate) name: &'a str,
    pub(crate) start: i32,
    pub(crate) value: f64,
    /// Distance from the start in steps.
    pub(crate) steps: f64,
}

impl Tuning {
    pub(crate) fn new(journal: Journal<TuningSettings>) -> Result<Self> {
        Self::replayed(journal, |_, _| ())
    }

    /// Counts the updates of a journal. Calls `each` with their number and the values so far.
    fn replayed(journal: Journal<TuningSettings>, mut each: impl FnMut(u64, &[f64])) -> Result<Self> {
        let settings = &journal.settings;
        let curves = vec![vec![(0.0, 0.0)]; settings.parameters.len()];
        let states = VecDeque::from([settings.spsa()?]);
        let (early, numbers) = (BTreeMap::new(), BTreeSet::new());
        let mut updates = PlayedUpdates { states, counted: 0, early, numbers, curves };
        journal.replay(|update| {
            updates.record(settings, &update)?;
            while updates.count_next(settings) {
                each(updates.counted, updates.values());
            }
            Ok(())
        })?;
        Ok(Self { journal, updates })
    }

    /// Plays the remaining updates until the user interrupts, and writes the result.
    pub(crate) fn run(&mut self, options: &RunOptions, coordinator: Option<&Coordinator>) -> Result<()> {
        let interrupt = Interrupt::listen()?;
        if !self.is_complete() && interrupt.unless_cancelled(self.check_engine(options, &interrupt))?.is_some() {
            self.play(options, coordinator, &interrupt)?;
        }
        self.write()
    }

    /// Starts the engine and sets every parameter to its ends and its start: errors show before the
    /// first game.
    fn check_engine(&self, options: &RunOptions, interrupt: &Interrupt) -> Result<()> {
        let engines = [self.journal.settings.engine.clone()];
        let pool = WorkerPool { engines: &engines, options, cancellation: &interrupt.cancellation };
        let checked = pool.check_engines(|engine| {
            for (name, range) in &self.journal.settings.parameters {
                for value in [range.min, range.max, range.start] {
                    engine.set_option(name, &value.to_string())?;
                }
            }
            Ok(())
        });
        checked.map(drop).map_err(name_option)
    }

    fn play(&mut self, options: &RunOptions, coordinator: Option<&Coordinator>, interrupt: &Interrupt) -> Result<()> {
        let Self { journal, updates } = self;
        let settings = &journal.settings;
        let named = |name: &str| PlayerSpec { name: name.to_owned(), ..settings.engine.clone() };
        let engines = [named("plus"), named("minus")];
        let played = updates.numbers.iter().map(|update| *update as usize - 1).collect();
        let plan = PairPlan {
            settings,
            openings: &journal.list,
            queue: WorkQueue::new(settings.updates as usize, played),
            updates: Mutex::new(updates),
            counted: Condvar::new(),
            cancelled: interrupt.cancellation.token(),
        };
        let mut line = ProgressLine::new("updates", settings.updates, plan.updates.lock().played());
        let mut each = |event: PoolEvent<GamePair>| {
            let mut updates = plan.updates.lock();
            if let PoolEvent::Result(update) = event {
                journal.append(&update)?;
                updates.record(settings, &update)?;
                while updates.count_next(settings) {}
                plan.counted.notify_all();
                if updates.played().is_multiple_of(WRITE_EVERY) {
                    updates.write(settings, journal.folder())?;
                }
            }
            line.show(updates.played(), || updates.farthest(settings));
            Ok(ControlFlow::Continue(()))
        };
        let pool = WorkerPool { engines: &engines, options, cancellation: &interrupt.cancellation };
        let outcome = match coordinator {
            None => {
                let rules = &settings.rules;
                let new_task = || {
                    |worker: &mut GameWorker<'_>| -> Result<Option<GamePair>> {
                        plan.wait_for_next().map(|pair| pair.play(worker, rules)).transpose()
                    }
                };
                pool.run(plan.queue.count(), new_task, each).map(drop)
            }
            Some(coordinator) => {
                let job = PairJob { engines: SharedEngines::of(&engines, options.timeouts)?, rules: settings.rules };
                let is_stopped = || interrupt.cancellation.token().is_cancelled();
                let (place, is_new) = (journal.folder(), plan.updates.lock().played() == 0);
                let run = RunPlan { job: &job, place, first: 0, is_new, is_stopped: &is_stopped };
                coordinator.run(&run, |index| Ok(plan.next(index)), &mut each)
            }
        };
        line.finish();
        outcome
    }

    fn write(&self) -> Result<()> {
        self.updates.write(&self.journal.settings, self.journal.folder())
    }

    pub(crate) fn played(&self) -> u64 {
        self.updates.played()
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.played() == self.journal.settings.updates
    }

    pub(crate) fn found_values(&self) -> impl Iterator<Item = FoundValue<'_>> {
        self.updates.found_values(&self.journal.settings)
    }
}

const MAX_POINTS: u64 = 150;
/// Maximum number of curves with a name in the legend.
const MAX_NAMED: usize = 6;

impl PlayedUpdates {
    fn record(&mut self, settings: &TuningSettings, done: &GamePair) -> Result<()> {
        let &GamePair { update, points, .. } = done;
        let updates = settings.updates;
        ensure!((1..=updates).contains(&update), "there is no update {update} of {updates}");
        ensure!((0.0..=2.0).contains(&points), "two games do not give {points} points");
        ensure!(self.numbers.insert(update), "update {update} stands there twice");
        self.early.insert(update, done.advantage());
        Ok(())
    }

    /// Counts the next update in order. Returns false if it was not played yet.
    fn count_next(&mut self, settings: &TuningSettings) -> bool {
        let update = self.counted + 1;
        let Some(advantage) = self.early.remove(&update) else { return false };
        self.counted = update;
        let mut spsa = self.state().clone();
        spsa.record_result(update, advantage);
        self.states.push_back(spsa);
        if self.states.len() as u64 > settings.ahead {
            self.states.pop_front();
        }
        if update.is_multiple_of(settings.updates.div_ceil(MAX_POINTS).max(1)) {
            let steps: Vec<f64> = self.found_values(settings).map(|found| found.steps).collect();
            self.curves.iter_mut().zip(steps).for_each(|(curve, steps)| curve.push((update as f64, steps)));
        }
        true
    }

    /// The values of both sides in an update; `None` while one that it starts from is not counted.
    fn perturbed(&self, update: u64, ahead: u64) -> Option<[Vec<f64>; 2]> {
        let back = self.counted.checked_sub(update.saturating_sub(ahead))?;
        let state = self.states.len().checked_sub(1 + back as usize).and_then(|index| self.states.get(index));
        state.map(|spsa| spsa.perturbed(update))
    }

    fn state(&self) -> &Spsa {
        &self.states[self.states.len() - 1]
    }

    fn values(&self) -> &[f64] {
        &self.state().values
    }

    fn played(&self) -> u64 {
        self.numbers.len() as u64
    }

    fn found_values<'a>(&'a self, settings: &'a TuningSettings) -> impl Iterator<Item = FoundValue<'a>> {
        settings.parameters.iter().zip(self.values()).map(|((name, range), &value)| {
            let steps = (value - f64::from(range.start)) / range.step;
            FoundValue { name, start: range.start, value, steps }
        })
    }

    /// Writes the values found so far.
    fn write(&self, settings: &TuningSettings, folder: &Path) -> Result<()> {
        let values = settings.parameters.iter().zip(self.values());
        let parameters = values
            .map(|((name, &range), value)| (name, ParameterRange { start: value.round_ties_even() as i32, ..range }));
        write_atomically(&folder.join("parameters.toml"), parameters_text(parameters).as_bytes())?;
        self.chart(settings).write(&folder.join("parameters.svg"))
    }

    /// The parameters that moved farthest, in steps.
    fn farthest(&self, settings: &TuningSettings) -> String {
        const SHOWN: usize = 4;
        let mut values: Vec<_> = self.found_values(settings).collect();
        values.sort_by(|one, other| other.steps.abs().total_cmp(&one.steps.abs()));
        let shown = |found: &FoundValue<'_>| format!("{} {:.1} ({})", found.name, found.value, signed(found.steps));
        values.iter().take(SHOWN).map(shown).collect::<Vec<_>>().join(", ")
    }

    /// The curves of the parameters; those that moved farthest have a name.
    fn chart(&self, settings: &TuningSettings) -> LineChart {
        let curves = settings.parameters.keys().zip(&self.curves);
        let mut curves: Vec<(&String, &Curve)> = curves.collect();
        let distance = |points: &[(f64, f64)]| points.last().map_or(0.0, |point| point.1.abs());
        curves.sort_by(|one, other| distance(other.1).total_cmp(&distance(one.1)));
        let line = |(rank, (name, points)): (usize, (&String, &Curve))| {
            let is_named = rank < MAX_NAMED;
            ChartLine::new(
                if is_named { name.clone() } else { String::new() },
                points.clone(),
                if is_named { CurveStyle::Solid } else { CurveStyle::Thin },
                rank.min(MAX_NAMED),
            )
        };
        // Curves with a name cover the others.
        let lines = curves.into_iter().enumerate().map(line).rev().collect();
        LineChart::new("parameters found by self-play", "updates of two games", "steps from the start", lines)
    }
}

/// Values of a tuning after each hundredth of its updates, in the second half of those played.
/// Another process may be playing it.
pub(crate) fn checkpoints(folder: &Path) -> Result<Vec<BTreeMap<String, f64>>> {
    let journal = Journal::<TuningSettings>::read(folder, TUNING)?;
    let every = journal.settings.updates.div_ceil(100);
    let mut values = Vec::new();
    let tuning = Tuning::replayed(journal, |played, found| {
        if played.is_multiple_of(every) {
            values.push(found.to_vec());
        }
    })?;
    let names = tuning.journal.settings.parameters.keys();
    let named = |values: Vec<f64>| names.clone().cloned().zip(values).collect();
    Ok(values.split_off(values.len() / 2).into_iter().map(named).collect())
}

/// A pair of games, which is one update of the parameters and a line of the journal.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GamePair {
    /// Number of the update, from 1.
    update: u64,
    /// Points of the side `plus` in both games.
    points: f64,
    /// Reasons of the ends; `plus` plays Black in the first game.
    reasons: [EndReason; 2],
    /// Lengths of the games, openings included.
    plies: [usize; 2],
}

impl GamePair {
    /// Points of the side `plus` less those of the other.
    fn advantage(&self) -> f64 {
        2.0 * self.points - 2.0
    }
}

/// What all workers share. The first player of each worker is the side `plus`.
struct PairPlan<'a> {
    settings: &'a TuningSettings,
    openings: &'a [String],
    /// The updates that no worker has taken yet, counted from 0.
    queue: WorkQueue,
    updates: Mutex<&'a mut PlayedUpdates>,
    /// Told when updates are counted.
    counted: Condvar,
    cancelled: &'a CancellationToken,
}

/// Interval between two looks whether a wait was cancelled.
const LOOK: Duration = Duration::from_millis(50);

impl PairPlan<'_> {
    /// The next pair, once the update that it starts from is counted; `None` if there are no more.
    fn wait_for_next(&self) -> Option<PairTask> {
        let update = self.queue.take()? as u64 + 1;
        let mut updates = self.updates.lock();
        loop {
            if let Some(task) = self.task(&updates, update) {
                return Some(task);
            }
            if self.cancelled.is_cancelled() {
                return None;
            }
            self.counted.wait_for(&mut updates, LOOK);
        }
    }

    /// The pair of an index, for other machines.
    fn next(&self, index: u64) -> NextTask<PairTask> {
        if index >= self.settings.updates {
            NextTask::None
        } else if self.queue.is_played(index as usize) {
            NextTask::Skip
        } else {
            self.task(&self.updates.lock(), index + 1).map_or(NextTask::None, NextTask::Task)
        }
    }

    fn task(&self, updates: &PlayedUpdates, update: u64) -> Option<PairTask> {
        let Self { settings, openings, .. } = self;
        let values = rounded(&updates.perturbed(update, settings.ahead)?, settings.seed ^ update << 20);
        let opening = (update - 1) as usize % openings.len();
        let options = values.map(|side| settings.parameters.keys().cloned().zip(side).collect());
        Some(PairTask { update, opening: opening + 1, position: openings[opening].clone(), options })
    }
}

/// A pair of games with all that playing it needs.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairTask {
    update: u64,
    /// The opening's number, from 1, and its line.
    opening: usize,
    position: String,
    /// Values of the tuned options of `plus` and of `minus`.
    options: [Vec<(String, i64)>; 2],
}

impl PairTask {
    fn play(&self, worker: &mut GameWorker<'_>, rules: &MatchRules) -> Result<GamePair> {
        let &Self { update, opening, .. } = self;
        let mut done = GamePair { update, points: 0.0, reasons: [EndReason::Resignation; 2], plies: [0; 2] };
        for black in 0..2 {
            let number = 2 * update as usize - 1 + black;
            worker.begin_log(number)?;
            for (player, options) in worker.players.iter_mut().zip(&self.options) {
                let engine = player.start()?;
                for (name, value) in options {
                    engine.set_option(name, &value.to_string())?;
                }
            }
            let (spec, position) = openings::position(&self.position)?;
            let start = GameStart { game: number, opening, spec, position };
            let game = worker.play(start, [black, 1 - black], rules)?;
            // A crash says nothing about numbers; a loss on time does.
            if let Some(fault) = game.fault.filter(|_| game.reason != EndReason::Time) {
                let last_lines = fault.last_lines.join("\n");
                bail!("game {number}: the engine ({}) lost: {}\n{last_lines}", fault.engine, fault.detail);
            }
            let points = game.outcome.points_of_black().context("a game without a result")?;
            done.points += if black == 0 { points } else { 1.0 - points };
            (done.reasons[black], done.plies[black]) = (game.reason, game.moves.len());
        }
        Ok(done)
    }
}

/// The pairs of a tuning as tasks for many machines.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairJob {
    /// `plus` and `minus`.
    engines: SharedEngines,
    rules: MatchRules,
}

impl Job for PairJob {
    const KIND: &'static str = "tuning";
    type Task = PairTask;
    type Outcome = GamePair;
    type State<'a> = GameWorker<'a>;

    fn needs(&mut self) -> JobNeeds<'_> {
        JobNeeds::Engines(&mut self.engines)
    }

    fn begin<'a>(&'a self, context: &'a WorkerContext<'_>) -> Result<GameWorker<'a>> {
        self.engines.worker(context)
    }

    fn work(&self, worker: &mut GameWorker<'_>, _: u64, pair: PairTask, _: &StopSignal) -> Result<Option<GamePair>> {
        pair.play(worker, &self.rules).map(Some)
    }
}

/// Values of both sides as whole numbers, rounded up or down by the same random draws, which keeps
/// their means.
fn rounded(values: &[Vec<f64>; 2], seed: u64) -> [Vec<i64>; 2] {
    let mut random = Pcg64::seed_from_u64(seed);
    let draws: Vec<f64> = values[0].iter().map(|_| random.random()).collect();
    values.each_ref().map(|side| side.iter().zip(&draws).map(|(value, draw)| (value + draw).floor() as i64).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_keeps_the_mean_and_whole_numbers() {
        let values = [vec![3.25, 7.0, -0.5], vec![2.25, 7.0, -1.5]];
        let mut sums = [0; 3];
        for seed in 0..4000 {
            let [plus, minus] = rounded(&values, seed);
            assert_eq!((plus[1], minus[1]), (7, 7));
            assert_eq!((plus[0] - minus[0], plus[2] - minus[2]), (1, 1));
            sums.iter_mut().zip(plus).for_each(|(sum, number)| *sum += number);
        }
        assert!((sums[0] - 13_000).abs() < 150 && (sums[2] + 2000).abs() < 150, "{sums:?}");
    }
}

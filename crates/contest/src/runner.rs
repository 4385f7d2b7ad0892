//! A contest in its folder: begun, resumed or only read, and played.

use std::collections::HashMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use kiki_machines::context::{StopSignal, WorkerContext};
use kiki_machines::coordinator::{Coordinator, NextTask, RunPlan};
use kiki_machines::engines::SharedEngines;
use kiki_machines::job::{Job, JobNeeds};
use kiki_machines::workforce::resume_options;
use kiki_play::game::PlayedGame;
use kiki_play::pool::{GameWorker, PoolEvent, RunOptions, WorkQueue, WorkerPool};
use kiki_play::referee::GameStart;
use kiki_play::rules::MatchRules;
use kiki_play::{PlayError, openings};
use kiki_record::EndReason;
use kiki_run::interrupt::Interrupt;
use kiki_run::journal::{CONTEST, Journal};
use kiki_run::output::{ProgressLine, interval, name_option, signed};
use kiki_stats::sprt::{SprtDecision, remaining_games};
use kiki_text::{excerpt_of, printable};
use serde::{Deserialize, Serialize};

use crate::export;
use crate::settings::{ContestSettings, raise};
use crate::sprt::SprtRun;
use crate::standings::{LEVEL, Schedule, Standings};

/// Maximum number of texts to keep of an engine's handshakes, and of characters of each.
const MAX_TEXTS: usize = 32;
const LONGEST_TEXT: usize = 300;

pub(crate) struct Contest {
    pub(crate) journal: Journal<ContestSettings>,
    pub(crate) standings: Standings,
    pub(crate) sprt: Option<SprtRun>,
    pub(crate) faulty: Vec<PlayedGame>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ContestEnd {
    pub(crate) status: ContestStatus,
    /// Engines that were killed because they kept running after `quit`.
    pub(crate) killed: Vec<String>,
    /// See [`resume_options`].
    pub(crate) resume_options: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ContestStatus {
    Complete,
    Decided,
    /// Games are missing, and no process plays the contest.
    Interrupted,
    /// Another process plays it.
    Running,
}

impl Contest {
    pub(crate) fn begin(folder: &Path, settings: ContestSettings, openings: Vec<String>) -> Result<Self> {
        Self::new(Journal::begin(folder, CONTEST, settings, openings)?, |_| ())
    }

    /// Continues a contest; a greater `rounds` adds games.
    pub(crate) fn resume(folder: &Path, rounds: Option<usize>) -> Result<Self> {
        let mut journal = Journal::<ContestSettings>::resume(folder, CONTEST)?;
        let is_raised = raise(&mut journal.settings.rounds, rounds)?;
        journal.settings.check()?;
        if is_raised {
            journal.write_settings()?;
        }
        Self::new(journal, |_| ())
    }

    /// Reads a contest, which another process may be playing. `each` gets the games in the order of
    /// the journal.
    pub(crate) fn read(folder: &Path, each: impl FnMut(&PlayedGame)) -> Result<(Self, ContestEnd)> {
        let journal = Journal::read(folder, CONTEST)?;
        // Asked before the games are read, so a match that ends meanwhile counts as running, not as
        // interrupted.
        let is_running = journal.is_busy();
        let contest = Self::new(journal, each)?;
        let status = if is_running { ContestStatus::Running } else { contest.status() };
        Ok((contest, ContestEnd { status, killed: Vec::new(), resume_options: String::new() }))
    }

    fn new(journal: Journal<ContestSettings>, mut each: impl FnMut(&PlayedGame)) -> Result<Self> {
        let settings = &journal.settings;
        let schedule = settings.schedule(journal.list.len())?;
        let names = settings.engines.iter().map(|engine| engine.name.clone()).collect();
        let (mut standings, mut faulty) = (Standings::new(names, schedule), Vec::new());
        journal.replay(|game| {
            each(&game);
            count(&mut standings, &mut faulty, game)
        })?;
        let sprt = settings.sprt.as_ref().map(SprtRun::new).transpose()?;
        let mut contest = Self { journal, standings, sprt, faulty };
        contest.advance_sprt();
        Ok(contest)
    }

    /// Plays the remaining games until the sequential test decides or the user interrupts, and
    /// writes the exports.
    pub(crate) fn run(
        &mut self,
        options: &RunOptions,
        coordinator: Option<&Coordinator>,
        with_csa: bool,
        interrupt: &Interrupt,
    ) -> Result<ContestEnd> {
        if with_csa {
            let folder = self.journal.folder().join(export::CSA);
            fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        }
        let mut killed = Vec::new();
        if !self.is_decided() && !self.is_complete() {
            let engines = self.journal.settings.engines.clone();
            let pool = WorkerPool { engines: &engines, options, cancellation: &interrupt.cancellation };
            let checked = pool.check_engines(|_| Ok::<_, PlayError>(())).map_err(name_option);
            if let Some(texts) = interrupt.unless_cancelled(checked)? {
                self.keep_texts(texts)?;
                killed = self.play(pool, coordinator, with_csa)?;
            }
        }
        export::results(&self.journal, with_csa)?;
        export::pictures(self.journal.folder(), &self.standings, self.sprt.as_ref())?;
        let resume_options = resume_options(coordinator, options.concurrency);
        Ok(ContestEnd { status: self.status(), killed, resume_options })
    }

    /// Stores the messages of the engines at their start, for example which files they use.
    fn keep_texts(&mut self, texts: Vec<Vec<String>>) -> Result<()> {
        let settings = &mut self.journal.settings;
        let before = settings.handshake.clone();
        for (engine, texts) in settings.engines.iter().zip(texts).filter(|(_, texts)| !texts.is_empty()) {
            let kept = settings.handshake.entry(engine.name.clone()).or_default();
            for text in texts.iter().map(|text| excerpt_of(text, LONGEST_TEXT)) {
                if kept.len() < MAX_TEXTS && !kept.contains(&text) {
                    kept.push(text);
                }
            }
        }
        if settings.handshake == before { Ok(()) } else { self.journal.write_settings() }
    }

    fn play(&mut self, pool: WorkerPool<'_>, coordinator: Option<&Coordinator>, with_csa: bool) -> Result<Vec<String>> {
        let plan = MatchPlan {
            settings: self.journal.settings.clone(),
            schedule: self.standings.schedule.clone(),
            openings: self.journal.list.clone(),
            queue: self.standings.queue(),
            voided: self.standings.voided.clone(),
        };
        let standings = &self.standings;
        let mut line = ProgressLine::new("games", standings.schedule.games as u64, standings.played() as u64);
        let folder = self.journal.folder().to_owned();
        let is_new = standings.played() == 0;
        let mut each = |event: PoolEvent<PlayedGame>| {
            if let PoolEvent::Result(game) = event {
                if with_csa && !game.voided {
                    export::csa(&self.journal, &game)?;
                }
                self.journal.append(&game)?;
                print_fault(&line, &game);
                count(&mut self.standings, &mut self.faulty, game)?;
                self.advance_sprt();
            }
            show(&mut line, &self.standings, self.sprt.as_ref());
            Ok(if self.is_decided() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        };
        let killed = match coordinator {
            None => {
                let new_task = || {
                    let mut task = MatchTask::new(&plan);
                    move |worker: &mut _| task.play_next(worker)
                };
                pool.run(plan.queue.count(), new_task, each)
            }
            Some(coordinator) => {
                let job = MatchJob {
                    engines: SharedEngines::of(pool.engines, pool.options.timeouts)?,
                    rules: plan.settings.rules,
                    replay_faults: plan.settings.replay_faults,
                };
                let is_stopped = || pool.cancellation.token().is_cancelled();
                let run = RunPlan { job: &job, place: &folder, first: 0, is_new, is_stopped: &is_stopped };
                let next = |number: u64| Ok(plan.next(number));
                let outcome = coordinator.run(&run, next, |event| match event {
                    PoolEvent::Tick => each(PoolEvent::Tick),
                    PoolEvent::Result(games) => {
                        let mut flow = ControlFlow::Continue(());
                        for game in games {
                            flow = each(PoolEvent::Result(game))?;
                        }
                        Ok(flow)
                    }
                });
                outcome.map(|()| Vec::new())
            }
        };
        line.finish();
        killed
    }

    fn advance_sprt(&mut self) {
        if let Some(sprt) = &mut self.sprt {
            sprt.advance(&self.standings);
        }
    }

    /// Status of a contest that no process plays.
    fn status(&self) -> ContestStatus {
        match (self.is_decided(), self.is_complete()) {
            (true, _) => ContestStatus::Decided,
            (false, true) => ContestStatus::Complete,
            (false, false) => ContestStatus::Interrupted,
        }
    }

    fn is_complete(&self) -> bool {
        self.standings.played() == self.standings.schedule.games
    }

    fn is_decided(&self) -> bool {
        self.sprt.as_ref().is_some_and(|sprt| sprt.decision() != SprtDecision::Continue)
    }

    /// Whether two engines played an opening more than once with the same colours.
    pub(crate) fn repeats_openings(&self) -> bool {
        self.standings.played() > 2 * self.standings.schedule.pairings.len() * self.journal.list.len()
    }
}

/// Counts a game and keeps it if it has a fault.
fn count(standings: &mut Standings, faulty: &mut Vec<PlayedGame>, game: PlayedGame) -> Result<()> {
    standings.add(&game)?;
    if game.fault.is_some() {
        faulty.push(game);
    }
    Ok(())
}

/// The contest fails after this number of successive games for which an engine did not get ready.
const MAX_FAILED_STARTS: usize = 3;

/// Time after which a worker knows that it is to end.
const STOP_DELAY: Duration = Duration::from_millis(300);

struct MatchPlan {
    settings: ContestSettings,
    schedule: Schedule,
    openings: Vec<String>,
    queue: WorkQueue,
    /// How often games were voided before, by index in the schedule.
    voided: HashMap<usize, u32>,
}

impl MatchPlan {
    /// The game of an index in the schedule, for other machines.
    fn next(&self, index: u64) -> NextTask<MatchGame> {
        let index = index as usize;
        if index >= self.schedule.games {
            NextTask::None
        } else if self.queue.is_played(index) {
            NextTask::Skip
        } else {
            NextTask::Task(self.game(index))
        }
    }

    /// The game of an index in the schedule.
    fn game(&self, index: usize) -> MatchGame {
        let scheduled = self.schedule.game(index);
        MatchGame {
            number: index + 1,
            opening: scheduled.opening + 1,
            position: self.openings[scheduled.opening].clone(),
            players: [scheduled.black, scheduled.white],
            voided: self.voided.get(&index).copied().unwrap_or(0),
        }
    }
}

/// Plays the games of one worker, again if a process failed.
struct MatchTask<'a> {
    plan: &'a MatchPlan,
    /// A voided game to replay.
    replay: Option<MatchGame>,
    failed_starts: FailedStarts,
}

impl<'a> MatchTask<'a> {
    fn new(plan: &'a MatchPlan) -> Self {
        Self { plan, replay: None, failed_starts: FailedStarts::default() }
    }

    /// Plays the next game; `None` if there are no more.
    fn play_next(&mut self, worker: &mut GameWorker<'_>) -> Result<Option<PlayedGame>> {
        let MatchPlan { settings, queue, .. } = self.plan;
        let next = || queue.take().map(|index| self.plan.game(index));
        let Some(mut scheduled) = self.replay.take().or_else(next) else { return Ok(None) };
        worker.begin_log(scheduled.number)?;
        let game = scheduled.play(worker, &settings.rules, settings.replay_faults)?;
        if game.voided {
            scheduled.voided += 1;
            self.replay = Some(scheduled);
        }
        self.failed_starts.count(&game)?;
        Ok(Some(game))
    }
}

/// A game of the schedule with all that playing it needs.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchGame {
    number: usize,
    /// The opening's number, from 1, and its line.
    opening: usize,
    position: String,
    /// Indices of Black and White.
    players: [usize; 2],
    /// How often it was voided.
    voided: u32,
}

impl MatchGame {
    fn play(&self, worker: &mut GameWorker<'_>, rules: &MatchRules, replay_faults: u32) -> Result<PlayedGame> {
        let (spec, position) = openings::position(&self.position)?;
        let start = GameStart { game: self.number, opening: self.opening, spec, position };
        let mut game = worker.play(start, self.players, rules)?;
        game.voided = game.reason.is_process_fault() && self.voided < replay_faults;
        Ok(game)
    }
}

/// Successive games for which an engine did not get ready, by its name.
#[derive(Default)]
pub struct FailedStarts(HashMap<String, usize>);

impl FailedStarts {
    fn count(&mut self, game: &PlayedGame) -> Result<()> {
        let fault = game.fault.as_ref().filter(|_| game.reason == EndReason::NotReady);
        for name in [&game.black, &game.white] {
            let failed = self.0.entry(name.clone()).or_default();
            let Some(fault) = fault.filter(|fault| fault.engine == *name) else {
                *failed = 0;
                continue;
            };
            *failed += 1;
            if *failed >= MAX_FAILED_STARTS {
                bail!("engine `{name}` did not get ready {failed} times in succession: {}", fault.detail);
            }
        }
        Ok(())
    }
}

/// The games of a match as tasks for many machines.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchJob {
    engines: SharedEngines,
    rules: MatchRules,
    replay_faults: u32,
}

impl Job for MatchJob {
    const KIND: &'static str = "match";
    type Task = MatchGame;
    /// Voided games, and the one that counts.
    type Outcome = Vec<PlayedGame>;
    type State<'a> = (GameWorker<'a>, FailedStarts);

    fn needs(&mut self) -> JobNeeds<'_> {
        JobNeeds::Engines(&mut self.engines)
    }

    fn begin<'a>(&'a self, context: &'a WorkerContext<'_>) -> Result<Self::State<'a>> {
        Ok((self.engines.worker(context)?, FailedStarts::default()))
    }

    fn work(
        &self,
        (worker, failed_starts): &mut Self::State<'_>,
        _: u64,
        mut scheduled: MatchGame,
        stop: &StopSignal,
    ) -> Result<Option<Vec<PlayedGame>>> {
        let mut games: Vec<PlayedGame> = Vec::new();
        while games.last().is_none_or(|game| game.voided) {
            games.push(scheduled.play(worker, &self.rules, self.replay_faults)?);
            if games.last().is_some_and(|game| game.reason.is_process_fault()) {
                // An end of the worker also ends its engines, and may be told a moment later.
                std::thread::sleep(STOP_DELAY);
            }
            if stop.is_set() {
                return Ok(None);
            }
            failed_starts.count(&games[games.len() - 1])?;
            scheduled.voided += 1;
        }
        Ok(Some(games))
    }
}

fn print_fault(line: &ProgressLine, game: &PlayedGame) {
    if let Some(fault) = &game.fault {
        let lost = if game.voided { "failed, and the game is played again" } else { "lost" };
        line.print(printable(&format!("game {}: {} {lost}: {}", game.game, fault.engine, fault.detail)));
    }
}

fn show(line: &mut ProgressLine, standings: &Standings, sprt: Option<&SprtRun>) {
    let played = standings.played() as u64;
    let left = sprt.and_then(games_left);
    if let Some(left) = left {
        line.expect(played.saturating_add(left).min(standings.schedule.games as u64));
    }
    line.show(played, || printable(&text(standings, sprt, left)).into_owned());
}

/// Expected number of further games of a test, by the drift of its ratio; `None` without a drift.
fn games_left(sprt: &SprtRun) -> Option<u64> {
    // The conversion saturates.
    remaining_games(&sprt.sprt, &sprt.counts).ok().map(|remaining| remaining.games.ceil() as u64)
}

fn text(standings: &Standings, sprt: Option<&SprtRun>, left: Option<u64>) -> String {
    let names = &standings.names;
    let mut pairings = standings.pairings();
    let (Some(((first, _), pairing)), None) = (pairings.next(), pairings.next()) else {
        let scores = names.iter().zip(&standings.engines).map(|(name, engine)| {
            let tally = engine.tally;
            format!("{name} {}/{}", tally.wins as f64 + tally.draws as f64 / 2.0, tally.games())
        });
        return scores.collect::<Vec<_>>().join("  ");
    };
    let tally = pairing.tally;
    let mut text = format!("{} +{} ={} -{}", names[first], tally.wins, tally.draws, tally.losses);
    if let Ok(estimates) = pairing.counts().estimates(LEVEL) {
        let pairs: u64 = pairing.pairs.iter().sum();
        let counted = if pairs == 0 { "single games".to_owned() } else { format!("{pairs} pairs") };
        text += &format!(", Elo of {counted} {} {}", signed(estimates.elo), interval(estimates.elo_interval));
    }
    if let Some(sprt) = sprt {
        text += &format!(", LLR {:.2} ({:.2}, {:.2})", sprt.llr, sprt.bounds().lower, sprt.bounds().upper);
    }
    if let Some(left) = left {
        text += &format!(", about {left} games left");
    }
    text
}

#[cfg(test)]
mod tests {
    use kiki_stats::sprt::Counts;

    use super::*;
    use crate::sprt::SprtSettings;

    #[test]
    fn the_games_left_follow_from_the_drift() {
        let left = |elo1: f64, pairs: [u64; 5]| {
            let mut run = SprtRun::new(&SprtSettings { elo1, ..SprtSettings::default() }).unwrap();
            run.counts = Counts::Pentanomial(pairs);
            run.llr = run.sprt.llr(&run.counts).unwrap();
            games_left(&run)
        };
        assert_eq!(left(20.0, [0; 5]), None);
        // About half way to the bound, and beyond it.
        let clear = left(20.0, [0, 2, 10, 10, 8]).unwrap();
        assert!((10..80).contains(&clear), "{clear}");
        assert!(left(100.0, [2, 8, 20, 8, 2]).unwrap() < 100);
        assert_eq!(left(20.0, [0, 0, 0, 50, 100]), Some(0));
    }
}

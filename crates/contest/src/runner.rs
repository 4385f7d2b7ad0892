//! A contest in its folder: begun, resumed or only read, and played.

use std::ops::ControlFlow;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use kiki_board::excerpt_of;
use kiki_play::PlayError;
use kiki_play::game::PlayedGame;
use kiki_play::pool::{PoolEvent, RunOptions, WorkerPool};
use kiki_stats::sprt::Decision;

use super::match_task::{MatchPlan, MatchTask};
use super::progress::ContestProgress;
use super::schedule::Schedule;
use super::settings::ContestSettings;
use super::sprt_run::SprtRun;
use super::standings::Standings;
use super::{export, pictures};
use kiki_run::interrupt::Interrupt;
use kiki_run::journal::Journal;
use kiki_run::journal_layouts::CONTEST;
use kiki_run::play_errors::name_option;

/// Most texts of an engine that are kept of its handshakes, and most characters of each.
const MAX_TEXTS: usize = 32;
const LONGEST_TEXT: usize = 300;

/// A contest with the games that have been played.
pub(crate) struct Contest {
    pub settings: ContestSettings,
    openings: Vec<String>,
    schedule: Schedule,
    journal: Journal,
    pub standings: Standings,
    pub sprt: Option<SprtRun>,
    /// Games with a fault, for the report.
    pub faulty: Vec<PlayedGame>,
}

/// How a contest stands after it was played or read.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ContestEnd {
    pub status: ContestStatus,
    /// Engines that had to be killed after `quit`.
    pub killed: Vec<String>,
    /// How many games were played at the same time.
    pub concurrency: usize,
}

/// Whether a contest is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ContestStatus {
    /// All games have been played.
    Complete,
    /// The sequential test is decided.
    Decided,
    /// Games are missing, and no process plays them.
    Interrupted,
    /// Another process plays it.
    Running,
}

impl Contest {
    /// A new contest in a folder.
    pub(crate) fn begin(folder: &Path, settings: ContestSettings, openings: Vec<String>) -> Result<Self> {
        let journal = Journal::create(folder, CONTEST, &settings, &openings)?;
        Self::with(journal, settings, openings)
    }

    /// A contest that was begun before. It may be given more rounds than it had, but not fewer.
    ///
    /// # Errors
    /// The folder holds no match, another process plays it, its journal cannot be read, or `check` refuses its settings.
    pub(crate) fn resume(
        folder: &Path,
        rounds: Option<usize>,
        check: impl FnOnce(&ContestSettings) -> Result<()>,
    ) -> Result<Self> {
        let (journal, mut settings, openings) = Journal::resume::<ContestSettings>(folder, CONTEST)?;
        check(&settings).with_context(|| folder.display().to_string())?;
        if let Some(rounds) = rounds.filter(|&rounds| rounds != settings.rounds) {
            ensure!(rounds > settings.rounds, "the match has {} games for each pairing already", 2 * settings.rounds);
            settings.rounds = rounds;
            settings.check()?;
            journal.write_settings(&settings)?;
        }
        settings.check()?;
        let mut contest = Self::with(journal, settings, openings)?;
        let Self { journal, standings, faulty, .. } = &mut contest;
        journal.replay(|game| count(standings, faulty, game))?;
        contest.advance_sprt()?;
        Ok(contest)
    }

    /// A contest that is only read; `each` gets its games in the order of the journal. Another process may be playing it.
    ///
    /// # Errors
    /// The folder holds no match, or one that cannot be read.
    pub(crate) fn read(folder: &Path, mut each: impl FnMut(&PlayedGame)) -> Result<(Self, ContestEnd)> {
        let (journal, settings, openings) = Journal::read::<ContestSettings>(folder, CONTEST)?;
        let mut contest = Self::with(journal, settings, openings)?;
        let Self { journal, standings, faulty, .. } = &mut contest;
        // Before the games are read: a match that ends meanwhile is then called running, not interrupted.
        let is_running = journal.is_busy();
        journal.replay(|game| {
            each(&game);
            count(standings, faulty, game)
        })?;
        contest.advance_sprt()?;
        let status = if is_running { ContestStatus::Running } else { contest.status() };
        Ok((contest, ContestEnd { status, killed: Vec::new(), concurrency: 1 }))
    }

    fn with(journal: Journal, settings: ContestSettings, openings: Vec<String>) -> Result<Self> {
        let schedule = settings.schedule(openings.len())?;
        let names = settings.engines.iter().map(|engine| engine.name.clone()).collect();
        let standings = Standings::new(names, schedule.clone());
        let sprt = settings.sprt.as_ref().map(SprtRun::new).transpose()?;
        Ok(Self { settings, openings, schedule, journal, standings, sprt, faulty: Vec::new() })
    }

    /// Plays the games that are missing, until the sequential test decides or the user interrupts, and writes the exports.
    pub(crate) fn run(&mut self, options: &RunOptions, with_csa: bool) -> Result<ContestEnd> {
        self.run_until(options, with_csa, &Interrupt::listen()?)
    }

    /// The same for one of several contests of a process, which share what interrupts them.
    pub(crate) fn run_until(
        &mut self,
        options: &RunOptions,
        with_csa: bool,
        interrupt: &Interrupt,
    ) -> Result<ContestEnd> {
        if with_csa {
            export::prepare(self.journal.folder())?;
        }
        let mut killed = Vec::new();
        if !self.is_decided() && !self.is_complete() {
            let engines = self.settings.engines.clone();
            let pool = WorkerPool { engines: &engines, options, cancellation: &interrupt.cancellation };
            let checked = pool.check_engines(|_| Ok::<_, PlayError>(())).map_err(name_option);
            if let Some(texts) = interrupt.unless_cancelled(checked)? {
                self.keep_texts(texts)?;
                killed = self.play(pool, with_csa)?;
            }
        }
        export::results(&mut self.journal, &self.settings, with_csa)?;
        pictures::write(self.journal.folder(), &self.standings, self.sprt.as_ref())?;
        Ok(ContestEnd { status: self.status(), killed, concurrency: options.concurrency })
    }

    /// Keeps what the engines said when they were started, in the settings of the match: it tells which files they use, for one.
    fn keep_texts(&mut self, texts: Vec<Vec<String>>) -> Result<()> {
        let before = self.settings.handshake.clone();
        let names: Vec<_> = self.settings.engines.iter().map(|engine| engine.name.clone()).collect();
        for (name, texts) in names.into_iter().zip(texts).filter(|(_, texts)| !texts.is_empty()) {
            let kept = self.settings.handshake.entry(name).or_default();
            for text in texts.iter().map(|text| excerpt_of(text, LONGEST_TEXT)) {
                if kept.len() < MAX_TEXTS && !kept.contains(&text) {
                    kept.push(text);
                }
            }
        }
        if self.settings.handshake == before { Ok(()) } else { self.journal.write_settings(&self.settings) }
    }

    fn play(&mut self, pool: WorkerPool<'_>, with_csa: bool) -> Result<Vec<String>> {
        let (queue, voided) = (self.standings.queue(), self.standings.voided().clone());
        let (settings, schedule, openings) = (self.settings.clone(), self.schedule.clone(), self.openings.clone());
        let plan =
            MatchPlan { settings: &settings, schedule: &schedule, openings: &openings, queue: &queue, voided: &voided };
        let new_task = || {
            let mut task = MatchTask::new(&plan);
            move |worker: &mut _| task.play_next(worker)
        };
        let mut progress = ContestProgress::new(&self.standings);
        let killed = pool.run(queue.count(), new_task, |event| {
            if let PoolEvent::Result(game) = event {
                if with_csa && !game.voided {
                    export::csa(self.journal.folder(), &settings, &game)?;
                }
                self.journal.append(&game)?;
                progress.print_fault(&game);
                count(&mut self.standings, &mut self.faulty, game)?;
                self.advance_sprt()?;
            }
            progress.show(&self.standings, self.sprt.as_ref());
            Ok(if self.is_decided() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        });
        progress.finish();
        killed
    }

    fn advance_sprt(&mut self) -> Result<()> {
        self.sprt.as_mut().map_or(Ok(()), |sprt| sprt.advance(&self.standings))
    }

    /// The status of a contest that no process plays.
    fn status(&self) -> ContestStatus {
        match (self.is_decided(), self.is_complete()) {
            (true, _) => ContestStatus::Decided,
            (false, true) => ContestStatus::Complete,
            (false, false) => ContestStatus::Interrupted,
        }
    }

    fn is_complete(&self) -> bool {
        self.standings.played() == self.standings.scheduled()
    }

    fn is_decided(&self) -> bool {
        self.sprt.as_ref().is_some_and(|sprt| sprt.decision() != Decision::Continue)
    }

    /// How many openings there are.
    pub(crate) fn openings(&self) -> usize {
        self.openings.len()
    }

    pub(crate) fn folder(&self) -> &Path {
        self.journal.folder()
    }

    /// Whether two engines have played an opening more than once with the same colours.
    pub(crate) fn repeats_openings(&self) -> bool {
        self.standings.played() > 2 * self.schedule.pairings().len() * self.openings.len()
    }
}

/// Counts a game and keeps it if something went wrong in it.
fn count(standings: &mut Standings, faulty: &mut Vec<PlayedGame>, game: PlayedGame) -> Result<()> {
    standings.add(&game).map_err(anyhow::Error::msg)?;
    if game.fault.is_some() {
        faulty.push(game);
    }
    Ok(())
}

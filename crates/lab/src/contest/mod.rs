//! Contests of USI engines: matches, tournaments and sequential tests.
//!
//! Data flows one way: [`settings`] and [`openings`] make a [`schedule`]; the [`crew`] plays its games under the [`referee`]; each game goes
//! into the [`journal`] and from there into the [`standings`], from which everything that is shown is computed. A contest that is gone
//! on with takes the same way, with the games of the journal first.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use kiki_driver::Timeouts;
use kiki_stats::sprt::Decision;

pub(crate) mod crew;
pub(crate) mod export;
pub(crate) mod game;
pub(crate) mod game_log;
pub(crate) mod game_text;
pub(crate) mod journal;
pub(crate) mod limit;
pub(crate) mod openings;
pub(crate) mod overview;
pub(crate) mod pending;
mod pictures;
pub(crate) mod player;
pub(crate) mod progress;
pub(crate) mod referee;
pub(crate) mod report;
pub(crate) mod rules;
pub(crate) mod schedule;
pub(crate) mod settings;
pub(crate) mod spec;
pub(crate) mod standings;
pub(crate) mod tournament_file;
pub(crate) mod trial;

use crew::{Event, Orders};
use game::Game;
use journal::{CONTEST, Journal};
use progress::Progress;
use schedule::Schedule;
use settings::Settings;
use standings::Standings;
use trial::Trial;

use crate::interrupt::Interrupt;

/// A contest with the games that have been played.
pub(crate) struct Contest {
    pub(crate) settings: Settings,
    openings: Vec<String>,
    schedule: Schedule,
    journal: Journal,
    pub(crate) standings: Standings,
    pub(crate) trial: Option<Trial>,
    /// Games with a fault, for the report.
    pub(crate) faulty: Vec<Game>,
}

/// How to play, without influence on what is played.
#[derive(Clone, Debug)]
pub(crate) struct Manner {
    pub(crate) concurrency: usize,
    pub(crate) timeouts: Timeouts,
    pub(crate) csa: bool,
    /// The folder for what engines say and are told.
    pub(crate) log: Option<PathBuf>,
    /// The CPUs of each game that is played at the same time; empty: any.
    pub(crate) cpus: Vec<Vec<usize>>,
}

/// Why the playing ended.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Ending {
    pub(crate) kind: EndingKind,
    /// Engines that were still there after `quit` and had to be killed.
    pub(crate) stayed: Vec<String>,
    /// How many games were played at the same time.
    pub(crate) concurrency: usize,
}

/// The kinds of endings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EndingKind {
    /// All games have been played.
    Complete,
    /// The sequential test is decided.
    Decided,
    /// Somebody pressed Ctrl-C.
    Interrupted,
    /// Another process plays it.
    Running,
}

impl Contest {
    /// A new contest in a folder.
    pub(crate) fn begin(folder: &Path, settings: Settings, openings: Vec<String>) -> Result<Self> {
        let journal = Journal::create(folder, CONTEST, &settings, &openings)?;
        Self::with(journal, settings, openings)
    }

    /// A contest that was begun before. It may be given more rounds than it had, not fewer than were played.
    pub(crate) fn resume(folder: &Path, rounds: Option<usize>) -> Result<Self> {
        let (journal, mut settings, openings) = Journal::resume::<Settings>(folder, CONTEST)?;
        if let Some(rounds) = rounds.filter(|&rounds| rounds != settings.rounds) {
            ensure!(rounds > settings.rounds, "the match has {} games for each pairing already", 2 * settings.rounds);
            settings.rounds = rounds;
            settings.check()?;
            journal.settle(&settings)?;
        }
        settings.check()?;
        let mut contest = Self::with(journal, settings, openings)?;
        let Self { journal, standings, faulty, .. } = &mut contest;
        journal.replay(|game| count(standings, faulty, game))?;
        contest.advance_trial()?;
        Ok(contest)
    }

    /// A contest that is only looked at; `each` gets its games in the order of the journal. Another process may be playing it.
    ///
    /// # Errors
    /// The folder holds no match, or one that cannot be read.
    pub(crate) fn read(folder: &Path, mut each: impl FnMut(&Game)) -> Result<(Self, Ending)> {
        let (journal, settings, openings) = Journal::read::<Settings>(folder, CONTEST)?;
        let mut contest = Self::with(journal, settings, openings)?;
        let Self { journal, standings, faulty, .. } = &mut contest;
        // Before the games: a match that ends now is then called running, not interrupted.
        let is_running = journal.is_busy();
        journal.replay(|game| {
            each(&game);
            count(standings, faulty, game)
        })?;
        contest.advance_trial()?;
        let kind = if is_running { EndingKind::Running } else { contest.state() };
        Ok((contest, Ending { kind, stayed: Vec::new(), concurrency: 1 }))
    }

    fn with(journal: Journal, settings: Settings, openings: Vec<String>) -> Result<Self> {
        let schedule = settings.schedule(openings.len())?;
        let names = settings.engines.iter().map(|engine| engine.name.clone()).collect();
        let standings = Standings::new(names, schedule.clone());
        let trial = settings.sprt.as_ref().map(Trial::new).transpose()?;
        Ok(Self { settings, openings, schedule, journal, standings, trial, faulty: Vec::new() })
    }

    /// Plays the games that are missing, until the test decides, or until somebody stops it.
    pub(crate) fn run(&mut self, manner: &Manner) -> Result<Ending> {
        let interrupt = Interrupt::listen()?;
        if manner.csa {
            export::prepare(self.journal.folder())?;
        }
        let mut stayed = Vec::new();
        if !self.is_decided() && !self.is_complete() {
            let ready = crew::inspect(&self.settings, manner, &interrupt.cancel);
            if interrupt.unless(ready)? {
                stayed = self.play(manner, &interrupt)?;
            }
        }
        export::results(&mut self.journal, &self.settings, manner.csa)?;
        pictures::write(self.journal.folder(), &self.standings, self.trial.as_ref())?;
        Ok(Ending { kind: self.state(), stayed, concurrency: manner.concurrency })
    }

    fn play(&mut self, manner: &Manner, interrupt: &Interrupt) -> Result<Vec<String>> {
        let (pending, voided) = (self.standings.pending(), self.standings.voided().clone());
        let (settings, schedule, openings) = (self.settings.clone(), self.schedule.clone(), self.openings.clone());
        let orders = Orders {
            settings: &settings,
            schedule: &schedule,
            openings: &openings,
            pending: &pending,
            voided: &voided,
            manner,
        };
        let mut progress = Progress::new(&self.standings);
        let stayed = crew::play(&orders, interrupt, |event| {
            if let Event::Played(game) = event {
                if manner.csa && !game.voided {
                    export::csa(self.journal.folder(), &settings, &game)?;
                }
                self.journal.append(&game)?;
                progress.tell_fault(&game);
                count(&mut self.standings, &mut self.faulty, *game)?;
                self.advance_trial()?;
            }
            progress.show(&self.standings, self.trial.as_ref());
            Ok(if self.is_decided() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        });
        progress.finish();
        stayed
    }

    fn advance_trial(&mut self) -> Result<()> {
        self.trial.as_mut().map_or(Ok(()), |trial| trial.advance(&self.standings))
    }

    /// Where a contest stands that nobody plays.
    fn state(&self) -> EndingKind {
        match (self.is_decided(), self.is_complete()) {
            (true, _) => EndingKind::Decided,
            (false, true) => EndingKind::Complete,
            (false, false) => EndingKind::Interrupted,
        }
    }

    fn is_complete(&self) -> bool {
        self.standings.played() == self.standings.scheduled()
    }

    fn is_decided(&self) -> bool {
        self.trial.as_ref().is_some_and(|trial| trial.decision() != Decision::Continue)
    }

    /// How many openings there are.
    pub(crate) fn openings(&self) -> usize {
        self.openings.len()
    }

    pub(crate) fn folder(&self) -> &Path {
        self.journal.folder()
    }

    /// Whether the same two engines have played an opening more than once with the same colours.
    pub(crate) fn repeats_openings(&self) -> bool {
        self.standings.played() > 2 * self.schedule.pairings().len() * self.openings.len()
    }
}

/// Counts a game and keeps it if something went wrong in it.
fn count(standings: &mut Standings, faulty: &mut Vec<Game>, game: Game) -> Result<()> {
    standings.add(&game).map_err(anyhow::Error::msg)?;
    if game.fault.is_some() {
        faulty.push(game);
    }
    Ok(())
}

//! Games with their answers so far, in a folder whose journal survives interruptions.

use std::collections::HashMap;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, anyhow, bail, ensure};
use kiki_machines::workforce::MachinesArgs;
use kiki_play::player::PlayerSpec;
use kiki_play::pool::RunOptions;
use kiki_reasons::ToldReason;
use kiki_run::files::shell_word;
use kiki_run::input_errors::exit_code_of_run;
use kiki_run::interrupt::{Interrupt, exit_code};
use kiki_run::journal::Journal;
use kiki_run::output::{ProgressLine, warning};
use kiki_run::say;
use serde::{Deserialize, Serialize};

use crate::answer::PositionAnswer;
use crate::game::AnalyzedGame;
use crate::reasons::{self, MoveKey, ReasonLine};
use crate::report::{GameReport, ReportSettings, build};
use crate::search::{AnalysisEngine, AnalysisPool, PlayedMoveSearch, SearchEvent, SearchKey, SearchRules};
use kiki_judgement::Thresholds;

/// Settings of searches.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SearchSettings {
    pub engines: Vec<AnalysisEngine>,
    /// Number of lines requested from each engine.
    pub lines: usize,
    pub played: PlayedMoveSearch,
    pub thresholds: Thresholds,
    /// Milliseconds to wait for an engine beyond its time.
    pub patience: u64,
    /// Whether bad moves get reasons.
    #[serde(default)]
    pub reasons: bool,
    /// Errors in reading the games.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// Who searches, and how.
pub struct SearchOptions {
    pub(crate) run: RunOptions,
    pub(crate) machines: MachinesArgs,
}

/// Settings of a run; `E` are those of its kind alone.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSettings<E> {
    #[serde(flatten)]
    pub own: E,
    #[serde(flatten)]
    pub search: SearchSettings,
}

/// A line of the journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum JournalLine {
    Search(SearchLine),
    Reason(ReasonLine),
}

#[derive(Debug, Serialize, Deserialize)]
struct SearchLine {
    #[serde(flatten)]
    key: SearchKey,
    answer: PositionAnswer,
}

/// Games with the answers so far.
pub struct SearchedGames<E> {
    games: Vec<AnalyzedGame>,
    /// All searches, in ascending order.
    keys: Vec<SearchKey>,
    answers: HashMap<SearchKey, PositionAnswer>,
    reasons: HashMap<MoveKey, ToldReason>,
    journal: Journal<RunSettings<E>>,
}

/// Opens a run, does its missing searches until Ctrl-C, finds the reasons of the moves that
/// `to_explain` returns, writes the results and tells how it ended. `advice` is for engines that
/// fail in searches of the played move alone.
pub fn run<E>(
    open: impl FnOnce(&Interrupt) -> Result<SearchedGames<E>>,
    options: &SearchOptions,
    advice: &str,
    to_explain: impl FnOnce(&SearchedGames<E>) -> Result<Vec<MoveKey>>,
    write: impl FnOnce(&SearchedGames<E>) -> Result<()>,
) -> Result<ExitCode> {
    let interrupt = Interrupt::listen()?;
    let mut searched = match open(&interrupt) {
        // A cancelled start is not the engine's fault.
        Err(_) if interrupt.cancellation.token().is_cancelled() => {
            say!("interrupted before the first search");
            return Ok(exit_code(true));
        }
        opened => opened?,
    };
    let outcome = searched.search(options, &interrupt, advice).and_then(|failures| {
        let missing_reasons = searched.explain(to_explain, options.run.concurrency, &interrupt)?;
        Ok(RunOutcome { failures, missing_reasons })
    });
    // Shows the results even after a failure.
    write(&searched)?;
    searched.conclude(outcome, &interrupt)
}

struct RunOutcome {
    /// Number of failed searches.
    failures: usize,
    /// Number of reasons that an interruption has left out.
    missing_reasons: usize,
}

/// Lines of the list of games.
pub fn lines_of(games: &[AnalyzedGame]) -> Result<Vec<String>> {
    Ok(games.iter().map(serde_json::to_string).collect::<Result<_, _>>()?)
}

impl<E> SearchedGames<E> {
    /// Reads the games and the answers of a journal. `keys` returns the searches, which ascend.
    pub fn new(
        journal: Journal<RunSettings<E>>,
        keys: impl FnOnce(&SearchSettings, &[AnalyzedGame]) -> Result<Vec<SearchKey>>,
    ) -> Result<Self> {
        let games = journal.items(|line| Ok(serde_json::from_str(line)?))?;
        let keys = keys(&journal.settings.search, &games)?;
        let (mut answers, mut reasons) = (HashMap::new(), HashMap::new());
        journal.replay(|line| {
            match line {
                JournalLine::Search(SearchLine { key, answer }) => {
                    keys.binary_search(&key).map_err(|_| anyhow!("there is no such search"))?;
                    answers.insert(key, answer);
                }
                JournalLine::Reason(ReasonLine { key, reason }) => {
                    let is_move = games.get(key.game).is_some_and(|game: &AnalyzedGame| key.ply < game.moves.len());
                    ensure!(is_move, "there is no such move");
                    reasons.insert(key, reason);
                }
            }
            Ok(())
        })?;
        Ok(Self { games, keys, answers, reasons, journal })
    }

    pub fn settings(&self) -> &RunSettings<E> {
        &self.journal.settings
    }

    pub fn games(&self) -> &[AnalyzedGame] {
        &self.games
    }

    /// The report of a game, as far as it is searched.
    pub fn report(&self, game: usize) -> Result<GameReport> {
        let SearchSettings { engines, lines, thresholds, .. } = &self.settings().search;
        let settings = ReportSettings { lines: *lines, thresholds, engines };
        let answer = |engine, ply| self.answers.get(&SearchKey { game, ply, engine });
        build(&self.games[game], &settings, answer, |ply| self.reasons.get(&MoveKey { game, ply }))
    }

    /// Number of all searches, and of finished ones.
    pub fn progress(&self) -> (usize, usize) {
        (self.keys.len(), self.answers.len())
    }

    pub fn folder(&self) -> &Path {
        self.journal.folder()
    }

    /// Does the missing searches until cancelled. Reports failures at once: the other searches may
    /// take hours. Returns their number. After an error the journal keeps the finished searches.
    fn search(&mut self, options: &SearchOptions, interrupt: &Interrupt, advice: &str) -> Result<usize> {
        let Self { games, keys, answers, journal, .. } = self;
        let settings = &journal.settings.search;
        let missing: Vec<bool> = keys.iter().map(|key| !answers.contains_key(key)).collect();
        let engines: Vec<PlayerSpec> = settings.engines.iter().map(|engine| engine.spec.clone()).collect();
        let &SearchSettings { lines, played, patience, .. } = settings;
        let coordinator = options.machines.coordinator()?;
        let pool = AnalysisPool {
            rules: SearchRules { lines, played, patience },
            engines: &engines,
            options: &options.run,
            coordinator: coordinator.as_ref(),
            cancellation: &interrupt.cancellation,
        };
        let mut line = ProgressLine::new("searches", keys.len() as u64, answers.len() as u64);
        let mut failures = 0;
        let outcome = pool.search(journal.folder(), games, keys, &missing, |event| {
            match event {
                SearchEvent::Answered { key, answer, alone } => {
                    journal.append(&SearchLine { key, answer: answer.clone() })?;
                    answers.insert(key, answer);
                    if let Some(error) = alone {
                        line.print(warning(&format!("{error}, in a search of the played move alone: {advice}")));
                    }
                    line.show(answers.len() as u64, || games[key.game].head.name.clone());
                }
                SearchEvent::Failed(error) => {
                    failures += 1;
                    line.print(warning(&error));
                }
                SearchEvent::Skipped => {}
            }
            Ok(())
        });
        line.finish();
        outcome?;
        Ok(failures)
    }

    /// Finds the reasons of moves that have none, until Ctrl-C. Returns how many are still missing.
    fn explain(
        &mut self,
        to_explain: impl FnOnce(&Self) -> Result<Vec<MoveKey>>,
        threads: usize,
        interrupt: &Interrupt,
    ) -> Result<usize> {
        let mut missing = if self.settings().search.reasons { to_explain(self)? } else { Vec::new() };
        missing.retain(|key| !self.reasons.contains_key(key));
        let cancelled = interrupt.cancellation.token();
        if missing.is_empty() || cancelled.is_cancelled() {
            return Ok(missing.len());
        }
        let Self { games, reasons, journal, .. } = self;
        let mut line = ProgressLine::new("reasons", missing.len() as u64, 0);
        let mut done = 0;
        let found = reasons::explain(games, &missing, threads, cancelled, |found| {
            journal.append(&found)?;
            done += 1;
            line.show(done as u64, || games[found.key.game].head.name.clone());
            reasons.insert(found.key, found.reason);
            Ok(())
        });
        line.finish();
        found.map(|()| missing.len() - done)
    }

    /// The exit status after these searches; failed ones are an error. Tells how to continue.
    fn conclude(&self, outcome: Result<RunOutcome>, interrupt: &Interrupt) -> Result<ExitCode> {
        let (all, done) = self.progress();
        let go_on = format!("{done} of {all} searches done; go on with: kiki-lab resume {}", shell_word(self.folder()));
        let RunOutcome { failures, missing_reasons } = outcome.map_err(|error| anyhow!("{error:#}; {go_on}"))?;
        let is_interrupted = (done < all || missing_reasons > 0) && interrupt.cancellation.token().is_cancelled();
        if is_interrupted && missing_reasons > 0 {
            say!("interrupted; {missing_reasons} reasons are missing; {go_on}");
        } else if is_interrupted {
            say!("interrupted; {go_on}");
        } else if failures > 0 {
            bail!("{failures} searches failed; {go_on}");
        }
        Ok(exit_code_of_run(&self.journal.settings.search.left_out, is_interrupted))
    }
}

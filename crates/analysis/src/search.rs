//! Engines search positions, several at the same time.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Result, anyhow};
use clap::ValueEnum;
use kiki_board::Position;
use kiki_driver::{CancellationSource, CancellationToken, EngineAnswer, UsiEngine};
use kiki_machines::context::{StopSignal, WorkerContext};
use kiki_machines::coordinator::{Coordinator, NextTask, RunPlan};
use kiki_machines::engines::SharedEngines;
use kiki_machines::job::{Job, JobNeeds};
use kiki_play::PlayError;
use kiki_play::player::{Player, PlayerFailure, PlayerSpec};
use kiki_play::pool::{GameWorker, PoolEvent, RunOptions, WorkerPool};
use kiki_usi::{PositionSpec, set_up};
use serde::{Deserialize, Serialize};

use crate::answer::{PositionAnswer, RESIGN, WIN};
use crate::game::AnalyzedGame;

/// Where the value of a played move outside the variations comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlayedMoveSearch {
    /// A search of this move alone.
    // The search has the same limit. If the engine fails or answers another move, as engines
    // without `searchmoves` do, the next position counts.
    Searchmoves,
    /// The value of the next position.
    Next,
}

/// One search: an engine and a position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct SearchKey {
    /// The place of the game, from 0.
    pub game: usize,
    /// Number of moves before the position.
    pub ply: usize,
    /// The place of the engine, from 0.
    pub engine: usize,
}

/// One search with all that it needs.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchTask {
    key: SearchKey,
    /// The game's name, for messages.
    game: String,
    /// The command `position`.
    position: String,
    /// The move that was played there.
    played: Option<String>,
}

impl SearchTask {
    pub(crate) fn new(key: SearchKey, games: &[AnalyzedGame]) -> Self {
        let game = &games[key.game];
        Self {
            key,
            game: game.head.name.clone(),
            position: game.position_spec(key.ply).to_string(),
            played: game.moves.get(key.ply).cloned(),
        }
    }
}

/// The outcome of one search.
#[derive(Debug, Serialize, Deserialize)]
pub enum SearchEvent {
    Answered {
        key: SearchKey,
        answer: PositionAnswer,
        /// Why the search of the played move alone failed; reported once for each engine. The
        /// engine restarts.
        alone: Option<String>,
    },
    Failed(String),
    /// The engine failed too often in this game.
    Skipped,
}

/// How positions are searched.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchRules {
    /// Maximum number of variations kept.
    pub lines: usize,
    /// Where the values of other played moves come from.
    pub played: PlayedMoveSearch,
    /// Milliseconds to wait for an engine beyond its own time.
    pub patience: u64,
}

impl SearchRules {
    /// Does one search. A cancellation is the only error.
    ///
    /// Engines get ready before each search, so an answer depends on position, limit and options
    /// alone. After three failures in a game an engine skips the rest of that game.
    pub(crate) fn search(
        &self,
        worker: &mut GameWorker<'_>,
        task: &SearchTask,
        failures: &Failures,
        cancelled: &CancellationToken,
    ) -> Result<SearchEvent> {
        let SearchKey { game, engine, .. } = task.key;
        if !failures.allow(game, engine) {
            return Ok(SearchEvent::Skipped);
        }
        match self.answer(worker, task, failures) {
            // An interruption of the whole run may end engines; that is not their fault.
            Err(_) if cancelled.is_cancelled() => Err(PlayError::Cancelled.into()),
            Err(error) => {
                failures.count(game, engine);
                Ok(SearchEvent::Failed(error.to_string()))
            }
            Ok((answer, alone)) => Ok(SearchEvent::Answered { key: task.key, answer, alone }),
        }
    }

    /// The answer, and the failure of the search of the played move alone if it is the engine's
    /// first.
    fn answer(
        &self,
        worker: &mut GameWorker<'_>,
        task: &SearchTask,
        failures: &Failures,
    ) -> Result<(PositionAnswer, Option<String>)> {
        let SearchKey { ply, engine, .. } = task.key;
        let spec: PositionSpec = task.position.parse()?;
        let position = set_up(&spec)?;
        let player = &mut worker.players[engine];
        let (name, sfen) = (&player.spec.name, position.to_sfen());
        let place = format!("engine `{name}`, position after {ply} moves of {} ({sfen})", task.game);
        let failed = |detail: String| format!("{place}: {detail}");
        let found = self.think(player, &spec, &position, None)?.map_err(|detail| anyhow!(failed(detail)))?;
        let read = |found: &EngineAnswer, lines| {
            PositionAnswer::new(found, &position, lines).map_err(|error| error.to_string())
        };
        let mut answer = read(&found, self.lines).map_err(|detail| anyhow!(failed(detail)))?;
        let Some(played) = self.move_to_search_alone(task, &answer, failures) else { return Ok((answer, None)) };
        let alone = self.think(player, &spec, &position, Some(played))?.and_then(|found| read(&found, 1));
        let failure = match alone {
            Ok(alone) => {
                answer.played = alone.line_of(played).cloned();
                None
            }
            // The answer about the whole position still counts.
            Err(detail) => failures.count_of_one_move(engine).then(|| failed(detail)),
        };
        Ok((answer, failure))
    }

    /// The played move, if a search of it alone is wanted.
    fn move_to_search_alone<'a>(
        &self,
        task: &'a SearchTask,
        answer: &PositionAnswer,
        failures: &Failures,
    ) -> Option<&'a String> {
        let played = task.played.as_ref()?;
        let gave_up = answer.best == RESIGN || answer.best == WIN;
        let is_wanted = self.played == PlayedMoveSearch::Searchmoves && !gave_up && answer.line_of(played).is_none();
        (is_wanted && failures.allow_one_move(task.key.engine)).then_some(played)
    }

    /// Asks an engine about a position, or about the move `alone` only. The inner error says why
    /// the engine does not answer.
    fn think(
        &self,
        player: &mut Player<'_>,
        spec: &PositionSpec,
        position: &Position,
        alone: Option<&String>,
    ) -> Result<Result<EngineAnswer, String>> {
        let (alone, patience) = (alone.map(String::as_str), Duration::from_millis(self.patience));
        match player.search(spec, position.side_to_move(), alone, patience)? {
            Ok(answer) => Ok(Ok(answer)),
            Err(PlayerFailure::Cancelled) => Err(PlayError::Cancelled.into()),
            Err(PlayerFailure::Lost { detail, .. }) => Ok(Err(detail)),
        }
    }
}

/// Who does the searches.
pub struct AnalysisPool<'a> {
    pub rules: SearchRules,
    /// The engines; every worker starts processes of its own.
    pub engines: &'a [PlayerSpec],
    /// Workers, waiting times and logs.
    pub options: &'a RunOptions,
    pub coordinator: Option<&'a Coordinator>,
    /// Ends all searches when it is cancelled.
    pub cancellation: &'a CancellationSource,
}

impl AnalysisPool<'_> {
    /// Does the searches of `keys` that `is_missing`, and passes each outcome to `each`. A
    /// cancellation is no error. `place` is the folder of the run.
    pub fn search(
        &self,
        place: &Path,
        games: &[AnalyzedGame],
        keys: &[SearchKey],
        missing: &[bool],
        mut each: impl FnMut(SearchEvent) -> Result<()>,
    ) -> Result<()> {
        let Self { rules, engines, options, cancellation, .. } = *self;
        let cancelled = cancellation.token();
        let mut each = |event: PoolEvent<SearchEvent>| {
            if let PoolEvent::Result(event) = event {
                each(event)?;
            }
            Ok(ControlFlow::Continue(()))
        };
        if let Some(coordinator) = self.coordinator {
            let job = SearchJob { engines: SharedEngines::of(engines, options.timeouts)?, rules };
            let is_stopped = || cancelled.is_cancelled();
            let is_new = missing.iter().all(|&missing| missing);
            let run = RunPlan { job: &job, place, first: 0, is_new, is_stopped: &is_stopped };
            let next = |number: u64| {
                Ok(match missing.get(number as usize) {
                    None => NextTask::None,
                    Some(false) => NextTask::Skip,
                    Some(true) => NextTask::Task(SearchTask::new(keys[number as usize], games)),
                })
            };
            return coordinator.run(&run, next, each);
        }
        let next = AtomicUsize::new(0);
        let failures = Failures::new(engines.len());
        let pool = WorkerPool { engines, options, cancellation };
        let new_task = || {
            |worker: &mut GameWorker<'_>| -> Result<Option<SearchEvent>> {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    match missing.get(index) {
                        None => return Ok(None),
                        Some(false) => {}
                        Some(true) => {
                            let task = SearchTask::new(keys[index], games);
                            return rules.search(worker, &task, &failures, cancelled).map(Some);
                        }
                    }
                }
            }
        };
        let outcome = pool.run(missing.iter().filter(|&&missing| missing).count(), new_task, &mut each);
        match outcome {
            Err(error) if matches!(error.downcast_ref(), Some(PlayError::Cancelled)) => Ok(()),
            outcome => outcome.map(drop),
        }
    }
}

/// Searches as tasks for many machines.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchJob {
    engines: SharedEngines,
    rules: SearchRules,
}

impl Job for SearchJob {
    const KIND: &'static str = "analysis";
    type Task = SearchTask;
    type Outcome = SearchEvent;
    type State<'a> = GameWorker<'a>;

    fn needs(&mut self) -> JobNeeds<'_> {
        JobNeeds::Engines(&mut self.engines)
    }

    fn begin<'a>(&'a self, context: &'a WorkerContext<'_>) -> Result<GameWorker<'a>> {
        self.engines.worker(context)
    }

    fn work(
        &self,
        worker: &mut GameWorker<'_>,
        _: u64,
        task: SearchTask,
        stop: &StopSignal,
    ) -> Result<Option<SearchEvent>> {
        // An outcome must not depend on earlier tasks.
        let failures = Failures::new(worker.players.len());
        self.rules.search(worker, &task, &failures, stop.engines().token()).map(Some)
    }
}

/// Failures in a game after which an engine skips the rest: it probably fails at every position.
const MOST_OF_GAME: usize = 3;

/// Failed searches of one move alone after which an engine gets no more such searches.
const MOST_OF_ONE_MOVE: usize = 3;

/// Failed searches of a run. Limits the time spent on an engine that keeps failing.
#[derive(Debug)]
pub(crate) struct Failures {
    /// Number of failed searches by game and engine.
    of_game: Mutex<HashMap<(usize, usize), usize>>,
    /// Number of failed searches of one move alone by engine.
    of_one_move: Vec<AtomicUsize>,
}

impl Failures {
    fn new(engines: usize) -> Self {
        let of_one_move = (0..engines).map(|_| AtomicUsize::new(0)).collect();
        Self { of_game: Mutex::default(), of_one_move }
    }

    fn count(&self, game: usize, engine: usize) {
        *self.of_game.lock().unwrap_or_else(PoisonError::into_inner).entry((game, engine)).or_default() += 1;
    }

    /// Whether the engine may still search the game.
    fn allow(&self, game: usize, engine: usize) -> bool {
        let of_game = self.of_game.lock().unwrap_or_else(PoisonError::into_inner);
        of_game.get(&(game, engine)).is_none_or(|&count| count < MOST_OF_GAME)
    }

    /// Counts a failed search of one move alone. Returns whether it is the first of this engine.
    fn count_of_one_move(&self, engine: usize) -> bool {
        self.of_one_move[engine].fetch_add(1, Ordering::Relaxed) == 0
    }

    /// Whether the engine may still search moves alone.
    fn allow_one_move(&self, engine: usize) -> bool {
        self.of_one_move[engine].load(Ordering::Relaxed) < MOST_OF_ONE_MOVE
    }
}

const MULTI_PV: &str = "MultiPV";
/// The option by which Kiki reports sigma.
const SHOW_SIGMA: &str = "ShowSigma";

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnalysisEngine {
    /// Its command, limit and options.
    pub spec: PlayerSpec,
    /// `id name`.
    pub id: String,
    /// `id author`.
    pub author: String,
}

/// Starts each engine once. Sets `MultiPV` for several variations, and `ShowSigma` if the engine
/// has it, unless they are set already.
pub fn prepare_engines(
    engines: &[PlayerSpec],
    lines: usize,
    options: &RunOptions,
    cancellation: &CancellationSource,
) -> Result<Vec<AnalysisEngine>, PlayError> {
    let mut found = Vec::with_capacity(engines.len());
    for spec in engines {
        let mut spec = spec.clone();
        let is_set = |spec: &PlayerSpec, name: &str| spec.options.keys().any(|key| key.eq_ignore_ascii_case(name));
        if lines > 1 && !is_set(&spec, MULTI_PV) {
            spec.options.insert(MULTI_PV.to_owned(), lines.to_string());
        }
        let mut identity = None;
        let look = |engine: &mut UsiEngine| {
            identity = Some(engine.identity().clone());
            Ok::<(), PlayError>(())
        };
        let alone = [spec.clone()];
        WorkerPool { engines: &alone, options, cancellation }.check_engines(look)?;
        let identity = identity.unwrap_or_default();
        if identity.options.iter().any(|option| option.is_named(SHOW_SIGMA)) && !is_set(&spec, SHOW_SIGMA) {
            spec.options.insert(SHOW_SIGMA.to_owned(), "true".to_owned());
        }
        found.push(AnalysisEngine { spec, id: identity.name, author: identity.author });
    }
    Ok(found)
}

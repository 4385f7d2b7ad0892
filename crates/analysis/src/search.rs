//! Engines asked about positions, several at the same time.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kiki_board::Position;
use kiki_driver::{CancellationSource, EngineAnswer};
use kiki_play::PlayError;
use kiki_play::clock::{GameClock, go_command};
use kiki_play::player::{EngineSpec, Player, PlayerFailure};
use kiki_play::pool::{GameWorker, PoolEvent, RunOptions, WorkerPool};
use kiki_usi::{GoSpec, PositionSpec, set_up};
use serde::{Deserialize, Serialize};

use crate::answer::{Answer, RESIGN, WIN};
use crate::failures::Failures;
use crate::game::AnalyzedGame;

pub use crate::prepare::{AnalysisEngine, prepare_engines};

/// Where the value of a played move comes from that is not among the lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlayedMoveSearch {
    /// A search of this move alone, with the same limit; [`PlayedMoveSearch::Next`] where the engine answers with another move or fails, as one
    /// that does not know `searchmoves`.
    #[default]
    Searchmoves,
    /// The search of the next position.
    Next,
}

/// One search: which engine is asked about which position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct SearchKey {
    /// The place of the game, from 0.
    pub game: usize,
    /// So many moves were played before.
    pub ply: usize,
    /// The place of the engine, from 0.
    pub engine: usize,
}

/// Why a search has no answer.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// An engine does not start, or the searches were cancelled.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// The game breaks the rules.
    #[error(transparent)]
    Game(#[from] crate::game::GameError),
    /// The engine crashed, hung, took too long or got not ready.
    #[error("engine `{engine}`, position after {ply} moves of {game} ({sfen}): {detail}")]
    Failed {
        /// The name of the engine.
        engine: String,
        /// The name of the game.
        game: String,
        /// So many moves were played before.
        ply: usize,
        /// The position.
        sfen: String,
        /// What happened.
        detail: String,
    },
}

/// What came of one search.
#[derive(Debug)]
pub enum SearchEvent {
    /// The engine has answered.
    Answered {
        /// The search.
        key: SearchKey,
        /// What the engine says.
        answer: Answer,
        /// Why it said nothing about the played move alone, where that failed for the first time in the run. Its process is started again.
        alone: Option<SearchError>,
    },
    /// There is no answer.
    Failed(SearchError),
}

/// Engines, and how they are asked.
#[derive(Clone, Copy, Debug)]
pub struct AnalysisPool<'a> {
    /// The engines; every worker starts processes of its own.
    pub engines: &'a [EngineSpec],
    /// The games.
    pub games: &'a [AnalyzedGame],
    /// At most so many lines are kept.
    pub lines: usize,
    /// Where values of other moves come from.
    pub played: PlayedMoveSearch,
    /// How long to wait for an engine beyond its time.
    pub patience: Duration,
    /// Workers, waiting times and logs.
    pub options: &'a RunOptions,
    /// Ends all searches when it is cancelled.
    pub cancellation: &'a CancellationSource,
}

impl AnalysisPool<'_> {
    /// Does these searches and passes what comes of them to `each` in the order in which it comes; ends without an error after a cancellation.
    /// Engines get ready anew before each search, so that an answer depends on nothing but position, limit and options. After three
    /// failures in a game the engine's other searches of it are left out, and all others go on.
    ///
    /// # Errors
    /// Those of `each`, and a worker that cannot begin.
    pub fn search<E: From<SearchError> + Send>(
        &self,
        keys: &[SearchKey],
        mut each: impl FnMut(SearchEvent) -> Result<(), E>,
    ) -> Result<(), E> {
        let next = AtomicUsize::new(0);
        let failures = Failures::new(self.engines.len());
        let pool = WorkerPool { engines: self.engines, options: self.options, cancellation: self.cancellation };
        let new_task = || {
            |worker: &mut GameWorker<'_>| -> Result<Option<SearchEvent>, PoolError<E>> {
                loop {
                    let Some(&key) = keys.get(next.fetch_add(1, Ordering::Relaxed)) else { return Ok(None) };
                    if failures.allow(key.game, key.engine) {
                        return Ok(Some(self.event(worker, key, &failures)?));
                    }
                }
            }
        };
        let outcome = pool.run(keys.len(), new_task, |event| {
            if let PoolEvent::Result(event) = event {
                each(event).map_err(PoolError::Caller)?;
            }
            Ok(ControlFlow::Continue(()))
        });
        match outcome {
            Ok(_) | Err(PoolError::Search(SearchError::Play(PlayError::Cancelled))) => Ok(()),
            Err(PoolError::Search(error)) => Err(error.into()),
            Err(PoolError::Caller(error)) => Err(error),
        }
    }

    /// Does one search.
    ///
    /// # Errors
    /// The searches were cancelled.
    fn event(
        &self,
        worker: &mut GameWorker<'_>,
        key: SearchKey,
        failures: &Failures,
    ) -> Result<SearchEvent, SearchError> {
        match self.answer(worker, key, failures) {
            // Engines may end with an interruption that was meant for all; that is no fault of theirs.
            Err(_) if self.cancellation.token().is_cancelled() => Err(PlayError::Cancelled.into()),
            Err(error) => {
                failures.count(key.game, key.engine);
                Ok(SearchEvent::Failed(error))
            }
            Ok((answer, alone)) => Ok(SearchEvent::Answered { key, answer, alone }),
        }
    }

    /// The answer, and why it says nothing about the played move alone if that is to be told.
    fn answer(
        &self,
        worker: &mut GameWorker<'_>,
        key: SearchKey,
        failures: &Failures,
    ) -> Result<(Answer, Option<SearchError>), SearchError> {
        let game = &self.games[key.game];
        let spec = game.position_spec(key.ply);
        let position = set_up(&spec).map_err(|error| crate::game::GameError::Position(error.to_string()))?;
        let player = &mut worker.players[key.engine];
        let name = player.spec.name.clone();
        let failed = |detail: String| SearchError::Failed {
            engine: name.clone(),
            game: game.name.clone(),
            ply: key.ply,
            sfen: position.to_sfen(),
            detail,
        };
        let found = self.think(player, &spec, &position, None)?.map_err(failed)?;
        let read =
            |found: &EngineAnswer, lines| Answer::new(found, &position, lines).map_err(|error| error.to_string());
        let mut answer = read(&found, self.lines).map_err(failed)?;
        let Some(played) = self.move_to_search_alone(key, &answer, failures) else { return Ok((answer, None)) };
        let alone = self.think(player, &spec, &position, Some(played))?.and_then(|found| read(&found, 1));
        let failure = match alone {
            Ok(alone) => {
                answer.played = alone.line_of(played).cloned();
                None
            }
            // What was found before is an answer too.
            Err(detail) => failures.count_of_one_move(key.engine).then(|| failed(detail)),
        };
        Ok((answer, failure))
    }

    /// The played move, if it is to be searched by itself.
    fn move_to_search_alone(&self, key: SearchKey, answer: &Answer, failures: &Failures) -> Option<&String> {
        let played = self.games[key.game].moves.get(key.ply)?;
        let gave_up = answer.best == RESIGN || answer.best == WIN;
        let is_wanted = self.played == PlayedMoveSearch::Searchmoves && !gave_up && answer.line_of(played).is_none();
        (is_wanted && failures.allow_one_move(key.engine)).then_some(played)
    }

    /// What an engine answers, about one move alone if there is one; inside, why it does not.
    fn think(
        &self,
        player: &mut Player<'_>,
        spec: &PositionSpec,
        position: &Position,
        alone: Option<&String>,
    ) -> Result<Result<EngineAnswer, String>, SearchError> {
        player.start()?;
        let clock = GameClock::new(player.spec.time_control);
        let go = GoSpec {
            searchmoves: alone.into_iter().cloned().collect(),
            ..go_command(position.side_to_move(), &[clock; 2])
        };
        let allowance = clock.allowance().map(|time| time + self.patience);
        match player.prepare().and_then(|()| player.think(spec, &go, allowance, self.patience)) {
            Ok(answer) => Ok(Ok(answer)),
            Err(PlayerFailure::Cancelled) => Err(PlayError::Cancelled.into()),
            Err(PlayerFailure::Lost { detail, .. }) => Ok(Err(detail)),
        }
    }
}

/// Errors of workers and of the caller.
enum PoolError<E> {
    Search(SearchError),
    Caller(E),
}

impl<E> From<PlayError> for PoolError<E> {
    fn from(error: PlayError) -> Self {
        Self::Search(error.into())
    }
}

impl<E> From<SearchError> for PoolError<E> {
    fn from(error: SearchError) -> Self {
        Self::Search(error)
    }
}

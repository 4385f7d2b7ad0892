//! Engines asked about positions, several at the same time.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kiki_board::Position;
use kiki_driver::{CancellationSource, EngineAnswer, UsiEngine};
use kiki_play::PlayError;
use kiki_play::clock::{GameClock, go_command};
use kiki_play::engine_spec::EngineSpec;
use kiki_play::player::{Player, PlayerFailure};
use kiki_play::pool::{GameWorker, PoolEvent, RunOptions, WorkerPool};
use kiki_usi::{GoSpec, PositionSpec, set_up};
use serde::{Deserialize, Serialize};

use crate::answer::{Answer, IllegalBestMove, RESIGN, WIN};
use crate::game::AnalyzedGame;

/// The option that tells how many lines are searched.
const MULTI_PV: &str = "MultiPV";
/// The option that lets Kiki tell sigma.
const SHOW_SIGMA: &str = "ShowSigma";

/// Where the value of a played move comes from that is not among the lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlayedMoveSearch {
    /// A search of this move alone, with the same limit; [`PlayedMoveSearch::Next`] where the engine answers with another move, as one that does
    /// not know `searchmoves`.
    #[default]
    Searchmoves,
    /// The search of the next position.
    Next,
}

/// An engine with what it says of itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnalysisEngine {
    /// How it is started, with all options that are set.
    pub spec: EngineSpec,
    /// `id name`.
    pub id: String,
    /// `id author`.
    pub author: String,
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

/// Starts each engine once and adds the options that the analysis needs: `MultiPV` for several lines, `ShowSigma` where there is one, unless they
/// are set already.
///
/// # Errors
/// An engine that does not start, lacks an option, or does not get ready.
pub fn prepare_engines(
    engines: &[EngineSpec],
    lines: usize,
    options: &RunOptions,
    cancellation: &CancellationSource,
) -> Result<Vec<AnalysisEngine>, PlayError> {
    let mut found = Vec::with_capacity(engines.len());
    for spec in engines {
        let mut spec = spec.clone();
        let is_set = |spec: &EngineSpec, name: &str| spec.options.keys().any(|key| key.eq_ignore_ascii_case(name));
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

impl AnalysisPool<'_> {
    /// Does these searches and passes the answers to `each` in the order in which they come; ends without an error after a cancellation. Engines
    /// get ready anew before each search, so that an answer depends on nothing but position, limit and options.
    ///
    /// # Errors
    /// The first engine that fails, and those of `each`.
    pub fn search<E: From<SearchError> + Send>(
        &self,
        keys: &[SearchKey],
        mut each: impl FnMut(SearchKey, Answer) -> Result<(), E>,
    ) -> Result<(), E> {
        let next = AtomicUsize::new(0);
        let pool = WorkerPool { engines: self.engines, options: self.options, cancellation: self.cancellation };
        let new_task = || {
            |worker: &mut GameWorker<'_>| -> Result<Option<(SearchKey, Answer)>, PoolError<E>> {
                let Some(&key) = keys.get(next.fetch_add(1, Ordering::Relaxed)) else { return Ok(None) };
                Ok(Some((key, self.answer(worker, key)?)))
            }
        };
        let outcome = pool.run(keys.len(), new_task, |event| {
            if let PoolEvent::Result((key, answer)) = event {
                each(key, answer).map_err(PoolError::Caller)?;
            }
            Ok(ControlFlow::Continue(()))
        });
        match outcome {
            Ok(_) | Err(PoolError::Search(SearchError::Play(PlayError::Cancelled))) => Ok(()),
            Err(PoolError::Search(error)) => Err(error.into()),
            Err(PoolError::Caller(error)) => Err(error),
        }
    }

    fn answer(&self, worker: &mut GameWorker<'_>, key: SearchKey) -> Result<Answer, SearchError> {
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
        let illegal = |error: IllegalBestMove| failed(error.to_string());
        let mut answer = Answer::new(&found, &position, self.lines).map_err(illegal)?;
        let Some(played) = game.moves.get(key.ply) else { return Ok(answer) };
        let gave_up = answer.best == RESIGN || answer.best == WIN;
        if self.played == PlayedMoveSearch::Searchmoves && !gave_up && answer.line_of(played).is_none() {
            let alone = self.think(player, &spec, &position, Some(played))?.map_err(failed)?;
            let alone = Answer::new(&alone, &position, 1).map_err(illegal)?;
            answer.played = alone.line_of(played).cloned();
        }
        Ok(answer)
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

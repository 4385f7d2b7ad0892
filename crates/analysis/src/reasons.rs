//! Why bad moves are bad: found by Kiki's own searches, when the engines have finished.

use anyhow::Result;
use kiki_board::{Move, Position};
use kiki_driver::CancellationToken;
use kiki_eval::{DEFAULT_FV_SCALE, NetworkEvaluator};
use kiki_reasons::{Effort, Explainer, ToldReason};
use kiki_run::parallel;
use serde::{Deserialize, Serialize};

use crate::game::AnalyzedGame;

/// A move of a game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct MoveKey {
    /// The place of the game, from 0.
    pub game: usize,
    /// Number of moves before it.
    pub ply: usize,
}

/// A line of the journal.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ReasonLine {
    #[serde(flatten)]
    pub(crate) key: MoveKey,
    pub(crate) reason: ToldReason,
}

/// Finds the reasons of moves on several threads, until `cancelled`. `each` gets them as they are
/// found.
pub(crate) fn explain(
    games: &[AnalyzedGame],
    keys: &[MoveKey],
    threads: usize,
    cancelled: &CancellationToken,
    mut each: impl FnMut(ReasonLine) -> Result<()>,
) -> Result<()> {
    let moves: Vec<(MoveKey, Position, Move)> = keys.iter().map(|&key| place(games, key)).collect::<Result<_>>()?;
    let new_explainer = || {
        let network = kiki_network::embedded(DEFAULT_FV_SCALE)?;
        Ok(Explainer::<NetworkEvaluator>::new(network, Effort::default())?)
    };
    let work = |explainer: &mut Explainer<NetworkEvaluator>, (key, position, mv): &(MoveKey, Position, Move)| {
        (!cancelled.is_cancelled())
            .then(|| ReasonLine { key: *key, reason: explainer.explain(position, *mv).told(position) })
    };
    parallel::for_each(&moves, threads, new_explainer, work, |_, reason| each(reason))
}

/// The position before a move, and the move.
fn place(games: &[AnalyzedGame], key: MoveKey) -> Result<(MoveKey, Position, Move)> {
    let (mut position, moves) = games[key.game].line()?;
    moves[..key.ply].iter().for_each(|&mv| {
        position.make(mv);
    });
    Ok((key, position, moves[key.ply]))
}

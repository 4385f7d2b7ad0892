//! Nodes to a fixed depth, counted by the engine itself.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use kiki_driver::CancellationSource;
use kiki_play::openings;
use kiki_play::player::{PlayerFailure, PlayerSpec};
use kiki_play::pool::{GameWorker, PoolEvent, RunOptions, WorkerPool};
use kiki_run::play_errors::name_option;
use kiki_usi::GoSpec;
use serde::{Deserialize, Serialize};

use super::settings::AblationSettings;

/// A line of the journal.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct NodeCounts {
    /// Of the ablation, or of the whole engine.
    pub name: String,
    /// In the order of the positions.
    pub nodes: Vec<u64>,
}

/// What one engine has to search.
struct CountTask<'a> {
    positions: &'a [String],
    go: GoSpec,
    patience: Duration,
    next: AtomicUsize,
}

/// Counts the nodes of an engine; `None` after a cancellation. The engine gets ready before each position, so that nothing is left of the one
/// before. `each` is called after every position.
///
/// # Errors
/// The engine fails, does not answer in time or reports no nodes.
pub(super) fn count(
    settings: &AblationSettings,
    engine: &PlayerSpec,
    options: &RunOptions,
    cancellation: &CancellationSource,
    mut each: impl FnMut(usize),
) -> Result<Option<Vec<u64>>> {
    let task = CountTask {
        positions: &settings.positions,
        go: GoSpec { depth: Some(settings.depth), ..GoSpec::default() },
        patience: Duration::from_millis(settings.rules.patience),
        next: AtomicUsize::new(0),
    };
    let engines = [engine.clone()];
    let pool = WorkerPool { engines: &engines, options, cancellation };
    let mut counted = vec![None; task.positions.len()];
    let mut done = 0;
    let new_task = || |worker: &mut GameWorker<'_>| task.count_next(worker);
    pool.run(task.positions.len(), new_task, |event| {
        if let PoolEvent::Result((position, nodes)) = event {
            counted[position] = Some(nodes);
            done += 1;
            each(done);
        }
        Ok(ControlFlow::Continue(()))
    })
    .with_context(|| format!("nodes to depth {} of `{}`", settings.depth, engine.name))?;
    Ok(counted.into_iter().collect())
}

impl CountTask<'_> {
    /// The index of a position, and its nodes; `None` if all have been taken.
    fn count_next(&self, worker: &mut GameWorker<'_>) -> Result<Option<(usize, u64)>> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        let Some(sfen) = self.positions.get(index) else { return Ok(None) };
        let player = &mut worker.players[0];
        player.start().map_err(name_option)?;
        let (position, _) = openings::position(sfen)?;
        let answer = player.prepare().and_then(|()| player.think(&position, &self.go, None, self.patience));
        match answer {
            Ok(answer) => match answer.info.nodes {
                Some(nodes) => Ok(Some((index, nodes.max(1)))),
                None => bail!("{sfen}: the engine reports no nodes"),
            },
            Err(PlayerFailure::Cancelled) => bail!("cancelled"),
            Err(PlayerFailure::Lost { detail, last_lines, .. }) => {
                bail!("{sfen}: the engine {detail}\n{}", last_lines.join("\n"))
            }
        }
    }
}

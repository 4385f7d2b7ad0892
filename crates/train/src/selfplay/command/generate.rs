//! Games on several threads, written in the order of their numbers.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use crate::selfplay::SelfPlayer;
use anyhow::Result;
use kiki_run::parallel;

use super::shard::{SelfPlayNote, Shard, ShardCounts};

/// Plays games until the file has `wanted` positions, or `stop` is set. Calls `show` with the
/// counts as the file grows.
pub fn generate(
    shard: &mut Shard,
    wanted: u64,
    threads: usize,
    stop: &AtomicBool,
    mut show: impl FnMut(ShardCounts) -> Result<()>,
) -> Result<()> {
    if shard.counts().positions >= wanted {
        return Ok(());
    }
    let SelfPlayNote { evaluation, settings, .. } = shard.note().clone();
    settings.check()?;
    let weights = evaluation.load()?;
    let new_player = || Ok(SelfPlayer::new(weights.clone(), settings.clone())?);
    let play = |player: &mut SelfPlayer, number, ended: &AtomicBool| player.play(number, ended);
    parallel::in_order(shard.counts().games, threads, stop, new_player, play, |game| {
        shard.append(&game)?;
        if shard.counts().positions >= wanted {
            return Ok(ControlFlow::Break(()));
        }
        show(shard.counts())?;
        Ok(ControlFlow::Continue(()))
    })
}

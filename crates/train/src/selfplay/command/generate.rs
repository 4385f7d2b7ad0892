//! Games on several threads, written in the order of their numbers.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread::Builder;
use std::time::Duration;

use crate::games::TrainingGame;
use crate::selfplay::{SelfPlaySettings, SelfPlayer};
use anyhow::Result;
use kiki_eval::SelectedWeights;
use kiki_search::SEARCH_STACK_SIZE;

use kiki_run::parallel::SetAtEnd;

use super::shard::{SelfPlayNote, Shard, ShardCounts};

/// Interval between two checks of the stop flag.
const STOP_INTERVAL: Duration = Duration::from_millis(50);

/// What a thread sends: a game with its number, or an error.
type Played = Result<(u64, TrainingGame)>;

/// What the threads share.
struct Workers<'a> {
    weights: &'a SelectedWeights,
    settings: &'a SelfPlaySettings,
    /// The number of the next game.
    next: AtomicU64,
    /// Set when no more games are wanted.
    ended: AtomicBool,
}

impl Workers<'_> {
    fn work(&self, games: &SyncSender<Played>) {
        let _end = SetAtEnd(&self.ended);
        if let Err(error) = self.play(games) {
            let _ = games.send(Err(error));
        }
    }

    fn play(&self, games: &SyncSender<Played>) -> Result<()> {
        let mut player = SelfPlayer::new(self.weights.clone(), self.settings.clone())?;
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(game) = player.play(number, &self.ended) else { return Ok(()) };
            if games.send(Ok((number, game))).is_err() {
                return Ok(());
            }
        }
    }
}

/// Plays games until the file has `wanted` positions, or `stop` is set. Calls `show` with the
/// counts as the file grows.
pub fn generate(
    shard: &mut Shard,
    wanted: u64,
    threads: usize,
    stop: &AtomicBool,
    mut show: impl FnMut(ShardCounts),
) -> Result<()> {
    if shard.counts().positions >= wanted {
        return Ok(());
    }
    let SelfPlayNote { evaluation, settings, .. } = shard.note().clone();
    settings.check()?;
    let weights = evaluation.load()?;
    let next = AtomicU64::new(shard.counts().games);
    let workers = Workers { weights: &weights, settings: &settings, next, ended: AtomicBool::new(false) };
    std::thread::scope(|scope| {
        // The threads end with this scope.
        let _end = SetAtEnd(&workers.ended);
        let (sender, games) = sync_channel(2 * threads);
        for _ in 0..threads {
            let (sender, workers) = (sender.clone(), &workers);
            let builder = Builder::new().stack_size(SEARCH_STACK_SIZE);
            builder.spawn_scoped(scope, move || workers.work(&sender))?;
        }
        drop(sender);
        let mut early = BTreeMap::new();
        while !stop.load(Ordering::Relaxed) {
            let (number, game) = match games.recv_timeout(STOP_INTERVAL) {
                Ok(played) => played?,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            early.insert(number, game);
            while let Some(game) = early.remove(&shard.counts().games) {
                shard.append(&game)?;
                if shard.counts().positions >= wanted {
                    return Ok(());
                }
            }
            show(shard.counts());
        }
        Ok(())
    })
}

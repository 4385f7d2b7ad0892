//! Games on several threads, written in the order of their numbers.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::Builder;
use std::time::Instant;

use crate::games::TrainingGame;
use crate::selfplay::{SelfPlaySettings, SelfPlayer};
use anyhow::Result;
use kiki_eval::SelectedWeights;
use kiki_search::SEARCH_STACK_SIZE;

use super::shard::Shard;
use kiki_run::output::ProgressLine;

/// What a thread sends: a game with its number, or what went wrong.
type Played = Result<(u64, TrainingGame)>;

/// What the threads share.
struct Workers<'a> {
    weights: &'a SelectedWeights,
    settings: &'a SelfPlaySettings,
    /// The number of the next game.
    next: AtomicU64,
    stop: &'a AtomicBool,
}

/// Ends the work of all when one thread ends, for whatever reason.
struct StopAll<'a>(&'a AtomicBool);

impl Drop for StopAll<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Workers<'_> {
    fn work(&self, games: &SyncSender<Played>) {
        let _stop = StopAll(self.stop);
        if let Err(error) = self.play(games) {
            let _ = games.send(Err(error));
        }
    }

    fn play(&self, games: &SyncSender<Played>) -> Result<()> {
        let mut player = SelfPlayer::new(self.weights.clone(), self.settings.clone())?;
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(game) = player.play(number, self.stop) else { return Ok(()) };
            if games.send(Ok((number, game))).is_err() {
                return Ok(());
            }
        }
    }
}

/// Plays games until the file has `wanted` positions, or `stop` is set.
///
/// # Errors
/// If the system refuses threads or memory, or the file cannot be written.
pub(super) fn generate(
    shard: &mut Shard,
    weights: &SelectedWeights,
    wanted: u64,
    threads: usize,
    stop: &AtomicBool,
) -> Result<()> {
    let before = shard.counts.positions;
    if before >= wanted {
        return Ok(());
    }
    let next = AtomicU64::new(shard.counts.games);
    let settings = shard.note.settings.clone();
    let workers = Workers { weights, settings: &settings, next, stop };
    let mut line = ProgressLine::new("positions", wanted, before);
    let started = Instant::now();
    let outcome = std::thread::scope(|scope| {
        // When this ends, so do the threads.
        let _stop = StopAll(stop);
        let (sender, games) = sync_channel(2 * threads);
        for _ in 0..threads {
            let (sender, workers) = (sender.clone(), &workers);
            let builder = Builder::new().stack_size(SEARCH_STACK_SIZE);
            builder.spawn_scoped(scope, move || workers.work(&sender))?;
        }
        drop(sender);
        let mut early = BTreeMap::new();
        for played in games {
            let (number, game) = played?;
            early.insert(number, game);
            while let Some(game) = early.remove(&shard.counts.games) {
                shard.append(&game)?;
                if shard.counts.positions >= wanted {
                    return Ok(());
                }
            }
            let counts = shard.counts;
            line.show(counts.positions.min(wanted), || {
                let speed = (counts.positions - before) as f64 / started.elapsed().as_secs_f64().max(1e-9);
                format!("{} games, {speed:.0} positions a second", counts.games)
            });
        }
        Ok(())
    });
    line.finish();
    outcome
}

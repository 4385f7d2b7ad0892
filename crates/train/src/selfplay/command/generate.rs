//! Games on several threads, written in the order of their numbers.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Instant;

use crate::selfplay::{SelfPlayGame, SelfPlaySettings, SelfPlayer};
use anyhow::Result;
use kiki_eval::SelectedWeights;

use super::note::ShardNote;
use super::shard_file::ShardFile;
use kiki_run::output::ProgressLine;

/// What a thread sends: a game with its number, or what went wrong.
type Played = Result<(u64, SelfPlayGame)>;

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
            let Some(game) = player.play(number, self.stop)? else { return Ok(()) };
            if games.send(Ok((number, game))).is_err() {
                return Ok(());
            }
        }
    }
}

/// Plays games until the file has the positions that its note wants, or `stop` is set.
///
/// # Errors
/// If the system refuses threads or memory, or the file cannot be written.
pub(super) fn generate(
    shard: &mut ShardFile,
    weights: &SelectedWeights,
    note: &ShardNote,
    threads: usize,
    stop: &AtomicBool,
) -> Result<()> {
    let before = shard.progress().positions;
    if before >= note.wanted {
        return Ok(());
    }
    let next = AtomicU64::new(shard.progress().games.len() as u64);
    let workers = Workers { weights, settings: &note.settings, next, stop };
    let mut line = ProgressLine::new("positions", note.wanted, before);
    let started = Instant::now();
    let outcome = std::thread::scope(|scope| {
        let (sender, games) = sync_channel(2 * threads);
        for _ in 0..threads {
            let (sender, workers) = (sender.clone(), &workers);
            scope.spawn(move || workers.work(&sender));
        }
        drop(sender);
        // When this ends, so do the threads.
        let _stop = StopAll(stop);
        let mut early = BTreeMap::new();
        for played in games {
            let (number, game) = played?;
            early.insert(number, game);
            while let Some(game) = early.remove(&(shard.progress().games.len() as u64)) {
                shard.append(&game)?;
                if shard.progress().positions >= note.wanted {
                    return Ok(());
                }
            }
            let progress = shard.progress();
            line.show(progress.positions.min(note.wanted), || {
                let speed = (progress.positions - before) as f64 / started.elapsed().as_secs_f64().max(1e-9);
                format!("{} games, {speed:.0} positions a second", progress.games.len())
            });
        }
        Ok(())
    });
    line.finish();
    outcome.and(shard.sync())
}

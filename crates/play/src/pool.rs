//! Worker threads that play a list of games at the same time, each with its own engines.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam::channel::{RecvTimeoutError, Sender, unbounded};
use kiki_driver::{CancellationSource, CancellationToken, Timeouts, UsiEngine};
use kiki_platform::prefer_short_time_slices;

use crate::affinity;
use crate::error::PlayError;
use crate::game::PlayedGame;
use crate::player::{GameLog, LogFolder, Player, PlayerSpec};
use crate::referee::{GameStart, play_game};
use crate::rules::MatchRules;

/// How often the caller gets [`PoolEvent::Tick`] while no result comes.
const TICK: Duration = Duration::from_millis(250);

const CHECK_LOG: &str = "handshakes";

/// These options do not influence which games are played.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Games at the same time.
    pub concurrency: usize,
    /// How long engines may take for everything but moves.
    pub timeouts: Timeouts,
    /// Folder for logs of all lines between players and engines.
    pub logs: Option<LogFolder>,
    /// The CPUs of each worker; any CPUs if empty.
    pub cpus: Vec<Vec<usize>>,
}

#[derive(Debug)]
pub enum PoolEvent<T> {
    Result(T),
    Tick,
}

/// One thread of a pool, with a player for each engine.
pub struct GameWorker<'a> {
    /// In the order of the pool's engines.
    pub players: Vec<Player<'a>>,
    log: Option<Arc<GameLog>>,
}

impl<'a> GameWorker<'a> {
    /// From now on, the lines of the engines go to the log of this game.
    pub fn begin_log(&self, game: usize) -> Result<(), PlayError> {
        self.log.as_ref().map_or(Ok(()), |log| log.begin(&format!("{game:06}")))
    }

    /// Plays a game between two players, given by their indices. An engine that fails loses; the
    /// only error is [`PlayError::Cancelled`].
    ///
    /// # Panics
    /// The indices are equal, or there is no such player.
    pub fn play(&mut self, start: GameStart, pair: [usize; 2], rules: &MatchRules) -> Result<PlayedGame, PlayError> {
        let pair: [&mut Player<'a>; 2] = self.players.get_disjoint_mut(pair).expect("two different players");
        play_game(start, pair, rules)
    }
}

#[derive(Clone, Copy, Debug)]
pub struct WorkerPool<'a> {
    /// Every worker starts its own processes.
    pub engines: &'a [PlayerSpec],
    pub options: &'a RunOptions,
    /// Ends all games when it is cancelled.
    pub cancellation: &'a CancellationSource,
}

impl<'a> WorkerPool<'a> {
    /// Starts each engine once, sets its options and ends it, to find errors before the first game.
    /// `try_options` may set more options. Returns the `info string` texts of each engine.
    pub fn check_engines<E: From<PlayError>>(
        &self,
        mut try_options: impl FnMut(&mut UsiEngine) -> Result<(), E>,
    ) -> Result<Vec<Vec<String>>, E> {
        let log = self.new_log()?;
        log.as_ref().map_or(Ok(()), |log| log.begin(CHECK_LOG))?;
        let check = |spec| {
            let mut player = self.player(spec, &log);
            try_options(player.start()?)?;
            Ok(player.check()?)
        };
        self.engines.iter().map(check).collect()
    }

    /// Every worker repeats a task from `new_task` until it returns `None`; `each` gets the
    /// results. Starts at most `most_workers` workers, and no more than the options allow.
    ///
    /// `each` may break, which abandons running games. Errors of tasks after a cancellation are
    /// dropped. Returns the names of the engines that had to be killed after `quit`.
    pub fn run<T: Send, E: From<PlayError> + Send, K>(
        &self,
        most_workers: usize,
        new_task: impl Fn() -> K + Sync,
        mut each: impl FnMut(PoolEvent<T>) -> Result<ControlFlow<()>, E>,
    ) -> Result<Vec<String>, E>
    where
        K: FnMut(&mut GameWorker<'a>) -> Result<Option<T>, E>,
    {
        let (reports, received) = unbounded();
        let mut outcome = Ok(());
        let mut killed = Vec::new();
        thread::scope(|scope| {
            for number in 0..self.options.concurrency.clamp(1, most_workers.max(1)) {
                let (reports, new_task) = (reports.clone(), &new_task);
                scope.spawn(move || {
                    if let Err(error) = self.work(number, new_task(), &reports) {
                        let _ = reports.send(WorkerReport::Failed(error.into()));
                    }
                });
            }
            drop(reports);
            let mut is_over = false;
            loop {
                let flow = match received.recv_timeout(TICK) {
                    Ok(WorkerReport::Killed(name)) => {
                        killed.push(name);
                        continue;
                    }
                    Err(RecvTimeoutError::Disconnected) => break,
                    _ if is_over => continue,
                    Ok(WorkerReport::Result(result)) => each(PoolEvent::Result(result)),
                    Ok(WorkerReport::Failed(error)) => Err(error),
                    Err(RecvTimeoutError::Timeout) => each(PoolEvent::Tick),
                };
                is_over = !matches!(flow, Ok(ControlFlow::Continue(())));
                outcome = flow.map(|_| ());
                if is_over {
                    self.cancellation.cancel();
                }
            }
        });
        killed.sort();
        killed.dedup();
        outcome.map(|()| killed)
    }

    fn work<T, E: From<PlayError>>(
        &self,
        number: usize,
        mut task: impl FnMut(&mut GameWorker<'a>) -> Result<Option<T>, E>,
        reports: &Sender<WorkerReport<T, E>>,
    ) -> Result<(), PlayError> {
        let mut worker = self.begin_worker(number)?;
        while !self.token().is_cancelled() {
            let report = match task(&mut worker) {
                Ok(None) => break,
                Ok(Some(result)) => WorkerReport::Result(result),
                Err(_) if self.token().is_cancelled() => break,
                Err(error) => WorkerReport::Failed(error),
            };
            if reports.send(report).is_err() {
                break;
            }
        }
        for player in &mut worker.players {
            player.quit();
            if player.was_killed {
                let _ = reports.send(WorkerReport::Killed(player.spec.name.clone()));
            }
        }
        Ok(())
    }

    /// The worker of a number, whose engines start when they are needed.
    pub fn begin_worker(&self, number: usize) -> Result<GameWorker<'a>, PlayError> {
        self.options.cpus.get(number).map_or(Ok(()), |cpus| affinity::bind(cpus))?;
        prefer_short_time_slices();
        let log = self.new_log()?;
        let players = self.engines.iter().map(|spec| self.player(spec, &log)).collect();
        Ok(GameWorker { players, log })
    }

    fn player(&self, spec: &'a PlayerSpec, log: &Option<Arc<GameLog>>) -> Player<'a> {
        Player::new(spec, self.options.timeouts, self.token(), log.clone())
    }

    fn new_log(&self) -> Result<Option<Arc<GameLog>>, PlayError> {
        self.options.logs.as_ref().map(GameLog::new).transpose()
    }

    fn token(&self) -> &'a CancellationToken {
        self.cancellation.token()
    }
}

enum WorkerReport<T, E> {
    Result(T),
    Failed(E),
    /// An engine had to be killed after `quit`.
    Killed(String),
}

/// Unplayed numbers from 0, in order. Computed, not stored: a list may exceed the memory.
#[derive(Debug)]
pub struct WorkQueue {
    /// Numbers from here on have not been handed out.
    next: AtomicUsize,
    scheduled: usize,
    played: HashSet<usize>,
}

impl WorkQueue {
    /// All numbers below `scheduled` except those that were played before.
    #[must_use]
    pub fn new(scheduled: usize, played: HashSet<usize>) -> Self {
        Self { next: AtomicUsize::new(0), scheduled, played }
    }

    /// The next number, which no other caller gets; `None` at the end of the list.
    pub fn take(&self) -> Option<usize> {
        loop {
            let advance = |number: usize| (number < self.scheduled).then_some(number + 1);
            let number = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, advance).ok()?;
            if !self.played.contains(&number) {
                return Some(number);
            }
        }
    }

    /// Whether it was played before the list began.
    #[must_use]
    pub fn is_played(&self, number: usize) -> bool {
        self.played.contains(&number)
    }

    /// Includes the numbers already handed out.
    #[must_use]
    pub fn count(&self) -> usize {
        self.scheduled - self.played.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a pool without engines whose tasks are numbers. Returns what the caller got, and the
    /// outcome.
    fn run(
        numbers: usize,
        task: impl Fn(usize) -> Result<usize, PlayError> + Sync,
        flow: impl Fn(usize) -> ControlFlow<()>,
    ) -> (Vec<usize>, Result<Vec<String>, PlayError>) {
        let options = RunOptions { concurrency: 4, timeouts: Timeouts::default(), logs: None, cpus: Vec::new() };
        let cancellation = CancellationSource::new();
        let pool = WorkerPool { engines: &[], options: &options, cancellation: &cancellation };
        let queue = WorkQueue::new(numbers, HashSet::new());
        let mut results = Vec::new();
        let new_task = || |_: &mut GameWorker<'_>| queue.take().map(&task).transpose();
        let outcome = pool.run(queue.count(), new_task, |event| {
            let PoolEvent::Result(number) = event else { return Ok(ControlFlow::Continue(())) };
            results.push(number);
            Ok(flow(number))
        });
        results.sort_unstable();
        (results, outcome)
    }

    #[test]
    fn every_task_is_done_once() {
        let (results, outcome) = run(1000, Ok, |_| ControlFlow::Continue(()));
        assert_eq!(results, (0..1000).collect::<Vec<_>>());
        assert!(outcome.unwrap().is_empty());
        assert!(run(0, Ok, |_| ControlFlow::Continue(())).0.is_empty());
    }

    #[test]
    fn the_caller_can_break_off_and_gets_nothing_more() {
        // The list does not end: only the break stops the run.
        let (results, outcome) = run(usize::MAX, Ok, |_| ControlFlow::Break(()));
        assert_eq!(results.len(), 1);
        assert!(outcome.is_ok());
    }

    #[test]
    fn the_first_error_ends_the_pool() {
        let task = |number| if number == 7 { Err(PlayError::Cancelled) } else { Ok(number) };
        let (results, outcome) = run(usize::MAX, task, |_| ControlFlow::Continue(()));
        assert!(!results.contains(&7) && matches!(outcome, Err(PlayError::Cancelled)), "{outcome:?}");
    }

    #[test]
    fn what_was_played_is_left_out_and_nothing_is_handed_out_twice() {
        let queue = WorkQueue::new(6, HashSet::from([0, 3, 5]));
        assert_eq!(queue.count(), 3);
        let taken: Vec<usize> = std::iter::from_fn(|| queue.take()).collect();
        assert_eq!(taken, [1, 2, 4]);
        assert_eq!(queue.take(), None);
        // The longest list takes no memory.
        let queue = WorkQueue::new(usize::MAX, HashSet::from([1]));
        assert_eq!((queue.take(), queue.take(), queue.count()), (Some(0), Some(2), usize::MAX - 1));
    }
}

//! The workers: each takes the next game of the schedule, with engines of its own.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::thread;
use std::time::Duration;

use anyhow::{Result, anyhow};
use crossbeam::channel::{RecvTimeoutError, Sender, unbounded};
use kiki_driver::Cancel;

use super::Manner;
use super::game::{Game, Reason};
use super::game_log::GameLog;
use super::openings;
use super::pending::Pending;
use super::player::Player;
use super::referee::{self, Start, Stopped};
use super::schedule::Schedule;
use super::settings::Settings;
use crate::affinity;
use crate::interrupt::Interrupt;

/// How often the caller hears that time passes.
const TICK: Duration = Duration::from_millis(250);

/// After so many games in succession for which it did not get ready, an engine is given up.
const MOST_FAILED_STARTS: usize = 3;

/// What happens in a contest.
pub(crate) enum Event {
    /// A game came to its end.
    Played(Box<Game>),
    /// Nothing but time.
    Tick,
}

/// All that a worker needs to know.
pub(crate) struct Orders<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) schedule: &'a Schedule,
    pub(crate) openings: &'a [String],
    pub(crate) pending: &'a Pending,
    /// How often games were voided before, by their places.
    pub(crate) voided: &'a HashMap<usize, u32>,
    pub(crate) manner: &'a Manner,
}

enum Report {
    Played(Box<Game>),
    /// An engine cannot be started any more.
    Broken(anyhow::Error),
    /// An engine did not leave when it was told to.
    Stayed(String),
}

/// Starts each engine once, sets its options and lets it go again, so that what cannot work is told before the first game.
///
/// # Errors
/// An engine that does not start, has not the options, or does not get ready.
pub(crate) fn inspect(settings: &Settings, manner: &Manner, cancel: &Cancel) -> Result<()> {
    let log = manner.log.as_deref().map(GameLog::new).transpose()?;
    log.as_ref().map_or(Ok(()), |log| log.begin("handshakes"))?;
    let inspect = |spec| Player::new(spec, manner.timeouts, cancel).logged(log.as_ref()).inspect();
    settings.engines.iter().try_for_each(inspect)
}

/// Plays all pending games and tells the caller of each, in the order in which they end. The caller may end the contest; games in
/// progress are then abandoned. Returns the names of engines that had to be killed at the end.
///
/// # Errors
/// An engine that cannot be started any more, or whatever the caller fails with.
pub(crate) fn play(
    orders: &Orders<'_>,
    interrupt: &Interrupt,
    mut each: impl FnMut(Event) -> Result<ControlFlow<()>>,
) -> Result<Vec<String>> {
    let (reports, received) = unbounded();
    let mut outcome = Ok(());
    let mut stayed = Vec::new();
    thread::scope(|scope| {
        for worker in 0..orders.manner.concurrency.clamp(1, orders.pending.count().max(1)) {
            let reports = reports.clone();
            scope.spawn(move || {
                if let Err(error) = work(orders, worker, &interrupt.cancel, &reports) {
                    let _ = reports.send(Report::Broken(error));
                }
            });
        }
        drop(reports);
        let mut over = false;
        loop {
            let event = match received.recv_timeout(TICK) {
                Ok(Report::Played(game)) => Event::Played(game),
                Ok(Report::Stayed(name)) => {
                    stayed.push(name);
                    continue;
                }
                Ok(Report::Broken(error)) => {
                    outcome = Err(error);
                    over = true;
                    interrupt.stop();
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => Event::Tick,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if over {
                continue;
            }
            match each(event) {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => over = true,
                Err(error) => {
                    outcome = Err(error);
                    over = true;
                }
            }
            if over {
                interrupt.stop();
            }
        }
    });
    stayed.sort();
    stayed.dedup();
    outcome.map(|()| stayed)
}

/// Plays games until there are none, or until the contest is stopped.
///
/// # Errors
/// A log that cannot be written, and CPUs that cannot be had.
fn work(orders: &Orders<'_>, worker: usize, cancel: &Cancel, reports: &Sender<Report>) -> Result<()> {
    let Manner { timeouts, log, cpus, .. } = orders.manner;
    cpus.get(worker).map_or(Ok(()), |cpus| affinity::bind(cpus))?;
    let log = log.as_deref().map(GameLog::new).transpose()?;
    let player = |spec| Player::new(spec, *timeouts, cancel).logged(log.as_ref());
    let mut players: Vec<Player<'_>> = orders.settings.engines.iter().map(player).collect();
    let mut failed_starts = vec![0; players.len()];
    'games: while !cancel.is_cancelled() {
        let Some(number) = orders.pending.take() else { break };
        let mut voided = orders.voided.get(&number).copied().unwrap_or(0);
        loop {
            log.as_ref().map_or(Ok(()), |log| log.begin_game(number + 1))?;
            let Ok(mut game) = one_game(orders, number, &mut players) else { break 'games };
            game.voided = game.reason.is_process_fault() && voided < orders.settings.replay_faults;
            let again = game.voided;
            voided += u32::from(again);
            let report = count_failed_starts(&game, &players, &mut failed_starts)
                .map_or_else(|| Report::Played(Box::new(game)), Report::Broken);
            if reports.send(report).is_err() || cancel.is_cancelled() {
                break 'games;
            }
            if !again {
                break;
            }
        }
    }
    for player in &mut players {
        player.quit();
        if player.stayed {
            let _ = reports.send(Report::Stayed(player.spec.name.clone()));
        }
    }
    Ok(())
}

fn one_game(orders: &Orders<'_>, number: usize, players: &mut [Player<'_>]) -> Result<Game, Stopped> {
    let fixture = orders.schedule.game(number);
    let line = &orders.openings[fixture.opening];
    let (spec, position) = openings::position(line).expect("openings were read before the first game");
    let start = Start { game: number + 1, opening: fixture.opening + 1, spec, position };
    let pair = players.get_disjoint_mut([fixture.black, fixture.white]);
    referee::play(start, pair.expect("nobody plays against itself"), &orders.settings.rules)
}

/// The error to give up with, when an engine did not get ready again and again.
fn count_failed_starts(game: &Game, players: &[Player<'_>], failed: &mut [usize]) -> Option<anyhow::Error> {
    let fault = game.fault.as_ref().filter(|_| game.reason == Reason::NotReady);
    for (player, failed) in players.iter().zip(failed) {
        let name = &player.spec.name;
        if *name != game.black && *name != game.white {
            continue;
        }
        match fault {
            Some(fault) if fault.engine == *name => *failed += 1,
            _ => *failed = 0,
        }
        if *failed >= MOST_FAILED_STARTS {
            let detail = fault.map(|fault| fault.detail.as_str()).unwrap_or_default();
            return Some(anyhow!("engine `{name}` did not get ready {failed} times in succession: {detail}"));
        }
    }
    None
}

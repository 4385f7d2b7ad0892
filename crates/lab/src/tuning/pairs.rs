//! The workers of a tuning: each plays pairs of games between two processes of one engine with different numbers.

use std::ops::ControlFlow;
use std::thread;
use std::time::Duration;

use anyhow::{Result, bail};
use crossbeam::channel::{RecvTimeoutError, Sender, unbounded};
use kiki_driver::Cancel;
use kiki_stats::spsa::{Spsa, Trial};
use parking_lot::Mutex;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

use super::settings::Settings;
use crate::affinity;
use crate::contest::Manner;
use crate::contest::game::{Game, Reason};
use crate::contest::game_log::GameLog;
use crate::contest::openings;
use crate::contest::pending::Pending;
use crate::contest::player::Player;
use crate::contest::referee::{self, Start, Stopped};
use crate::contest::spec::EngineSpec;
use crate::interrupt::Interrupt;

/// How often the caller hears that time passes.
const TICK: Duration = Duration::from_millis(250);

/// A pair of games that was played: one line of the journal.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Update {
    /// Its number, from 1.
    pub(crate) update: u64,
    /// Points of the side with the perturbation added, of two games.
    pub(crate) points: f64,
    /// Why the games ended; the first with that side as Black.
    pub(crate) reasons: [Reason; 2],
    /// How long they were, openings included.
    pub(crate) plies: [usize; 2],
}

impl Update {
    /// By how many points the side with the perturbation added won.
    pub(crate) fn advantage(&self) -> f64 {
        2.0 * self.points - 2.0
    }
}

/// All that a worker needs to know.
pub(crate) struct Orders<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) openings: &'a [String],
    pub(crate) manner: &'a Manner,
    pub(crate) search: &'a Mutex<Search>,
}

/// What the workers share: the search for numbers and the updates that nobody has taken yet, counted from 0.
pub(crate) struct Search {
    pub(crate) spsa: Spsa,
    pub(crate) pending: Pending,
}

/// Plays all pending updates and tells the caller of each, and that time passes. The caller may end it.
///
/// # Errors
/// An engine that fails, or whatever the caller fails with.
pub(crate) fn play(
    orders: &Orders<'_>,
    interrupt: &Interrupt,
    mut each: impl FnMut(Option<Update>) -> Result<()>,
) -> Result<()> {
    let (reports, received) = unbounded();
    let mut outcome = Ok(());
    thread::scope(|scope| {
        for worker in 0..orders.manner.concurrency.clamp(1, orders.search.lock().pending.count().max(1)) {
            let reports = reports.clone();
            scope.spawn(move || {
                if let Err(error) = work(orders, worker, &interrupt.cancel, &reports) {
                    let _ = reports.send(Err(error));
                }
            });
        }
        drop(reports);
        loop {
            let update = match received.recv_timeout(TICK) {
                Ok(update) => update.map(Some),
                Err(RecvTimeoutError::Timeout) => Ok(None),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if outcome.is_err() {
                continue;
            }
            outcome = update.and_then(&mut each);
            if outcome.is_err() {
                interrupt.stop();
            }
        }
    });
    outcome
}

/// Plays updates until there are none, or until the tuning is stopped.
///
/// # Errors
/// A log that cannot be written, and CPUs that cannot be had.
fn work(orders: &Orders<'_>, worker: usize, cancel: &Cancel, reports: &Sender<Result<Update>>) -> Result<()> {
    let Manner { timeouts, log, cpus, .. } = orders.manner;
    cpus.get(worker).map_or(Ok(()), |cpus| affinity::bind(cpus))?;
    let log = log.as_deref().map(GameLog::new).transpose()?;
    let named = |name: &str| EngineSpec { name: name.to_owned(), ..orders.settings.engine.clone() };
    let specs = [named("plus"), named("minus")];
    let mut players = specs.each_ref().map(|spec| Player::new(spec, *timeouts, cancel).logged(log.as_ref()));
    while !cancel.is_cancelled() {
        let next = {
            let search = orders.search.lock();
            search.pending.take().map(|place| (place as u64 + 1, search.spsa.trial(place as u64 + 1)))
        };
        let Some((update, trial)) = next else { break };
        let report = match one_update(orders, update, &trial, &mut players, log.as_deref()) {
            Ok(ControlFlow::Continue(update)) => {
                // Before the next one is taken, so that one worker alone always comes to the same end.
                orders.search.lock().spsa.learn(update.update, update.advantage());
                Ok(update)
            }
            Ok(ControlFlow::Break(Stopped)) => break,
            Err(error) => Err(error),
        };
        if reports.send(report).is_err() {
            break;
        }
    }
    players.iter_mut().for_each(Player::quit);
    Ok(())
}

/// Plays the two games of an update.
fn one_update(
    orders: &Orders<'_>,
    update: u64,
    trial: &Trial,
    players: &mut [Player<'_>; 2],
    log: Option<&GameLog>,
) -> Result<ControlFlow<Stopped, Update>> {
    let numbers = whole(trial, orders.settings.seed ^ update << 20);
    let opening = (update - 1) as usize % orders.openings.len();
    let mut done = Update { update, points: 0.0, reasons: [Reason::Resignation; 2], plies: [0; 2] };
    for black in 0..2 {
        let number = 2 * update as usize - 1 + black;
        log.map_or(Ok(()), |log| log.begin_game(number))?;
        for (player, numbers) in players.iter_mut().zip(&numbers) {
            let engine = player.start()?;
            for (name, number) in orders.settings.parameters.keys().zip(numbers) {
                engine.set_option(name, &number.to_string())?;
            }
        }
        let (spec, position) = openings::position(&orders.openings[opening])?;
        let start = Start { game: number, opening: opening + 1, spec, position };
        let [plus, minus] = players;
        let pair = if black == 0 { [plus, minus] } else { [minus, plus] };
        let Ok(game) = referee::play(start, pair, &orders.settings.rules) else {
            return Ok(ControlFlow::Break(Stopped));
        };
        refuse_faults(&game)?;
        let points = game.result.points_of_black();
        done.points += if black == 0 { points } else { 1.0 - points };
        (done.reasons[black], done.plies[black]) = (game.reason, game.moves.len());
    }
    Ok(ControlFlow::Continue(done))
}

/// Numbers found by games that a crash decided would be worth nothing.
fn refuse_faults(game: &Game) -> Result<()> {
    match &game.fault {
        Some(fault) if game.reason != Reason::Time => {
            let said = fault.said.join("\n");
            bail!("game {}: the engine ({}) lost: {}\n{said}", game.game, fault.engine, fault.detail)
        }
        _ => Ok(()),
    }
}

/// The numbers of both sides, rounded up or down with the same draw, so that on the average nothing is lost by rounding.
fn whole(trial: &Trial, seed: u64) -> [Vec<i64>; 2] {
    let mut random = Pcg64::seed_from_u64(seed);
    let draws: Vec<f64> = trial.plus.iter().map(|_| random.random()).collect();
    [&trial.plus, &trial.minus]
        .map(|side| side.iter().zip(&draws).map(|(value, draw)| (value + draw).floor() as i64).collect())
}

/// Starts the engine once and sets every parameter to its ends and its start, so that what cannot work is told before the first game.
///
/// # Errors
/// An engine that does not start, has not the options, or does not get ready.
pub(crate) fn inspect(settings: &Settings, manner: &Manner, cancel: &Cancel) -> Result<()> {
    let log = manner.log.as_deref().map(GameLog::new).transpose()?;
    log.as_ref().map_or(Ok(()), |log| log.begin("handshakes"))?;
    let mut player = Player::new(&settings.engine, manner.timeouts, cancel).logged(log.as_ref());
    let engine = player.start()?;
    for (name, range) in &settings.parameters {
        for value in [range.min, range.max, range.start] {
            engine.set_option(name, &value.to_string())?;
        }
    }
    player.inspect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_keeps_the_mean_and_whole_numbers() {
        let trial = Trial { plus: vec![3.25, 7.0, -0.5], minus: vec![2.25, 7.0, -1.5] };
        let mut sums = [0; 3];
        for seed in 0..4000 {
            let [plus, minus] = whole(&trial, seed);
            assert_eq!((plus[1], minus[1]), (7, 7));
            assert_eq!((plus[0] - minus[0], plus[2] - minus[2]), (1, 1));
            sums.iter_mut().zip(plus).for_each(|(sum, number)| *sum += number);
        }
        assert!((sums[0] - 13_000).abs() < 150 && (sums[2] + 2000).abs() < 150, "{sums:?}");
    }
}

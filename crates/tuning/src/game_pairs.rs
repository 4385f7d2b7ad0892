//! What a worker of a tuning does: it plays pairs of games between two processes of one engine with different numbers.

use anyhow::{Context as _, Result, bail};
use kiki_play::game::PlayedGame;
use kiki_play::openings;
use kiki_play::pool::{GameWorker, WorkQueue};
use kiki_play::referee::GameStart;
use kiki_record::EndReason;
use parking_lot::Mutex;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

use super::settings::TuningSettings;
use crate::spsa::{PerturbedParameters, Spsa};

/// A pair of games that was played, one update of the parameters: a line of the journal.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct GamePair {
    /// Its number, from 1.
    pub(super) update: u64,
    /// Points of the side with the perturbation added, of two games.
    pub(super) points: f64,
    /// Why the games ended; the first with that side as Black.
    pub(super) reasons: [EndReason; 2],
    /// How long they were, openings included.
    pub(super) plies: [usize; 2],
}

impl GamePair {
    /// By how many points the side with the perturbation added won.
    pub(super) fn advantage(&self) -> f64 {
        2.0 * self.points - 2.0
    }
}

/// What all workers share.
pub(super) struct PairPlan<'a> {
    pub(super) settings: &'a TuningSettings,
    pub(super) openings: &'a [String],
    pub(super) shared: &'a Mutex<SharedSpsa>,
}

/// The state that the workers change: the iteration, and the updates that no worker has taken yet, counted from 0.
pub(super) struct SharedSpsa {
    pub(super) spsa: Spsa,
    pub(super) queue: WorkQueue,
}

/// The task of one worker. Its first player is the side with the perturbation added.
pub(super) struct PairTask<'a> {
    plan: &'a PairPlan<'a>,
}

impl<'a> PairTask<'a> {
    pub(super) fn new(plan: &'a PairPlan<'a>) -> Self {
        Self { plan }
    }

    /// Plays the next pair; `None` if there are no more.
    ///
    /// # Errors
    /// An engine that fails, a log that cannot be written, and a cancellation.
    pub(super) fn play_next(&self, worker: &mut GameWorker<'_>) -> Result<Option<GamePair>> {
        let next = {
            let shared = self.plan.shared.lock();
            shared.queue.take().map(|index| (index as u64 + 1, shared.spsa.perturbed(index as u64 + 1)))
        };
        let Some((update, values)) = next else { return Ok(None) };
        let done = self.play_pair(worker, update, &values)?;
        // Before this worker takes its next pair, so that a single worker always gets the same result.
        self.plan.shared.lock().spsa.record_result(done.update, done.advantage());
        Ok(Some(done))
    }

    fn play_pair(&self, worker: &mut GameWorker<'_>, update: u64, values: &PerturbedParameters) -> Result<GamePair> {
        let PairPlan { settings, openings, .. } = self.plan;
        let values = rounded(values, settings.seed ^ update << 20);
        let opening = (update - 1) as usize % openings.len();
        let mut done = GamePair { update, points: 0.0, reasons: [EndReason::Resignation; 2], plies: [0; 2] };
        for black in 0..2 {
            let number = 2 * update as usize - 1 + black;
            worker.begin_log(number)?;
            for (player, values) in worker.players.iter_mut().zip(&values) {
                let engine = player.start()?;
                for (name, value) in settings.parameters.keys().zip(values) {
                    engine.set_option(name, &value.to_string())?;
                }
            }
            let (spec, position) = openings::position(&openings[opening])?;
            let start = GameStart { game: number, opening: opening + 1, spec, position };
            let game = worker.play(start, [black, 1 - black], &settings.rules)?;
            refuse_faults(&game)?;
            let points = game.outcome.points_of_black().context("a game without a result")?;
            done.points += if black == 0 { points } else { 1.0 - points };
            (done.reasons[black], done.plies[black]) = (game.reason, game.moves.len());
        }
        Ok(done)
    }
}

/// Games that a crash decided say nothing about numbers; a loss on time does.
fn refuse_faults(game: &PlayedGame) -> Result<()> {
    match &game.fault {
        Some(fault) if game.reason != EndReason::Time => {
            let last_lines = fault.last_lines.join("\n");
            bail!("game {}: the engine ({}) lost: {}\n{last_lines}", game.game, fault.engine, fault.detail)
        }
        _ => Ok(()),
    }
}

/// The values of both sides as whole numbers, rounded up or down with the same random draws, so that their means are kept.
fn rounded(values: &PerturbedParameters, seed: u64) -> [Vec<i64>; 2] {
    let mut random = Pcg64::seed_from_u64(seed);
    let draws: Vec<f64> = values.plus.iter().map(|_| random.random()).collect();
    [&values.plus, &values.minus]
        .map(|side| side.iter().zip(&draws).map(|(value, draw)| (value + draw).floor() as i64).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_keeps_the_mean_and_whole_numbers() {
        let values = PerturbedParameters { plus: vec![3.25, 7.0, -0.5], minus: vec![2.25, 7.0, -1.5] };
        let mut sums = [0; 3];
        for seed in 0..4000 {
            let [plus, minus] = rounded(&values, seed);
            assert_eq!((plus[1], minus[1]), (7, 7));
            assert_eq!((plus[0] - minus[0], plus[2] - minus[2]), (1, 1));
            sums.iter_mut().zip(plus).for_each(|(sum, number)| *sum += number);
        }
        assert!((sums[0] - 13_000).abs() < 150 && (sums[2] + 2000).abs() < 150, "{sums:?}");
    }
}

//! The behaviour of a sequential test: exactly without draws, by simulation with draws and pairs,
//! and from an intermediate point.

use std::f64::consts::PI;

use rand::{Rng, RngExt};
use rayon::prelude::*;
use serde::Serialize;

use crate::error::{check, probability};
use crate::logistic::{expected_score, logistic};
use crate::numeric::{MonotoneCubic, mean, variance};
use crate::random::stream;
use crate::{Result, StatsError};

use super::counts::{CountKind, Counts};
use super::ratio::{Bounds, EloModel, Sprt, SprtDecision, bernoulli_steps, effect};

/// The behaviour of a test for one true difference.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct OperatingPoint {
    /// The true difference, logistic Elo.
    pub elo: f64,
    /// The probability that H0 is accepted.
    pub accept_h0: f64,
    /// The probability that H1 is accepted.
    pub accept_h1: f64,
    /// The expected number of games.
    pub expected_games: f64,
}

/// The probability that H1 is accepted, as a smooth curve between known points: interpolated on the
/// log-odds scale, where it is nearly straight (Wald 1945). For plots; only the known points are
/// exact.
pub fn power_curve(points: &[OperatingPoint], steps: usize) -> Result<Vec<(f64, f64)>> {
    /// Log-odds so extreme that a plot cannot show the difference from 0 or 1.
    const FAR: f64 = 30.0;
    let log_odds = |point: &OperatingPoint| {
        let odds = (point.accept_h1 / point.accept_h0).ln();
        (point.elo, if odds.is_nan() { 0.0 } else { odds.clamp(-FAR, FAR) })
    };
    let curve = MonotoneCubic::new(points.iter().map(log_odds).collect())?;
    let elos = || points.iter().map(|point| point.elo);
    let (low, high) = (elos().fold(f64::INFINITY, f64::min), elos().fold(f64::NEG_INFINITY, f64::max));
    let elo = |step: usize| low + (high - low) * step as f64 / steps.max(1) as f64;
    Ok((0..=steps).map(|step| (elo(step), logistic(curve.at(elo(step))))).collect())
}

/// The dynamic programme stops when a test is this unlikely to be still running.
const NEGLIGIBLE: f64 = 1e-13;
/// Limit on the programme's additions: about a minute.
const MAX_WORK: u64 = 200_000_000_000;

/// Games between two progress reports.
const TOLD_EVERY: usize = 256;

/// The exact error rates and the expected length of a test for a true difference of `elo`
/// (logistic) without draws: a dynamic programme over the number of wins. `progress` gets the share
/// of finished work, from 0 to 1, from time to time. Refuses hypotheses so close (below about half
/// an Elo) that the programme would run for minutes.
pub fn operating_point(sprt: &Sprt, elo: f64, progress: &dyn Fn(f64)) -> Result<OperatingPoint> {
    let win = expected_score(elo)?;
    let loss = expected_score(-elo)?;
    let bounds = sprt.hypotheses.bounds();
    let (loss_step, win_step) = bernoulli_steps(&sprt.hypotheses, sprt.model);
    let llr = |wins: usize, games: usize| wins as f64 * win_step + (games - wins) as f64 * loss_step;

    let advice = "choose hypotheses further apart, or simulate";
    let too_large = || StatsError::TooLarge { what: "the exact operating characteristic", advice };
    // Refuse hopeless work at once: the estimate is right within a small factor.
    let work = expected_work([win, loss], [win_step, loss_step], bounds.upper - bounds.lower);
    if work.is_nan() || work > 8.0 * MAX_WORK as f64 {
        return Err(too_large());
    }

    let mut point = OperatingPoint { elo, accept_h0: 0.0, accept_h1: 0.0, expected_games: 0.0 };
    // The probability of each number of wins, from `first_wins` up, in a test that is still
    // running.
    let mut running = vec![1.0];
    let mut next = Vec::new();
    let mut first_wins = 0;
    let mut games = 0;
    let mut work = 0;
    while !running.is_empty() {
        let mass: f64 = running.iter().sum();
        if mass < NEGLIGIBLE {
            break;
        }
        // After the first games, a constant share of running tests ends with each game, so the
        // logarithm falls evenly.
        if games % TOLD_EVERY == 0 {
            progress((mass.ln() / NEGLIGIBLE.ln()).clamp(0.0, 1.0));
        }
        point.expected_games += mass;
        games += 1;
        play(&running, &mut next, win, loss);
        // A game moves the ratio by one step, so at most one number of wins leaves the bounds at
        // each end.
        let last_wins = first_wins + next.len() - 1;
        if bounds.decide(llr(last_wins, games)) == SprtDecision::AcceptH1 {
            point.accept_h1 += next.pop().unwrap_or(0.0);
        }
        if bounds.decide(llr(first_wins, games)) == SprtDecision::AcceptH0 && !next.is_empty() {
            point.accept_h0 += next.remove(0);
            first_wins += 1;
        }
        std::mem::swap(&mut running, &mut next);
        work += running.len() as u64;
        if work > MAX_WORK {
            return Err(too_large());
        }
    }
    Ok(point)
}

/// An estimate of the programme's additions: those for a Brownian motion between bounds, whose
/// running share shrinks by `exp(-(pi deviation / width)^2 / 2 - (drift / deviation)^2 / 2)` with
/// each game.
fn expected_work([win, loss]: [f64; 2], [win_step, loss_step]: [f64; 2], width: f64) -> f64 {
    let drift = win * win_step + loss * loss_step;
    let deviation = (win * loss).sqrt() * (win_step - loss_step);
    let rate = 0.5 * ((PI * deviation / width).powi(2) + (drift / deviation).powi(2));
    let numbers_of_wins = width / (win_step - loss_step);
    numbers_of_wins * -NEGLIGIBLE.ln() / rate
}

/// Plays one more game: the distribution of the number of wins gets one entry longer.
fn play(running: &[f64], next: &mut Vec<f64>, win: f64, loss: f64) {
    next.clear();
    next.push(running[0] * loss);
    next.extend(running.windows(2).map(|pair| pair[0] * win + pair[1] * loss));
    next.push(running[running.len() - 1] * win);
}

/// A player with known strength against its opponent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TruePlayer {
    /// The probabilities of loss, draw and win.
    outcomes: [f64; 3],
}

impl TruePlayer {
    /// A player that is `elo` better, in the Elo of `model`, and draws a given share of its games.
    /// Refuses a share so large that the other games cannot give the score.
    pub fn new(model: EloModel, elo: f64, draw_ratio: f64) -> Result<Self> {
        probability("the share of draws", draw_ratio)?;
        check("a rating difference", elo, |_| true, "a number")?;
        let score = match model {
            EloModel::Logistic => expected_score(elo)?,
            EloModel::Normalized => {
                let t = effect(elo, 1);
                0.5 + t * ((1.0 - draw_ratio) / 4.0 / (1.0 + t * t)).sqrt()
            }
        };
        let (win, loss) = (score - 0.5 * draw_ratio, 1.0 - score - 0.5 * draw_ratio);
        // Rounding may turn a zero slightly negative.
        if win < -1e-12 || loss < -1e-12 {
            let domain = "at most twice the smaller of the two players' expected scores";
            return Err(StatsError::OutOfDomain { what: "the share of draws", value: draw_ratio, domain });
        }
        Ok(Self { outcomes: [loss.max(0.0), draw_ratio, win.max(0.0)] })
    }

    /// Plays a game: 0 for a loss, 1 for a draw, 2 for a win.
    fn play(&self, random: &mut impl Rng) -> usize {
        let ticket: f64 = random.random();
        let [loss, draw, _] = self.outcomes;
        usize::from(ticket >= loss) + usize::from(ticket >= loss + draw)
    }

    /// One observation, as an index of [`Counts`]; the games of a pair are independent.
    fn observe(&self, kind: CountKind, random: &mut impl Rng) -> usize {
        match kind {
            CountKind::Bernoulli => loop {
                match self.play(random) {
                    1 => {}
                    outcome => break outcome / 2,
                }
            },
            CountKind::Trinomial => self.play(random),
            CountKind::Pentanomial => self.play(random) + self.play(random),
        }
    }
}

/// The results of simulated tests.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct SprtSimulation {
    /// Tests that were simulated.
    #[serde(rename = "tests")]
    pub replicates: u64,
    /// Tests that accepted H0.
    pub accepted_h0: u64,
    /// Tests that accepted H1.
    pub accepted_h1: u64,
    /// Tests stopped undecided.
    pub undecided: u64,
    /// The mean number of games, with those of undecided tests.
    pub mean_games: f64,
    /// The standard deviation of the number of games between tests; 0 for a single test.
    pub sd_games: f64,
}

/// The most tests to simulate.
const MOST_TESTS: u64 = 100_000;

/// Simulates `replicates` whole tests of a player, with a decision after every observation. Each
/// stops after `most_games` games. With [`CountKind::Bernoulli`], drawn games are ignored. Takes 1
/// to 100,000 replicates. Refuses a player who only draws if draws do not count.
pub fn simulate(
    sprt: &Sprt,
    player: &TruePlayer,
    kind: CountKind,
    most_games: u64,
    replicates: u64,
    seed: u64,
) -> Result<SprtSimulation> {
    let possible = |_| (1..=MOST_TESTS).contains(&replicates);
    check("the number of replicates", replicates as f64, possible, "from 1 to 100,000")?;
    if kind == CountKind::Bernoulli && player.outcomes[1] == 1.0 {
        return Err(StatsError::NotEstimable { what: "a test without draws", reason: "every game is drawn" });
    }
    let tests: Vec<(SprtDecision, u64)> = (0..replicates)
        .into_par_iter()
        .map(|replicate| one_test(sprt, player, kind, most_games, &mut stream(seed, replicate)))
        .collect::<Result<_>>()?;
    let count = |decision| tests.iter().filter(|test| test.0 == decision).count() as u64;
    let games: Vec<f64> = tests.iter().map(|test| test.1 as f64).collect();
    Ok(SprtSimulation {
        replicates,
        accepted_h0: count(SprtDecision::AcceptH0),
        accepted_h1: count(SprtDecision::AcceptH1),
        undecided: count(SprtDecision::Continue),
        mean_games: mean(&games),
        sd_games: variance(&games).sqrt(),
    })
}

/// One test from its first game to its decision: the decision and the number of games.
fn one_test(
    sprt: &Sprt,
    player: &TruePlayer,
    kind: CountKind,
    most_games: u64,
    random: &mut impl Rng,
) -> Result<(SprtDecision, u64)> {
    let mut counts = Counts::empty(kind);
    while counts.games() + counts.games_each() <= most_games {
        counts.record(player.observe(kind, random));
        match sprt.decide(&counts)? {
            SprtDecision::Continue => {}
            decision => return Ok((decision, counts.games())),
        }
    }
    Ok((SprtDecision::Continue, counts.games()))
}

/// A forecast for a running test.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct RemainingGames {
    /// Average change of the ratio per observation.
    pub drift: f64,
    /// The expected number of further games; 0 if the test is over. The model is a Brownian motion
    /// between the bounds with the drift and the variance of the observations so far.
    pub games: f64,
    /// The probability that the test will accept H1, under the same assumption.
    pub accept_h1: f64,
}

/// A forecast for a running test that continues as before. Fails without observations, and for
/// hypotheses so close that no number of games would distinguish them.
pub fn remaining_games(sprt: &Sprt, counts: &Counts) -> Result<RemainingGames> {
    let observations = counts.some_observations()?;
    let llr = sprt.llr(counts)?;
    let drift = llr / observations;
    // The derivative of the ratio with respect to the mean score is N (s1 - s0) / v in the normal
    // approximation. As v may be 0, where the exact ratio is bounded, the spread comes from the
    // actual change by one more observation of each outcome.
    let variance = increment_variance(sprt, counts, llr)?;
    let (accept_h1, further) = leave(sprt.hypotheses.bounds(), llr, drift, variance);
    let games = further * counts.games_each() as f64;
    if !games.is_finite() {
        return Err(StatsError::NotEstimable { what: "the number", reason: "the hypotheses are too close" });
    }
    Ok(RemainingGames { drift, games, accept_h1 })
}

/// The variance of the next observation's step, by the shares of the outcomes so far. Each outcome
/// counts once more, so that a short run of equal results does not look certain.
fn increment_variance(sprt: &Sprt, counts: &Counts, llr: f64) -> Result<f64> {
    let mut sums = [0.0; 3];
    for (outcome, &count) in counts.as_slice().iter().enumerate() {
        let mut next = *counts;
        next.record(outcome);
        let step = sprt.llr(&next)? - llr;
        let weight = count as f64 + 1.0;
        sums = [sums[0] + weight, sums[1] + weight * step, sums[2] + weight * step * step];
    }
    let mean = sums[1] / sums[0];
    Ok((sums[2] / sums[0] - mean * mean).max(f64::MIN_POSITIVE))
}

/// Where a Brownian motion now at `x` leaves the bounds: the probability of the upper one, and the
/// expected time.
fn leave(bounds: Bounds, x: f64, drift: f64, variance: f64) -> (f64, f64) {
    if x >= bounds.upper {
        return (1.0, 0.0);
    }
    if x <= bounds.lower {
        return (0.0, 0.0);
    }
    let (above, below) = (bounds.upper - x, x - bounds.lower);
    if drift < 0.0 {
        let (low, time) = leave_upwards(below, above, -drift, variance);
        (1.0 - low, time)
    } else {
        leave_upwards(above, below, drift, variance)
    }
}

/// The same for a drift upwards, or none, by the distances to both bounds.
fn leave_upwards(above: f64, below: f64, drift: f64, variance: f64) -> (f64, f64) {
    let rate = 2.0 * drift / variance;
    let width = above + below;
    if rate * width < 1e-6 {
        return (below / width, above * below / variance);
    }
    let upper = (-rate * below).exp_m1() / (-rate * width).exp_m1();
    (upper, (upper * width - below) / drift)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sprt::{EloModel, Hypotheses};

    #[test]
    fn hypotheses_that_are_too_close_are_refused_at_once() {
        let sprt =
            |elo1| Sprt { hypotheses: Hypotheses::new(0.0, elo1, 0.05, 0.05).unwrap(), model: EloModel::Logistic };
        for elo1 in [0.1, 1e-3, 1e-300] {
            let refused = operating_point(&sprt(elo1), 0.0, &|_| ());
            assert!(matches!(refused, Err(StatsError::TooLarge { .. })), "{elo1}: {refused:?}");
        }
        // Tests that take a minute are not refused.
        let test = sprt(1.0);
        let width = test.hypotheses.bounds().upper - test.hypotheses.bounds().lower;
        let (loss, win) = bernoulli_steps(&test.hypotheses, test.model);
        let work = expected_work([0.5, 0.5], [win, loss], width);
        assert!((1e10..4e10).contains(&work), "{work}");
    }

    #[test]
    fn a_motion_without_drift_joins_one_with_little() {
        let bounds = Bounds { lower: -2.0, upper: 3.0 };
        let (still, time) = leave(bounds, 0.5, 0.0, 0.01);
        let (slow, longer) = leave(bounds, 0.5, 1.1e-9, 0.01);
        assert!((still - 0.5).abs() < 1e-12 && (time - 625.0).abs() < 1e-9);
        assert!((slow - still).abs() < 1e-5 && (longer - time).abs() < 1e-2 * time);
    }

    #[test]
    fn a_strong_drift_goes_straight() {
        let (upper, time) = leave(Bounds { lower: -3.0, upper: 3.0 }, 0.0, 0.1, 0.01);
        assert!((upper - 1.0).abs() < 1e-12 && (time - 30.0).abs() < 1e-9);
        let (upper, time) = leave(Bounds { lower: -3.0, upper: 3.0 }, 0.0, -0.1, 0.01);
        assert!(upper < 1e-12 && (time - 30.0).abs() < 1e-9);
    }
}

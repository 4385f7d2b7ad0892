//! The exact operating characteristic of a test without draws.

use std::f64::consts::PI;
use std::ops::ControlFlow;

use crate::interpolation::MonotoneCubic;
use crate::logistic::{expected_score, logistic};
use crate::{Result, StatsError};

use super::hypotheses::Decision;
use super::llr::bernoulli_steps;
use super::sequential_test::Sprt;

/// How a test behaves for one true difference.
#[derive(Clone, Copy, PartialEq, Debug)]
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

/// The probability that H1 is accepted, as a smooth curve between differences for which it is known: interpolated on the scale of
/// log-odds, where it is nearly straight (Wald 1945). For pictures; the known points are what is exact.
///
/// # Errors
/// Without points, or if two of them are of one difference.
pub fn power_curve(points: &[OperatingPoint], steps: usize) -> Result<Vec<(f64, f64)>> {
    /// Where a probability is too near to 0 or 1 for a picture to show the difference.
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

/// The programme stops when a running test is as unlikely as this.
const NEGLIGIBLE: f64 = 1e-13;
/// Additions that the programme may take; about a minute.
const MAX_WORK: u64 = 200_000_000_000;

/// Games between two reports of the progress.
const TOLD_EVERY: usize = 256;

/// The exact error rates and the expected length of a test for a true difference of `elo` (logistic), if there are no draws: a dynamic
/// programme over the number of wins.
///
/// # Errors
/// [`StatsError::TooLarge`] if the hypotheses are so close (below about half an Elo) that the programme would run for minutes.
pub fn operating_point(sprt: &Sprt, elo: f64) -> Result<OperatingPoint> {
    operating_point_with_progress(sprt, elo, &|_| ControlFlow::Continue(()))
}

/// Like [`operating_point`], for hypotheses that take a while. `progress` gets the part of the work that is done, from 0 to 1, from time to
/// time; if it breaks, the programme stops.
///
/// # Errors
/// As [`operating_point`], and [`StatsError::Cancelled`] if `progress` broke.
pub fn operating_point_with_progress(
    sprt: &Sprt,
    elo: f64,
    progress: &dyn Fn(f64) -> ControlFlow<()>,
) -> Result<OperatingPoint> {
    let win = expected_score(elo)?;
    let loss = expected_score(-elo)?;
    let bounds = sprt.hypotheses.bounds();
    let (loss_step, win_step) = bernoulli_steps(&sprt.hypotheses, sprt.model);
    let llr = |wins: usize, games: usize| wins as f64 * win_step + (games - wins) as f64 * loss_step;

    let too_large = || StatsError::TooLarge {
        what: "the exact operating characteristic",
        advice: "choose hypotheses further apart, or simulate",
    };
    // What is hopeless is refused at once: the estimate is good to a small factor.
    let work = expected_work((win, loss), (win_step, loss_step), bounds.upper - bounds.lower);
    if work.is_nan() || work > 8.0 * MAX_WORK as f64 {
        return Err(too_large());
    }

    let mut point = OperatingPoint { elo, accept_h0: 0.0, accept_h1: 0.0, expected_games: 0.0 };
    // The probability of each number of wins, `first_wins` upwards, of a test that still runs.
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
        // From game to game the same part of the running tests ends, all but the first: its logarithm goes down evenly.
        if games % TOLD_EVERY == 0 && progress((mass.ln() / NEGLIGIBLE.ln()).clamp(0.0, 1.0)).is_break() {
            return Err(StatsError::Cancelled);
        }
        point.expected_games += mass;
        games += 1;
        play(&running, &mut next, win, loss);
        // A game moves the ratio by one step, so that at each end at most one number of wins can leave the bounds.
        let last_wins = first_wins + next.len() - 1;
        if bounds.decide(llr(last_wins, games)) == Decision::AcceptH1 {
            point.accept_h1 += next.pop().unwrap_or(0.0);
        }
        let leaves_below = bounds.decide(llr(first_wins, games)) == Decision::AcceptH0 && !next.is_empty();
        if leaves_below {
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

/// About how many additions the programme takes: those of a Brownian motion between bounds, whose running part shrinks by
/// `exp(-(pi deviation / width)^2 / 2 - (drift / deviation)^2 / 2)` with each game.
fn expected_work((win, loss): (f64, f64), (win_step, loss_step): (f64, f64), width: f64) -> f64 {
    let drift = win * win_step + loss * loss_step;
    let deviation = (win * loss).sqrt() * (win_step - loss_step);
    let rate = 0.5 * ((PI * deviation / width).powi(2) + (drift / deviation).powi(2));
    let numbers_of_wins = width / (win_step - loss_step);
    numbers_of_wins * -NEGLIGIBLE.ln() / rate
}

/// One more game: the distribution of the number of wins, one entry longer.
fn play(running: &[f64], next: &mut Vec<f64>, win: f64, loss: f64) {
    next.clear();
    next.push(running[0] * loss);
    next.extend(running.windows(2).map(|pair| pair[0] * win + pair[1] * loss));
    next.push(running[running.len() - 1] * win);
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
            let refused = operating_point(&sprt(elo1), 0.0);
            assert!(matches!(refused, Err(StatsError::TooLarge { .. })), "{elo1}: {refused:?}");
        }
        // The ones that take a minute are not.
        let test = sprt(1.0);
        let width = test.hypotheses.bounds().upper - test.hypotheses.bounds().lower;
        let work = expected_work((0.5, 0.5), bernoulli_steps_of(&test), width);
        assert!((1e10..4e10).contains(&work), "{work}");
    }

    fn bernoulli_steps_of(sprt: &Sprt) -> (f64, f64) {
        let (loss, win) = bernoulli_steps(&sprt.hypotheses, sprt.model);
        (win, loss)
    }
}

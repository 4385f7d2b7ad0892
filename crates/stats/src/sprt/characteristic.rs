//! The exact operating characteristic of a test without draws.

use crate::logistic::expected_score;
use crate::{Result, StatsError};

use super::llr::bernoulli_steps;
use super::{Decision, Sprt};

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

/// The programme stops when a running test is as unlikely as this.
const NEGLIGIBLE: f64 = 1e-13;
/// Additions that the programme may take; about a minute.
const MOST_WORK: u64 = 200_000_000_000;

/// See [`Sprt::operating_point`].
pub(super) fn operating_point(sprt: &Sprt, elo: f64) -> Result<OperatingPoint> {
    let win = expected_score(elo)?;
    let loss = expected_score(-elo)?;
    let bounds = sprt.hypotheses.bounds();
    let (loss_step, win_step) = bernoulli_steps(sprt);
    let llr = |wins: usize, games: usize| wins as f64 * win_step + (games - wins) as f64 * loss_step;

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
        if work > MOST_WORK {
            return Err(StatsError::TooLarge {
                what: "the exact operating characteristic",
                advice: "choose hypotheses further apart, or simulate",
            });
        }
    }
    Ok(point)
}

/// One more game: the distribution of the number of wins, one entry longer.
fn play(running: &[f64], next: &mut Vec<f64>, win: f64, loss: f64) {
    next.clear();
    next.push(running[0] * loss);
    next.extend(running.windows(2).map(|pair| pair[0] * win + pair[1] * loss));
    next.push(running[running.len() - 1] * win);
}

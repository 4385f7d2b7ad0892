//! The error rate of a comparison that is looked at again and again.

use std::cmp::Ordering;

use rand::distr::Distribution;
use rand_distr::Binomial;
use rayon::prelude::*;

use kiki_stats::error::{check, probability};
use kiki_stats::normal;
use kiki_stats::random::stream;
use kiki_stats::tally::MOST_GAMES;
use kiki_stats::{Result, StatsError};

use super::candidate::CandidateRecord;
use super::chi_square::signed_statistic;

/// A way of looking at a running comparison, and the truth behind it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PeekPlan {
    /// How often it is looked at.
    pub looks: u32,
    /// Games of each candidate between two looks.
    pub step: u64,
    /// The probability of the chi-square rule at which a candidate is declared better.
    pub threshold: f64,
    /// The true win rates of A and B against the base.
    pub win_rates: [f64; 2],
}

/// How often a candidate was declared better.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PeekReport {
    /// Comparisons that were simulated.
    pub replicates: u64,
    /// The share in which one of the two was declared better at some look.
    pub stopped: f64,
    /// The share in which A was.
    pub a_declared: f64,
    /// The standard error of `stopped`.
    pub standard_error: f64,
    /// What a single look at equal candidates would give, `2 (1 - threshold)`.
    pub single_look: f64,
}

/// No more looks are simulated, those of all replicates together.
const MOST_LOOKS: f64 = 1e8;

/// Simulates comparisons that are looked at and stopped as soon as the chi-square rule declares a candidate better.
///
/// # Errors
/// If the plan has no looks or games, the threshold is not strictly between 1/2 and 1, there are no replicates, or looks and replicates are so
/// many that the simulation would run for minutes.
pub fn peek(plan: &PeekPlan, replicates: u64, seed: u64) -> Result<PeekReport> {
    check("the threshold", plan.threshold, |level| level > 0.5 && level < 1.0, "between 1/2 and 1, both excluded")?;
    for (what, number) in [("the number of looks", u64::from(plan.looks)), ("replicates", replicates)] {
        check(what, number as f64, |number| number > 0.0, "1 or more")?;
    }
    let step = plan.step as f64;
    check("the games of a step", step, |step| step > 0.0, "1 or more")?;
    check(
        "the number of games",
        step * f64::from(plan.looks),
        |games| games <= MOST_GAMES as f64,
        "at most 10,000,000,000,000",
    )?;
    if f64::from(plan.looks) * replicates as f64 > MOST_LOOKS {
        return Err(StatsError::TooLarge { what: "the simulation", advice: "take fewer looks or replicates" });
    }
    let steps = [step_wins(plan, 0)?, step_wins(plan, 1)?];
    // (1 + c) / 2 reaches the threshold where the statistic reaches the square of its normal quantile.
    let critical = normal::quantile(plan.threshold)?.powi(2);
    let (stopped, a_declared) = (0..replicates)
        .into_par_iter()
        .map(|replicate| match one_comparison(plan, &steps, critical, &mut stream(seed, replicate)) {
            None => (0, 0),
            Some(Ordering::Greater) => (1, 1),
            Some(_) => (1, 0),
        })
        .reduce(|| (0u64, 0u64), |one, other| (one.0 + other.0, one.1 + other.1));
    let number = replicates as f64;
    let share = stopped as f64 / number;
    Ok(PeekReport {
        replicates,
        stopped: share,
        a_declared: a_declared as f64 / number,
        standard_error: (share * (1.0 - share) / number).sqrt(),
        single_look: 2.0 * (1.0 - plan.threshold),
    })
}

/// The distribution of a candidate's wins between two looks.
fn step_wins(plan: &PeekPlan, candidate: usize) -> Result<Binomial> {
    let p = probability("a win rate", plan.win_rates[candidate])?;
    Binomial::new(plan.step, p).map_err(|_| StatsError::OutOfDomain {
        what: "the games of a step",
        value: plan.step as f64,
        domain: "fewer",
    })
}

/// One comparison: which candidate was declared better, if any.
fn one_comparison(
    plan: &PeekPlan,
    steps: &[Binomial; 2],
    critical: f64,
    random: &mut impl rand::Rng,
) -> Option<Ordering> {
    let mut wins = [0; 2];
    for look in 1..=u64::from(plan.looks) {
        let games = look * plan.step;
        let candidates: [CandidateRecord; 2] = std::array::from_fn(|i| {
            wins[i] += steps[i].sample(random);
            CandidateRecord::of_wins(wins[i], games)
        });
        let (statistic, better) = signed_statistic(&candidates[0], &candidates[1]);
        if statistic >= critical {
            return Some(better);
        }
    }
    None
}

//! The number of further games of a comparison, and the effect of early looks on its error rate.

use std::cmp::Ordering;

use rand::distr::Distribution;
use rand_distr::Binomial;
use rayon::prelude::*;
use serde::Serialize;

use kiki_stats::error::check;
use kiki_stats::numeric::root_between;
use kiki_stats::random::stream;
use kiki_stats::tally::MOST_GAMES;
use kiki_stats::{Result, StatsError, normal};

use super::comparison::{CandidateComparison, CandidateRecord, Prior, chi_square, signed_statistic};

/// Which probability must reach the level.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum DecisionRule {
    ChiSquare,
    Posterior(Prior),
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub(super) struct GamesForecast {
    /// The multiple of the present games that decides, at least 1.
    pub(super) factor: f64,
    /// Further games, rounded up.
    pub(super) games_a: u64,
    pub(super) games_b: u64,
}

/// Above this number of games the posterior is as good as normal, and the chi-square rule replaces
/// it.
const NORMAL_FROM: f64 = 1e7;
const MAX_FACTOR: f64 = 1e12;

/// The number of further games that decide the comparison at a level, if both candidates keep their
/// win rates. The games grow by the smallest factor at which the better candidate reaches the
/// level. None are needed if a probability of the posterior reaches it already. `None` if the
/// ratios are equal. A help for planning, not a rule for stopping. The level is strictly between
/// 1/2 and 1.
pub(super) fn games_to_decide(
    a: &CandidateRecord,
    b: &CandidateRecord,
    rule: DecisionRule,
    level: f64,
) -> Result<Option<GamesForecast>> {
    check("a level", level, |level| level > 0.5 && level < 1.0, "between 1/2 and 1, both excluded")?;
    if a.games() == 0.0 || b.games() == 0.0 {
        return Err(StatsError::NoGames);
    }
    // The posterior also weighs the numbers of games: 1000 wins of 1000 beat one win of one.
    if let DecisionRule::Posterior(prior) = rule {
        let a_better = CandidateComparison::new(*a, *b, prior).a_better();
        if a_better.max(1.0 - a_better) >= level {
            return Ok(Some(GamesForecast { factor: 1.0, games_a: 0, games_b: 0 }));
        }
    }
    let (statistic, better) = signed_statistic(a, b);
    if better == Ordering::Equal {
        return Ok(None);
    }
    // The statistic grows in proportion to the games.
    let by_chi_square = (normal::quantile(level)?.powi(2) / statistic).max(1.0);
    let factor = match rule {
        DecisionRule::ChiSquare => by_chi_square,
        DecisionRule::Posterior(prior) => posterior_factor(by_chi_square, |factor| {
            better_probability(&a.scaled(factor), &b.scaled(factor), better, prior) - level
        }),
    };
    let further = |games: f64| (games * (factor - 1.0)).ceil() as u64;
    Ok(Some(GamesForecast { factor, games_a: further(a.games()), games_b: further(b.games()) }))
}

fn better_probability(a: &CandidateRecord, b: &CandidateRecord, better: Ordering, prior: Prior) -> f64 {
    let (better, worse) = if better == Ordering::Greater { (a, b) } else { (b, a) };
    if better.games().max(worse.games()) > NORMAL_FROM {
        return chi_square(better, worse).a_better;
    }
    CandidateComparison::new(*better, *worse, prior).a_better()
}

/// The smallest factor from 1 on at which a growing excess is no longer negative; the search begins
/// at the guess.
fn posterior_factor(guess: f64, excess: impl Fn(f64) -> f64) -> f64 {
    let mut low = (1.0, excess(1.0));
    if low.1 >= 0.0 {
        return 1.0;
    }
    let mut high = guess.max(1.0 + 1e-6);
    let mut at_high = excess(high);
    while at_high < 0.0 && high < MAX_FACTOR {
        low = (high, at_high);
        high = 1.0 + 2.0 * (high - 1.0);
        at_high = excess(high);
    }
    root_between(low, (high, at_high), 1e-9 * high, excess)
}

/// A schedule of looks at a running comparison of two candidates that score one half.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PeekPlan {
    pub looks: u64,
    /// Games of each candidate between two looks.
    pub step: u64,
    /// The probability of the chi-square rule at which a candidate is declared better.
    pub threshold: f64,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct PeekReport {
    pub replicates: u64,
    /// The share in which one of the two was declared better at some look.
    pub stopped: f64,
    /// The share in which A was.
    #[serde(rename = "one_side")]
    pub a_declared: f64,
    pub standard_error: f64,
    /// The value of `stopped` for a single look: `2 (1 - threshold)`.
    pub single_look: f64,
}

/// Maximum number of simulated looks, over all replicates.
const MOST_LOOKS: f64 = 1e8;

/// Simulates comparisons that stop at the first look at which the chi-square rule declares a
/// candidate better. The threshold is strictly between 1/2 and 1. Refuses simulations that would
/// run for minutes.
pub fn peek(plan: &PeekPlan, replicates: u64, seed: u64) -> Result<PeekReport> {
    check("the threshold", plan.threshold, |level| level > 0.5 && level < 1.0, "between 1/2 and 1, both excluded")?;
    for (what, number) in
        [("the number of looks", plan.looks), ("the games of a step", plan.step), ("replicates", replicates)]
    {
        check(what, number as f64, |number| number > 0.0, "1 or more")?;
    }
    let games = plan.step as f64 * plan.looks as f64;
    check("the number of games", games, |games| games <= MOST_GAMES as f64, "at most 10,000,000,000,000")?;
    if plan.looks as f64 * replicates as f64 > MOST_LOOKS {
        return Err(StatsError::TooLarge { what: "the simulation", advice: "take fewer looks or replicates" });
    }
    let (value, domain) = (plan.step as f64, "fewer");
    let too_many = |_| StatsError::OutOfDomain { what: "the games of a step", value, domain };
    let step_wins = Binomial::new(plan.step, 0.5).map_err(too_many)?;
    // (1 + c) / 2 reaches the threshold where the statistic reaches the square of its normal
    // quantile.
    let critical = normal::quantile(plan.threshold)?.powi(2);
    let (stopped, a_declared) = (0..replicates)
        .into_par_iter()
        .map(|replicate| match one_comparison(plan, &step_wins, critical, &mut stream(seed, replicate)) {
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

/// One comparison: which candidate was declared better, if any.
fn one_comparison(
    plan: &PeekPlan,
    step_wins: &Binomial,
    critical: f64,
    random: &mut impl rand::Rng,
) -> Option<Ordering> {
    let mut wins = [0; 2];
    (1..=plan.looks).find_map(|look| {
        let [a, b] = wins.each_mut().map(|wins| {
            *wins += step_wins.sample(random);
            CandidateRecord { wins: *wins as f64, losses: (look * plan.step - *wins) as f64 }
        });
        let (statistic, better) = signed_statistic(&a, &b);
        (statistic >= critical).then_some(better)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(wins: f64, losses: f64) -> CandidateRecord {
        CandidateRecord::new(wins, losses).unwrap()
    }

    #[test]
    fn the_games_that_are_named_do_decide() {
        let (a, b) = (candidate(55.0, 45.0), candidate(50.0, 50.0));
        for rule in [DecisionRule::ChiSquare, DecisionRule::Posterior(Prior::new(1.0, 1.0).unwrap())] {
            let horizon = games_to_decide(&a, &b, rule, 0.95).unwrap().unwrap();
            let at = |factor: f64| match rule {
                DecisionRule::ChiSquare => chi_square(&a.scaled(factor), &b.scaled(factor)).a_better,
                DecisionRule::Posterior(prior) => {
                    CandidateComparison::new(a.scaled(factor), b.scaled(factor), prior).a_better()
                }
            };
            assert!((at(horizon.factor) - 0.95).abs() < 1e-7, "{rule:?}: {horizon:?}");
            assert_eq!(horizon.games_a, horizon.games_b);
            assert!((400..500).contains(&horizon.games_a), "{horizon:?}");
        }
    }

    #[test]
    fn equal_ratios_never_decide_and_decided_ones_need_nothing() {
        let rule = DecisionRule::Posterior(Prior::new(1.0, 1.0).unwrap());
        assert_eq!(games_to_decide(&candidate(20.0, 10.0), &candidate(40.0, 20.0), rule, 0.95), Ok(None));
        let horizon = games_to_decide(&candidate(900.0, 100.0), &candidate(100.0, 900.0), rule, 0.95).unwrap().unwrap();
        let none = GamesForecast { factor: 1.0, games_a: 0, games_b: 0 };
        assert_eq!(horizon, none);
        // A thousand games tell more than one, also where neither candidate lost or won any.
        for (a, b) in [((1000.0, 0.0), (1.0, 0.0)), ((1.0, 0.0), (1000.0, 1.0)), ((0.0, 1000.0), (0.0, 1.0))] {
            let found = games_to_decide(&candidate(a.0, a.1), &candidate(b.0, b.1), rule, 0.95);
            assert_eq!(found, Ok(Some(none)), "{a:?} {b:?}");
        }
        assert!(games_to_decide(&candidate(0.0, 0.0), &candidate(4.0, 2.0), rule, 0.95).is_err());
    }
}

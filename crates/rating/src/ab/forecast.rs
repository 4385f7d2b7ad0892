//! The number of further games until a comparison is decided.

use std::cmp::Ordering;

use kiki_stats::error::check;
use kiki_stats::normal;
use kiki_stats::{Result, StatsError};

use super::candidate::CandidateRecord;
use super::chi_square::chi_square;
use super::chi_square::signed_statistic;
use super::comparison::{CandidateComparison, Prior};

/// Which probability is to reach the level.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum DecisionRule {
    /// That of [`chi_square`].
    ChiSquare,
    /// The posterior under a prior.
    Posterior(Prior),
}

/// A forecast.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GamesForecast {
    /// How many times the games of now are needed, at least 1.
    pub factor: f64,
    /// Further games of A, rounded up.
    pub games_a: u64,
    /// Further games of B, rounded up.
    pub games_b: u64,
}

/// Beyond so many games of a candidate the posterior is as good as normal, and the chi-square rule stands in for it.
const NORMAL_FROM: f64 = 1e7;
/// Largest factor that is looked for.
const MAX_FACTOR: f64 = 1e12;

/// How many further games would decide the comparison at a level, if both candidates kept the win rates that they have now: the
/// smallest factor of the data at which the probability of the candidate with the better ratio reaches the level. `None` if the ratios
/// are equal, so that no number of games would do.
///
/// This is a help for planning, not a rule for stopping.
///
/// # Errors
/// If a candidate has no games, or the level is not strictly between 1/2 and 1.
pub fn games_to_decide(
    a: &CandidateRecord,
    b: &CandidateRecord,
    rule: DecisionRule,
    level: f64,
) -> Result<Option<GamesForecast>> {
    check("a level", level, |level| level > 0.5 && level < 1.0, "between 1/2 and 1, both excluded")?;
    if a.games() == 0.0 || b.games() == 0.0 {
        return Err(StatsError::NoGames);
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
            better_probability(&a.scaled(factor), &b.scaled(factor), better, prior) >= level
        }),
    };
    let further = |games: f64| (games * (factor - 1.0)).ceil() as u64;
    Ok(Some(GamesForecast { factor, games_a: further(a.games()), games_b: further(b.games()) }))
}

/// The probability that the candidate with the better ratio is the better one.
fn better_probability(a: &CandidateRecord, b: &CandidateRecord, better: Ordering, prior: Prior) -> f64 {
    let (better, worse) = if better == Ordering::Greater { (a, b) } else { (b, a) };
    if better.games().max(worse.games()) > NORMAL_FROM {
        return chi_square(better, worse).a_better;
    }
    CandidateComparison::new(*better, *worse, prior).a_better()
}

/// The smallest factor from 1 on that decides, by doubling and bisection; the search begins at the guess.
fn posterior_factor(guess: f64, decides: impl Fn(f64) -> bool) -> f64 {
    if decides(1.0) {
        return 1.0;
    }
    let mut low = 1.0;
    let mut high = guess.max(1.0 + 1e-6);
    while !decides(high) && high < MAX_FACTOR {
        low = high;
        high = 1.0 + 2.0 * (high - 1.0);
    }
    // The guess is usually close from above; a near lower end saves most of the bisection.
    let near = 1.0 + 0.9 * (high - 1.0);
    if near > low {
        if decides(near) { high = near } else { low = near }
    }
    while high - low > 1e-9 * high {
        let middle = 0.5 * (low + high);
        if decides(middle) { high = middle } else { low = middle }
    }
    high
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
        for rule in [DecisionRule::ChiSquare, DecisionRule::Posterior(Prior::UNIFORM)] {
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
        let rule = DecisionRule::Posterior(Prior::UNIFORM);
        assert_eq!(games_to_decide(&candidate(20.0, 10.0), &candidate(40.0, 20.0), rule, 0.95), Ok(None));
        let horizon = games_to_decide(&candidate(900.0, 100.0), &candidate(100.0, 900.0), rule, 0.95).unwrap().unwrap();
        assert_eq!(horizon, GamesForecast { factor: 1.0, games_a: 0, games_b: 0 });
        assert!(games_to_decide(&candidate(0.0, 0.0), &candidate(4.0, 2.0), rule, 0.95).is_err());
    }
}

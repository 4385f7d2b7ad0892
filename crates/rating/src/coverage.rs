//! The exact coverage of "95 %" intervals: how often they contain the true value.
//!
//! The numbers of wins are whole, so that the probability of an interval jumps from one number of games to the next; for a win rate
//! of 1 % it is far from what the normal distribution says. The honest level is the lower envelope of the curve.

pub mod command;
use std::ops::RangeInclusive;

use rayon::prelude::*;

use kiki_stats::beta::Beta;
use kiki_stats::binomial::Binomial;
use kiki_stats::error::{check, open_probability, probability};
use kiki_stats::match_error::{IntervalMethod, likely_run};
use kiki_stats::normal::multiplier;
use kiki_stats::tally::{MatchScore, some_games};
use kiki_stats::{Result, StatsError};

/// What becomes of numbers of wins that lie exactly on the boundary.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Boundary {
    /// They count as inside. Such ties are real: 288 and 337 of 625 games at a win rate of one half and a multiplier of 1.96.
    #[default]
    Inclusive,
    /// They count as outside.
    Exclusive,
}

/// How far, in relative terms, rounding may move a boundary.
const SLACK: f64 = 1e-12;

/// The most games that a curve goes to.
pub const MOST_GAMES_OF_CURVE: u64 = 100_000;
/// The most games for which all results are added up, each with its interval.
pub const MOST_GAMES_OF_INTERVALS: u64 = 1_000_000;

/// The probability that the share of wins in `games` games lies within `r` standard deviations of the true win rate `p`.
///
/// ```
/// use kiki_rating::coverage::{Boundary, coverage};
///
/// assert!((coverage(100, 0.5, 1.96, Boundary::Inclusive)? - 0.943112066).abs() < 1e-9);
/// # Ok::<(), kiki_stats::StatsError>(())
/// ```
///
/// # Errors
/// Without games or with too many, if `p` is no probability, or `r` is negative.
pub fn coverage(games: u64, p: f64, r: f64, boundary: Boundary) -> Result<f64> {
    some_games(games)?;
    let distribution = Binomial::new(games, p)?;
    check("a multiplier", r, |r| r >= 0.0, "0 or more")?;
    let n = games as f64;
    let reach = r * (n * p * (1.0 - p)).sqrt();
    let reach = match boundary {
        Boundary::Inclusive => reach * (1.0 + SLACK),
        Boundary::Exclusive => reach * (1.0 - SLACK),
    };
    let (low, high) = ((n * p - reach).ceil().max(0.0), (n * p + reach).floor());
    Ok(if high < low { 0.0 } else { distribution.mass(low as u64, high as u64) })
}

/// A point of the coverage curve.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CoveragePoint {
    /// The number of games.
    pub games: u64,
    /// The coverage at this number of games, boundary included.
    pub coverage: f64,
    /// The smallest coverage from the first point of the curve to this one.
    pub running_minimum: f64,
}

/// The coverage for every number of games of a range.
///
/// # Errors
/// As [`coverage`], and beyond [`MOST_GAMES_OF_CURVE`].
pub fn curve(games: RangeInclusive<u64>, p: f64, r: f64) -> Result<Vec<CoveragePoint>> {
    if *games.end() > MOST_GAMES_OF_CURVE {
        return Err(StatsError::TooLarge { what: "the curve", advice: "end it at 100,000 games or fewer" });
    }
    let coverages: Vec<(u64, f64)> = games
        .into_par_iter()
        .map(|games| coverage(games, p, r, Boundary::Inclusive).map(|coverage| (games, coverage)))
        .collect::<Result<_>>()?;
    let mut running_minimum = f64::INFINITY;
    Ok(coverages
        .into_iter()
        .map(|(games, coverage)| {
            running_minimum = coverage.min(running_minimum);
            CoveragePoint { games, coverage, running_minimum }
        })
        .collect())
}

/// The probability that the interval which a method makes of the *observed* number of wins holds the true win rate `p`: what a printed
/// interval delivers.
///
/// # Errors
/// Without games or with more than [`MOST_GAMES_OF_INTERVALS`], if `p` is no probability, or the level is not strictly between 0 and 1.
pub fn interval_coverage(method: IntervalMethod, games: u64, p: f64, level: f64) -> Result<f64> {
    some_games(games)?;
    if games > MOST_GAMES_OF_INTERVALS {
        return Err(StatsError::TooLarge { what: "the sum over all results", advice: "take 1,000,000 games or fewer" });
    }
    probability("a win rate", p)?;
    open_probability("a level", level)?;
    let distribution = Binomial::new(games, p)?;
    let holds = Holds { method, games, p, level, r: multiplier(level)? };
    // Beyond this reach, generous for the Poisson tail of a small np, all probabilities together are below 1e-20.
    let n = games as f64;
    let reach = 10.0 * (n * p * (1.0 - p)).sqrt() + 60.0;
    let low = (n * p - reach).max(0.0) as u64;
    let high = ((n * p + reach) as u64).min(games);
    let mut sum = 0.0;
    for wins in low..=high {
        if holds.with(wins)? {
            sum += distribution.probability(wins);
        }
    }
    Ok(sum.min(1.0))
}

/// The question whether an interval holds the truth.
struct Holds {
    method: IntervalMethod,
    games: u64,
    p: f64,
    level: f64,
    r: f64,
}

impl Holds {
    /// For one number of wins. The intervals that invert a distribution need not be computed: whether their end lies beyond p is
    /// what that distribution's tail at p says.
    fn with(&self, wins: u64) -> Result<bool> {
        let (n, k) = (self.games as f64, wins as f64);
        let p = self.p;
        let tail = 0.5 * (1.0 - self.level) * (1.0 - SLACK);
        let within = |deviation: f64, reach: f64| deviation.abs() <= reach * (1.0 + SLACK);
        Ok(match self.method {
            IntervalMethod::Normal => within(k - n * p, self.r * (k * (n - k) / n).sqrt()),
            IntervalMethod::Wilson => within(k - n * p, self.r * (n * p * (1.0 - p)).sqrt()),
            IntervalMethod::ClopperPearson => {
                let low = wins == 0 || Beta::from_shapes(k, n - k + 1.0).cdf(p) >= tail;
                low && (wins == self.games || Beta::from_shapes(k + 1.0, n - k).survival(p) >= tail)
            }
            IntervalMethod::Jeffreys => {
                let posterior = Beta::from_shapes(k + 0.5, n - k + 0.5);
                (wins == 0 || posterior.cdf(p) >= tail) && (wins == self.games || posterior.survival(p) >= tail)
            }
            IntervalMethod::MinimalBinomial => {
                let run = likely_run(MatchScore::new(k, self.games)?, self.level)?;
                let slack = SLACK * n * p;
                run.low as f64 - slack <= n * p && n * p <= run.high as f64 + slack
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certain_win_is_always_covered() {
        for p in [0.0, 1.0] {
            assert_eq!(coverage(50, p, 1.96, Boundary::Inclusive), Ok(1.0));
            for method in IntervalMethod::ALL {
                assert_eq!(interval_coverage(method, 50, p, 0.95), Ok(1.0), "{method:?} at {p}");
            }
        }
    }

    #[test]
    fn nothing_is_covered_without_reach() {
        assert_eq!(coverage(5, 0.5, 0.0, Boundary::Inclusive), Ok(0.0));
        assert!(coverage(0, 0.5, 1.96, Boundary::Inclusive).is_err());
        assert!(
            coverage(u64::MAX, 0.5, 1.96, Boundary::Inclusive).is_err() && curve(10..=u64::MAX, 0.5, 1.96).is_err()
        );
        assert!(interval_coverage(IntervalMethod::Wilson, u64::MAX, 0.5, 0.95).is_err());
        assert!(
            coverage(5, 1.5, 1.96, Boundary::Inclusive).is_err()
                && coverage(5, 0.5, -1.0, Boundary::Inclusive).is_err()
        );
    }

    #[test]
    fn clopper_and_pearson_are_never_too_short() {
        for games in [1, 3, 10, 31, 100] {
            for p in [0.001, 0.05, 0.3, 0.5, 0.77, 0.99] {
                let delivered = interval_coverage(IntervalMethod::ClopperPearson, games, p, 0.95).unwrap();
                assert!(delivered >= 0.95, "{games} {p}: {delivered}");
            }
        }
    }

    #[test]
    fn the_tails_say_what_the_intervals_say() {
        use kiki_stats::match_error::MatchEstimate;
        let (games, p, level) = (40, 0.2, 0.9);
        let distribution = Binomial::new(games, p).unwrap();
        for method in IntervalMethod::ALL {
            let covered = |wins: &u64| {
                MatchEstimate::of(*wins as f64, games).unwrap().interval(method, level).unwrap().contains(p)
            };
            let direct: f64 = (0..=games).filter(covered).map(|wins| distribution.probability(wins)).sum();
            let tails = interval_coverage(method, games, p, level).unwrap();
            assert!((direct - tails).abs() < 1e-12, "{method:?}: {direct} {tails}");
        }
    }
}

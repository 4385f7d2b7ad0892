//! Intervals of the win rate.

use crate::beta::Beta;
use crate::binomial::{Binomial, ratio_up};
use crate::error::open_probability;
use crate::normal::multiplier;
use crate::tally::MatchScore;
use crate::{Interval, Result};

/// How an interval of a win rate is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IntervalMethod {
    /// `q - r S ..= q + r S`, cut to 0 and 1 (Wald). Too short near 0 and 1.
    Normal,
    /// The win rates whose own normal interval holds the estimate (Wilson 1927).
    Wilson,
    /// The exact one: neither tail of the binomial distribution is above half of `1 - level` (Clopper and Pearson 1934). Never too short.
    ClopperPearson,
    /// The equal-tailed interval of the posterior for the prior Beta(1/2, 1/2) (Jeffreys 1946).
    Jeffreys,
    /// The shortest run of numbers of wins around the observed one that has enough probability if the estimate is the truth; see
    /// [`likely_run`].
    MinimalBinomial,
}

impl IntervalMethod {
    /// All methods.
    pub const ALL: [Self; 5] =
        [Self::Normal, Self::Wilson, Self::ClopperPearson, Self::Jeffreys, Self::MinimalBinomial];

    /// Whether the method knows whole wins only.
    #[must_use]
    pub fn needs_whole_points(self) -> bool {
        matches!(self, Self::ClopperPearson | Self::MinimalBinomial)
    }
}

/// See [`super::MatchEstimate::interval`].
pub(super) fn interval(score: MatchScore, method: IntervalMethod, level: f64) -> Result<Interval> {
    let r = multiplier(level)?;
    let games = score.games() as f64;
    let q = score.share();
    Ok(match method {
        IntervalMethod::Normal => {
            let losses = games - score.points();
            Interval::of_share(q, r * (q * losses / games / games).sqrt())
        }
        IntervalMethod::Wilson => wilson(score, r),
        IntervalMethod::ClopperPearson => {
            let tail = 0.5 * (1.0 - level);
            let wins = score.whole_points() as f64;
            let losses = games - wins;
            Interval {
                low: if wins == 0.0 { 0.0 } else { Beta::from_shapes(wins, losses + 1.0).lower_quantile(tail) },
                high: if losses == 0.0 { 1.0 } else { Beta::from_shapes(wins + 1.0, losses).upper_quantile(tail) },
            }
        }
        IntervalMethod::Jeffreys => {
            let tail = 0.5 * (1.0 - level);
            let posterior = Beta::posterior(0.5, 0.5, score);
            Interval {
                low: if score.points() == 0.0 { 0.0 } else { posterior.lower_quantile(tail) },
                high: if score.points() == games { 1.0 } else { posterior.upper_quantile(tail) },
            }
        }
        IntervalMethod::MinimalBinomial => {
            let run = likely_run(score, level)?;
            Interval { low: run.low as f64 / games, high: run.high as f64 / games }
        }
    })
}

/// Wilson's interval; its ends at k = 0 and k = n are exactly 0 and 1, where the formula would be off by a rounding error that Elo
/// makes six thousand points of.
fn wilson(score: MatchScore, r: f64) -> Interval {
    let (k, n) = (score.points(), score.games() as f64);
    let q = score.share();
    let r2 = r * r;
    let scale = 1.0 / (1.0 + r2 / n);
    let centre = (q + r2 / (2.0 * n)) * scale;
    let half = r * scale * (q * (n - k) / (n * n) + r2 / (4.0 * n * n)).sqrt();
    Interval {
        low: if k == 0.0 { 0.0 } else { (centre - half).max(0.0) },
        high: if k == n { 1.0 } else { (centre + half).min(1.0) },
    }
}

/// A run of numbers of wins.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LikelyRun {
    /// The lowest number of wins.
    pub low: u64,
    /// The highest number of wins.
    pub high: u64,
    /// The probability of the run, if the estimate is the truth.
    pub mass: f64,
}

/// The run of numbers of wins that starts from the observed one (a half point is rounded down), and grows by the more probable
/// neighbour, the lower one of two equal ones, until its probability under Bin(n, k / n) reaches the level.
///
/// # Errors
/// If the level is not strictly between 0 and 1.
pub fn likely_run(score: MatchScore, level: f64) -> Result<LikelyRun> {
    open_probability("a level", level)?;
    let (k, n) = (score.whole_points(), score.games());
    let distribution = Binomial::of_share(n, k);
    let odds = k as f64 / (n - k) as f64;
    let peak = distribution.probability(k);
    let mut run = LikelyRun { low: k, high: k, mass: peak };
    let mut below = if k == 0 { 0.0 } else { peak / (ratio_up(n, k - 1) * odds) };
    let mut above = if k == n { 0.0 } else { peak * ratio_up(n, k) * odds };
    while run.mass < level && (below > 0.0 || above > 0.0) {
        // Equal neighbours may differ by rounding.
        if below >= above * (1.0 - 1e-12) {
            run.low -= 1;
            run.mass += below;
            below = if run.low == 0 { 0.0 } else { below / (ratio_up(n, run.low - 1) * odds) };
        } else {
            run.high += 1;
            run.mass += above;
            above = if run.high == n { 0.0 } else { above * ratio_up(n, run.high) * odds };
        }
    }
    Ok(run)
}

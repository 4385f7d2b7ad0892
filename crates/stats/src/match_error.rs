//! Estimates from one match: win rate and rating difference with their errors.
//!
//! The estimates assume independent games and an even share of first moves. Repeated games break
//! the first assumption.

use crate::beta::Beta;
use crate::binomial::{Binomial, ratio_up};
use crate::error::{check, open_probability};
use crate::logistic::{ELO_SCALE, elo_of_share};
use crate::normal::{self, multiplier};
use crate::tally::MatchScore;
use crate::{Interval, Result, StatsError};

/// The method for an interval of a win rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IntervalMethod {
    /// `q - r S ..= q + r S`, cut to 0 and 1 (Wald). Too short near 0 and 1.
    Normal,
    /// The win rates whose own normal interval contains the estimate (Wilson 1927).
    Wilson,
    /// Exact: neither tail of the binomial distribution is above half of `1 - level` (Clopper and
    /// Pearson 1934). Never too short: a half point makes both ends those of the next whole number
    /// outwards.
    ClopperPearson,
    /// The equal-tailed interval of the posterior for the prior Beta(1/2, 1/2) (Jeffreys 1946).
    Jeffreys,
    /// The shortest run of win counts around the observed one that is likely enough if the estimate
    /// is true; see [`likely_run`].
    MinimalBinomial,
}

impl IntervalMethod {
    /// All methods.
    pub const ALL: [Self; 5] =
        [Self::Normal, Self::Wilson, Self::ClopperPearson, Self::Jeffreys, Self::MinimalBinomial];
}

/// Estimates. The win rate q is the [share](MatchScore::share) of the points: the
/// maximum-likelihood estimate, which is unbiased.
impl MatchScore {
    /// `1 - q` without the rounding error of the subtraction.
    fn loss_rate(&self) -> f64 {
        (self.games() as f64 - self.points()) / self.games() as f64
    }

    /// Whether nothing or everything was won, where normal theory fails.
    pub fn is_one_sided(&self) -> bool {
        self.share() == 0.0 || self.loss_rate() == 0.0
    }

    /// The standard error S of the win rate, `sqrt(q (1 - q) / n)`.
    pub fn standard_error(&self) -> f64 {
        (self.share() * self.loss_rate() / self.games() as f64).sqrt()
    }

    /// The standard error with the divisor `n - lost`. With 1 it is the experimental standard
    /// deviation of the guide to the expression of uncertainty in measurement (GUM). With 3/2 it is
    /// nearly unbiased for the standard deviation itself. Refuses a divisor that is not above 0.
    pub fn standard_error_with(&self, lost: f64) -> Result<f64> {
        let divisor = self.games() as f64 - lost;
        if divisor <= 0.0 {
            return Err(StatsError::NotEstimable { what: "this standard error", reason: "it needs two games" });
        }
        Ok((self.share() * self.loss_rate() / divisor).sqrt())
    }

    /// The rating difference in Elo, infinite for a score of 0 % or 100 %. Systematic errors, such
    /// as a wrong model or a style that suits one player, do not show however many games the two
    /// play.
    pub fn elo(&self) -> f64 {
        elo_of_share(self.share())
    }

    /// The standard error of the rating difference by first-order propagation, `C S / (q (1 - q))`;
    /// infinite for a score of 0 % or 100 %. Do not use it if [`MatchScore::first_order_fails`].
    pub fn elo_standard_error(&self) -> f64 {
        let spread = self.share() * self.loss_rate();
        if spread > 0.0 { ELO_SCALE * self.standard_error() / spread } else { f64::INFINITY }
    }

    /// Whether [`MatchScore::elo_standard_error`] is unreliable: S is more than a third of the
    /// smaller of q and 1 - q, or q is 0 or 1.
    pub fn first_order_fails(&self) -> bool {
        self.is_one_sided() || self.standard_error() > self.share().min(self.loss_rate()) / 3.0
    }

    /// An interval of the win rate at a level such as 0.95. At 0 % and 100 % the normal interval
    /// and the binomial run are points.
    pub fn interval(&self, method: IntervalMethod, level: f64) -> Result<Interval> {
        let r = multiplier(level)?;
        let games = self.games() as f64;
        Ok(match method {
            IntervalMethod::Normal => Interval::of_share(self.share(), r * self.standard_error()),
            IntervalMethod::Wilson => wilson(*self, r),
            IntervalMethod::ClopperPearson => {
                let tail = 0.5 * (1.0 - level);
                // A half point is lost for the lower end and won for the upper one.
                let (wins, losses) = (self.points().floor(), (games - self.points()).floor());
                Interval {
                    low: if wins == 0.0 { 0.0 } else { Beta::new(wins, games - wins + 1.0).lower_quantile(tail) },
                    high: if losses == 0.0 {
                        1.0
                    } else {
                        Beta::new(games - losses + 1.0, losses).upper_quantile(tail)
                    },
                }
            }
            IntervalMethod::Jeffreys => {
                let tail = 0.5 * (1.0 - level);
                let posterior = Beta::posterior(0.5, 0.5, *self);
                Interval {
                    low: if self.points() == 0.0 { 0.0 } else { posterior.lower_quantile(tail) },
                    high: if self.points() == games { 1.0 } else { posterior.upper_quantile(tail) },
                }
            }
            IntervalMethod::MinimalBinomial => {
                let run = likely_run(*self, level)?;
                Interval { low: run.low as f64 / games, high: run.high as f64 / games }
            }
        })
    }

    /// Whether a method needs whole wins and this match has a half point, which is rounded down.
    pub fn rounds_down(&self, method: IntervalMethod) -> bool {
        method == IntervalMethod::MinimalBinomial && !self.is_whole()
    }

    /// The rating differences at the ends of the interval of the win rate. Refuses the point 0 % or
    /// 100 %.
    pub fn elo_interval(&self, method: IntervalMethod, level: f64) -> Result<Interval> {
        let interval = self.interval(method, level)?;
        if interval.low == interval.high && !(interval.low > 0.0 && interval.high < 1.0) {
            let reason = "the score is 0 % or 100 %; the Clopper-Pearson interval has one finite end";
            return Err(StatsError::NotEstimable { what: "this interval", reason });
        }
        Ok(interval.to_elo())
    }

    /// The probability that the true win rate is above one half, by the normal distribution around
    /// the estimate; 0 or 1 for a score of 0 % or 100 %.
    pub fn superiority_normal(&self) -> f64 {
        if self.is_one_sided() {
            return self.share();
        }
        normal::cdf((self.share() - 0.5) / self.standard_error())
    }

    /// The probabilities that equal players score like this match or better, and as far from one
    /// half (twice the smaller tail), by the binomial distribution. `None` for half points, to
    /// which it does not apply.
    pub fn p_values(&self) -> Option<[f64; 2]> {
        let (wins, games) = (self.whole_points(), self.games());
        let equal = Binomial::new(games, 0.5).ok().filter(|_| self.is_whole())?;
        let (as_good, as_bad) = (equal.survival(wins), equal.cdf(wins));
        Some([as_good, (2.0 * as_good.min(as_bad)).min(1.0)])
    }

    /// The probability that the true win rate is above one half, by the posterior Beta(k + 1, n - k
    /// + 1) of a uniform prior.
    pub fn superiority_beta(&self) -> f64 {
        Beta::posterior(1.0, 1.0, *self).survival(0.5)
    }
}

/// The number of games for an interval of the rating difference of half width `half_width` Elo at
/// win rate `q`: `(r C / h)^2 / (q (1 - q))`, rounded up.
///
/// ```
/// assert_eq!(kiki_stats::match_error::games_needed(10.0, 0.5, 0.95)?, 4638);
/// # Ok::<(), kiki_stats::StatsError>(())
/// ```
pub fn games_needed(half_width: f64, q: f64, level: f64) -> Result<u64> {
    check("a half width", half_width, |half| half > 0.0, "above 0")?;
    open_probability("a win rate", q)?;
    let r = multiplier(level)?;
    let games = (r * ELO_SCALE / half_width).powi(2) / (q * (1.0 - q));
    if games >= u64::MAX as f64 {
        let domain = "large enough to reach";
        return Err(StatsError::OutOfDomain { what: "a half width", value: half_width, domain });
    }
    Ok(games.ceil() as u64)
}

/// The smallest number of wins that equal players reach in `games` games without draws with at most
/// this probability, by the binomial distribution. `None` if even all wins are more likely. For a
/// two-sided level take half of the probability.
///
/// ```
/// use kiki_stats::match_error::significant_wins;
///
/// assert_eq!(significant_wins(100, 0.025)?, Some(61));
/// assert_eq!(significant_wins(4, 0.05)?, None);
/// # Ok::<(), kiki_stats::StatsError>(())
/// ```
///
/// Refuses a probability that is not between 0 and 1.
pub fn significant_wins(games: u64, probability: f64) -> Result<Option<u64>> {
    open_probability("a probability", probability)?;
    let equal = Binomial::new(games, 0.5)?;
    // The sum of a tail may be off by a rounding error.
    let is_rare = |wins| equal.survival(wins) <= probability * (1.0 + 1e-12);
    if !is_rare(games) {
        return Ok(None);
    }
    // The normal distribution gives about this number.
    let number = 0.5 * games as f64;
    let guess = number - normal::quantile(probability)? * (0.5 * number).sqrt();
    let mut wins = (guess as u64).min(games);
    while !is_rare(wins) {
        wins += 1;
    }
    while wins > 0 && is_rare(wins - 1) {
        wins -= 1;
    }
    Ok(Some(wins))
}

/// Wilson's interval. Its ends at k = 0 and k = n are exactly 0 and 1: the formula's rounding error
/// there would become six thousand Elo.
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

/// A run of win counts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LikelyRun {
    /// The lowest number of wins.
    pub low: u64,
    /// The highest number of wins.
    pub high: u64,
    /// The probability of the run, if the estimate is the truth.
    pub mass: f64,
}

/// The run of win counts that starts from the observed one (a half point is rounded down). It grows
/// by the more probable neighbour, the lower of equal ones, until its probability under Bin(n, k /
/// n) reaches the level.
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
        // Equal neighbours may differ by a rounding error.
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

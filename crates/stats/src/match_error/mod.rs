//! Estimates from one match: win rate and rating difference with their errors.
//!
//! Assumed are independent games and an even share of first moves. Repeated games break the first assumption; whoever holds the game
//! records should look for them.

mod intervals;

pub use intervals::{IntervalMethod, LikelyRun, likely_run};

use crate::beta::Beta;
use crate::error::{check, open_probability};
use crate::logistic::{ELO_SCALE, elo_of_share};
use crate::normal;
use crate::tally::MatchScore;
use crate::{Interval, Result, StatsError};

/// What the sum of squares is divided by in a standard error.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Denominator {
    /// n: maximum likelihood.
    #[default]
    Games,
    /// n - 1: the experimental standard deviation of the guide to the expression of uncertainty in measurement (GUM).
    GamesMinusOne,
    /// n - 3/2: nearly unbiased for the standard deviation itself.
    GamesMinusThreeHalves,
}

/// A match and its estimates.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MatchEstimate {
    score: MatchScore,
}

impl From<MatchScore> for MatchEstimate {
    fn from(score: MatchScore) -> Self {
        Self { score }
    }
}

impl MatchEstimate {
    /// The estimates for `points` of `games`; half points are usual.
    ///
    /// # Errors
    /// As [`MatchScore::new`].
    pub fn of(points: f64, games: u64) -> Result<Self> {
        MatchScore::new(points, games).map(Self::from)
    }

    /// The score itself.
    #[must_use]
    pub fn score(&self) -> MatchScore {
        self.score
    }

    /// The win rate q = k / n: the maximum-likelihood estimate, and unbiased.
    #[must_use]
    pub fn win_rate(&self) -> f64 {
        self.score.share()
    }

    /// `1 - q` without the rounding that the subtraction would bring.
    fn loss_rate(&self) -> f64 {
        (self.score.games() as f64 - self.score.points()) / self.score.games() as f64
    }

    /// Whether nothing or everything was won, so that the normal theory says nothing.
    #[must_use]
    pub fn is_one_sided(&self) -> bool {
        self.win_rate() == 0.0 || self.loss_rate() == 0.0
    }

    /// The standard error S of the win rate, `sqrt(q (1 - q) / n)`.
    #[must_use]
    pub fn standard_error(&self) -> f64 {
        (self.win_rate() * self.loss_rate() / self.score.games() as f64).sqrt()
    }

    /// The same with another divisor.
    ///
    /// # Errors
    /// For a single game, unless the divisor is the number of games.
    pub fn standard_error_over(&self, denominator: Denominator) -> Result<f64> {
        let games = self.score.games() as f64;
        let divisor = match denominator {
            Denominator::Games => games,
            Denominator::GamesMinusOne => games - 1.0,
            Denominator::GamesMinusThreeHalves => games - 1.5,
        };
        if divisor <= 0.0 {
            return Err(StatsError::NotEstimable { what: "this standard error", reason: "it needs two games" });
        }
        Ok((self.win_rate() * self.loss_rate() / divisor).sqrt())
    }

    /// The rating difference in Elo, infinite for a score of 0 % or 100 %. Whatever is systematic in it (the two players suit each
    /// other badly, the model is wrong) no number of games between them can show.
    #[must_use]
    pub fn elo(&self) -> f64 {
        elo_of_share(self.win_rate())
    }

    /// The standard error of the rating difference by first-order propagation, `C S / (q (1 - q))`; infinite for a score of 0 % or
    /// 100 %. Not to be used if [`MatchEstimate::first_order_fails`].
    #[must_use]
    pub fn elo_standard_error(&self) -> f64 {
        let spread = self.win_rate() * self.loss_rate();
        if spread > 0.0 { ELO_SCALE * self.standard_error() / spread } else { f64::INFINITY }
    }

    /// The flag on [`MatchEstimate::elo_standard_error`]: S is more than a third of the smaller of q and 1 - q, or q is 0 or 1.
    #[must_use]
    pub fn first_order_fails(&self) -> bool {
        self.is_one_sided() || self.standard_error() > self.win_rate().min(self.loss_rate()) / 3.0
    }

    /// An interval of the win rate at a level such as 0.95. At 0 % and 100 % the normal interval and the binomial run are points.
    ///
    /// # Errors
    /// If the level is not strictly between 0 and 1.
    pub fn interval(&self, method: IntervalMethod, level: f64) -> Result<Interval> {
        intervals::interval(self.score, method, level)
    }

    /// Whether a method needs whole wins and this match does not have them, so that the half point is rounded down.
    #[must_use]
    pub fn rounds_down(&self, method: IntervalMethod) -> bool {
        method.needs_whole_points() && !self.score.is_whole()
    }

    /// The rating differences that belong to the ends of the interval of the win rate.
    ///
    /// # Errors
    /// If the level is not strictly between 0 and 1, or the interval is the point 0 % or 100 %.
    pub fn elo_interval(&self, method: IntervalMethod, level: f64) -> Result<Interval> {
        let interval = self.interval(method, level)?;
        if interval.low == interval.high && !(interval.low > 0.0 && interval.high < 1.0) {
            let reason = "the score is 0 % or 100 %; the Clopper-Pearson interval has one finite end";
            return Err(StatsError::NotEstimable { what: "this interval", reason });
        }
        Ok(interval.to_elo())
    }

    /// The probability that the true win rate is above one half, by the normal distribution around the estimate; 0 or 1 for a score of
    /// 0 % or 100 %.
    #[must_use]
    pub fn superiority_normal(&self) -> f64 {
        if self.is_one_sided() {
            return self.win_rate();
        }
        normal::cdf((self.win_rate() - 0.5) / self.standard_error())
    }

    /// The probability that the true win rate is above one half, by the posterior Beta(k + 1, n - k + 1) of a uniform prior.
    #[must_use]
    pub fn superiority_beta(&self) -> f64 {
        Beta::posterior(1.0, 1.0, self.score).survival(0.5)
    }
}

/// The number of games after which an interval of the rating difference has a half width of `half_width` Elo, if the win rate is `q`:
/// `(r C / h)^2 / (q (1 - q))`, rounded up.
///
/// ```
/// assert_eq!(kiki_stats::match_error::games_needed(10.0, 0.5, 0.95)?, 4638);
/// # Ok::<(), kiki_stats::StatsError>(())
/// ```
///
/// # Errors
/// If the half width is not positive, or win rate or level are not strictly between 0 and 1.
pub fn games_needed(half_width: f64, q: f64, level: f64) -> Result<u64> {
    check("a half width", half_width, |half| half > 0.0, "above 0")?;
    open_probability("a win rate", q)?;
    let r = normal::multiplier(level)?;
    let games = (r * ELO_SCALE / half_width).powi(2) / (q * (1.0 - q));
    if games >= u64::MAX as f64 {
        return Err(StatsError::OutOfDomain {
            what: "a half width",
            value: half_width,
            domain: "large enough to reach",
        });
    }
    Ok(games.ceil() as u64)
}

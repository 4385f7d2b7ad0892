//! The win curve: rating difference to expected score and back (Elo 1978; the form is Zermelo's,
//! 1929), for numbers and intervals.

use crate::Result;
use crate::error::check;

/// Elo points to one unit of log-odds: 400 / ln 10.
pub const ELO_SCALE: f64 = 400.0 / std::f64::consts::LN_10;

/// The expected score, 0 to 1, of a player that is `elo` points better than the opponent. Infinite
/// differences give 0 and 1.
///
/// ```
/// assert_eq!(kiki_stats::logistic::expected_score(0.0)?, 0.5);
/// # Ok::<(), kiki_stats::StatsError>(())
/// ```
///
/// Refuses NaN.
pub fn expected_score(elo: f64) -> Result<f64> {
    if elo.is_infinite() {
        return Ok(if elo > 0.0 { 1.0 } else { 0.0 });
    }
    check("a rating difference", elo, |_| true, "a number").map(|elo| logistic(elo / ELO_SCALE))
}

/// Given ratings lie between this and its negative. Beyond, rounding would lose differences of a
/// point.
pub const MOST_RATING: f64 = 1e6;

/// `ln(1 + exp(t))` without overflow.
pub fn softplus(t: f64) -> f64 {
    t.max(0.0) + (-t.abs()).exp().ln_1p()
}

/// `1 / (1 + exp(-t))`.
pub fn logistic(t: f64) -> f64 {
    // Either branch takes the exponential of a negative number, so that both tails keep their
    // digits.
    if t >= 0.0 {
        1.0 / (1.0 + (-t).exp())
    } else {
        let odds = t.exp();
        odds / (1.0 + odds)
    }
}

/// The rating difference in Elo whose expected score is `share`, from 0 to 1; infinite at the ends.
pub fn elo_of_share(share: f64) -> f64 {
    ELO_SCALE * (share.ln() - (-share).ln_1p())
}

/// A closed interval. Its ends are ordered; they are infinite only in Elo.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Whether a value lies inside, ends included.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// The interval of shares `centre - half ..= centre + half`, cut to 0 and 1.
    pub fn of_share(centre: f64, half: f64) -> Self {
        Self { low: (centre - half).max(0.0), high: (centre + half).min(1.0) }
    }

    /// Converts an interval of win rates to one of rating differences by its ends, as the curve is
    /// monotone.
    pub fn to_elo(self) -> Self {
        Self { low: elo_of_share(self.low), high: elo_of_share(self.high) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_and_its_inverse_agree() {
        for elo in [-900.0, -32.5, 0.0, 1e-3, 7.0, 240.0, 1200.0] {
            let back = elo_of_share(expected_score(elo).unwrap());
            assert!((back - elo).abs() < 1e-9 * (1.0 + f64::abs(elo)), "{elo} came back as {back}");
        }
    }

    #[test]
    fn the_ends_are_infinite_and_the_rest_is_refused() {
        assert_eq!([0.0, 1.0].map(elo_of_share), [f64::NEG_INFINITY, f64::INFINITY]);
        assert_eq!(expected_score(f64::NEG_INFINITY), Ok(0.0));
        assert!(expected_score(f64::NAN).is_err());
    }

    #[test]
    fn softplus_neither_overflows_nor_loses_its_tail() {
        assert_eq!(softplus(1e4), 1e4);
        assert!((softplus(-40.0) / (-40f64).exp() - 1.0).abs() < 1e-12);
        assert_eq!(softplus(0.0), std::f64::consts::LN_2);
    }
}

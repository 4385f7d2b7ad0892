//! Intervals.

use crate::logistic::elo_of_share;

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
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// The interval of shares `centre - half ..= centre + half`, cut to 0 and 1.
    pub fn of_share(centre: f64, half: f64) -> Self {
        Self { low: (centre - half).max(0.0), high: (centre + half).min(1.0) }
    }

    /// An interval of win rates as one of rating differences: the ends are mapped, as the curve is monotone.
    pub fn to_elo(self) -> Self {
        Self { low: elo_of_share(self.low), high: elo_of_share(self.high) }
    }
}

//! The beta distribution: the posterior of a win rate.
//!
//! Density, tails and quantiles keep their relative accuracy for shapes from small fractions to
//! many millions, where formulas with log-gamma lose it.

use crate::numeric::ln_binomial_term;
use crate::tally::MatchScore;

/// A beta distribution.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Beta {
    a: f64,
    b: f64,
}

impl Beta {
    /// The distribution with density proportional to `x^(a-1) (1-x)^(b-1)`, for shapes above 0.
    pub fn new(a: f64, b: f64) -> Self {
        debug_assert!(a > 0.0 && b > 0.0);
        Self { a, b }
    }

    /// The posterior of a score under a prior with these shapes.
    pub fn posterior(a: f64, b: f64, score: MatchScore) -> Self {
        Self { a: score.points() + a, b: score.games() as f64 - score.points() + b }
    }

    /// The two shapes.
    pub fn shapes(&self) -> (f64, f64) {
        (self.a, self.b)
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        self.a / (self.a + self.b)
    }

    /// The variance.
    pub fn variance(&self) -> f64 {
        let sum = self.a + self.b;
        self.a / sum * (self.b / sum) / (sum + 1.0)
    }

    /// The density at x; 0 outside 0 to 1, and infinite at an end whose shape is below 1.
    pub fn density(&self, x: f64) -> f64 {
        if !(0.0..=1.0).contains(&x) {
            return 0.0;
        }
        let at_end = |shape: f64, other: f64| match shape {
            shape if shape > 1.0 => 0.0,
            shape if shape < 1.0 => f64::INFINITY,
            _ => other,
        };
        if x == 0.0 {
            at_end(self.a, self.b)
        } else if x == 1.0 {
            at_end(self.b, self.a)
        } else {
            (self.ln_density_of_log_odds(x, 1.0 - x) - x.ln() - (-x).ln_1p()).exp()
        }
    }

    /// The log-density of the log-odds `ln(x / y)`, where `y = 1 - x`. Unlike the density of x it
    /// is log-concave for all shapes.
    pub fn ln_density_of_log_odds(&self, x: f64, y: f64) -> f64 {
        ln_binomial_term(self.a, self.b, x, y) + (self.a * (self.b / (self.a + self.b))).ln()
    }

    /// `P(X <= x)`.
    pub fn cdf(&self, x: f64) -> f64 {
        self.tails(x, 1.0 - x).0
    }

    /// `P(X > x)`, not rounded to 0 where it is small.
    pub fn survival(&self, x: f64) -> f64 {
        self.tails(x, 1.0 - x).1
    }

    /// Both tails at x, where `y = 1 - x`: the one for which the continued fraction converges fast,
    /// and its complement.
    pub fn tails(&self, x: f64, y: f64) -> (f64, f64) {
        if x <= 0.0 {
            return (0.0, 1.0);
        }
        if y <= 0.0 {
            return (1.0, 0.0);
        }
        let scale = self.ln_density_of_log_odds(x, y).exp();
        if x < (self.a + 1.0) / (self.a + self.b + 2.0) {
            let lower = (scale * continued_fraction(self.a, self.b, x) / self.a).min(1.0);
            (lower, 1.0 - lower)
        } else {
            let upper = (scale * continued_fraction(self.b, self.a, y) / self.b).min(1.0);
            (1.0 - upper, upper)
        }
    }

    /// The x with `P(X <= x) = tail`, for a tail between 0 and 1.
    pub fn lower_quantile(&self, tail: f64) -> f64 {
        odds_share(self.log_odds_quantile(tail)).0
    }

    /// The x with `P(X > x) = tail`, for a tail between 0 and 1.
    pub fn upper_quantile(&self, tail: f64) -> f64 {
        odds_share(Self { a: self.b, b: self.a }.log_odds_quantile(tail)).1
    }

    /// The log-odds t with `P(ln(X / (1-X)) <= t) = tail`, by Newton's method on the logarithm of
    /// the distribution function. That is concave because the density of t is log-concave. So from
    /// the second point on, every step goes up and never overshoots.
    fn log_odds_quantile(&self, tail: f64) -> f64 {
        let target = tail.ln();
        let mut t = (self.a / self.b).ln();
        for _ in 0..200 {
            let (ln_cdf, slope) = self.ln_cdf_of_log_odds(t);
            let step = (ln_cdf - target) / slope;
            t -= step;
            if step.abs() <= 1e-15 * (1.0 + t.abs()) {
                break;
            }
        }
        t
    }

    /// `ln P(ln(X / (1-X)) <= t)` and its derivative, even where the probability or x itself would
    /// underflow.
    fn ln_cdf_of_log_odds(&self, t: f64) -> (f64, f64) {
        const SMALLEST: f64 = -600.0;
        let (x, y) = odds_share(t.max(SMALLEST));
        let ln_density = self.ln_density_of_log_odds(x, y);
        let ln_cdf = self.tails(x, y).0.ln();
        if t >= SMALLEST && ln_cdf > -700.0 {
            return (ln_cdf, (ln_density - ln_cdf).exp());
        }
        // Far in the tail the distribution function falls like the density.
        let slope = self.a * y - self.b * x;
        (ln_density - slope.ln() + slope * (t - t.max(SMALLEST)), slope)
    }
}

/// `e^t / (1 + e^t)` and `1 / (1 + e^t)`.
pub fn odds_share(t: f64) -> (f64, f64) {
    (crate::logistic::logistic(t), crate::logistic::logistic(-t))
}

/// The continued fraction of the incomplete beta integral, by Lentz's method. The number of terms
/// grows with the square root of the shapes.
fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let keep = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / keep(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for m in 1..10_000_000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / keep(1.0 + even * d);
        c = keep(1.0 + even / c);
        fraction *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / keep(1.0 + odd * d);
        c = keep(1.0 + odd / c);
        let change = d * c;
        fraction *= change;
        if (change - 1.0).abs() < 1e-15 {
            break;
        }
    }
    fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_match_closed_forms() {
        // Beta(a, 1) has the distribution function x^a.
        let beta = Beta::new(3.5, 1.0);
        assert!((beta.cdf(0.3) - 0.3f64.powf(3.5)).abs() < 1e-15);
        // The arcsine distribution.
        let beta = Beta::new(0.5, 0.5);
        assert!((beta.cdf(0.2) - 2.0 / std::f64::consts::PI * 0.2f64.sqrt().asin()).abs() < 1e-15);
        // Symmetry, with shapes where three log-gammas would lose nine digits.
        let beta = Beta::new(1e6, 1e6);
        assert!((beta.cdf(0.5) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn quantiles_invert_both_tails() {
        for (a, b) in [(0.01, 3.0), (0.5, 10.5), (1.0, 1.0), (17.0, 4.0), (8000.0, 2001.0), (3e6, 2.0), (1e7, 1e7)] {
            let beta = Beta::new(a, b);
            for tail in [1e-12, 0.005, 0.025, 0.4] {
                let low = beta.lower_quantile(tail);
                let high = beta.upper_quantile(tail);
                assert!(low == 0.0 || (beta.cdf(low) / tail - 1.0).abs() < 1e-8, "({a}, {b}) lower {tail}: {low}");
                // Near 1 a quantile is known only to the spacing of numbers there.
                let allowed = 1e-9 * tail + 2e-16 * beta.density(high);
                assert!((beta.survival(high) - tail).abs() < allowed, "({a}, {b}) upper {tail}: {high}");
            }
        }
    }

    #[test]
    fn the_density_integrates_to_the_distribution_function() {
        let beta = Beta::new(4.5, 2.5);
        let steps = 20_000;
        let width = 0.7 / f64::from(steps);
        let sum: f64 = (0..steps).map(|i| beta.density((f64::from(i) + 0.5) * width) * width).sum();
        assert!((sum - beta.cdf(0.7)).abs() < 1e-8);
    }
}

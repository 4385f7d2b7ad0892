//! The binomial distribution: how many of n games are won.

use crate::Result;
use crate::error::probability;
use crate::numeric::ln_binomial_term;

/// A binomial distribution.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Binomial {
    n: u64,
    p: f64,
    q: f64,
}

impl Binomial {
    /// The distribution of the number of successes in `n` trials, each with probability `p`.
    pub fn new(n: u64, p: f64) -> Result<Self> {
        probability("a win rate", p)?;
        Ok(Self { n, p, q: 1.0 - p })
    }

    /// Like [`Binomial::new`], with probability k / n.
    pub fn of_share(n: u64, k: u64) -> Self {
        Self { n, p: k as f64 / n as f64, q: (n - k) as f64 / n as f64 }
    }

    /// `ln P(X = k)`; minus infinity for impossible events.
    pub fn ln_probability(&self, k: u64) -> f64 {
        if k > self.n {
            return f64::NEG_INFINITY;
        }
        ln_binomial_term(k as f64, (self.n - k) as f64, self.p, self.q)
    }

    /// `P(X = k)`.
    pub fn probability(&self, k: u64) -> f64 {
        self.ln_probability(k).exp()
    }

    /// `P(X <= k)`.
    pub fn cdf(&self, k: u64) -> f64 {
        self.mass(0, k)
    }

    /// `P(X >= k)`.
    pub fn survival(&self, k: u64) -> f64 {
        self.mass(k, self.n)
    }

    /// `P(low <= X <= high)`; 0 for an empty range. Computes the largest term, and its neighbours
    /// by ratios until they no longer matter. Accurate in relative terms in both tails, with as
    /// many additions as a few standard deviations.
    pub fn mass(&self, low: u64, high: u64) -> f64 {
        let high = high.min(self.n);
        if low > high {
            return 0.0;
        }
        let mode = (((self.n + 1) as f64 * self.p) as u64).clamp(low, high);
        let peak = self.probability(mode);
        if peak == 0.0 || self.p == 0.0 || self.q == 0.0 {
            return peak;
        }
        let odds = self.p / self.q;
        let mut sum = peak;
        let mut add = |ratios: &mut dyn Iterator<Item = f64>| {
            let mut term = peak;
            for ratio in ratios {
                term *= ratio;
                sum += term;
                if term < 1e-17 * sum {
                    break;
                }
            }
        };
        add(&mut (mode..high).map(|k| ratio_up(self.n, k) * odds));
        add(&mut (low..mode).rev().map(|k| 1.0 / (ratio_up(self.n, k) * odds)));
        sum.min(1.0)
    }
}

/// `(n - k) / (k + 1)`: times the odds of a win, the ratio of the probabilities of k + 1 and of k
/// wins.
pub fn ratio_up(n: u64, k: u64) -> f64 {
    (n - k) as f64 / (k + 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::beta::Beta;

    #[test]
    fn all_probabilities_add_up() {
        for (n, p) in [(0, 0.3), (1, 0.5), (10, 0.0), (10, 1.0), (1000, 0.01), (1_000_000, 0.37)] {
            let binomial = Binomial::new(n, p).unwrap();
            assert!((binomial.mass(0, n) - 1.0).abs() < 1e-12, "{n} {p}");
        }
    }

    #[test]
    fn tails_are_those_of_the_beta_distribution() {
        let binomial = Binomial::new(500, 0.03).unwrap();
        for k in [1, 5, 15, 40, 100] {
            let beta = Beta::new(k as f64, (500 - k + 1) as f64).cdf(0.03);
            assert!((binomial.survival(k) / beta - 1.0).abs() < 1e-12, "{k}");
        }
        assert_eq!(binomial.mass(7, 6), 0.0);
        assert_eq!(binomial.probability(501), 0.0);
    }
}

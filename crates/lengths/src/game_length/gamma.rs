//! The gamma distribution that real lengths are compared with.

use super::moments::LengthMoments;
use kiki_stats::Result;
use kiki_stats::error::check;

/// A gamma distribution of lengths.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GammaLength {
    /// The shape.
    pub shape: f64,
    /// The scale in plies.
    pub scale: f64,
}

impl GammaLength {
    /// The gamma distribution with this mean and standard deviation.
    ///
    /// # Errors
    /// If one of them is not above 0.
    pub fn with(mean: f64, deviation: f64) -> Result<Self> {
        check("the mean length", mean, |mean| mean > 0.0, "above 0")?;
        check("the deviation of lengths", deviation, |deviation| deviation > 0.0, "above 0")?;
        Ok(Self { shape: (mean / deviation).powi(2), scale: deviation * deviation / mean })
    }

    /// Its moments.
    #[must_use]
    pub fn moments(&self) -> LengthMoments {
        let variance = self.shape * self.scale.powi(2);
        LengthMoments {
            mean: self.shape * self.scale,
            variance,
            third: 2.0 * self.shape * self.scale.powi(3),
            fourth: 3.0 * variance * variance + 6.0 * self.shape * self.scale.powi(4),
        }
    }

    /// The probability of a game of so many plies or fewer.
    #[must_use]
    pub fn cdf(&self, plies: f64) -> f64 {
        if plies <= 0.0 { 0.0 } else { lower_share(self.shape, plies / self.scale) }
    }

    /// The density at a number of plies.
    #[must_use]
    pub fn density(&self, plies: f64) -> f64 {
        if plies <= 0.0 {
            return 0.0;
        }
        let x = plies / self.scale;
        ((self.shape - 1.0) * x.ln() - x - libm::lgamma(self.shape)).exp() / self.scale
    }
}

/// The regularised lower incomplete gamma function: a series where that converges fast, else a continued fraction for its complement
/// (Abramowitz and Stegun 6.5.29 and 6.5.31), by the modified Lentz method.
fn lower_share(shape: f64, x: f64) -> f64 {
    let factor = (shape * x.ln() - x - libm::lgamma(shape)).exp();
    if x < shape + 1.0 {
        let (mut term, mut sum) = (1.0 / shape, 1.0 / shape);
        let mut n = shape;
        while term > 1e-17 * sum {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        return (factor * sum).min(1.0);
    }
    const LEAST: f64 = 1e-300;
    let mut b = x + 1.0 - shape;
    let mut c = 1.0 / LEAST;
    let mut d = 1.0 / b;
    let mut fraction = d;
    for n in 1..100_000 {
        let n = f64::from(n);
        let a = -n * (n - shape);
        b += 2.0;
        d = 1.0 / (a * d + b);
        c = b + a / c;
        if c.abs() < LEAST {
            c = LEAST;
        }
        fraction *= c * d;
        if (c * d - 1.0).abs() < 1e-16 {
            break;
        }
    }
    (1.0 - factor * fraction).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_distributions_come_out() {
        // Shape 1 is exponential; shape 3: 1 - exp(-x) (1 + x + x^2 / 2).
        for x in [0.01, 0.5, 1.0, 3.0, 5.0, 30.0] {
            let exponential: f64 = -f64::exp_m1(-x);
            assert!((lower_share(1.0, x) - exponential).abs() < 1e-15, "{x}");
            let third = 1.0 - (-x).exp() * (1.0 + x + x * x / 2.0);
            assert!((lower_share(3.0, x) - third).abs() < 1e-14, "{x}");
        }
        let gamma = GammaLength::with(116.0, 27.9).unwrap();
        assert_eq!(gamma.cdf(-1.0), 0.0);
        assert!((gamma.cdf(1e5) - 1.0).abs() < 1e-15);
        assert!(GammaLength::with(0.0, 1.0).is_err() && GammaLength::with(1.0, 0.0).is_err());
    }

    #[test]
    fn the_density_is_the_slope_of_the_distribution() {
        let gamma = GammaLength::with(116.0, 27.9).unwrap();
        for plies in [60.0, 100.0, 116.0, 150.0, 220.0] {
            let slope = (gamma.cdf(plies + 1e-3) - gamma.cdf(plies - 1e-3)) / 2e-3;
            assert!((gamma.density(plies) - slope).abs() < 1e-9, "{plies}");
        }
    }
}

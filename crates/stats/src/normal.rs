//! The normal distribution with accurate tails.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use crate::Result;
use crate::error::{check, open_probability};

/// `P(Z <= x)` for a standard normal Z. Accurate in relative terms in the lower tail, down to where
/// it underflows near -38.
pub fn cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}

/// The density of a standard normal at `x`.
pub fn density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / (2.0 * PI).sqrt()
}

/// `ln P(Z <= x)` for any finite x, by an asymptotic series where the probability itself would
/// underflow.
pub fn ln_cdf(x: f64) -> f64 {
    if x > 1.0 {
        return (-0.5 * libm::erfc(x * FRAC_1_SQRT_2)).ln_1p();
    }
    if x > -35.0 {
        return cdf(x).ln();
    }
    let inverse = 1.0 / (x * x);
    let series = -inverse * (1.0 - inverse * (3.0 - inverse * (15.0 - 105.0 * inverse)));
    -0.5 * x * x - (-x).ln() - 0.5 * (2.0 * PI).ln() + series.ln_1p()
}

/// The x with `P(Z <= x) = p`.
pub fn quantile(p: f64) -> Result<f64> {
    open_probability("a probability", p)?;
    Ok(if p > 0.5 { -lower_quantile(1.0 - p) } else { lower_quantile(p) })
}

/// The r for which a normal value lies within r standard deviations of its mean with probability
/// `level`: 1.96 for 0.95.
pub fn multiplier(level: f64) -> Result<f64> {
    open_probability("a level", level)?;
    Ok(-lower_quantile(0.5 * (1.0 - level)))
}

/// The shares of a normal distribution within `r` standard deviations of the mean, and outside.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TwoSided {
    /// The probability inside.
    pub inside: f64,
    /// The probability a outside, in both tails together.
    pub outside: f64,
}

impl TwoSided {
    /// `-log10 a`: roughly the number of zeros of the tail. Infinite where the tail underflows,
    /// beyond r = 38.
    pub fn minus_log10_outside(&self) -> f64 {
        -self.outside.log10()
    }
}

/// The level of a multiplier.
pub fn level(r: f64) -> Result<TwoSided> {
    check("a multiplier", r, |r| r >= 0.0, "0 or more")?;
    Ok(TwoSided { inside: libm::erf(r * FRAC_1_SQRT_2), outside: libm::erfc(r * FRAC_1_SQRT_2) })
}

/// The quantile for a `p` from 0 to 1/2, by Newton's method on ln P. That function is increasing
/// and concave, so from the second point on the steps approach the root from below without
/// overshooting, from any start.
fn lower_quantile(p: f64) -> f64 {
    let target = p.ln();
    let mut x = -(-2.0 * (2.0 * p).ln()).max(0.0).sqrt() * 0.9;
    for _ in 0..60 {
        let value = ln_cdf(x);
        let slope = (-0.5 * x * x - 0.5 * (2.0 * PI).ln() - value).exp();
        let step = (value - target) / slope;
        x -= step;
        if step.abs() <= 1e-15 * (1.0 + x.abs()) {
            break;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantile_and_cdf_agree_from_tail_to_tail() {
        for p in [1e-300, 1e-40, 1e-9, 0.001, 0.3, 0.5, 0.501, 0.95, 1.0 - 1e-12] {
            let x = quantile(p).unwrap();
            let relative = (ln_cdf(x) - f64::ln(p)).abs();
            assert!(relative < 1e-12 * (1.0 + f64::ln(p).abs()), "{p} gave {x}");
        }
        assert_eq!(quantile(0.5), Ok(0.0));
        assert!(quantile(0.0).is_err() && quantile(1.0).is_err() && quantile(f64::NAN).is_err());
    }

    #[test]
    fn the_series_of_the_tail_joins_the_error_function() {
        // Both forms hold at -36: P(Z <= -36) is about 4e-284.
        let x = -36.0;
        assert!((ln_cdf(x) - cdf(x).ln()).abs() < 1e-10, "{} against {}", ln_cdf(x), cdf(x).ln());
        assert!(ln_cdf(-1e6).is_finite());
        assert!((ln_cdf(9.0) + 1.1285884059538324e-19).abs() < 1e-30);
    }
}

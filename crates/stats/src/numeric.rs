//! What several modules compute with.

use std::f64::consts::PI;

/// `ln n! - [(n + 1/2) ln n - n + ln sqrt(2 pi)]` for real n > 0: what Stirling's formula leaves.
fn stirling_remainder(n: f64) -> f64 {
    if n < 15.0 {
        return libm::lgamma(n + 1.0) - (n + 0.5) * n.ln() + n - 0.5 * (2.0 * PI).ln();
    }
    let inverse = 1.0 / (n * n);
    let series = 1.0 / 1260.0 - inverse * (1.0 / 1680.0 - inverse * (1.0 / 1188.0 - inverse * (691.0 / 360_360.0)));
    (1.0 / 12.0 - inverse * (1.0 / 360.0 - inverse * series)) / n
}

/// `x ln(x / m) + m - x`, without the cancellation that the formula has near x = m.
fn deviance(x: f64, m: f64) -> f64 {
    if (x - m).abs() >= 0.1 * (x + m) {
        return x * (x / m).ln() + m - x;
    }
    let v = (x - m) / (x + m);
    let mut sum = (x - m) * v;
    let mut term = 2.0 * x * v;
    for j in 1..1000 {
        term *= v * v;
        let next = sum + term / f64::from(2 * j + 1);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

/// `ln [ Gamma(n+1) / (Gamma(x+1) Gamma(n-x+1)) p^x q^(n-x) ]` with `y = n - x`, `q = 1 - p`, for real x, y >= 0: the binomial
/// probability by Loader's saddle-point expansion (2000), which stays exact to a few units in the last place of the *probability*
/// where the difference of three log-gammas of a million loses nine digits.
pub(crate) fn ln_binomial_term(x: f64, y: f64, p: f64, q: f64) -> f64 {
    if x == 0.0 {
        return if y == 0.0 { 0.0 } else { y * ln_of_complement(q, p) };
    }
    if y == 0.0 {
        return x * ln_of_complement(p, q);
    }
    let n = x + y;
    if p == 0.0 || q == 0.0 {
        return f64::NEG_INFINITY;
    }
    let correction = stirling_remainder(n) - stirling_remainder(x) - stirling_remainder(y);
    correction - deviance(x, n * p) - deviance(y, n * q) + 0.5 * (n / (2.0 * PI * x * y)).ln()
}

/// `ln p` with the help of `q = 1 - p`, which keeps the digits where p is near 1.
fn ln_of_complement(p: f64, q: f64) -> f64 {
    if q < 0.5 { (-q).ln_1p() } else { p.ln() }
}

/// The root of a decreasing function between `low` and `high`, at whose ends it may be infinite: Newton's method, and bisection
/// wherever Newton would leave the bracket or gain too little. `function` returns value and slope.
///
/// Stops when the step is below rounding.
pub(crate) fn decreasing_root(mut low: f64, mut high: f64, function: impl Fn(f64) -> (f64, f64)) -> f64 {
    let mut x = if low < 0.0 && high > 0.0 { 0.0 } else { 0.5 * (low + high) };
    let mut last_width = high - low;
    for _ in 0..200 {
        let (value, slope) = function(x);
        if value > 0.0 {
            low = x;
        } else if value < 0.0 {
            high = x;
        } else {
            return x;
        }
        let newton = x - value / slope;
        let step = (newton - x).abs();
        let next = if newton > low && newton < high && step < 0.5 * last_width { newton } else { 0.5 * (low + high) };
        last_width = (next - x).abs();
        if last_width <= 1e-15 * (1.0 + x.abs()) {
            return next;
        }
        x = next;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binomial_terms_are_exact_for_small_and_large_numbers() {
        // C(10, 3) 0.2^3 0.8^7.
        assert!((ln_binomial_term(3.0, 7.0, 0.2, 0.8).exp() - 0.201_326_592).abs() < 1e-15);
        // C(2n, n) / 4^n for n = 10^6: 1/sqrt(pi n) (1 - 1/(8n) + 1/(128 n^2)).
        let n = 1e6;
        let exact = (1.0 - 1.0 / (8.0 * n) + 1.0 / (128.0 * n * n)) / (PI * n).sqrt();
        assert!((ln_binomial_term(n, n, 0.5, 0.5).exp() / exact - 1.0).abs() < 1e-14);
        assert!((ln_binomial_term(0.0, 5.0, 1e-12, 1.0 - 1e-12) + 5e-12).abs() < 1e-23);
    }

    #[test]
    fn roots_next_to_a_pole_are_found() {
        let root = decreasing_root(0.0, 1.0, |x| (1e-9 / x - 1.0 / (1.0 - x), -1e-9 / (x * x) - 1.0 / (1.0 - x).powi(2)));
        assert!((root / (1e-9 / (1.0 + 1e-9)) - 1.0).abs() < 1e-6, "{root}");
    }
}

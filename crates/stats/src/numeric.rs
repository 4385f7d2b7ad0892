//! Numerical functions that several modules use.

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
pub fn ln_binomial_term(x: f64, y: f64, p: f64, q: f64) -> f64 {
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

/// The root above 0 and up to `high` of a decreasing function that is positive near 0, where it may have a pole: Newton's method from
/// `high`, and bisection wherever Newton would leave the bracket or gain too little. `function` returns value and slope. The root is
/// exact to rounding, relative to its own size.
pub fn decreasing_root(high: f64, function: impl Fn(f64) -> (f64, f64)) -> f64 {
    let (mut low, mut high) = (0.0, high);
    let mut x = high;
    let mut last_step = high;
    for _ in 0..500 {
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
        let gains = newton > low && newton < high && step < 0.5 * last_step;
        let next = if gains { newton } else { 0.5 * (low + high) };
        last_step = (next - x).abs();
        if last_step <= 1e-15 * x {
            return next;
        }
        x = next;
    }
    x
}

/// The least value of a function of two variables near a place, by the method of Nelder and Mead (1965) with their coefficients. `size` is that of the
/// first triangle. Infinite values are avoided.
pub fn least(start: [f64; 2], size: f64, function: impl Fn([f64; 2]) -> f64) -> [f64; 2] {
    let at = |place: [f64; 2]| (function(place), place);
    let mut corners = [at(start), at([start[0] + size, start[1]]), at([start[0], start[1] + size])];
    for _ in 0..1000 {
        corners.sort_by(|a, b| a.0.total_cmp(&b.0));
        let [best, middle, worst] = corners;
        if extent(corners.map(|corner| corner.1)) < 1e-9 {
            break;
        }
        let centre = [0, 1].map(|index| 0.5 * (best.1[index] + middle.1[index]));
        // Along the line from the worst corner through the middle of the others.
        let along = |share: f64| at([0, 1].map(|index| centre[index] + share * (centre[index] - worst.1[index])));
        let reflected = along(1.0);
        corners[2] = if reflected.0 < best.0 {
            let expanded = along(2.0);
            if expanded.0 < reflected.0 { expanded } else { reflected }
        } else if reflected.0 < middle.0 {
            reflected
        } else {
            let contracted = if reflected.0 < worst.0 { along(0.5) } else { along(-0.5) };
            if contracted.0 >= worst.0.min(reflected.0) {
                let nearer = |corner: (f64, [f64; 2])| at([0, 1].map(|index| 0.5 * (corner.1[index] + best.1[index])));
                corners = [best, nearer(middle), nearer(worst)];
                continue;
            }
            contracted
        };
    }
    corners.sort_by(|a, b| a.0.total_cmp(&b.0));
    corners[0].1
}

/// The greatest distance, along either axis, of a corner of a triangle from the first one.
fn extent([first, others @ ..]: [[f64; 2]; 3]) -> f64 {
    let distances = others.iter().flat_map(|corner| [0, 1].map(|index| (corner[index] - first[index]).abs()));
    distances.fold(0.0, f64::max)
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
    fn the_least_value_is_found_in_a_bent_valley() {
        // Rosenbrock's function.
        let valley = |[x, y]: [f64; 2]| (1.0 - x).powi(2) + 100.0 * (y - x * x).powi(2);
        let [x, y] = least([-1.2, 1.0], 0.5, valley);
        assert!((x - 1.0).abs() < 1e-6 && (y - 1.0).abs() < 1e-6, "{x} {y}");
    }

    #[test]
    fn a_triangle_with_one_long_side_is_not_at_an_end() {
        assert_eq!(extent([[1.0, 1.0], [1.0, 3.0], [1.0, 1.0]]), 2.0);
        assert_eq!(extent([[1.0, 1.0], [1.0, 1.0], [0.5, 1.0]]), 0.5);
    }

    #[test]
    fn roots_next_to_a_pole_are_found() {
        for share in [1e-15, 1e-9, 0.3] {
            // share / x = (1 - share) / (1 - x) at x = share.
            let function = |x: f64| {
                let (near, far) = (share / x, (1.0 - share) / (1.0 - x));
                (near - far, -near / x - far / (1.0 - x))
            };
            let root = decreasing_root(0.9, function);
            assert!((root / share - 1.0).abs() < 1e-14, "{root}");
        }
    }
}

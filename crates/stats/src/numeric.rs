//! Numerical methods shared by several modules: binomial terms, roots, minima, integrals, curves,
//! quantiles.

use std::f64::consts::PI;

use crate::error::check;
use crate::{Result, StatsError};

/// `ln n! - [(n + 1/2) ln n - n + ln sqrt(2 pi)]` for real n > 0: the error of Stirling's formula.
fn stirling_remainder(n: f64) -> f64 {
    if n < 15.0 {
        return libm::lgamma(n + 1.0) - (n + 0.5) * n.ln() + n - 0.5 * (2.0 * PI).ln();
    }
    let inverse = 1.0 / (n * n);
    let series = 1.0 / 1260.0 - inverse * (1.0 / 1680.0 - inverse * (1.0 / 1188.0 - inverse * (691.0 / 360_360.0)));
    (1.0 / 12.0 - inverse * (1.0 / 360.0 - inverse * series)) / n
}

/// `x ln(x / m) + m - x`, without the formula's cancellation near x = m.
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

/// `ln [ Gamma(n+1) / (Gamma(x+1) Gamma(n-x+1)) p^x q^(n-x) ]` with `y = n - x`, `q = 1 - p`, for
/// real x, y >= 0: the binomial probability by Loader's saddle-point expansion (2000). The
/// *probability* stays accurate to a few units in the last place, where the difference of three
/// log-gammas of a million loses nine digits.
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

/// `ln p` with the help of `q = 1 - p`, which keeps the digits for p near 1.
fn ln_of_complement(p: f64, q: f64) -> f64 {
    if q < 0.5 { (-q).ln_1p() } else { p.ln() }
}

/// The root above 0 and up to `high` of a decreasing function that is positive near 0, where it may
/// have a pole. Uses Newton's method from `high`, and bisection where Newton would leave the
/// bracket or gain too little. `function` returns value and slope. The root is accurate to
/// rounding, relative to its own size.
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

/// The root of an increasing function between two points: false position, in the Illinois variant
/// that halves the weight of an end that stays (Dowell and Jarratt 1971). Points come with their
/// values; the root is accurate to the tolerance.
pub fn root_between(low: (f64, f64), high: (f64, f64), tolerance: f64, function: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (low, high);
    let mut last = 0.0;
    for _ in 0..200 {
        let x = (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1);
        if high.0 - low.0 <= tolerance || !(x > low.0 && x < high.0) {
            break;
        }
        let value = function(x);
        if value == 0.0 {
            return x;
        }
        if value < 0.0 {
            low = (x, value);
            high.1 *= if last < 0.0 { 0.5 } else { 1.0 };
        } else {
            high = (x, value);
            low.1 *= if last > 0.0 { 0.5 } else { 1.0 };
        }
        last = value;
    }
    if high.1 < -low.1 { high.0 } else { low.0 }
}

/// The minimum of a function of two variables near a start, by the method of Nelder and Mead (1965)
/// with their coefficients. `size` is that of the first triangle. Infinite values are avoided.
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

/// The greatest distance along either axis of a triangle's other corners from the first one.
fn extent([first, others @ ..]: [[f64; 2]; 3]) -> f64 {
    let distances = others.iter().flat_map(|corner| [0, 1].map(|index| (corner[index] - first[index]).abs()));
    distances.fold(0.0, f64::max)
}

/// The points and weights of a quadrature rule.
#[derive(Clone, Debug)]
pub struct GaussLegendre {
    /// Where to evaluate the function.
    pub points: Vec<f64>,
    /// The weight of each value.
    pub weights: Vec<f64>,
}

impl GaussLegendre {
    /// The rule of `count` points, in ascending order, for integrals from `low` to `high`. It is
    /// exact for polynomials of degree below `2 * count`. The points are roots of a Legendre
    /// polynomial, by Newton's method from a known approximation.
    pub fn new(count: usize, low: f64, high: f64) -> Self {
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
        let n = count as f64;
        let (mut points, mut weights) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for index in (0..count).rev() {
            let mut x = (PI * (index as f64 + 0.75) / (n + 0.5)).cos();
            for _ in 0..100 {
                let (value, slope) = legendre(count, x);
                let step = value / slope;
                x -= step;
                if step.abs() < 1e-15 {
                    break;
                }
            }
            let (_, slope) = legendre(count, x);
            points.push(middle + half * x);
            weights.push(half * 2.0 / ((1.0 - x * x) * slope * slope));
        }
        Self { points, weights }
    }
}

/// The Legendre polynomial of a degree above 0 and its slope, by the three-term recurrence.
fn legendre(degree: usize, x: f64) -> (f64, f64) {
    let (mut before, mut value) = (1.0, x);
    for k in 2..=degree {
        let k = k as f64;
        (before, value) = (value, ((2.0 * k - 1.0) * x * value - (k - 1.0) * before) / k);
    }
    (value, degree as f64 * (x * value - before) / (x * x - 1.0))
}

/// A cubic curve through points without overshoots or oscillations: where the points rise, so does
/// the curve. Its slopes are those of Fritsch and Butland (1984), a harmonic mean of the slopes on
/// both sides.
#[derive(Clone, PartialEq, Debug)]
pub struct MonotoneCubic {
    points: Vec<(f64, f64)>,
    slopes: Vec<f64>,
}

impl MonotoneCubic {
    /// A curve through points, given in any order. Refuses an empty list, and two points with the
    /// same x.
    pub fn new(mut points: Vec<(f64, f64)>) -> Result<Self> {
        if points.is_empty() {
            return Err(StatsError::NotEstimable { what: "a curve", reason: "there are no points" });
        }
        for &(x, y) in &points {
            check("a coordinate", x, |_| true, "a number")?;
            check("a coordinate", y, |_| true, "a number")?;
        }
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        if points.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(StatsError::NotEstimable { what: "a curve", reason: "two points have the same x" });
        }
        let secants: Vec<f64> =
            points.windows(2).map(|pair| (pair[1].1 - pair[0].1) / (pair[1].0 - pair[0].0)).collect();
        let inner =
            |pair: &[f64]| if pair[0] * pair[1] > 0.0 { 2.0 * pair[0] * pair[1] / (pair[0] + pair[1]) } else { 0.0 };
        let ends = [secants.first(), secants.last()].map(|secant| secant.copied().unwrap_or(0.0));
        let mut slopes = vec![ends[0]];
        if points.len() > 1 {
            slopes.extend(secants.windows(2).map(inner));
            slopes.push(ends[1]);
        }
        Ok(Self { points, slopes })
    }

    /// The curve at x; beyond the points, the value of the last one.
    pub fn at(&self, x: f64) -> f64 {
        let right = self.points.partition_point(|point| point.0 <= x);
        if right == 0 || right == self.points.len() {
            return self.points[right.saturating_sub(1)].1;
        }
        let [(x0, y0), (x1, y1)] = [self.points[right - 1], self.points[right]];
        let [slope0, slope1] = [self.slopes[right - 1], self.slopes[right]];
        let (width, t) = (x1 - x0, (x - x0) / (x1 - x0));
        let rest = 1.0 - t;
        // Hermite basis.
        y0 * rest * rest * (1.0 + 2.0 * t)
            + y1 * t * t * (1.0 + 2.0 * rest)
            + width * t * rest * (slope0 * rest - slope1 * t)
    }
}

/// The mean of a sample; 0 without any value.
pub fn mean(sample: &[f64]) -> f64 {
    sample.iter().sum::<f64>() / sample.len().max(1) as f64
}

/// The sample variance, with n - 1 in the denominator; 0 with fewer than two values.
pub fn variance(sample: &[f64]) -> f64 {
    let mean = mean(sample);
    let squares: f64 = sample.iter().map(|value| (value - mean).powi(2)).sum();
    squares / sample.len().saturating_sub(1).max(1) as f64
}

/// A quantile of a sample of one sorted value or more, by linear interpolation.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
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

    fn integral(rule: &GaussLegendre, function: impl Fn(f64) -> f64) -> f64 {
        rule.points.iter().zip(&rule.weights).map(|(&x, &weight)| weight * function(x)).sum()
    }

    #[test]
    fn polynomials_are_integrated_exactly_up_to_twice_the_number_of_points() {
        for count in 1..12 {
            let rule = GaussLegendre::new(count, -1.0, 2.0);
            assert!(rule.points.windows(2).all(|pair| pair[0] < pair[1]));
            for power in 0..2 * count as i32 {
                let exact = (2_f64.powi(power + 1) - (-1_f64).powi(power + 1)) / f64::from(power + 1);
                let found = integral(&rule, |x| x.powi(power));
                assert!((found - exact).abs() < 1e-12 * exact.abs().max(1.0), "{count} points, power {power}: {found}");
            }
        }
    }

    #[test]
    fn many_points_integrate_what_is_no_polynomial() {
        let rule = GaussLegendre::new(400, -20.0, 20.0);
        assert!((integral(&rule, |x| (-x * x).exp()) - PI.sqrt()).abs() < 1e-13);
    }

    #[test]
    fn the_curve_goes_through_its_points_and_never_turns_between_them() {
        let points = vec![(3.0, 5.0), (0.0, 0.0), (1.0, 0.1), (2.0, 4.9), (7.0, 5.0)];
        let curve = MonotoneCubic::new(points.clone()).unwrap();
        for (x, y) in points {
            assert!((curve.at(x) - y).abs() < 1e-12);
        }
        let along: Vec<f64> = (0..=700).map(|step| curve.at(f64::from(step) / 100.0)).collect();
        assert!(along.windows(2).all(|pair| pair[0] <= pair[1] + 1e-12));
        assert_eq!((curve.at(-1.0), curve.at(9.0)), (0.0, 5.0));
    }

    #[test]
    fn a_straight_line_stays_straight() {
        let curve = MonotoneCubic::new(vec![(0.0, 1.0), (1.0, 3.0), (4.0, 9.0)]).unwrap();
        for x in [0.3, 0.9, 1.0, 2.5, 3.9] {
            assert!((curve.at(x) - (1.0 + 2.0 * x)).abs() < 1e-12);
        }
        assert_eq!(MonotoneCubic::new(vec![(2.0, 7.0)]).unwrap().at(0.0), 7.0);
    }

    #[test]
    fn what_is_no_curve_is_refused() {
        assert!(MonotoneCubic::new(vec![]).is_err());
        assert!(MonotoneCubic::new(vec![(0.0, 1.0), (0.0, 2.0)]).is_err());
        assert!(MonotoneCubic::new(vec![(0.0, f64::INFINITY)]).is_err());
    }

    #[test]
    fn the_variance_is_that_of_the_source() {
        assert_eq!((mean(&[1.0, 2.0, 6.0]), variance(&[1.0, 2.0, 6.0])), (3.0, 7.0));
        assert_eq!((mean(&[5.0]), variance(&[5.0])), (5.0, 0.0));
        assert_eq!((mean(&[]), variance(&[])), (0.0, 0.0));
    }

    #[test]
    fn quantiles_lie_between_the_values() {
        assert_eq!(quantile(&[7.0], 0.975), 7.0);
        assert_eq!(quantile(&[1.0, 3.0], 0.5), 2.0);
        assert_eq!(quantile(&[0.0, 10.0, 20.0, 30.0, 40.0], 0.9), 36.0);
    }
}

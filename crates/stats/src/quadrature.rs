//! Integrals by Gauss and Legendre's rule.

use std::f64::consts::PI;

/// The points and weights of a rule.
#[derive(Clone, Debug)]
pub struct GaussLegendre {
    /// Where the function is taken.
    pub points: Vec<f64>,
    /// The weight of each value.
    pub weights: Vec<f64>,
}

impl GaussLegendre {
    /// The rule of so many points, in ascending order, for integrals from `low` to `high`. It is exact for polynomials of a degree below
    /// twice their number. The points are roots of a Legendre polynomial, by Newton's method from the known first approximation.
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

/// The Legendre polynomial of a degree above 0 and its slope, by the recurrence of three terms.
fn legendre(degree: usize, x: f64) -> (f64, f64) {
    let (mut before, mut value) = (1.0, x);
    for k in 2..=degree {
        let k = k as f64;
        (before, value) = (value, ((2.0 * k - 1.0) * x * value - (k - 1.0) * before) / k);
    }
    (value, degree as f64 * (x * value - before) / (x * x - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

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
}

//! The sign of a sum of gamma variables with weights of both signs, for many observations.
//!
//! The probability that `sum a_i G_i` is positive, where `G_i` has shape `n_i`, is the integral of `exp(f(z)) / (2 pi i)` along a line from
//! below to above, right of 0 and left of the least positive `1 / a_i`, with `f(z) = -sum n_i ln(1 - a_i z) - ln z`. Through the one
//! saddle point there the path of steepest descent is taken, on which `f` falls by `s^2` and stays real: what is left is a normal
//! density times a smooth function of s, for which the trapezoidal rule is exact to rounding (Trefethen and Weideman 2014). `f'` is a
//! sum of `-m_j / (z - p_j)` with positive `m_j` and real poles, so that all its zeros are real (Gauss and Lucas) and the path meets
//! no other saddle point.

use std::f64::consts::PI;

use nalgebra::Complex;

use crate::numeric::decreasing_root;

/// The step of the trapezoidal rule, and its number of points at either side; the normal density ends at the last.
const STEP: f64 = 0.1;
const POINTS: i32 = 62;
/// Newton steps towards a point of the path, from an estimate by the point before.
const MOST_CORRECTIONS: usize = 8;
/// Probabilities with a lower logarithm are 0.
const LEAST_LOGARITHM: f64 = -740.0;

/// A weight and the shape of its gamma variable.
type Term = (f64, f64);

/// The probabilities that `sum a_i G_i` is negative, and that it is positive. Terms are `(a_i, n_i)`; both signs occur among the weights,
/// and the shapes are positive.
pub(super) fn tails(terms: &[Term]) -> (f64, f64) {
    let mean: f64 = terms.iter().map(|(weight, shape)| weight * shape).sum();
    // The smaller of the two is computed, so that none loses its digits.
    if mean <= 0.0 {
        let above = positive(terms);
        (1.0 - above, above)
    } else {
        let mirrored: Vec<Term> = terms.iter().map(|&(weight, shape)| (-weight, shape)).collect();
        let below = positive(&mirrored);
        (below, 1.0 - below)
    }
}

/// The probability that the sum is positive.
fn positive(terms: &[Term]) -> f64 {
    let (saddle, curvature) = saddle_point(terms);
    let path = Path { terms, saddle: Complex::from(saddle) };
    let logarithm = path.value(path.saddle).re;
    if logarithm < LEAST_LOGARITHM {
        return 0.0;
    }
    let mut place = path.saddle;
    // The path leaves upwards; its lower half is the mirror image.
    let mut direction = Complex::new(0.0, (2.0 / curvature).sqrt());
    let mut sum = 0.5 * direction.im;
    for point in 1..=POINTS {
        let s = f64::from(point) * STEP;
        place = path.point(s, place + direction * STEP);
        direction = -2.0 * s / path.slope(place);
        sum += (-s * s).exp() * direction.im;
    }
    (logarithm.exp() * STEP * sum / PI).clamp(0.0, 1.0)
}

/// The saddle point between 0 and the least positive pole, and the second derivative there.
///
/// The unknown is the ratio w of the distances to 0 and to the pole, as f' changes by orders of magnitude near either: with it f' goes from
/// `-1 / w` to `w` smoothly.
fn saddle_point(terms: &[Term]) -> (f64, f64) {
    let greatest = terms.iter().map(|term| term.0).fold(0.0, f64::max);
    let place = |w: f64| w / (1.0 + w) / greatest;
    let derivatives = |w: f64| {
        let z = place(w);
        let rate = |weight: f64| if weight == greatest { weight * (1.0 + w) } else { weight / (1.0 - weight * z) };
        let rates = terms.iter().map(|&(weight, shape)| (rate(weight), shape));
        rates.fold((-z.recip(), (z * z).recip()), |sum, (rate, shape)| {
            (sum.0 + shape * rate, sum.1 + shape * rate * rate)
        })
    };
    // Here what the greatest weight adds outweighs all that takes away.
    let sum = |is_of: &dyn Fn(f64) -> bool| {
        terms.iter().filter(|term| is_of(term.0)).map(|(weight, shape)| weight.abs() * shape).sum::<f64>()
    };
    let high = 2.0 + 2.0 * sum(&|weight| weight < 0.0) / sum(&|weight| weight == greatest).max(f64::MIN_POSITIVE);
    let w = decreasing_root(high, |w| {
        let (first, second) = derivatives(w);
        (-first, -second / greatest / (1.0 + w).powi(2))
    });
    (place(w), derivatives(w).1)
}

/// The path of steepest descent from a saddle point.
struct Path<'a> {
    terms: &'a [Term],
    saddle: Complex<f64>,
}

impl Path<'_> {
    /// f.
    fn value(&self, z: Complex<f64>) -> Complex<f64> {
        let parts = self.terms.iter().map(|&(weight, shape)| ln_of_complement(z * weight) * shape);
        -parts.sum::<Complex<f64>>() - z.ln()
    }

    /// f'.
    fn slope(&self, z: Complex<f64>) -> Complex<f64> {
        let parts = self.terms.iter().map(|&(weight, shape)| (1.0 - z * weight).inv() * (weight * shape));
        parts.sum::<Complex<f64>>() - z.inv()
    }

    /// The point where f is `s^2` below the saddle point, near an estimate. Differences are summed term by term, as f itself may be large.
    fn point(&self, s: f64, estimate: Complex<f64>) -> Complex<f64> {
        let mut z = estimate;
        for _ in 0..MOST_CORRECTIONS {
            let fallen = self.terms.iter().map(|&(weight, shape)| {
                // ln((1 - a z) / (1 - a c)) = ln(1 - a (z - c) / (1 - a c)).
                let rate = weight / (1.0 - weight * self.saddle.re);
                ln_of_complement((z - self.saddle) * rate) * shape
            });
            let fallen = fallen.sum::<Complex<f64>>() + ln_of_complement((self.saddle - z) / self.saddle.re);
            let correction = (fallen - s * s) / self.slope(z);
            z += correction;
            if correction.norm_sqr() < 1e-28 * (z - self.saddle).norm_sqr() {
                break;
            }
        }
        z
    }
}

/// `ln(1 - z)`, with all digits near 0.
fn ln_of_complement(z: Complex<f64>) -> Complex<f64> {
    let complement = 1.0 - z;
    let size = if z.norm_sqr() < 0.25 { 0.5 * (z.norm_sqr() - 2.0 * z.re).ln_1p() } else { complement.norm().ln() };
    Complex::new(size, complement.arg())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::beta::Beta;

    #[test]
    fn two_terms_are_a_beta_distribution() {
        for (first, second) in [(1.0, 2.0), (5.0, 1.0), (3.0, 1e6), (1e12, 1.0), (7e5, 8e5), (1e12, 1e12)] {
            let beta = Beta::from_shapes(first, second);
            let (mean, deviation) = (beta.mean(), beta.variance().sqrt());
            for place in [-4.0, -1.0, 0.0, 0.5, 2.0, 6.0] {
                let t = mean + place * deviation;
                if t <= 0.0 || t >= 1.0 {
                    continue;
                }
                // The share of the first variable is above t.
                let (below, above) = tails(&[(1.0 - t, first), (-t, second)]);
                let (expected_below, expected_above) = (beta.cdf(t), beta.survival(t));
                // What rounding of t makes of the result.
                let slack = 1e-11 + 1e-15 / deviation;
                assert!(
                    (below / expected_below - 1.0).abs() < slack,
                    "{first} {second} {place}: {below} {expected_below}"
                );
                assert!(
                    (above / expected_above - 1.0).abs() < slack,
                    "{first} {second} {place}: {above} {expected_above}"
                );
            }
        }
    }

    #[test]
    fn what_cannot_happen_has_no_probability() {
        assert_eq!(tails(&[(0.5, 1.0), (-0.5, 1e7)]), (1.0, 0.0));
        assert_eq!(tails(&[(0.5, 1e7), (-0.5, 1.0)]), (0.0, 1.0));
    }
}

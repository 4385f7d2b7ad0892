//! How long a walk with normal steps stays between -1 and 1: the integral equation, by Nystrom's
//! method. And the moments of lengths.

use kiki_stats::Result;
use kiki_stats::error::check;
use kiki_stats::normal::density;
use kiki_stats::numeric::GaussLegendre;
use nalgebra::{DMatrix, DVector};

/// The mean and the central moments of a number of plies.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LengthMoments {
    /// In plies.
    pub mean: f64,
    pub variance: f64,
    pub third: f64,
    pub fourth: f64,
}

impl LengthMoments {
    /// The moments of a sample of two values or more, each divided by the number of values.
    pub fn of(values: &[f64]) -> Result<Self> {
        Self::weighted(&values.iter().map(|&value| (value, 1.0)))
    }

    pub(crate) fn weighted(values: &(impl ExactSizeIterator<Item = (f64, f64)> + Clone)) -> Result<Self> {
        check("the number of lengths", values.len() as f64, |count| count >= 2.0, "2 or more")?;
        let sum: f64 = values.clone().map(|(_, weight)| weight).sum();
        check("the sum of the weights", sum, |sum| sum > 0.0, "above 0")?;
        let mean = values.clone().map(|(value, weight)| weight * value).sum::<f64>() / sum;
        check("the mean length", mean, |_| true, "finite")?;
        let power =
            |power: i32| values.clone().map(|(value, weight)| weight * (value - mean).powi(power)).sum::<f64>() / sum;
        Ok(Self { mean, variance: power(2), third: power(3), fourth: power(4) })
    }

    /// The standard deviation.
    pub fn deviation(&self) -> f64 {
        self.variance.sqrt()
    }

    /// The third and fourth root of the third and fourth moment, in plies.
    pub fn roots(&self) -> (f64, f64) {
        (self.third.cbrt(), self.fourth.powf(0.25))
    }

    /// The third moment in units of the standard deviation.
    pub fn skewness(&self) -> f64 {
        self.third / self.variance.powf(1.5)
    }

    /// The fourth moment in units of the standard deviation, less the 3 of a normal distribution.
    pub fn excess_kurtosis(&self) -> f64 {
        self.fourth / (self.variance * self.variance) - 3.0
    }
}

/// The least standard deviation of a step. Narrower steps would need larger matrices than any game
/// length requires.
pub const LEAST_STEP: f64 = 0.02;
/// The greatest deviation of a step: nearly every walk ends with its first step.
const GREATEST_STEP: f64 = 100.0;
const LEAST_POINTS: usize = 100;
const POINTS_A_STEP: f64 = 4.0;
/// Number of steps with an equal rate, up to rounding, after which the rate counts as settled.
const SETTLED_STEPS: u32 = 100;
const ROUNDING: f64 = 1e-15;
/// The distribution ends when no more than this is left.
const REST: f64 = 1e-14;

/// A walk from 0 with normal steps that ends when it reaches or passes 1 or -1.
#[derive(Clone, Debug)]
pub struct Walk {
    /// The standard deviation of a step.
    step: f64,
    /// From a point (row) to the next (column). A point also represents its mirror image.
    kernel: DMatrix<f64>,
    /// From 0 to the points.
    start: DVector<f64>,
}

impl Walk {
    /// A walk whose steps have this standard deviation, from [`LEAST_STEP`] to 100.
    pub fn new(step: f64) -> Result<Self> {
        check("the step", step, |step| (LEAST_STEP..=GREATEST_STEP).contains(&step), "between 0.02 and 100")?;
        let count = ((POINTS_A_STEP / step).ceil() as usize).max(LEAST_POINTS);
        let rule = GaussLegendre::new(count, 0.0, 1.0);
        let (points, weights) = (&rule.points, &rule.weights);
        let go = |from: f64, to: f64| density((from - to) / step) / step;
        let both = |from: f64, to: usize| weights[to] * (go(from, points[to]) + go(from, -points[to]));
        let kernel = DMatrix::from_fn(count, count, |from, to| both(points[from], to));
        let start = DVector::from_fn(count, |to, _| both(0.0, to));
        Ok(Self { step, kernel, start })
    }

    /// The standard deviation of a step.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// The moments of the number of steps until the walk ends, the last one counted.
    pub fn moments(&self) -> LengthMoments {
        // T is 1, plus T of the next point if that lies inside. Its powers follow by the binomial
        // theorem.
        let count = self.start.len();
        let system = (DMatrix::identity(count, count) - &self.kernel).lu();
        // From every point the walk may end, so the system has a solution.
        let solve =
            |right: DVector<f64>| system.solve(&right).unwrap_or_else(|| DVector::from_element(count, f64::NAN));
        let one = DVector::from_element(count, 1.0);
        let first = solve(one.clone());
        let next_first = &self.kernel * &first;
        let second = solve(&one + 2.0 * &next_first);
        let next_second = &self.kernel * &second;
        let third = solve(&one + 3.0 * (&next_first + &next_second));
        let next_third = &self.kernel * &third;
        let fourth = solve(&one + 4.0 * (&next_first + &next_third) + 6.0 * &next_second);
        let [a, b, c, d] = [first, second, third, fourth].map(|from| self.start.dot(&from));
        central([1.0 + a, 1.0 + 2.0 * a + b, 1.0 + 3.0 * (a + b) + c, 1.0 + 4.0 * (a + c) + 6.0 * b + d])
    }

    /// The probabilities that the walk ends with step 1, 2, .. The last one includes the small
    /// rest.
    pub fn distribution(&self) -> Vec<f64> {
        let mut here = self.start.clone();
        let (mut before, mut probabilities) = (1.0, Vec::new());
        let next = self.kernel.transpose();
        let (mut rate, mut settled) = (0.0, 0);
        while before > REST {
            // In the end the walk is distributed by its slowest mode, and the same part ends with
            // each step.
            let left = if settled < SETTLED_STEPS { here.sum() } else { rate * before };
            probabilities.push(before - left);
            let last_rate = std::mem::replace(&mut rate, left / before);
            settled = if (rate - last_rate).abs() < ROUNDING { settled + 1 } else { 0 };
            before = left;
            if settled < SETTLED_STEPS {
                here = &next * here;
            }
        }
        if let Some(last) = probabilities.last_mut() {
            *last += before;
        }
        probabilities
    }

    /// The number of steps that half of the walks do not exceed.
    pub fn median(&self) -> u32 {
        let mut sum = 0.0;
        let mut below = |probability: &f64| {
            sum += probability;
            sum < 0.5
        };
        1 + self.distribution().iter().take_while(|probability| below(probability)).count() as u32
    }
}

/// Central moments from those around 0.
fn central([m1, m2, m3, m4]: [f64; 4]) -> LengthMoments {
    LengthMoments {
        mean: m1,
        variance: m2 - m1 * m1,
        third: m3 - 3.0 * m1 * m2 + 2.0 * m1.powi(3),
        fourth: m4 - 4.0 * m1 * m3 + 6.0 * m1 * m1 * m2 - 3.0 * m1.powi(4),
    }
}

#[cfg(test)]
mod tests {
    use kiki_stats::normal::cdf;

    use super::*;

    #[test]
    fn a_wide_step_ends_most_walks_at_once() {
        let walk = Walk::new(50.0).unwrap();
        let first = 2.0 * cdf(-1.0 / 50.0);
        assert!((walk.distribution()[0] - first).abs() < 1e-12);
        assert_eq!(walk.median(), 1);
    }

    #[test]
    fn moments_are_those_of_the_distribution() {
        for step in [0.06, 0.25, 0.7, 2.0] {
            let walk = Walk::new(step).unwrap();
            let moments = walk.moments();
            let distribution = walk.distribution();
            assert!((distribution.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let mean: f64 = distribution.iter().zip(1..).map(|(p, t)| p * f64::from(t)).sum();
            let power = |power: i32| -> f64 {
                distribution.iter().zip(1..).map(|(p, t)| p * (f64::from(t) - mean).powi(power)).sum()
            };
            let close = |found: f64, expected: f64| {
                assert!((found / expected - 1.0).abs() < 1e-7, "{step}: {found} {expected}");
            };
            close(moments.mean, mean);
            close(moments.variance, power(2));
            close(moments.third, power(3));
            close(moments.fourth, power(4));
        }
    }

    /// A narrow step is Brownian motion whose border lies 0.5826 steps further out (Chernoff 1965).
    #[test]
    fn a_narrow_step_lasts_as_long_as_the_limit_says() {
        let step = LEAST_STEP;
        let limit = ((1.0 + 0.582_597_2 * step) / step).powi(2);
        assert!((Walk::new(step).unwrap().moments().mean / limit - 1.0).abs() < 1e-3);
        assert!(Walk::new(0.019).is_err() && Walk::new(f64::NAN).is_err() && Walk::new(101.0).is_err());
    }
}

//! Curves through known points.

use crate::error::check;
use crate::{Result, StatsError};

/// A cubic curve through points that neither overshoots nor swings: where the points rise, so does the curve (the slopes are those of
/// Fritsch and Butland 1984, a harmonic mean of the slopes at either side).
#[derive(Clone, PartialEq, Debug)]
pub struct MonotoneCubic {
    points: Vec<(f64, f64)>,
    slopes: Vec<f64>,
}

impl MonotoneCubic {
    /// A curve through points, in whatever order they are given.
    ///
    /// # Errors
    /// Without points, if a coordinate is not finite, or two points have the same x.
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

    /// The curve at x; beyond the points it stays what it is at the last one.
    #[must_use]
    pub fn at(&self, x: f64) -> f64 {
        let right = self.points.partition_point(|point| point.0 <= x);
        if right == 0 || right == self.points.len() {
            return self.points[right.saturating_sub(1)].1;
        }
        let [(x0, y0), (x1, y1)] = [self.points[right - 1], self.points[right]];
        let [slope0, slope1] = [self.slopes[right - 1], self.slopes[right]];
        let (width, t) = (x1 - x0, (x - x0) / (x1 - x0));
        let rest = 1.0 - t;
        // Hermite's basis.
        y0 * rest * rest * (1.0 + 2.0 * t)
            + y1 * t * t * (1.0 + 2.0 * rest)
            + width * t * rest * (slope0 * rest - slope1 * t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}

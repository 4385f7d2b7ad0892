//! A line through points, by ordinary least squares (Draper and Smith 1998, chapter 1).

use crate::error::number;
use crate::{Result, StatsError};

/// `y = intercept + slope * x + error`, where the errors are independent and equally wide. Errors
/// of its numbers are standard errors.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LineFit {
    /// The change of `y` when `x` grows by 1.
    pub slope: f64,
    /// The `y` of the line where `x` is 0.
    pub intercept: f64,
    /// The error of the slope.
    pub slope_error: f64,
    /// The error of the intercept.
    pub intercept_error: f64,
    /// Of `x` and `y`, from -1 to 1; 0 if all `y` are equal.
    pub correlation: f64,
    /// The standard deviation of the residuals, with two degrees of freedom taken by the line.
    pub residual_deviation: f64,
    /// How many points there were.
    pub points: usize,
    /// The mean of their `x`.
    pub mean_x: f64,
}

impl LineFit {
    /// The line through points `(x, y)`. An error names the line by `what`. Refuses fewer than three
    /// points, equal `x` throughout, and numbers that are not finite.
    pub fn new(what: &'static str, points: &[(f64, f64)]) -> Result<Self> {
        let refuse = |reason| Err(StatsError::NotEstimable { what, reason });
        if points.len() < 3 {
            return refuse("there are fewer than three points");
        }
        // Not by the spread, which rounding makes positive for equal numbers.
        if points.iter().all(|point| point.0 == points[0].0) {
            return refuse("all points have the same first number");
        }
        for &(x, y) in points {
            number("the first number of a point", x)?;
            number("the second number of a point", y)?;
        }
        let count = points.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
        let (mean_x, mean_y) = (mean(|point| point.0), mean(|point| point.1));
        let sum = |of: &dyn Fn(f64, f64) -> f64| points.iter().map(|&(x, y)| of(x - mean_x, y - mean_y)).sum::<f64>();
        let (xx, xy, yy) = (sum(&|x, _| x * x), sum(&|x, y| x * y), sum(&|_, y| y * y));
        let slope = xy / xx;
        let residual_deviation = (sum(&|x, y| (y - slope * x).powi(2)) / (count - 2.0)).sqrt();
        Ok(Self {
            slope,
            intercept: mean_y - slope * mean_x,
            slope_error: residual_deviation / xx.sqrt(),
            intercept_error: residual_deviation * (1.0 / count + mean_x * mean_x / xx).sqrt(),
            correlation: if yy > 0.0 { xy / (xx * yy).sqrt() } else { 0.0 },
            residual_deviation,
            points: points.len(),
            mean_x,
        })
    }

    /// The standard deviation of the `y` of a further point, whose `x` is exact.
    pub fn prediction_deviation(&self, x: f64) -> f64 {
        let of_line = self.slope_error * (x - self.mean_x);
        (self.residual_deviation.powi(2) * (1.0 + 1.0 / self.points as f64) + of_line.powi(2)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_on_a_line_have_no_residuals() {
        let found = LineFit::new("a line", &[(0.0, 3.0), (1.0, 1.0), (3.0, -3.0)]).unwrap();
        assert!((found.intercept - 3.0).abs() < 1e-12 && (found.slope + 2.0).abs() < 1e-12);
        assert!(found.residual_deviation < 1e-12 && (found.correlation + 1.0).abs() < 1e-12);
    }

    #[test]
    fn what_is_no_line_is_refused() {
        let refuses = |points| LineFit::new("a line", points).is_err();
        assert!(refuses(&[(0.0, 1.0), (1.0, 2.0)]));
        // Their mean is rounded: a spread would be left.
        assert!(refuses(&[(0.1, 1.0), (0.1, 2.0), (0.1, 3.0)]));
        assert!(refuses(&[(1.0, 1.0), (2.0, f64::NAN), (3.0, 0.0)]));
    }
}

//! The line between mean errors and ratings, and the rank correlation of the two.

use kiki_stats::{Result, StatsError};
use serde::Serialize;

/// `rating = intercept + slope * mean error`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RatingLine {
    /// The rating of a player without errors.
    pub intercept: f64,
    /// Elo a unit of mean scaled error; negative.
    pub slope: f64,
}

/// The line that Regan and others found for chess, in pawns, by an engine searching 13 plies. Ratings by it are on the scale of chess.
pub const CHESS_LINE: RatingLine = RatingLine { intercept: 3571.0, slope: -15413.0 };

impl RatingLine {
    /// The rating that belongs to a mean scaled error.
    pub fn rating(&self, mean_error: f64) -> f64 {
        self.intercept + self.slope * mean_error
    }

    /// The mean scaled error that belongs to a rating.
    pub fn mean_error(&self, rating: f64) -> f64 {
        (rating - self.intercept) / self.slope
    }
}

/// A line by ordinary least squares, with its errors.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct LineFit {
    /// The line.
    #[serde(skip)]
    pub line: RatingLine,
    /// The standard error of its intercept.
    pub error_intercept: f64,
    /// The standard error of its slope.
    pub error_slope: f64,
    /// The correlation of the points.
    pub correlation: f64,
    /// The standard deviation of the residuals, with two degrees of freedom taken by the line.
    pub residual_deviation: f64,
}

/// The line through points of mean error and rating.
///
/// # Errors
/// If there are fewer than three points, one is not finite, or all have the same mean error.
pub fn fit_line(points: &[(f64, f64)]) -> Result<LineFit> {
    let refuse = |reason| Err(StatsError::NotEstimable { what: "the rating line", reason });
    if points.len() < 3 {
        return refuse("there are fewer than three players");
    }
    if points.iter().any(|(x, y)| !x.is_finite() || !y.is_finite()) {
        return refuse("a mean error or a rating is not finite");
    }
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (middle_x, middle_y) = (mean(|point| point.0), mean(|point| point.1));
    let sum = |of: &dyn Fn(f64, f64) -> f64| points.iter().map(|&(x, y)| of(x - middle_x, y - middle_y)).sum::<f64>();
    let (xx, xy, yy) = (sum(&|x, _| x * x), sum(&|x, y| x * y), sum(&|_, y| y * y));
    if xx == 0.0 {
        return refuse("all players have the same mean error");
    }
    let slope = xy / xx;
    let residual = (sum(&|x, y| (y - slope * x).powi(2)) / (count - 2.0)).sqrt();
    Ok(LineFit {
        line: RatingLine { intercept: middle_y - slope * middle_x, slope },
        error_intercept: residual * (1.0 / count + middle_x * middle_x / xx).sqrt(),
        error_slope: residual / xx.sqrt(),
        correlation: if yy > 0.0 { xy / (xx * yy).sqrt() } else { 0.0 },
        residual_deviation: residual,
    })
}

/// Spearman's rank correlation of pairs; none with fewer than three, or where all of one kind are equal.
pub(crate) fn rank_correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    let ranks = |of: fn(&(f64, f64)) -> f64| -> Vec<f64> {
        let rank = |pair: &(f64, f64)| {
            let less = pairs.iter().filter(|other| of(other) < of(pair)).count();
            let equal = pairs.iter().filter(|other| of(other) == of(pair)).count();
            // Equal ones share the mean of their ranks.
            less as f64 + (equal as f64 - 1.0) / 2.0
        };
        pairs.iter().map(rank).collect()
    };
    let points: Vec<(f64, f64)> = ranks(|pair| pair.0).into_iter().zip(ranks(|pair| pair.1)).collect();
    let varies = |of: fn(&(f64, f64)) -> f64| points.iter().any(|point| of(point) != of(&points[0]));
    let varied = points.len() > 2 && varies(|point| point.0) && varies(|point| point.1);
    if varied { fit_line(&points).ok().map(|fitted| fitted.correlation) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_on_a_line_have_no_residuals() {
        let found = fit_line(&[(0.0, 3.0), (1.0, 1.0), (3.0, -3.0)]).unwrap();
        assert!((found.line.intercept - 3.0).abs() < 1e-12 && (found.line.slope + 2.0).abs() < 1e-12);
        assert!(found.residual_deviation < 1e-12 && (found.correlation + 1.0).abs() < 1e-12);
        assert!((found.line.mean_error(found.line.rating(0.7)) - 0.7).abs() < 1e-12);
    }

    #[test]
    fn what_is_no_line_is_refused() {
        assert!(fit_line(&[(0.0, 1.0), (1.0, 2.0)]).is_err());
        assert!(fit_line(&[(1.0, 1.0); 3]).is_err());
        assert!(fit_line(&[(1.0, 1.0), (2.0, f64::NAN), (3.0, 0.0)]).is_err());
    }

    #[test]
    fn ranks_are_compared_not_values() {
        assert_eq!(rank_correlation(&[(1.0, 10.0), (2.0, 1000.0), (3.0, 1001.0)]), Some(1.0));
        let turned = rank_correlation(&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]).unwrap();
        assert!((turned + 1.0).abs() < 1e-12);
        assert_eq!(rank_correlation(&[(1.0, 3.0), (2.0, 3.0), (3.0, 3.0)]), None);
        assert_eq!(rank_correlation(&[(1.0, 3.0), (2.0, 2.0)]), None);
    }
}

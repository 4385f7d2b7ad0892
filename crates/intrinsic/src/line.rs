//! The line between mean errors and ratings, and the rank correlation of the two.

use kiki_stats::line::LineFit;
use kiki_stats::{Result, StatsError};

/// `rating = intercept + slope * mean error`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RatingLine {
    /// The rating of a player without errors.
    pub intercept: f64,
    /// Elo a unit of mean scaled error; negative.
    pub slope: f64,
}

/// The line that Regan and others found for chess, in pawns, by an engine searching 13 plies.
/// Ratings by it are on the scale of chess.
pub const CHESS_LINE: RatingLine = RatingLine { intercept: 3571.0, slope: -15413.0 };

impl RatingLine {
    pub fn rating(&self, mean_error: f64) -> f64 {
        self.intercept + self.slope * mean_error
    }

    /// Fails for a level line: all players of equal rating say nothing about others.
    pub fn mean_error(&self, rating: f64) -> Result<f64> {
        let mean_error = (rating - self.intercept) / self.slope;
        let level = StatsError::NotEstimable { what: "the mean error of a rating", reason: "the line is level" };
        if mean_error.is_finite() { Ok(mean_error) } else { Err(level) }
    }
}

impl From<&LineFit> for RatingLine {
    fn from(fitted: &LineFit) -> Self {
        Self { intercept: fitted.intercept, slope: fitted.slope }
    }
}

/// The programs that docs/intrinsic.md measured: mean error and rating by results. The network with
/// 8,000 nodes a move is rated 0.
const SHOGI_PROGRAMS: [(f64, f64); 14] = [
    (0.2406, 281.9),
    (0.2908, 0.0),
    (0.4122, -227.5),
    (0.3681, -243.0),
    (0.4799, -332.1),
    (0.5184, -404.2),
    (0.5504, -544.2),
    (0.4202, -598.5),
    (0.4877, -918.4),
    (0.5883, -969.7),
    (0.5233, -1073.2),
    (0.6093, -1163.3),
    (0.7038, -1466.1),
    (0.7275, -1479.5),
];

/// The line of shogi, by programs that a search of 11 plies with 6 lines judged. Never fails: the
/// points are constants.
pub fn shogi_line() -> Result<LineFit> {
    fit_line(&SHOGI_PROGRAMS)
}

/// The line through points of mean error and rating. Refuses fewer than three points, and mean
/// errors that are all equal.
pub(crate) fn fit_line(points: &[(f64, f64)]) -> Result<LineFit> {
    LineFit::new("the rating line", points)
}

/// Spearman's rank correlation of pairs; `None` with fewer than three, or if one side has only
/// equal numbers.
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
    fn a_line_is_read_in_both_directions() {
        let line = RatingLine::from(&fit_line(&[(0.0, 3.0), (1.0, 1.0), (3.0, -3.0)]).unwrap());
        assert!((line.mean_error(line.rating(0.7)).unwrap() - 0.7).abs() < 1e-12);
        let level = RatingLine::from(&fit_line(&[(1.0, 5.0), (2.0, 5.0), (3.0, 5.0)]).unwrap());
        assert!(level.mean_error(5.0).is_err() && level.mean_error(7.0).is_err());
    }

    #[test]
    fn the_line_of_shogi_is_that_of_the_documentation() {
        let found = shogi_line().unwrap();
        let near = |found: f64, told: f64| assert!((found - told).abs() < 2.0, "{found}, not {told}");
        near(found.intercept, 1094.0);
        near(found.slope, -3533.0);
        near(found.intercept_error, 215.0);
        near(found.slope_error, 420.0);
        near(found.residual_deviation, 214.0);
        // One more player is less certain than those of the line, the more so far from them.
        near(found.prediction_deviation(found.mean_x), 213.7 * (1.0f64 + 1.0 / 14.0).sqrt());
        assert!(found.prediction_deviation(0.1) > found.prediction_deviation(0.5));
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

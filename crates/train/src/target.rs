//! What evaluations learn to foretell.

/// The centipawns of a score that stand for 75 percent of the points.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ScoreScale(pub f64);

impl ScoreScale {
    /// The part of the points that a score stands for.
    #[must_use]
    pub fn points(self, score: f64) -> f64 {
        1.0 / (1.0 + (-score * 3_f64.ln() / self.0).exp())
    }

    /// The score that stands for a part of the points: infinite for 0 and 1.
    ///
    /// ```
    /// let scale = kiki_train::ScoreScale(600.0);
    /// assert!((scale.score(0.75) - 600.0).abs() < 1e-9);
    /// assert!((scale.score(scale.points(-250.0)) + 250.0).abs() < 1e-9);
    /// ```
    #[must_use]
    pub fn score(self, points: f64) -> f64 {
        self.0 * (points / (1.0 - points)).ln() / 3_f64.ln()
    }
}

/// How the score of a record and the result of its game make a target.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Target {
    /// How much the score counts; the rest is the result. 0 to 1.
    pub lambda: f64,
    /// The centipawns of a score that stand for 75 percent of the points.
    pub score_scale: f64,
}

impl Target {
    /// The part of the points that is to be foretold for a record with this score and result (1, 0, -1), for the same side.
    ///
    /// ```
    /// let target = kiki_train::Target { lambda: 0.5, score_scale: 600.0 };
    /// assert!((target.points(600, 1) - (0.75 + 1.0) / 2.0).abs() < 1e-12);
    /// ```
    #[must_use]
    pub fn points(&self, score: i16, result: i8) -> f64 {
        let of_score = ScoreScale(self.score_scale).points(f64::from(score));
        self.lambda * of_score + (1.0 - self.lambda) * points_of_result(result)
    }
}

/// The points of a result: 1, 0 or -1.
pub(crate) fn points_of_result(result: i8) -> f64 {
    (1.0 + f64::from(result.signum())) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_lies_between_score_and_result() {
        let target = Target { lambda: 0.75, score_scale: 600.0 };
        assert!((target.points(600, 0) - (0.75 * 0.75 + 0.25 * 0.5)).abs() < 1e-12);
        assert!((target.points(0, -1) - 0.375).abs() < 1e-12);
        assert!((target.points(-600, 1) - (0.75 * 0.25 + 0.25)).abs() < 1e-12);
    }
}

//! What evaluations learn to predict: a mix of scores and results.

use crate::psv::TrainingRecord;

/// A scale of scores: the number of centipawns that stand for 75 percent of the points.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ScoreScale(pub f64);

impl ScoreScale {
    /// The share of the points for a score.
    #[must_use]
    pub fn points(self, score: f64) -> f64 {
        1.0 / (1.0 + (-score * 3_f64.ln() / self.0).exp())
    }

    /// The score for a share of the points: infinite for 0 and 1.
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

/// The mix of score and result that an evaluation should predict.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TrainingTarget {
    /// Weight of the score; the result has the rest. 0 to 1.
    pub lambda: f64,
    /// The [`ScoreScale`] of the score, in centipawns.
    pub score_scale: f64,
}

impl TrainingTarget {
    /// The share of the points to predict for a record with this score and result (1, 0, -1), all
    /// for the same side.
    ///
    /// ```
    /// let target = kiki_train::TrainingTarget { lambda: 0.5, score_scale: 600.0 };
    /// assert!((target.points(600, 1) - (0.75 + 1.0) / 2.0).abs() < 1e-12);
    /// ```
    #[must_use]
    pub fn points(&self, score: i16, result: i8) -> f64 {
        let of_score = ScoreScale(self.score_scale).points(f64::from(score));
        self.lambda * of_score + (1.0 - self.lambda) * points_of_result(result)
    }
}

/// The points (0 to 1) of a result of 1, 0 or -1.
pub(crate) fn points_of_result(result: i8) -> f64 {
    (1.0 + f64::from(result.signum())) / 2.0
}

/// Scores that take account of the rest of their game: lambda-returns (temporal differences;
/// Sutton, 1988).
///
/// A score alone repeats what the evaluation believes. The result alone is the same for all
/// positions of a game, so that a network memorises the games. A return lies between: a mean of the
/// score and of later ones, whose weights fall, and in the end the result.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LambdaReturn {
    /// Weight of the position's own score; what comes later has the rest. 0 to 1.
    pub own: f64,
    /// Weight of what follows the next score, per ply. 0: the next score alone; 1: the result.
    pub decay: f64,
    /// The [`ScoreScale`] of the old scores, in centipawns; the new ones have
    /// [`LambdaReturn::NEW_SCALE`].
    pub score_scale: f64,
}

impl LambdaReturn {
    /// The scale of the new scores, one for all evaluations, so that data of several can be learned
    /// from together.
    pub const NEW_SCALE: ScoreScale = ScoreScale(600.0);

    /// Replaces the scores of a game's records, which follow each other in order of plies.
    ///
    /// ```
    /// use kiki_board::PackedSfen;
    /// use kiki_train::{LambdaReturn, psv::TrainingRecord};
    ///
    /// // Two positions, both with Black to move, who wins.
    /// let record = |ply, score| TrainingRecord { sfen: PackedSfen([0; 32]), score, mv: 0, ply, result: 1 };
    /// let game = [record(1, 0), record(3, 900)];
    /// let mut scores = game;
    /// LambdaReturn { own: 1.0, decay: 0.5, score_scale: 900.0 }.apply(&mut scores);
    /// assert_eq!(scores.map(|record| record.score), [0, 600]);
    /// // Later: a quarter of the result, three quarters of 900 centipawns, or 75 percent.
    /// let mut later = game;
    /// LambdaReturn { own: 0.0, decay: 0.5, score_scale: 900.0 }.apply(&mut later);
    /// assert_eq!(later[0].score, (600.0 * f64::log(0.8125 / 0.1875, 3.0)).round() as i16);
    /// ```
    pub fn apply(&self, game: &mut [TrainingRecord]) {
        let scale = ScoreScale(self.score_scale);
        // Of the next record: its ply, and in Black's view the points of its score and of what
        // comes later.
        let mut next: Option<(u16, f64, f64)> = None;
        for record in game.iter_mut().rev() {
            let own = record.for_black(scale.points(f64::from(record.score)));
            let later = match next {
                None => record.for_black(points_of_result(record.result)),
                Some((ply, score, later)) => {
                    let kept = self.decay.powi(i32::from(ply - record.ply));
                    (1.0 - kept) * score + kept * later
                }
            };
            next = Some((record.ply, own, later));
            let points = record.for_black(self.own * own + (1.0 - self.own) * later);
            record.score = Self::NEW_SCALE.score(points).round().clamp(-GREATEST_SCORE, GREATEST_SCORE) as i16;
        }
    }
}

/// The score of a certain win, in centipawns.
const GREATEST_SCORE: f64 = 32_000.0;

/// Whether `next`, which follows `record` in a file of self-play, may belong to the same game: a
/// later ply, and the same winner.
#[must_use]
pub fn is_same_game(record: &TrainingRecord, next: &TrainingRecord) -> bool {
    let winner = |record: &TrainingRecord| record.for_black(points_of_result(record.result));
    next.ply > record.ply && winner(record) == winner(next)
}

#[cfg(test)]
mod tests {
    use kiki_board::PackedSfen;

    use super::*;

    /// The side to move is White's if `ply` is even.
    fn record(ply: u16, score: i16, result: i8) -> TrainingRecord {
        let mut sfen = PackedSfen([0; 32]);
        sfen.0[0] = u8::from(ply.is_multiple_of(2));
        TrainingRecord { sfen, score, mv: 0, ply, result }
    }

    fn scores(how: LambdaReturn, mut game: Vec<TrainingRecord>) -> Vec<i16> {
        how.apply(&mut game);
        game.iter().map(|record| record.score).collect()
    }

    const HOW: LambdaReturn = LambdaReturn { own: 0.5, decay: 0.9, score_scale: 600.0 };

    #[test]
    fn a_return_is_the_same_in_the_view_of_either_side() {
        // Black's score is 300 all the time, and Black loses.
        let game: Vec<_> =
            (1..=40).map(|ply| if ply % 2 == 1 { record(ply, 300, -1) } else { record(ply, -300, 1) }).collect();
        let scores = scores(HOW, game);
        let for_black: Vec<i16> =
            scores.iter().zip(1..).map(|(&score, ply)| if ply % 2 == 1 { score } else { -score }).collect();
        assert!(for_black.is_sorted_by(|before, after| before >= after), "{for_black:?}");
        assert!((280..=300).contains(&for_black[0]) && for_black[39] < 0, "{for_black:?}");
    }

    #[test]
    fn plies_without_a_record_count() {
        let with_gap = |ply| scores(LambdaReturn { own: 0.0, ..HOW }, vec![record(1, 0, 1), record(ply, 0, 1)])[0];
        // The score in between is 0, the result 1: later is (1 - 0.9^n) / 2 + 0.9^n.
        for ply in [3, 5, 21] {
            let kept = 0.9_f64.powi(i32::from(ply) - 1);
            let points = (1.0 + kept) / 2.0;
            assert_eq!(with_gap(ply), (600.0 * (points / (1.0 - points)).ln() / 3_f64.ln()).round() as i16);
        }
    }

    #[test]
    fn certain_points_have_a_score() {
        let won = scores(LambdaReturn { own: 0.0, decay: 1.0, ..HOW }, vec![record(1, 0, 1), record(2, 0, -1)]);
        assert_eq!(won, [32_000, -32_000]);
        assert_eq!(scores(LambdaReturn { own: 0.0, decay: 1.0, ..HOW }, vec![record(1, 900, 0)]), [0]);
    }

    #[test]
    fn games_are_told_apart() {
        assert!(is_same_game(&record(5, 0, 1), &record(8, 0, -1)), "Black has won");
        assert!(!is_same_game(&record(5, 0, 1), &record(8, 0, 1)), "Black has won, White has won");
        assert!(!is_same_game(&record(90, 0, 1), &record(7, 0, 1)), "back at an earlier ply");
        assert!(is_same_game(&record(5, 0, 0), &record(6, 0, 0)), "a draw");
    }
}

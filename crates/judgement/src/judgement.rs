//! The loss and the mark of a played move, and the accuracy of a player.

use anyhow::{Result, ensure};
use kiki_board::{Move, Position};
use kiki_usi::ScoreValue;
use serde::{Deserialize, Serialize};

/// The logistic winning probability of a value: `scale` centipawns give odds of e to 1, a mate
/// certainty.
///
/// ```
/// use kiki_judgement::winning_probability;
/// use kiki_usi::ScoreValue;
///
/// assert_eq!(winning_probability(ScoreValue::Cp(0), 600.0), 0.5);
/// assert!((winning_probability(ScoreValue::Cp(600), 600.0) - 0.7310585786).abs() < 1e-9);
/// assert!((winning_probability(ScoreValue::Cp(-600), 600.0) - 0.2689414214).abs() < 1e-9);
/// assert_eq!(winning_probability(ScoreValue::mate(-4), 600.0), 0.0);
/// ```
#[must_use]
pub fn winning_probability(value: ScoreValue, scale: f64) -> f64 {
    match value {
        ScoreValue::Cp(centipawns) => 1.0 / (1.0 + (-f64::from(centipawns) / scale).exp()),
        ScoreValue::Mate(plies) => f64::from(u8::from(plies.is_positive())),
    }
}

/// Where the value of a played move comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueSource {
    /// One of the lines begins with it.
    Line,
    /// A search of the move alone.
    Searchmoves,
    /// The value of the next position.
    Next,
    /// It leaves the other side no legal move.
    Checkmate,
}

/// The value of a played move for its side, its source, and the rank of its line. `lines` says of
/// each line whether it begins with the move, and its value; `alone` is the value of a search of
/// the move alone, `next` that of the next position for its side to move.
#[must_use]
pub fn value_of_played(
    position: &Position,
    mv: Move,
    lines: impl IntoIterator<Item = (bool, ScoreValue)>,
    alone: Option<ScoreValue>,
    next: Option<ScoreValue>,
) -> Option<(ScoreValue, ValueSource, Option<usize>)> {
    let mut after = position.clone();
    after.make(mv);
    let line = (1..).zip(lines).find(|(_, (is_played, _))| *is_played);
    let rank = line.map(|(rank, _)| rank);
    // A side without a legal move has lost, in check or not.
    if after.legal_moves().is_empty() {
        return Some((ScoreValue::mate(1), ValueSource::Checkmate, rank));
    }
    if let Some((rank, (_, value))) = line {
        return Some((value, ValueSource::Line, Some(rank)));
    }
    if let Some(value) = alone {
        return Some((value, ValueSource::Searchmoves, None));
    }
    next.map(|value| (value.of_move_before(), ValueSource::Next, None))
}

/// The scale from values to probabilities, and the least loss for each mark. Probabilities and
/// losses are from 0 to 1.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thresholds {
    /// Centipawns at which the winning odds are e to 1.
    pub scale: f64,
    pub inaccuracy: f64,
    pub mistake: f64,
    pub blunder: f64,
    /// Least winning probability that counts as won. A side with at most 1 minus this has lost.
    pub decided: f64,
    /// The loss that lowers the accuracy of a move to 1/e.
    pub accuracy: f64,
}

/// 600 is the usual scale of shogi programs; the other values are this program's choice.
impl Default for Thresholds {
    fn default() -> Self {
        Self { scale: 600.0, inaccuracy: 0.05, mistake: 0.1, blunder: 0.2, decided: 0.9, accuracy: 0.2 }
    }
}

impl Thresholds {
    /// Refuses a scale not above 0, and losses that do not ascend.
    pub fn check(&self) -> Result<()> {
        let Self { scale, inaccuracy, mistake, blunder, .. } = *self;
        ensure!(scale > 0.0 && scale.is_finite(), "the scale must be above 0, not {scale}");
        ensure!(
            [0.0, inaccuracy, mistake, blunder, 1.0].is_sorted_by(|less, more| less < more),
            "the losses of an inaccuracy, a mistake and a blunder must ascend between 0 and 1: {inaccuracy}, {mistake}, {blunder}"
        );
        Ok(())
    }

    /// The accuracy of a move with this loss, from 0 to 100.
    #[must_use]
    pub fn accuracy_of(&self, loss: f64) -> f64 {
        100.0 * (-loss / self.accuracy).exp()
    }
}

/// How bad a move was.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// `?!`
    Inaccuracy,
    /// `?`
    Mistake,
    /// `??`
    Blunder,
}

/// Why a move is not judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unjudged {
    /// There was no other legal move.
    Forced,
    /// The side that moved counts as the winner after the move, or as the loser before it.
    Decided,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Judgement {
    /// The lost winning probability, from 0 to 1; 0 for a move that is better than the best
    /// variation found.
    pub loss: f64,
    /// How bad it was; `None` for a good move and for one that is not judged.
    pub mark: Option<Mark>,
    pub unjudged: Option<Unjudged>,
}

/// Judges a move by its own value and the best move's, both for the side that moved.
#[must_use]
pub fn judge(best: ScoreValue, played: ScoreValue, legal_moves: usize, thresholds: &Thresholds) -> Judgement {
    let [before, after] = [best, played].map(|value| winning_probability(value, thresholds.scale));
    let loss = (before - after).max(0.0);
    let is_decided = after >= thresholds.decided || before <= 1.0 - thresholds.decided;
    let unjudged = match (legal_moves, is_decided) {
        (..=1, _) => Some(Unjudged::Forced),
        (_, true) => Some(Unjudged::Decided),
        _ => None,
    };
    let mark = [
        (thresholds.blunder, Mark::Blunder),
        (thresholds.mistake, Mark::Mistake),
        (thresholds.inaccuracy, Mark::Inaccuracy),
    ]
    .into_iter()
    .find(|(least, _)| loss >= *least)
    .map(|(_, mark)| mark)
    .filter(|_| unjudged.is_none());
    Judgement { loss, mark, unjudged }
}

/// How one side played in one game or several, judged by one engine.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct SideSummary {
    pub judged: usize,
    /// Judged moves that are the engine's own choice.
    pub best_moves: usize,
    /// The mean loss of judged moves, from 0 to 1; `None` without judged moves.
    pub mean_loss: Option<f64>,
    /// The mean of `100 exp(-loss / accuracy scale)` over judged moves; `None` without judged
    /// moves.
    pub accuracy: Option<f64>,
    pub inaccuracies: usize,
    pub mistakes: usize,
    pub blunders: usize,
}

impl SideSummary {
    /// Sums up judgements; the flag marks the engine's own choice.
    #[must_use]
    pub fn new(judgements: impl IntoIterator<Item = (Judgement, bool)>, thresholds: &Thresholds) -> Self {
        let mut summary = Self::default();
        let (mut losses, mut accuracies) = (0.0, 0.0);
        for (judgement, is_best) in judgements {
            if judgement.unjudged.is_some() {
                continue;
            }
            summary.judged += 1;
            summary.best_moves += usize::from(is_best);
            losses += judgement.loss;
            accuracies += thresholds.accuracy_of(judgement.loss);
            match judgement.mark {
                Some(Mark::Inaccuracy) => summary.inaccuracies += 1,
                Some(Mark::Mistake) => summary.mistakes += 1,
                Some(Mark::Blunder) => summary.blunders += 1,
                None => {}
            }
        }
        let mean = |sum: f64| (summary.judged > 0).then(|| sum / summary.judged as f64);
        (summary.mean_loss, summary.accuracy) = (mean(losses), mean(accuracies));
        summary
    }

    /// Adds the play in other games.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        let judged = self.judged + other.judged;
        let mean = |of: fn(&Self) -> Option<f64>| {
            let sum: f64 = [self, other].iter().filter_map(|side| Some(of(side)? * side.judged as f64)).sum();
            (judged > 0).then(|| sum / judged as f64)
        };
        Self {
            judged,
            best_moves: self.best_moves + other.best_moves,
            mean_loss: mean(|side| side.mean_loss),
            accuracy: mean(|side| side.accuracy),
            inaccuracies: self.inaccuracies + other.inaccuracies,
            mistakes: self.mistakes + other.mistakes,
            blunders: self.blunders + other.blunders,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(best: ScoreValue, played: ScoreValue) -> Judgement {
        judge(best, played, 80, &Thresholds::default())
    }

    #[test]
    fn marks_follow_the_loss_of_winning_probability() {
        // 1 / (1 + exp(-300 / 600)) is 0.6225; from equal play on, 50, 100, 200 and 600 centipawns
        // cost 0.02, 0.04, 0.08 and 0.23.
        let mark = |played| judged(ScoreValue::Cp(0), ScoreValue::Cp(played)).mark;
        assert_eq!(mark(-50), None);
        assert_eq!(mark(-100), None);
        assert_eq!(mark(-200), Some(Mark::Inaccuracy));
        assert_eq!(mark(-300), Some(Mark::Mistake));
        assert_eq!(mark(-600), Some(Mark::Blunder));
        assert!((judged(ScoreValue::Cp(300), ScoreValue::Cp(0)).loss - 0.1224593312).abs() < 1e-9);
    }

    #[test]
    fn the_same_centipawns_count_less_far_from_equal() {
        assert_eq!(judged(ScoreValue::Cp(0), ScoreValue::Cp(-300)).mark, Some(Mark::Mistake));
        assert_eq!(judged(ScoreValue::Cp(-900), ScoreValue::Cp(-1200)).mark, Some(Mark::Inaccuracy));
    }

    #[test]
    fn nobody_is_blamed_for_a_forced_move_or_in_a_decided_game() {
        let forced = judge(ScoreValue::Cp(0), ScoreValue::Cp(-2000), 1, &Thresholds::default());
        assert_eq!((forced.mark, forced.unjudged), (None, Some(Unjudged::Forced)));
        let won = judged(ScoreValue::mate(9), ScoreValue::Cp(1500));
        assert_eq!((won.mark, won.unjudged), (None, Some(Unjudged::Decided)));
        let lost = judged(ScoreValue::Cp(-1400), ScoreValue::mate(-3));
        assert_eq!((lost.mark, lost.unjudged), (None, Some(Unjudged::Decided)));
        // The move that throws a won game away is judged.
        let thrown = judged(ScoreValue::mate(9), ScoreValue::Cp(0));
        assert_eq!((thrown.mark, thrown.unjudged), (Some(Mark::Blunder), None));
    }

    #[test]
    fn a_move_that_is_better_than_the_best_line_has_lost_nothing() {
        assert_eq!(judged(ScoreValue::Cp(10), ScoreValue::Cp(40)), Judgement { loss: 0.0, mark: None, unjudged: None });
    }

    #[test]
    fn accuracy_is_a_mean_over_judged_moves() {
        let thresholds = Thresholds::default();
        let loss = |loss| Judgement { loss, mark: None, unjudged: None };
        let decided = Judgement { loss: 0.09, mark: None, unjudged: Some(Unjudged::Decided) };
        let summary = SideSummary::new([(loss(0.0), true), (loss(0.2), false), (decided, false)], &thresholds);
        assert_eq!((summary.judged, summary.best_moves), (2, 1));
        assert!((summary.mean_loss.unwrap() - 0.1).abs() < 1e-12);
        assert!((summary.accuracy.unwrap() - 50.0 * (1.0 + (-1.0f64).exp())).abs() < 1e-12);
        assert_eq!(SideSummary::new([(decided, false)], &thresholds).accuracy, None);
    }

    #[test]
    fn the_play_of_several_games_is_that_of_all_their_moves() {
        let thresholds = Thresholds::default();
        let of = |losses: &[f64]| {
            let judged = |&loss: &f64| (Judgement { loss, mark: None, unjudged: None }, loss == 0.0);
            SideSummary::new(losses.iter().map(judged), &thresholds)
        };
        let [one, two, both] = [of(&[0.0, 0.3, 0.1]), of(&[0.02]), of(&[0.0, 0.3, 0.1, 0.02])];
        let joined = one.with(&two);
        assert_eq!((joined.judged, joined.best_moves), (both.judged, both.best_moves));
        assert!((joined.mean_loss.unwrap() - both.mean_loss.unwrap()).abs() < 1e-12);
        assert!((joined.accuracy.unwrap() - both.accuracy.unwrap()).abs() < 1e-12);
        assert_eq!(SideSummary::default().with(&SideSummary::default()).accuracy, None);
        assert_eq!(one.with(&SideSummary::default()).judged, 3);
    }

    #[test]
    fn thresholds_that_make_no_sense_are_refused() {
        let usual = Thresholds::default();
        assert!(usual.check().is_ok());
        for bad in [
            Thresholds { scale: 0.0, ..usual },
            Thresholds { scale: f64::NAN, ..usual },
            Thresholds { mistake: 0.3, ..usual },
            Thresholds { inaccuracy: 0.0, ..usual },
            Thresholds { blunder: 1.0, ..usual },
        ] {
            assert!(bad.check().is_err(), "{bad:?}");
        }
    }
}

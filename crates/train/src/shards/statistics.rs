//! What records hold, counted.

use std::collections::BTreeMap;

use kiki_board::Color;
use serde::Serialize;

use crate::psv::TrainingRecord;

/// The width of a class of scores, in centipawns.
pub const SCORE_STEP: i32 = 200;
/// The width of a class of plies.
pub const PLY_STEP: u16 = 20;

/// Counts of records by result for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct RecordCounts {
    /// Won by the side to move.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost by the side to move.
    pub losses: u64,
}

impl RecordCounts {
    fn add(&mut self, result: i8) {
        match result.signum() {
            1 => self.wins += 1,
            0 => self.draws += 1,
            _ => self.losses += 1,
        }
    }

    /// All of them.
    #[must_use]
    pub fn total(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// The part of the points that the side to move got, 0 to 1; `None` without records.
    #[must_use]
    pub fn points(self) -> Option<f64> {
        let total = self.total();
        (total > 0).then(|| (self.wins as f64 + self.draws as f64 / 2.0) / total as f64)
    }
}

/// Counts of a set of records.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct RecordStatistics {
    /// All.
    pub all: RecordCounts,
    /// Those with Black to move.
    pub black_to_move: RecordCounts,
    /// By score for the side to move: the key is the middle of a class of [`SCORE_STEP`] centipawns.
    pub by_score: BTreeMap<i32, RecordCounts>,
    /// By ply: the key is the first ply of a class of [`PLY_STEP`].
    pub by_ply: BTreeMap<u16, RecordCounts>,
}

impl RecordStatistics {
    /// Counts one more record.
    pub fn add(&mut self, record: &TrainingRecord) {
        self.all.add(record.result);
        if record.side_to_move() == Color::Black {
            self.black_to_move.add(record.result);
        }
        let middle = (i32::from(record.score) + SCORE_STEP / 2).div_euclid(SCORE_STEP) * SCORE_STEP;
        self.by_score.entry(middle).or_default().add(record.result);
        self.by_ply.entry(record.ply / PLY_STEP * PLY_STEP).or_default().add(record.result);
    }
}

#[cfg(test)]
mod tests {
    use kiki_board::{Move, Position};

    use super::*;

    #[test]
    fn records_are_counted_by_result_score_and_ply() {
        let position = Position::startpos();
        let mv = position.parse_move("7g7f").unwrap_or(Move::NONE);
        let mut statistics = RecordStatistics::default();
        for (score, result) in [(99, 1), (-100, 0), (-101, -1), (100, 1), (32_767, 1), (-32_768, -1)] {
            statistics.add(&TrainingRecord::new(&position, mv, score, result).unwrap());
        }
        let counts = |wins, draws, losses| RecordCounts { wins, draws, losses };
        assert_eq!(statistics.all, counts(3, 1, 2));
        assert_eq!(statistics.black_to_move, statistics.all);
        assert_eq!(statistics.by_ply, BTreeMap::from([(0, counts(3, 1, 2))]));
        assert_eq!(statistics.by_score[&0], counts(1, 1, 0));
        assert_eq!(statistics.by_score[&-200], counts(0, 0, 1));
        assert_eq!(statistics.by_score[&200], counts(1, 0, 0));
        assert_eq!(statistics.by_score.len(), 5);
        assert_eq!(statistics.all.points(), Some(3.5 / 6.0));
        assert_eq!(RecordCounts::default().points(), None);
    }
}

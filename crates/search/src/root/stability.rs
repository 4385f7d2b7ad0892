//! Whether the best move has settled: what the time for a move depends on.

use kiki_board::Move;

use crate::node::RootLine;
use crate::value::Value;

/// How the best move and its value have behaved over the iterations.
#[derive(Default)]
pub(crate) struct BestMoveStability {
    best: Move,
    value: Value,
    /// Iterations since another move was best.
    unchanged: u32,
    /// Centipawns lost since the last iteration.
    fall: i32,
}

impl BestMoveStability {
    /// An iteration was completed with this line as the best one.
    pub(crate) fn update(&mut self, line: &RootLine) {
        self.unchanged = if line.moves[0] == self.best { self.unchanged + 1 } else { 0 };
        self.fall = self.value - line.value;
        (self.best, self.value) = (line.moves[0], line.value);
    }

    /// Percent of the planned time to use: less for a move that has long been best, more for one that is losing ground.
    pub(crate) fn percent(&self) -> u32 {
        let settled = [210, 165, 140, 120, 105, 95, 88, 82][self.unchanged.min(7) as usize];
        settled + self.fall.clamp(0, 150) as u32 / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(mv: u16, value: Value) -> RootLine {
        RootLine { depth: 1, seldepth: 1, value, moves: vec![Move::from_bits(mv)] }
    }

    #[test]
    fn a_move_that_stays_best_needs_less_time_and_one_that_loses_ground_more() {
        let mut stability = BestMoveStability::default();
        stability.update(&line(1, 50));
        let mut last = stability.percent();
        for _ in 0..7 {
            stability.update(&line(1, 50));
            assert!(stability.percent() < last, "{}", stability.percent());
            last = stability.percent();
        }
        stability.update(&line(1, -50));
        assert_eq!(stability.percent(), last + 50);
        stability.update(&line(2, -50));
        assert_eq!(stability.percent(), 210);
        stability.update(&line(2, 900));
        assert!(stability.percent() < 210, "a better value is no reason to think longer");
    }
}

//! Step 19: what the result of a node teaches the histories.

use kiki_board::Move;
use kiki_eval::Evaluator;

use super::Context;
use super::worker::Worker;
use crate::order::history::{PieceTo, SearchedMove};
use crate::params;
use crate::value::{MATE_BOUND, Value};

/// The earlier moves of continuation histories, in plies before the node, and the divisor of their bonus.
const REACHES: [(usize, i32); 4] = [(1, 1), (2, 1), (4, 2), (6, 2)];

impl<E: Evaluator> Worker<E> {
    /// Step 19. `best` caused a cutoff; the moves searched before it, from index `searched_from` of the worker's list on, did not.
    pub(crate) fn update_histories(&mut self, best: Move, searched_from: usize, depth: i32) {
        let best = SearchedMove::new(&self.position, best);
        let bonus = (params::history_bonus_slope() * depth).min(params::history_bonus_max());
        let malus = -bonus * params::history_malus() / 100;
        if best.tactical {
            self.update_capture(best, bonus);
        } else {
            if params::use_killers() {
                self.stack.add_killer(best.mv);
            }
            self.update_quiet(best, bonus);
            let last = self.stack.piece_to_before(1);
            if params::use_counter_moves() && last != PieceTo::NONE {
                self.histories.set_counter_move(last, best.mv);
            }
        }
        for index in searched_from..self.searched.len() {
            let other = self.searched[index];
            if other.tactical {
                self.update_capture(other, malus);
            } else if !best.tactical {
                self.update_quiet(other, malus);
            }
        }
    }

    fn update_capture(&mut self, capture: SearchedMove, bonus: i32) {
        if params::use_capture_history() {
            self.histories.capture_mut(capture.piece_to, capture.captured).add(bonus);
        }
    }

    fn update_quiet(&mut self, quiet: SearchedMove, bonus: i32) {
        if params::use_quiet_history() {
            self.histories.quiet_mut(self.position.side_to_move(), quiet.mv).add(bonus);
        }
        if !params::use_continuation_history() {
            return;
        }
        for (reach, divisor) in REACHES {
            let earlier = self.stack.piece_to_before(reach);
            if earlier != PieceTo::NONE {
                self.histories.continuation_mut(earlier, quiet.piece_to).add(bonus / divisor);
            }
        }
    }

    /// Step 19. Learns the error of the static evaluation. The value does not show it if it is only a bound on the wrong side, if a capture
    /// explains the difference, or if a singular search left out the best move.
    #[inline(always)]
    pub(crate) fn update_correction(&mut self, context: &Context, best: Move, value: Value) {
        let frame = self.stack.frame();
        let eval = frame.static_eval;
        if context.in_check
            || !context.excluded.is_none()
            || value.abs() >= MATE_BOUND
            || (!best.is_none() && self.position.is_tactical(best))
            || (value >= context.window.beta && value <= eval)
            || (best.is_none() && value >= eval)
        {
            return;
        }
        self.histories.correction.learn(frame.correction_keys, value - eval, context.depth);
    }
}

#[cfg(test)]
mod tests {
    use kiki_board::Color;

    use super::*;
    use crate::node::testing::{Plain, context, make, parse, worker};

    /// Lets `best` cut after the others.
    fn learn(worker: &mut Worker<Plain>, best: Move, others: &[Move], depth: i32) {
        worker.searched = others.iter().map(|&mv| SearchedMove::new(&worker.position, mv)).collect();
        worker.update_histories(best, 0, depth);
    }

    #[test]
    fn a_promotion_of_a_pawn_is_learned_as_a_capture() {
        let mut worker = worker("4k4/9/9/7P1/9/9/9/9/4K4 b - 1", 0);
        let promotion = parse(&worker, "2d2c+");
        let best = SearchedMove::new(&worker.position, promotion);
        assert!(best.tactical && best.captured.is_empty());
        let learned = |worker: &Worker<Plain>| worker.histories.capture(best.piece_to, best.captured);
        learn(&mut worker, promotion, &[], 6);
        assert!(learned(&worker) > 0);
        assert_eq!(worker.histories.quiet(Color::Black, promotion), 0);
        assert_eq!(worker.stack.frame().killers, [Move::NONE; 2], "killers are quiet");
        let quiet = parse(&worker, "5i5h");
        learn(&mut worker, quiet, &[promotion], 3);
        assert!(worker.histories.quiet(Color::Black, quiet) > 0);
        assert_eq!(worker.stack.frame().killers[0], quiet);
        let before = learned(&worker);
        learn(&mut worker, quiet, &[promotion], 9);
        assert!(learned(&worker) < before, "it did not cut");
    }

    #[test]
    fn evaluations_are_corrected_by_what_a_search_finds_but_not_by_a_singular_one() {
        let mut worker = worker("4k4/9/9/9/9/9/9/9/4K4 b - 1", 0);
        make(&mut worker, "5i5h");
        let mut context = context(&mut worker, 0, 8);
        let raw = worker.evaluate();
        context.excluded = parse(&worker, "5a5b");
        worker.update_correction(&context, Move::NONE, raw - 300);
        assert_eq!(worker.corrected(raw), raw);
        context.excluded = Move::NONE;
        worker.update_correction(&context, Move::NONE, raw - 300);
        assert!(worker.corrected(raw) < raw);
    }
}

//! What a cutoff teaches.

use kiki_board::Color;

use super::piece_to::PieceTo;
use super::searched_move::SearchedMove;
use super::storage::Histories;
use crate::order::stack::Stack;
use crate::params;
use crate::switches;

/// The bonus of a move that caused a cutoff at this depth.
fn bonus(depth: i32) -> i32 {
    (params::history_bonus_slope() * depth).min(params::history_bonus_max())
}

/// The earlier moves of continuation histories, in plies before the node, and the divisor of their bonus.
const REACHES: [(usize, i32); 4] = [(1, 1), (2, 1), (4, 2), (6, 2)];

impl Histories {
    /// At the node on top of the stack, where `side` moves, `best` caused a cutoff after `others` had not.
    pub(crate) fn update_histories(
        &mut self,
        side: Color,
        stack: &Stack,
        best: SearchedMove,
        others: &[SearchedMove],
        depth: i32,
    ) {
        let bonus = bonus(depth);
        if best.tactical {
            self.learn_capture(best, bonus);
        } else {
            self.learn_quiet(side, stack, best, bonus);
            let last = stack.piece_to_before(1);
            if switches::use_counter_moves() && last != PieceTo::NONE {
                self.set_counter_move(last, best.mv);
            }
        }
        let malus = -bonus * params::history_malus() / 100;
        for &other in others {
            if other.tactical {
                self.learn_capture(other, malus);
            } else if !best.tactical {
                self.learn_quiet(side, stack, other, malus);
            }
        }
    }

    fn learn_capture(&mut self, capture: SearchedMove, bonus: i32) {
        if switches::use_capture_history() {
            self.capture_mut(capture.piece_to, capture.captured).add(bonus);
        }
    }

    fn learn_quiet(&mut self, side: Color, stack: &Stack, quiet: SearchedMove, bonus: i32) {
        if switches::use_quiet_history() {
            self.quiet_mut(side, quiet.mv).add(bonus);
        }
        if !switches::use_continuation_history() {
            return;
        }
        for (reach, divisor) in REACHES {
            let earlier = stack.piece_to_before(reach);
            if earlier != PieceTo::NONE {
                self.continuation_mut(earlier, quiet.piece_to).add(bonus / divisor);
            }
        }
    }
}

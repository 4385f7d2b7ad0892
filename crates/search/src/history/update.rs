//! Policy: what a cut teaches.

use kiki_board::{Cell, Move};
use kiki_eval::Evaluator;

use super::tables::MoveSlot;
use crate::node::Context;
use crate::params;
use crate::value::{MATE_BOUND, Value};
use crate::worker::{Frame, Worker};

/// A move that was searched before the one that cut.
#[derive(Clone, Copy)]
pub(crate) struct Tried {
    pub(crate) mv: Move,
    pub(crate) slot: MoveSlot,
    /// What stands on the destination; empty for a quiet move and for a promotion of a pawn that captures nothing.
    pub(crate) captured: Cell,
    /// A capture or a promotion of a pawn: ordered and learned as captures are.
    pub(crate) tactical: bool,
}

/// How much a success at this depth counts.
fn bonus(depth: i32) -> i32 {
    (params::history_bonus_slope() * depth).min(params::history_bonus_max())
}

/// How far back continuation histories look, in plies, and by how much their bonus is divided.
const REACHES: [(usize, i32); 4] = [(1, 1), (2, 1), (4, 2), (6, 2)];

impl<E: Evaluator> Worker<E> {
    /// The move `best` has cut after `tried` had not.
    pub(crate) fn learn_from_cut(&mut self, best: Tried, tried: &[Tried], depth: i32) {
        let bonus = bonus(depth);
        if best.tactical {
            self.histories.capture_mut(best.slot, best.captured).add(bonus);
        } else {
            self.learn_quiet(best, bonus);
            self.remember_refutation(best.mv);
        }
        let malus = -bonus * params::history_malus() / 100;
        for &other in tried {
            if other.tactical {
                self.histories.capture_mut(other.slot, other.captured).add(malus);
            } else if !best.tactical {
                self.learn_quiet(other, malus);
            }
        }
    }

    /// A searched value shows by how much the static evaluation is wrong, unless a capture explains the difference, or the best move was
    /// left out by a singular search.
    #[inline(always)]
    pub(crate) fn learn_error(&mut self, context: &Context, best: Move, value: Value) {
        let Frame { static_eval: eval, traits, .. } = self.frames[self.ply];
        if context.in_check
            || !context.excluded.is_none()
            || value.abs() >= MATE_BOUND
            || (!best.is_none() && self.position.is_tactical(best))
            || (value >= context.window.beta && value <= eval)
            || (best.is_none() && value >= eval)
        {
            return;
        }
        self.histories.corrections.learn(traits, value - eval, context.depth);
    }

    fn learn_quiet(&mut self, tried: Tried, bonus: i32) {
        let side = self.position.side_to_move().array_index();
        self.histories.quiet_mut(side, tried.mv).add(bonus);
        for (reach, divisor) in REACHES {
            let earlier = self.slot_before(reach);
            if earlier != MoveSlot::NONE {
                self.histories.continuation_mut(earlier, tried.slot).add(bonus / divisor);
            }
        }
    }

    fn remember_refutation(&mut self, mv: Move) {
        let ply = self.ply;
        let killers = &mut self.frames[ply].killers;
        if killers[0] != mv {
            killers[1] = killers[0];
            killers[0] = mv;
        }
        let earlier = self.slot_before(1);
        if earlier != MoveSlot::NONE {
            self.histories.set_answer(earlier, mv);
        }
    }
}

#[cfg(test)]
mod tests;

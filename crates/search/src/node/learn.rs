//! What the result of a node teaches the histories.

use kiki_board::Move;
use kiki_eval::Evaluator;

use super::context::Context;
use super::worker::Worker;
use crate::order::history::SearchedMove;
use crate::switches;
use crate::value::{MATE_BOUND, Value};

impl<E: Evaluator> Worker<E> {
    /// Step 19. `best` caused a cutoff; the moves searched before it, from index `searched_from` of the worker's list on, did not.
    pub(crate) fn update_histories(&mut self, best: Move, searched_from: usize, depth: i32) {
        let best = SearchedMove::new(&self.position, best);
        if switches::use_killers() && !best.tactical {
            self.stack.add_killer(best.mv);
        }
        let side = self.position.side_to_move();
        self.histories.update_histories(side, &self.stack, best, &self.searched[searched_from..], depth);
    }

    /// Step 19. The value shows by how much the static evaluation is wrong, unless it is only a bound on the wrong side, a capture explains
    /// the difference, or the best move was left out by a singular search.
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
mod tests;

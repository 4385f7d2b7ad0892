//! Steps 6 to 10: nodes that need not be searched. Forward pruning without guarantee, kept because it wins games.

use kiki_eval::Evaluator;

use super::context::{Context, Window};
use super::kind::NonPvNode;
use super::worker::Worker;
use crate::order::hanging::second_hanging;
use crate::params;
use crate::switches;
use crate::value::{MATE_BOUND, Value};

impl<E: Evaluator> Worker<E> {
    /// Steps 6 to 10, for nodes off the principal variation and out of check.
    #[inline(always)]
    pub(crate) fn prune_node(&mut self, context: &mut Context) -> Option<Value> {
        self.razor(context)
            .or_else(|| self.reverse_futility(context))
            .or_else(|| self.null_move(context))
            .or_else(|| self.probcut_by_captures(context))
            .or_else(|| self.probcut_by_check_search(context))
    }

    /// Step 6. Razoring: so far below alpha that only captures can help, which the quiescence search tries.
    fn razor(&mut self, context: &Context) -> Option<Value> {
        let Window { alpha, .. } = context.window;
        let depth = context.depth;
        let reach = alpha - params::razor_base() - params::razor_slope() * depth * depth;
        if !switches::use_razoring() || context.eval >= reach {
            return None;
        }
        let value = self.quiesce::<NonPvNode>(Window::null(alpha - 1), 0);
        (value < alpha && value.abs() < MATE_BOUND).then_some(value)
    }

    /// Step 7. Reverse futility: so far above beta that the opponent cannot make it up in the plies that are left, not even by taking
    /// hanging pieces.
    fn reverse_futility(&self, context: &Context) -> Option<Value> {
        let beta = context.window.beta;
        let plies = context.depth - i32::from(context.improving);
        let margin = params::reverse_futility_slope() * plies;
        if !switches::use_reverse_futility()
            || context.depth > params::reverse_futility_depth()
            || context.eval - margin < beta
            || context.eval >= MATE_BOUND
            || beta <= -MATE_BOUND
        {
            return None;
        }
        let lost = second_hanging(&self.position) * params::reverse_futility_hanging() / 16;
        let percent = params::reverse_futility_return();
        (context.eval - margin - lost >= beta).then_some(beta + (context.eval - beta) * percent / 100)
    }

    /// Step 8. Null move: if passing still reaches beta, a move will. Zugzwang is rare in shogi.
    fn null_move(&mut self, context: &mut Context) -> Option<Value> {
        let beta = context.window.beta;
        let depth = context.depth;
        let passed = self.stack.frame_above(1).is_some_and(|frame| frame.null);
        let hopeful = context.eval >= beta && self.stack.frame().static_eval >= beta - params::null_hope() * depth;
        let may_pass = switches::use_null_moves() && !passed && hopeful;
        if !may_pass || self.stack.ply < self.null_move_min_ply || beta.abs() >= MATE_BOUND || depth < 2 {
            return None;
        }
        let ahead = ((context.eval - beta) / params::null_eval_divisor()).min(3);
        let reduced = depth - (params::null_base() + depth / params::null_divisor() + ahead);
        self.make_null();
        let value = -self.search::<NonPvNode>(Window::null(beta - 1).negated(), reduced, false);
        self.unmake_null();
        context.mate_threat = value <= -MATE_BOUND;
        if value < beta || self.stopped() {
            return None;
        }
        // A mate by passing is no proved mate.
        let value = if value >= MATE_BOUND { beta } else { value };
        if self.null_move_min_ply > 0 || depth < params::null_verification_depth() {
            return Some(value);
        }
        self.null_move_min_ply = self.stack.ply + (3 * reduced.max(0) / 4) as usize + 1;
        let verified = self.search::<NonPvNode>(Window::null(beta - 1), reduced, false);
        self.null_move_min_ply = 0;
        (verified >= beta && !self.stopped()).then_some(value)
    }
}

#[cfg(test)]
mod tests;

//! Steps 9 and 10: ProbCut (Buro 1995). What a shallow search shows to be far outside the window, a deep one will find outside it too.

use kiki_eval::Evaluator;

use super::context::{Context, Window};
use super::kind::NonPvNode;
use super::worker::Worker;
use crate::order::Purpose;
use crate::order::history::SearchedMove;
use crate::params;
use crate::probcut::ProbCutClaim;
use crate::switches;
use crate::table::TableEntry;
use crate::value::{Bound, MATE_BOUND, Value};

impl<E: Evaluator> Worker<E> {
    /// Step 9. A capture that a shallow search shows to be far above beta is above beta.
    pub(super) fn probcut_by_captures(&mut self, context: &Context) -> Option<Value> {
        let beta = context.window.beta;
        let depth = context.depth;
        let may_try = switches::use_probcut() && self.probcut.is_on() && depth >= params::probcut_depth();
        if !may_try || beta.abs() >= MATE_BOUND {
            return None;
        }
        let raised = self.probcut.of_capture(depth, &self.position, context.raw_eval, beta);
        if let Some(entry) = context.entry
            && entry.depth >= depth - 3
            && entry.value < raised
        {
            return None;
        }
        // Exchanges count half of what the balance shifts.
        let threshold = (raised - self.stack.frame().static_eval) / 2;
        let mut picker = self.new_picker(context.table_move(), Purpose::Gains(threshold));
        let window = Window::null(raised - 1).negated();
        let mut found = None;
        while let Some(mv) = picker.next(&mut self.move_sources(), &mut None) {
            let piece_to = SearchedMove::new(&self.position, mv).piece_to;
            self.make(mv, piece_to);
            let mut value = -self.quiesce::<NonPvNode>(window, 0);
            if value >= raised && !self.stopped() {
                value = -self.search::<NonPvNode>(window, depth - params::probcut_reduction(), !context.cut_node);
            }
            self.unmake();
            if self.stopped() {
                break;
            }
            if value >= raised {
                found = Some((mv, value));
                break;
            }
        }
        picker.finish(&mut self.lists);
        let (mv, value) = found?;
        let claim = ProbCutClaim { depth, bound: Bound::Lower, value: beta, by_capture: true };
        self.probcut.observe(&self.position, &claim);
        let eval = context.raw_eval;
        let entry = TableEntry { mv, value, eval, depth: depth - 3, bound: Bound::Lower, pv: false };
        self.table.store(self.position.key(), self.stack.ply, entry);
        Some(value)
    }

    /// Step 10. A shallow search of the node itself whose value stands far above beta, or far below alpha. What it returns is a bound that the
    /// deep search is thought to reach too; nothing is stored for it.
    pub(super) fn probcut_by_check_search(&mut self, context: &Context) -> Option<Value> {
        let Window { alpha, beta } = context.window;
        let may_try =
            switches::use_probcut() && self.probcut.is_on() && self.probcut.search_depths.contains(&context.depth);
        if !may_try || self.check_searches > 0 || beta.abs() >= MATE_BOUND {
            return None;
        }
        // Only where the evaluation already points outside the window a check search is likely to.
        let (hopes, fears) = (context.eval >= beta, context.eval <= alpha);
        if !hopes && !fears {
            return None;
        }
        let depth = context.depth - params::probcut_search_reduction();
        self.check_searches += 1;
        let value = if hopes {
            let raised = self.probcut.above(context.depth, &self.position, context.raw_eval, beta);
            let value = self.search::<NonPvNode>(Window::null(raised - 1), depth, context.cut_node);
            (value >= raised).then_some(beta)
        } else {
            let lowered = self.probcut.below(context.depth, &self.position, context.raw_eval, alpha);
            let value = self.search::<NonPvNode>(Window::null(lowered), depth, context.cut_node);
            (value <= lowered).then_some(alpha)
        };
        self.check_searches -= 1;
        let value = value.filter(|_| !self.stopped())?;
        let bound = if hopes { Bound::Lower } else { Bound::Upper };
        let claim = ProbCutClaim { depth: context.depth, bound, value, by_capture: false };
        self.probcut.observe(&self.position, &claim);
        Some(value)
    }
}

#[cfg(test)]
mod tests;

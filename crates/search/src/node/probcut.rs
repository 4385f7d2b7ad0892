//! Steps 9 and 10: ProbCut (Buro 1995). What a shallow search shows to be far outside the window, a deep one will find outside it too.

use kiki_eval::Evaluator;

use super::context::{Context, Window};
use super::kind::NonPvNode;
use super::worker::Worker;
use crate::order::Purpose;
use crate::order::history::SearchedMove;
use crate::params;
use crate::probcut::{CutNode, ProbCutClaim};
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
        let raised = self.probcut.of_capture(&self.cut_node(context, Bound::Lower));
        if let Some(entry) = context.entry
            && entry.depth >= depth - 3
            && entry.value < raised
        {
            return None;
        }
        // Exchanges count half of what the balance shifts.
        let threshold = (raised - self.stack.frame().static_eval) / 2;
        let mut picker = self.new_picker(context.tt_move(), Purpose::Gains(threshold));
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

    /// Step 10. Shallow searches of the node itself, the cheapest first: one whose value stands far above beta, or far below alpha, cuts. What
    /// is returned is a bound that the deep search is thought to reach too; nothing is stored for it.
    pub(super) fn probcut_by_check_search(&mut self, context: &mut Context) -> Option<Value> {
        let Window { alpha, beta } = context.window;
        // Only where the evaluation already points outside the window a check search is likely to.
        let bound = if context.eval >= beta {
            Bound::Lower
        } else if context.eval <= alpha {
            Bound::Upper
        } else {
            return None;
        };
        let searches = self.probcut.check_searches(context.depth, self.check_searches, bound);
        if !switches::use_probcut() || searches == 0 || beta >= MATE_BOUND || alpha <= -MATE_BOUND {
            return None;
        }
        let value = (0..searches).find_map(|index| self.check_search(context, index, bound));
        if value.is_none() && context.entry.is_none() {
            // The move that the check search found is tried first.
            context.entry = self.table.probe(self.position.key(), self.stack.ply);
        }
        value
    }

    fn check_search(&mut self, context: &Context, index: usize, bound: Bound) -> Option<Value> {
        let node = self.cut_node(context, bound);
        let claimed = node.value;
        let (depth, threshold) = self.probcut.check_search(index, &node)?;
        if depth < 1 {
            return None;
        }
        let window = Window::null(if bound == Bound::Lower { threshold - 1 } else { threshold });
        self.check_searches += 1;
        let value = self.search::<NonPvNode>(window, depth, context.cut_node);
        self.check_searches -= 1;
        let holds = if bound == Bound::Lower { value >= threshold } else { value <= threshold };
        if !holds || self.stopped() {
            return None;
        }
        let claim = ProbCutClaim { depth: context.depth, bound, value: claimed, by_capture: false };
        self.probcut.observe(&self.position, &claim);
        Some(claimed)
    }

    fn cut_node(&self, context: &Context, bound: Bound) -> CutNode<'_> {
        let Window { alpha, beta } = context.window;
        let value = if bound == Bound::Lower { beta } else { alpha };
        CutNode { depth: context.depth, position: &self.position, static_value: context.raw_eval, value, bound }
    }
}

#[cfg(test)]
mod tests;

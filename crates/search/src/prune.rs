//! What need not be searched: whole nodes, single moves; and what must be searched deeper.
//!
//! All of it is forward pruning without guarantee, kept because it wins games; the numbers are in [`crate::params`].

use kiki_eval::Evaluator;

use crate::hanging::second_hanging;
use crate::movepicker::{MovePicker, Purpose};
use crate::negamax::Candidate;
use crate::node::{Context, Node, OffPv, Window};
use crate::params;
use crate::report::Bound;
use crate::tt::Entry;
use crate::value::{MATE_BOUND, Value};
use crate::worker::Worker;

/// How much deeper a move is searched, or that the whole node need not be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Extension {
    /// So many plies, negative for less deep.
    By(i32),
    /// The node is worth at least this.
    Cut(Value),
}

/// What to do with a move before it is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Skip {
    /// Search it.
    No,
    /// Leave it out.
    This,
    /// Leave out all quiet moves from here on.
    AllQuiets,
}

impl<E: Evaluator> Worker<E> {
    /// Steps 6 to 10, for nodes off the principal variation and out of check.
    #[inline(always)]
    pub(crate) fn prune_node(&mut self, context: &mut Context) -> Option<Value> {
        self.razor(context)
            .or_else(|| self.reverse_futility(context))
            .or_else(|| self.null_move(context))
            .or_else(|| self.probcut(context))
    }

    /// Step 6. Razoring: hopelessly below alpha, only captures can help; ask the quiescence search.
    fn razor(&mut self, context: &Context) -> Option<Value> {
        let Window { alpha, .. } = context.window;
        let depth = context.depth;
        if context.eval >= alpha - params::razor_base() - params::razor_slope() * depth * depth {
            return None;
        }
        let value = self.quiesce::<OffPv>(Window::null(alpha - 1), 0);
        (value < alpha && value.abs() < MATE_BOUND).then_some(value)
    }

    /// Step 7. Reverse futility: so far above beta that the opponent cannot make it up in the plies that are left, not even with what
    /// hangs.
    fn reverse_futility(&self, context: &Context) -> Option<Value> {
        let beta = context.window.beta;
        let plies = context.depth - i32::from(context.improving);
        let margin = params::reverse_futility_slope() * plies;
        if context.depth > params::reverse_futility_depth()
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

    /// Step 8. Null move: if passing still reaches beta, a move surely does. Shogi hardly knows zugzwang.
    fn null_move(&mut self, context: &mut Context) -> Option<Value> {
        let beta = context.window.beta;
        let depth = context.depth;
        let passed = self.ply > 0 && self.frames[self.ply - 1].null;
        let hopeful = context.eval >= beta && self.frames[self.ply].static_eval >= beta - params::null_hope() * depth;
        if passed || !hopeful || self.ply < self.null_from || beta <= -MATE_BOUND || depth < 2 {
            return None;
        }
        let ahead = ((context.eval - beta) / params::null_eval_divisor()).min(3);
        let reduced = depth - (params::null_base() + depth / params::null_divisor() + ahead);
        self.make_null();
        let value = -self.search::<OffPv>(Window::null(beta - 1).turned(), reduced, false);
        self.unmake_null();
        context.threat = value <= -MATE_BOUND;
        if value < beta || self.stopped {
            return None;
        }
        // A mate that needs a pass is not proved.
        let value = if value >= MATE_BOUND { beta } else { value };
        if self.null_from > 0 || depth < params::null_verification_depth() {
            return Some(value);
        }
        self.null_from = self.ply + (3 * reduced.max(0) / 4) as usize + 1;
        let verified = self.search::<OffPv>(Window::null(beta - 1), reduced, false);
        self.null_from = 0;
        (verified >= beta && !self.stopped).then_some(value)
    }

    /// Step 9. ProbCut (Buro 1995): a capture that a shallow search shows to be far above beta is above beta.
    fn probcut(&mut self, context: &Context) -> Option<Value> {
        let beta = context.window.beta;
        let depth = context.depth;
        if depth < params::probcut_depth() || beta.abs() >= MATE_BOUND {
            return None;
        }
        let raised = beta + probcut_margin(context);
        if let Some(entry) = context.entry
            && entry.depth >= depth - 3
            && entry.value < raised
        {
            return None;
        }
        // Exchanges count half of what the balance shifts.
        let threshold = (raised - self.frames[self.ply].static_eval) / 2;
        let mut picker = MovePicker::new(self, context.table_move(), Purpose::Gains(threshold));
        let window = Window::null(raised - 1).turned();
        let mut found = None;
        while let Some(mv) = picker.next(self, &mut None) {
            let slot = self.tried_move(mv).slot;
            self.make(mv, slot);
            let mut value = -self.quiesce::<OffPv>(window, 0);
            if value >= raised && !self.stopped {
                value = -self.search::<OffPv>(window, depth - params::probcut_reduction(), !context.cut_node);
            }
            self.unmake();
            if self.stopped {
                break;
            }
            if value >= raised {
                found = Some((mv, value));
                break;
            }
        }
        picker.finish(self);
        let (mv, value) = found?;
        let eval = context.raw_eval;
        let entry = Entry { mv, value, eval, depth: depth - 3, bound: Bound::Lower, pv: false };
        self.table.store(self.position.key(), self.ply, entry);
        Some(value)
    }

    /// Step 14. Late, hopeless, losing or often refuted moves.
    #[inline(always)]
    pub(crate) fn prune_move<N: Node>(&mut self, context: &Context, candidate: &Candidate) -> Skip {
        if N::PV && candidate.gives_check {
            // What is missed here is played: a sacrifice may mate.
            return Skip::No;
        }
        let depth = context.depth;
        let mv = candidate.tried.mv;
        if candidate.tried.tactical {
            let loss = params::see_capture_slope() * depth;
            return if self.position.exchange_gains(mv, -loss) { Skip::No } else { Skip::This };
        }
        let percent = if context.improving { 100 } else { params::late_move_falling() };
        let limit = (params::late_move_base() + params::late_move_slope() * depth * depth / 100) * percent / 100;
        if candidate.number as i32 > limit && !context.in_check {
            return Skip::AllQuiets;
        }
        let reduced = (depth - self.base_reduction(context, candidate.number) / 100).max(0);
        if candidate.history < -params::history_prune_slope() * depth && depth <= params::history_prune_depth() {
            return Skip::This;
        }
        if !candidate.gives_check && context.is_futile(reduced) {
            return Skip::This;
        }
        let loss = params::see_quiet_slope() * reduced * (reduced + 1) / 2;
        if context.in_check {
            // Giving a piece to block a line may be the only defence.
            return Skip::No;
        }
        if self.position.exchange_gains(mv, -loss) { Skip::No } else { Skip::This }
    }

    /// Step 15. A table move without rival, and checks that do not lose material, are searched a ply deeper.
    #[inline(always)]
    pub(crate) fn extension<N: Node>(&mut self, context: &Context, candidate: &Candidate) -> Extension {
        let mv = candidate.tried.mv;
        let depth = context.depth;
        if !self.may_extend() {
            return Extension::By(0);
        }
        if let Some(entry) = context.entry
            && entry.mv == mv
            && context.excluded.is_none()
            && depth >= params::singular_depth()
            && entry.depth >= depth - 3
            && entry.bound != Bound::Upper
            && entry.value.abs() < MATE_BOUND
        {
            return self.singularity::<N>(context, entry);
        }
        let checks =
            depth >= params::check_extension_depth() && candidate.gives_check && self.position.exchange_gains(mv, 0);
        Extension::By(i32::from(checks))
    }

    /// Whether the line is not yet so long that extending it further might never end.
    pub(crate) fn may_extend(&self) -> bool {
        100 * self.ply < params::extension_reach() as usize * self.root_depth
    }

    /// How much deeper a table move deserves: are all others worse, searched to half the depth without it?
    fn singularity<N: Node>(&mut self, context: &Context, entry: Entry) -> Extension {
        let bar = entry.value - params::singular_margin() * context.depth;
        let ply = self.ply;
        let (frame, tail) = (self.frames[ply], self.frames[ply + 1]);
        self.frames[ply].excluded = entry.mv;
        let value = self.search::<OffPv>(Window::null(bar - 1), (context.depth - 1) / 2, context.cut_node);
        // The inner search stood at this very ply: put back what it wrote there.
        self.frames[ply] = frame;
        self.frames[ply + 1] = tail;
        if value < bar {
            let much = !N::PV && value < bar - params::double_margin();
            let again = much && self.frames[ply].doubles < params::double_limit();
            return Extension::By(1 + i32::from(again));
        }
        if bar >= context.window.beta {
            // Several moves reach beta at reduced depth: multi-cut.
            return Extension::Cut(bar);
        }
        if entry.value >= context.window.beta {
            // Others are good too: the node will probably fail high anyway.
            return Extension::By(-2 + i32::from(N::PV));
        }
        Extension::By(-i32::from(context.cut_node))
    }
}

/// How far above beta a shallow search must come. The seam for a model of the shallow search's reliability.
fn probcut_margin(_: &Context) -> Value {
    params::probcut_margin()
}

#[cfg(test)]
mod tests;

//! Step 14: moves that need not be searched. Forward pruning without guarantee, kept because it wins games.

use kiki_eval::Evaluator;

use super::context::{Context, MoveCandidate};
use super::kind::NodeKind;
use super::worker::Worker;
use crate::params;
use crate::switches;

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
    /// Step 14. Late, hopeless, losing or often refuted moves.
    #[inline(always)]
    pub(crate) fn prune_move<N: NodeKind>(&mut self, context: &Context, candidate: &MoveCandidate) -> Skip {
        if N::PV && candidate.gives_check {
            // What is missed here is played: a sacrifice may mate.
            return Skip::No;
        }
        let depth = context.depth;
        let mv = candidate.searched.mv;
        if candidate.searched.tactical {
            let loss = params::see_capture_slope() * depth;
            let bad = switches::use_capture_exchanges() && !self.position.see_ge(mv, -loss);
            return if bad { Skip::This } else { Skip::No };
        }
        let percent = if context.improving { 100 } else { params::late_move_falling() };
        let limit = (params::late_move_base() + params::late_move_slope() * depth * depth / 100) * percent / 100;
        if switches::use_late_move_pruning() && candidate.number as i32 > limit && !context.in_check {
            return Skip::AllQuiets;
        }
        let reduced = (depth - self.base_reduction(context, candidate.number) / 100).max(0);
        if switches::use_history_pruning()
            && candidate.history < -params::history_prune_slope() * depth
            && depth <= params::history_prune_depth()
        {
            return Skip::This;
        }
        if !candidate.gives_check && context.is_futile(reduced) {
            return Skip::This;
        }
        let loss = params::see_quiet_slope() * reduced * (reduced + 1) / 2;
        if context.in_check || !switches::use_quiet_exchanges() {
            // Giving a piece to block a line may be the only defence.
            return Skip::No;
        }
        if self.position.see_ge(mv, -loss) { Skip::No } else { Skip::This }
    }
}

#[cfg(test)]
mod tests;

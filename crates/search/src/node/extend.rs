//! Step 15: extensions.

use kiki_eval::Evaluator;

use super::context::{Context, MoveCandidate, Window};
use super::kind::{NodeKind, NonPvNode};
use super::worker::Worker;
use crate::params;
use crate::table::TableEntry;
use crate::value::{Bound, MATE_BOUND, Value};

/// How much deeper a move is searched, or that the whole node need not be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Extension {
    /// So many plies, negative for less deep.
    By(i32),
    /// The value of the node is at least this: multi-cut.
    Cut(Value),
}

impl<E: Evaluator> Worker<E> {
    /// Step 15. A singular table move, and checks that do not lose material, are searched deeper.
    #[inline(always)]
    pub(crate) fn extension<N: NodeKind>(&mut self, context: &Context, candidate: &MoveCandidate) -> Extension {
        let mv = candidate.searched.mv;
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
            return self.singular_extension::<N>(context, entry);
        }
        let checks = depth >= params::check_extension_depth() && candidate.gives_check && self.position.see_ge(mv, 0);
        Extension::By(i32::from(checks))
    }

    /// Whether the line may be extended: it is not yet much longer than the iteration is deep.
    pub(crate) fn may_extend(&self) -> bool {
        100 * self.stack.ply < params::extension_reach() as usize * self.root_depth
    }

    /// Singular extension: the table move is searched deeper if all others, searched to half the depth, are worse by a margin.
    fn singular_extension<N: NodeKind>(&mut self, context: &Context, entry: TableEntry) -> Extension {
        let bar = entry.value - params::singular_margin() * context.depth;
        let (frame, below) = (*self.stack.frame(), *self.stack.frame_below(1));
        self.stack.frame_mut().excluded = entry.mv;
        let value = self.search::<NonPvNode>(Window::null(bar - 1), (context.depth - 1) / 2, context.cut_node);
        // That search stood at this very ply: put back what it wrote there.
        *self.stack.frame_mut() = frame;
        *self.stack.frame_below(1) = below;
        if value < bar {
            let much = !N::PV && value < bar - params::double_margin();
            let again = much && self.stack.frame().double_extensions < params::double_limit();
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

#[cfg(test)]
mod tests;

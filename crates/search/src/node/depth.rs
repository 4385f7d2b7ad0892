//! How deep a move is searched: extensions (step 15) and late-move reductions (step 16).

use kiki_eval::Evaluator;

use super::worker::Worker;
use super::{Context, MoveCandidate, Window};
use super::{NodeKind, NonPvNode};
use crate::params;
use crate::table::TableEntry;
use crate::value::{Bound, MATE_BOUND, Value};

/// How much deeper a move is searched, or a cut of the whole node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Extension {
    /// Plies, negative for a shallower search.
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
        // That search stood at this same ply: restore what it overwrote.
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

/// Natural logarithms of 0 to 255 in 1/1024, 0 for 0.
static LOGARITHMS: [i32; 256] = logarithms();

const fn logarithms() -> [i32; 256] {
    let mut table = [0; 256];
    let mut n = 2;
    while n < 256 {
        table[n] = (1024.0 * logarithm(n as f64) + 0.5) as i32;
        n += 1;
    }
    table
}

/// The natural logarithm of a number of at least 1, by the series of the inverse hyperbolic tangent, which converges fast below 2. (The
/// library's function is not available to constants.)
const fn logarithm(number: f64) -> f64 {
    let (mut rest, mut result) = (number, 0.0);
    while rest >= 2.0 {
        rest /= 2.0;
        result += std::f64::consts::LN_2;
    }
    let ratio = (rest - 1.0) / (rest + 1.0);
    let (mut power, mut divisor) = (ratio, 1.0);
    while divisor < 40.0 {
        result += 2.0 * power / divisor;
        power *= ratio * ratio;
        divisor += 2.0;
    }
    result
}

impl<E: Evaluator> Worker<E> {
    /// The reduction by depth and place in the order alone, in hundredths of a ply: a + log(depth) * log(number) / b.
    #[inline(always)]
    pub(crate) fn base_reduction(&self, context: &Context, number: usize) -> i32 {
        let depth = LOGARITHMS[(context.depth as usize).min(255)];
        let number = LOGARITHMS[number.min(255)];
        let product = depth * number / 1024;
        let base = params::reduction_base() + product * 100 / 1024 * 100 / params::reduction_divisor();
        base + if context.improving { 0 } else { base * params::reduction_falling() / 100 }
    }

    /// The reduction of a late move, in plies.
    #[inline(always)]
    pub(crate) fn reduction<N: NodeKind>(&self, context: &Context, candidate: &MoveCandidate, was_pv: bool) -> i32 {
        let mut hundredths = self.base_reduction(context, candidate.number);
        if candidate.searched.tactical {
            hundredths = hundredths * params::reduction_tactical() / 100;
        }
        if context.cut_node {
            hundredths += params::reduction_cut_node();
        }
        if was_pv {
            hundredths -= params::reduction_was_pv();
        }
        if N::PV {
            hundredths -= params::reduction_pv();
        }
        if candidate.gives_check {
            hundredths -= params::reduction_check();
        }
        if context.in_check {
            hundredths -= params::reduction_evasion();
        }
        if context.mate_threat {
            hundredths -= params::reduction_threat();
        }
        hundredths -= candidate.history * 100 / params::reduction_history();
        (hundredths / 100).max(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::testing::{BARE, FREE_ROOK, Plain, candidate, context, parse, worker};

    #[test]
    fn constants_are_the_logarithms() {
        assert_eq!(LOGARITHMS[0], 0);
        for (n, &constant) in LOGARITHMS.iter().enumerate().skip(1) {
            let exact = (n as f64).ln();
            assert!((logarithm(n as f64) - exact).abs() < 1e-12, "{n}");
            assert_eq!(constant, (1024.0 * exact).round() as i32, "{n}");
        }
    }

    #[test]
    fn checks_that_lose_nothing_are_searched_deeper() {
        let mut worker = worker("4k4/3gpg3/9/9/9/9/9/3R5/K8 b - 1", 0);
        let depth = params::check_extension_depth();
        let context = context(&mut worker, 0, depth);
        let extension = |worker: &mut Worker<Plain>, text: &str| {
            let candidate = candidate(worker, text, 1);
            worker.extension::<NonPvNode>(&context, &candidate)
        };
        assert_eq!(extension(&mut worker, "6h5h"), Extension::By(0), "no check: a pawn stands between");
        let mut worker = crate::node::testing::worker("4k4/3g1g3/9/9/9/9/9/3R5/K8 b - 1", 0);
        assert_eq!(extension(&mut worker, "6h5h"), Extension::By(1));
        assert_eq!(extension(&mut worker, "6h6b+"), Extension::By(0), "a check that loses the rook");
        worker.root_depth = 0;
        assert_eq!(extension(&mut worker, "6h5h"), Extension::By(0), "the line is long enough");
    }

    /// The extension of a TT move of this value after a search of the other moves.
    fn singular(sfen: &str, text: &str, value: Value, alpha: Value, cut_node: bool) -> Extension {
        let mut worker = worker(sfen, 0);
        let depth = params::singular_depth();
        let mv = parse(&worker, text);
        let entry = TableEntry { mv, value, eval: worker.evaluate(), depth, bound: Bound::Lower, pv: false };
        let mut context = context(&mut worker, alpha, depth);
        (context.entry, context.cut_node) = (Some(entry), cut_node);
        let candidate = candidate(&worker, text, 1);
        let before = worker.stack.frame().killers;
        let extension = worker.extension::<NonPvNode>(&context, &candidate);
        let frame = worker.stack.frame();
        assert!(frame.excluded.is_none() && frame.killers == before, "the frame is as it was");
        assert!(worker.limiter.nodes() > 0);
        extension
    }

    #[test]
    fn a_table_move_without_rival_is_searched_deeper() {
        let won_rook = 90 + 990;
        let Extension::By(plies) = singular(FREE_ROOK, "5e5d", won_rook, won_rook - 1, false) else { panic!("a cut") };
        assert!(plies >= 1, "{plies}");
    }

    #[test]
    fn a_table_move_with_rivals_is_not() {
        let bar = |value| value - params::singular_margin() * params::singular_depth();
        // All moves of bare kings have the value 0.
        let several_reach_beta = singular(BARE, "5i5h", 0, -500, false);
        assert!(matches!(several_reach_beta, Extension::Cut(value) if value >= bar(0)), "{several_reach_beta:?}");
        assert!(matches!(singular(BARE, "5i5h", 0, -1, false), Extension::By(..0)), "it will fail high anyway");
        assert_eq!(singular(BARE, "5i5h", 0, 5, true), Extension::By(-1));
        assert_eq!(singular(BARE, "5i5h", 0, 5, false), Extension::By(0));
    }
}

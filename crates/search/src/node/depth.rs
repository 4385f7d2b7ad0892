//! How deep to search a move: the singular extension (step 13) and reductions (steps 12 and 14), in
//! 1/1024 ply.

use std::ops::ControlFlow::{self, Break, Continue};

use kiki_board::{Move, exchange_value};
use kiki_eval::Evaluator;

use super::worker::Worker;
use super::{Context, NodeKind, NonPvNode, Window};
use crate::order::history::{SearchedMove, quiet_index};
use crate::params;
use crate::value::{MATE_BOUND, NONE, Value};

impl<E: Evaluator> Worker<E> {
    /// Step 13. A table move is singular if all others, searched to half the depth, are worse by a
    /// margin. Then it and the rest of the node are searched deeper. Returns the plies to add,
    /// negative for a shallower search, or breaks with the value of the node: several moves reach
    /// beta (multi-cut).
    #[inline(always)]
    pub(crate) fn extension<N: NodeKind>(&mut self, context: &mut Context, mv: Move) -> ControlFlow<Value, i32> {
        let entry = &context.entry;
        let asked = params::use_singular_extensions()
            && !N::ROOT
            && mv == context.tt_move
            && context.excluded.is_none()
            && context.depth >= params::singular_depth() + i32::from(self.stack[0].was_pv)
            && entry.value != NONE
            && entry.value.abs() < MATE_BOUND
            && entry.has_lower()
            && entry.depth >= context.depth - 3
            && !self.shuffles(mv);
        if asked { self.singular_extension::<N>(context) } else { Continue(0) }
    }

    fn singular_extension<N: NodeKind>(&mut self, context: &mut Context) -> ControlFlow<Value, i32> {
        let Window { beta, .. } = context.window;
        let tt_value = context.entry.value;
        let bar = tt_value - singular_margin(context.depth, self.stack[0].was_pv && !N::PV);
        self.stack[0].excluded = context.tt_move;
        let value = self.search::<NonPvNode>(Window::null(bar - 1), (context.depth - 1) / 2, context.cut_node);
        self.stack[0].excluded = Move::NONE;
        if self.stopped() {
            return Continue(0);
        }
        if value < bar {
            let (second, third) = self.further_margins::<N>(context);
            let extension = 1 + i32::from(value < bar - second) + i32::from(value < bar - third);
            context.depth += 1;
            return Continue(extension);
        }
        if value >= beta && value.abs() < MATE_BOUND {
            let malus = params::multi_cut_base() + params::multi_cut_slope() * context.depth;
            self.histories.table_move.add(0, -malus.min(params::multi_cut_max()));
            return Break(value);
        }
        if tt_value >= beta {
            // Other moves are good too: the node will probably fail high anyway.
            return Continue(-params::singular_other_good());
        }
        Continue(if context.cut_node { -params::singular_cut_node() } else { 0 })
    }

    /// The further margins by which the others must be worse for a second and a third ply.
    fn further_margins<N: NodeKind>(&self, context: &Context) -> (Value, Value) {
        let doubt = context.doubt / params::singular_doubt();
        let far = i32::from(self.stack.ply > self.root_depth);
        let (pv, quiet) = (i32::from(N::PV), i32::from(!context.tt_capture));
        let was_pv = i32::from(self.stack[0].was_pv);
        let second = params::double_base() + params::double_pv() * pv
            - params::double_quiet() * quiet
            - doubt
            - params::double_history() * self.histories.table_move.get(0) / 116_517
            - params::double_far() * far;
        let third = params::triple_base() + params::triple_pv() * pv - params::triple_quiet() * quiet
            + params::triple_was_pv() * was_pv
            - doubt
            - params::triple_far() * far;
        (second, third)
    }

    /// Whether a quiet move continues the shuffling of one piece. Far from the root such a line is
    /// not worth a singular search.
    fn shuffles(&self, mv: Move) -> bool {
        let [own, before] = [-2, -4].map(|plies| self.stack[plies].searched.mv);
        self.stack.ply >= 18
            && !mv.is_drop()
            && !self.position.is_capture(mv)
            && self.position.moves_since_null() >= 7
            && [own, before].iter().all(|mv| !mv.is_none() && !mv.is_drop())
            && mv.from() == own.to()
            && own.from() == before.to()
    }

    /// Begins a search with a window of this width at the root.
    pub(crate) fn set_root_window(&mut self, width: Value) {
        (self.root_window, self.null_window_discount) = (width, width_discount(1, width));
    }

    /// Step 12. The reduction of a move by depth, move number and window, without its own
    /// properties, in 1/1024 ply.
    #[inline(always)]
    pub(crate) fn early_reduction(&self, context: &Context, number: i32) -> i32 {
        let Window { alpha, beta } = context.window;
        let discount = match beta - alpha {
            1 => self.null_window_discount,
            width => width_discount(width, self.root_window),
        };
        let scale = self.logarithms.get(context.depth) * self.logarithms.get(number);
        let falling = if context.improving { 0 } else { scale * params::reduction_falling() / 512 };
        let was_pv = if self.stack[0].was_pv { params::reduction_was_pv() } else { 0 };
        scale - discount + falling + params::reduction_base() + was_pv
    }

    /// Step 14. The full reduction of a move that has been made, from its early reduction, in
    /// 1/1024 ply.
    #[inline(always)]
    pub(crate) fn late_reduction<N: NodeKind>(&self, context: &Context, mv: Move, number: i32, early: i32) -> i32 {
        let Context { entry, cut_node, all_node, .. } = *context;
        let of = |holds: bool, change: i32| if holds { change } else { 0 };
        let frame = &self.stack[-1];
        let mut r = early;
        if frame.was_pv {
            r -= params::reduction_line()
                + of(N::PV, params::reduction_line_pv())
                // Without a table value, `NONE` counts as above alpha.
                + of(entry.value > context.window.alpha, params::reduction_line_value())
                + of(
                    entry.depth >= context.depth,
                    params::reduction_line_depth() + of(cut_node, params::reduction_line_depth_cut()),
                );
        }
        r += params::reduction_late() - params::reduction_number() * number - context.doubt / params::reduction_doubt();
        r += of(cut_node, params::reduction_cut() + of(context.tt_move.is_none(), params::reduction_cut_no_move()));
        r += of(context.tt_capture, params::reduction_tt_capture());
        let cutoffs = self.stack[0].cutoffs;
        if cutoffs > 1 {
            r += params::reduction_cutoffs()
                + of(cutoffs > 2, params::reduction_cutoffs_more())
                + of(all_node, params::reduction_cutoffs_all());
        }
        r -= of(mv == context.tt_move, params::reduction_tt_move());
        r -= frame.stat * params::reduction_stat() / 4096;
        r + of(all_node, r * params::reduction_all() / (256 * context.depth + 260))
    }

    /// The score of a move by the histories.
    #[inline(always)]
    pub(crate) fn stat(&self, searched: &SearchedMove) -> i32 {
        if searched.is_capture() {
            let value = exchange_value(searched.captured);
            return params::stat_capture() * value / 128 + self.histories.capture.get(searched.capture_index());
        }
        let side = self.position.side_to_move();
        2 * self.histories.quiet.get(quiet_index(side, searched.mv))
            + self.continuation(1, searched)
            + self.continuation(2, searched)
    }
}

/// The margin by which all other moves must be worse.
fn singular_margin(depth: i32, was_pv: bool) -> Value {
    (params::singular_margin() + if was_pv { params::singular_was_pv() } else { 0 }) * depth / 55
}

/// The reduction's discount for the width of a window, in 1/1024 ply.
#[inline(always)]
fn width_discount(window: i32, root_window: i32) -> i32 {
    window * params::reduction_window() / root_window
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::PvNode;
    use crate::node::testing::{BARE, FREE_ROOK, Plain, context, make, parse, worker};
    use crate::node::worker::Logarithms;
    use crate::table::TableEntry;
    use crate::value::Bound;

    #[test]
    fn logarithms_are_those_of_the_specification() {
        let logarithms = Logarithms::new();
        let expected =
            [(0, 0), (1, 0), (2, 14), (3, 23), (4, 29), (5, 34), (6, 38), (8, 44), (10, 49), (12, 53), (16, 59)];
        let more = [(20, 64), (24, 68), (32, 74), (48, 83), (64, 89), (100, 99), (128, 104), (200, 114), (245, 118)];
        for (n, expected) in expected.into_iter().chain(more) {
            assert_eq!(logarithms.get(n), expected, "{n}");
        }
    }

    #[test]
    fn every_property_of_a_move_changes_its_reduction() {
        let change = |pv: bool, edit: fn(&mut Worker<Plain>, &mut Context)| {
            let mut worker = worker(BARE, 0);
            let mut context = context(&mut worker, 0, 8);
            (context.cut_node, context.doubt) = (false, 0);
            context.entry = TableEntry { value: -50, depth: 3, ..TableEntry::MISSING };
            context.tt_move = parse(&worker, "5i4h");
            let searched = SearchedMove::new(&worker.position, parse(&worker, "5i5h"));
            edit(&mut worker, &mut context);
            worker.make(&searched);
            let late = if pv {
                worker.late_reduction::<PvNode>(&context, searched.mv, 3, 2000)
            } else {
                worker.late_reduction::<NonPvNode>(&context, searched.mv, 3, 2000)
            };
            late - 2000 - 691 + 3 * 65
        };
        assert_eq!(change(false, |_, _| ()), 0, "neither a cut node nor an all node");
        assert_eq!(change(false, |_, context| context.doubt = 25_600), -1);
        assert_eq!(change(false, |_, context| context.cut_node = true), 3611);
        let no_move = |_: &mut Worker<Plain>, context: &mut Context| {
            (context.cut_node, context.tt_move) = (true, Move::NONE);
        };
        assert_eq!(change(false, no_move), 3611 + 985);
        assert_eq!(change(false, |_, context| context.tt_capture = true), 1054);
        assert_eq!(change(false, |worker, context| context.tt_move = parse(worker, "5i5h")), -2239);
        assert_eq!(change(false, |worker, _| worker.stack[0].stat = 8192), -2 * 428);
        assert_eq!(change(false, |worker, _| worker.stack[1].cutoffs = 2), 251);
        assert_eq!(change(false, |worker, _| worker.stack[1].cutoffs = 3), 251 + 1124);
        let all = |worker: &mut Worker<Plain>, context: &mut Context| {
            worker.stack[1].cutoffs = 3;
            context.all_node = true;
        };
        let r = 2000 + 691 - 3 * 65 + 251 + 1124 + 1042;
        assert_eq!(change(false, all), 251 + 1124 + 1042 + r * 273 / (256 * 8 + 260));
        fn was_pv(worker: &mut Worker<Plain>, _: &mut Context) {
            worker.stack[0].was_pv = true;
        }
        assert_eq!(change(false, was_pv), -2819);
        assert_eq!(change(true, was_pv), -2819 - 973);
        let above = |worker: &mut Worker<Plain>, context: &mut Context| {
            was_pv(worker, context);
            context.entry.value = NONE;
        };
        assert_eq!(change(false, above), -2819 - 905, "no value counts as one above alpha");
        let deep = |worker: &mut Worker<Plain>, context: &mut Context| {
            was_pv(worker, context);
            (context.entry.depth, context.cut_node) = (8, true);
        };
        assert_eq!(change(false, deep), -2819 - 935 - 959 + 3611);
    }

    /// The extension of a TT move of this value after the search of the other moves, and how much
    /// deeper the node gets.
    fn singular(sfen: &str, text: &str, value: Value, alpha: Value, cut_node: bool) -> (ControlFlow<Value, i32>, i32) {
        let mut worker = worker(sfen, 0);
        make(&mut worker, "5i5h");
        make(&mut worker, "5a5b");
        let depth = params::singular_depth() + 1;
        let mv = parse(&worker, text);
        let eval = worker.evaluate();
        let mut context = context(&mut worker, alpha, depth);
        context.entry = TableEntry { mv, value, eval, depth, bound: Some(Bound::Lower), pv: false };
        (context.tt_move, context.tt_capture, context.cut_node) = (mv, worker.position.is_capture(mv), cut_node);
        let extension = worker.extension::<NonPvNode>(&mut context, mv);
        assert!(worker.stack[0].excluded.is_none() && worker.limiter.nodes > 2);
        (extension, context.depth - depth)
    }

    #[test]
    fn a_table_move_without_rival_is_searched_deeper_and_the_rest_with_it() {
        let (extension, more) = singular(FREE_ROOK, "5e5d", 90 + 990, 90 + 989, false);
        assert!(matches!(extension, Continue(1..=3)), "{extension:?}");
        assert_eq!(more, 1);
    }

    #[test]
    fn a_table_move_with_rivals_is_not() {
        // All moves of bare kings have the value 0.
        let (several_reach_beta, _) = singular(BARE, "5h5g", 0, -500, false);
        assert!(matches!(several_reach_beta, Break(value) if value > -500), "{several_reach_beta:?}");
        assert_eq!(singular(BARE, "5h5g", 5, 4, false).0, Continue(-3), "it will fail high anyway");
        assert_eq!(singular(BARE, "5h5g", 0, 5, true).0, Continue(-2));
        assert_eq!(singular(BARE, "5h5g", 0, 5, false), (Continue(0), 0));
    }

    #[test]
    fn margins_of_singular_moves_are_those_of_the_specification() {
        for (depth, usual, was_pv) in [(6, 6, 13), (10, 10, 22), (20, 21, 45)] {
            assert_eq!((singular_margin(depth, false), singular_margin(depth, true)), (usual, was_pv));
        }
    }

    #[test]
    fn reductions_are_those_of_the_specification() {
        for (improving, depth, number, window, root_window, expected) in [
            (true, 2, 2, 1, 40, 1315),
            (false, 2, 2, 1, 40, 1393),
            (true, 6, 6, 1, 40, 2563),
            (false, 6, 6, 1, 40, 3143),
            (true, 10, 10, 1, 40, 3520),
            (false, 10, 10, 1, 40, 4486),
            (false, 10, 10, 40, 40, 3915),
            (false, 16, 30, 1, 100, 7167),
            (false, 20, 64, 1, 64, 9111),
        ] {
            let mut worker = worker(BARE, 0);
            let mut context = context(&mut worker, 0, depth);
            (context.improving, context.window.beta) = (improving, context.window.alpha + window);
            worker.set_root_window(root_window);
            assert_eq!(worker.early_reduction(&context, number), expected);
        }
    }
}

//! Steps 6 to 9 prune nodes, step 12 prunes moves. Forward pruning is not sound; it stays because
//! it wins games.

use kiki_board::{CheckInfo, exchange_value};
use kiki_eval::Evaluator;

use super::worker::Worker;
use super::{Best, Context, NodeKind, NonPvNode, Window};
use crate::order::history::{SearchedMove, quiet_index};
use crate::order::{Purpose, check_info};
use crate::params;
use crate::reliability::{ProbCutClaim, ProbCutMode};
use crate::table::TableEntry;
use crate::value::{Bound, INFINITE, MATE_BOUND, NONE, Value};

/// Step 12. The worth of a move that is left out although nothing is known of its value.
const UNKNOWN_WORTH: Value = -INFINITE;

impl<E: Evaluator> Worker<E> {
    /// Steps 6 to 9, for nodes out of check.
    #[inline(always)]
    pub(crate) fn prune_node<N: NodeKind>(&mut self, context: &mut Context) -> Option<Value> {
        if !N::PV {
            let value =
                self.razor(context).or_else(|| self.reverse_futility(context)).or_else(|| self.null_move(context));
            if value.is_some() || self.stopped() {
                return value;
            }
        }
        context.improving |= context.static_eval >= context.window.beta;
        // Step 9. Internal reduction: without a TT move, search one ply less; the next visit has
        // one.
        let reduced = params::use_internal_reductions()
            && !self.stack[0].on_last_line
            && !context.all_node
            && context.depth >= params::internal_depth()
            && context.tt_move.is_none()
            && context.parent_reduction <= params::internal_reduction();
        context.depth -= i32::from(reduced);
        if N::ROOT { None } else { self.probcut(context) }
    }

    /// Step 6. Razoring: so far below alpha that only captures can help. The quiescence search
    /// tries them.
    fn razor(&mut self, context: &Context) -> Option<Value> {
        let reach = context.window.alpha - params::razor_base() - params::razor_slope() * context.depth * context.depth;
        let hopeless = params::use_razoring() && context.eval < reach;
        hopeless.then(|| self.quiesce::<NonPvNode>(context.window))
    }

    /// Step 7. Reverse futility: so far above beta that the opponent cannot recover in the plies
    /// left.
    fn reverse_futility(&self, context: &Context) -> Option<Value> {
        let &Context { window: Window { beta, .. }, depth, eval, entry, .. } = context;
        let margin =
            reverse_futility_margin(depth, entry.exists(), context.improving, context.worsening, context.doubt);
        let cuts = params::use_reverse_futility()
            && !self.stack[0].was_pv
            && depth < params::reverse_futility_depth()
            && eval >= beta
            && eval - margin >= beta
            && (context.tt_move.is_none() || context.tt_capture)
            && beta > -MATE_BOUND
            && eval < MATE_BOUND;
        cuts.then_some((2 * beta + eval) / 3)
    }

    /// Step 8. Null move: if passing still reaches beta, a move will. Zugzwang is rare in shogi.
    fn null_move(&mut self, context: &Context) -> Option<Value> {
        let &Context { window: Window { beta, .. }, depth, .. } = context;
        let hope = beta - params::null_slope() * depth - params::null_improving() * i32::from(context.improving)
            + params::null_margin();
        let may_pass = params::use_null_moves()
            && context.cut_node
            && context.excluded.is_none()
            && context.static_eval >= hope
            && self.stack.ply >= self.null_move_min_ply
            && beta > -MATE_BOUND;
        if !may_pass {
            return None;
        }
        let reduced = depth - (params::null_base() + depth / params::null_divisor());
        self.make_null();
        let value = -self.search::<NonPvNode>(Window::null(beta - 1).negated(), reduced, false);
        self.unmake_null();
        // A mate by passing is not proved.
        if value < beta || value >= MATE_BOUND || self.stopped() {
            return None;
        }
        if self.null_move_min_ply > 0 || depth < params::null_verification_depth() {
            return Some(value);
        }
        self.null_move_min_ply = self.stack.ply + (3 * reduced.max(0) / 4) as usize;
        let verified = self.search::<NonPvNode>(Window::null(beta - 1), reduced, false);
        self.null_move_min_ply = 0;
        (verified >= beta && !self.stopped()).then_some(value)
    }

    /// Step 9. ProbCut: a capture far above beta in a shallow search is above beta.
    pub(super) fn probcut(&mut self, context: &Context) -> Option<Value> {
        let &Context { window: Window { beta, .. }, depth, entry, .. } = context;
        let may_try = params::use_probcut()
            && self.reliability.probcut.mode != ProbCutMode::Off
            && depth >= params::probcut_depth();
        if !may_try || beta.abs() >= MATE_BOUND {
            return None;
        }
        let usual = beta + params::probcut_margin() - params::probcut_improving() * i32::from(context.improving);
        let bar = self.reliability.threshold(depth, &self.position, context.raw_eval, beta).unwrap_or(usual);
        if entry.value != NONE && entry.value < bar {
            return None;
        }
        let mut picker = self.new_picker(context.tt_move, Purpose::Gains(bar - context.static_eval));
        let window = Window::null(bar - 1).negated();
        let mut found = None;
        while let Some(mv) = picker.next(&mut self.move_sources(), &mut None) {
            if mv == context.excluded {
                continue;
            }
            self.make(&SearchedMove::new(&self.position, mv));
            let mut value = -self.quiesce::<NonPvNode>(window);
            let reduced = depth - params::probcut_reduction();
            if value >= bar && reduced > 0 && !self.stopped() {
                value = -self.search::<NonPvNode>(window, reduced, !context.cut_node);
            }
            self.unmake();
            if self.stopped() {
                break;
            }
            if value >= bar {
                let (pv, bound) = (self.stack[0].was_pv, Some(Bound::Lower));
                self.store(TableEntry { mv, value, eval: context.raw_eval, depth: depth - 3, bound, pv });
                if value.abs() < MATE_BOUND {
                    self.reliability.observe(&self.position, &ProbCutClaim { depth, value: beta });
                    found = Some(value - (bar - beta));
                    break;
                }
            }
        }
        picker.finish(&mut self.lists);
        found
    }

    /// Step 12. Leaves out hopeless, losing or often refuted moves: the value that such a move would
    /// hardly exceed, or [`UNKNOWN_WORTH`]; `None` to search the move. `depth` is that of the
    /// reduced search to come, in plies.
    #[inline(always)]
    pub(crate) fn prune_move<N: NodeKind>(
        &mut self,
        context: &Context,
        searched: &SearchedMove,
        depth: i32,
        best: &Best,
        info: &mut Option<CheckInfo>,
    ) -> Option<Value> {
        let mv = searched.mv;
        let gives_check = check_info(info, &self.position).gives_check(mv, self.position.arriving(mv));
        let alpha = context.window.alpha;
        if searched.is_capture() || gives_check {
            let history = self.histories.capture.get(searched.capture_index());
            let reach = context.static_eval
                + params::capture_futility_base()
                + params::capture_futility_slope() * depth
                + exchange_value(searched.captured)
                + params::capture_futility_history() * history / 1024;
            let futile = params::use_capture_futility()
                && !gives_check
                && depth < params::capture_futility_depth()
                && reach <= alpha;
            let loss =
                (params::see_capture_slope() * context.depth + params::see_capture_history() * history / 1024).max(0);
            let loses = || params::use_capture_exchanges() && alpha >= 0 && !self.position.see_ge(mv, -loss);
            return (futile || loses()).then_some(UNKNOWN_WORTH);
        }
        if N::PV && self.stack[0].on_last_line {
            return None;
        }
        self.prune_quiet(context, searched, depth, best)
    }

    /// Step 12, for a quiet move that gives no check.
    #[inline(always)]
    fn prune_quiet(&self, context: &Context, searched: &SearchedMove, mut depth: i32, best: &Best) -> Option<Value> {
        let alpha = context.window.alpha;
        let shared = &self.histories.shared;
        let mut history = self.continuation(1, searched)
            + self.continuation(2, searched)
            + shared.pawn_row(&self.stack[0].keys).get(searched.piece_to);
        if params::use_history_pruning() && history < -params::history_prune_slope() * context.depth {
            return Some(UNKNOWN_WORTH);
        }
        let side = self.position.side_to_move();
        history += params::history_quiet() * self.histories.quiet.get(quiet_index(side, searched.mv)) / 32;
        depth += history / params::history_ply();
        let of = |holds: bool, change: i32| if holds { change } else { 0 };
        let reach = context.static_eval
            + params::futility_base()
            + of(best.mv.is_none(), params::futility_no_best())
            + params::futility_slope() * depth
            + of(context.static_eval > alpha, params::futility_above());
        if params::use_move_futility() && !context.in_check && depth < params::futility_depth() && reach <= alpha {
            let says = best.value.abs() < MATE_BOUND && reach < MATE_BOUND;
            return Some(if says { reach } else { UNKNOWN_WORTH });
        }
        let depth = depth.max(0);
        let loses = params::use_quiet_exchanges()
            && !self.position.see_ge(searched.mv, -params::see_quiet_slope() * depth * depth);
        loses.then_some(UNKNOWN_WORTH)
    }
}

/// Step 7. How far above beta the evaluation must lie.
#[inline(always)]
fn reverse_futility_margin(depth: i32, hit: bool, improving: bool, worsening: bool, doubt: i32) -> Value {
    let slope = params::reverse_futility_slope() - if hit { 0 } else { params::reverse_futility_no_hit() };
    let less = params::reverse_futility_improving() * i32::from(improving)
        + params::reverse_futility_worsening() * i32::from(worsening);
    slope * depth - less * slope / 1024 + doubt / params::reverse_futility_doubt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use kiki_board::Move;
    use parking_lot::Mutex;

    use crate::node::PvNode;
    use crate::node::testing::{BARE, FREE_ROOK, Plain, SAFE_ROOK, context, make, parse, worker};
    use crate::reliability::{ProbCutObserver, ProbCutOptions, Reliability};
    use crate::value::MATE;

    #[test]
    fn razoring_ends_a_node_that_no_capture_can_save() {
        let razored = |sfen: &str, margin: Value| {
            let mut worker = worker(sfen, 0);
            let alpha = worker.evaluate() + params::razor_base() + params::razor_slope() + margin;
            let context = context(&mut worker, alpha, 1);
            worker.razor(&context).map(|value| value <= alpha)
        };
        assert_eq!(razored(SAFE_ROOK, 1), Some(true));
        assert_eq!(razored(SAFE_ROOK, 0), None, "within the margin");
    }

    #[test]
    fn margins_of_reverse_futility_are_those_of_the_specification() {
        for (depth, hit, improving, worsening, doubt, expected) in [
            (1, true, false, false, 0, 76),
            (5, true, false, false, 0, 380),
            (5, true, true, false, 0, 181),
            (5, false, true, true, 0, 112),
            (10, true, true, true, 5_000_000, 561),
            (14, true, false, false, 0, 1064),
        ] {
            assert_eq!(reverse_futility_margin(depth, hit, improving, worsening, doubt), expected);
        }
    }

    #[test]
    fn reverse_futility_cuts_far_above_beta() {
        let cut = |depth: i32, margin: Value, change: fn(&mut Worker<Plain>, &mut Context)| {
            let mut worker = worker(BARE, 0);
            let beta = worker.evaluate() - reverse_futility_margin(depth, true, false, false, 0) - margin;
            let mut context = context(&mut worker, beta - 1, depth);
            (context.entry.depth, context.improving, context.worsening) = (0, false, false);
            change(&mut worker, &mut context);
            worker.reverse_futility(&context).map(|value| value >= beta)
        };
        assert_eq!(cut(3, 0, |_, _| ()), Some(true));
        assert_eq!(cut(3, -1, |_, _| ()), None, "within the margin");
        assert_eq!(cut(params::reverse_futility_depth(), 0, |_, _| ()), None, "too much is left to search");
        assert_eq!(cut(3, 0, |worker, _| worker.stack[0].was_pv = true), None, "a principal variation");
        let quiet = |worker: &mut Worker<Plain>, context: &mut Context| context.tt_move = parse(worker, "5i5h");
        assert_eq!(cut(3, 0, quiet), None, "a quiet move was best");
        let capture = |worker: &mut Worker<Plain>, context: &mut Context| {
            (context.tt_move, context.tt_capture) = (parse(worker, "5i5h"), true);
        };
        assert_eq!(cut(3, 0, capture), Some(true));
        let mated = |_: &mut Worker<Plain>, context: &mut Context| context.window = Window::null(-MATE + 4);
        assert_eq!(cut(3, 0, mated), None, "nothing is said about mates");
    }

    #[test]
    fn a_null_move_cuts_where_passing_is_good_enough() {
        let mut worker = worker(SAFE_ROOK, 3000);
        make(&mut worker, "5i5h");
        make(&mut worker, "5a5b");
        let good = context(&mut worker, 0, 12);
        assert!(worker.null_move(&good).is_some_and(|value| value >= 1));
        let mut just = context(&mut worker, 0, 12);
        (just.improving, just.static_eval) = (false, 1 - 16 * 12 + 378);
        assert!(worker.null_move(&just).is_some());
        just.static_eval -= 1;
        assert_eq!(worker.null_move(&just), None, "below the margin it is not tried");
        just.improving = true;
        assert!(worker.null_move(&just).is_some());
        let mut other = context(&mut worker, 0, 12);
        other.cut_node = false;
        assert_eq!(worker.null_move(&other), None, "no cut is expected");
        other.cut_node = true;
        worker.null_move_min_ply = worker.stack.ply + 1;
        assert_eq!(worker.null_move(&other), None, "a cutoff is being verified");
    }

    #[test]
    fn a_mate_by_passing_is_no_mate() {
        // White has only its king. After a pass any move mates it.
        let mut worker = worker("4k4/9/3GPG3/9/9/9/9/9/4K4 b G 1", 3000);
        let context = context(&mut worker, 100, 12);
        assert!(worker.null_move(&context).is_none_or(|value| value < MATE_BOUND));
    }

    #[test]
    fn probcut_cuts_by_a_capture_that_is_far_above_beta() {
        let depth = params::probcut_depth() + 2;
        let tried = |sfen: &str, depth: i32, short_of_capture: Value, excluded: Option<&str>| {
            let mut worker = worker(sfen, 0);
            let beta = worker.evaluate() + 990 - params::probcut_margin() - short_of_capture;
            let mut context = context(&mut worker, beta - 1, depth);
            context.excluded = excluded.map_or(Move::NONE, |text| parse(&worker, text));
            let value = worker.probcut(&context);
            (value.map(|value| value >= beta), worker.table.probe(worker.position.key(), 0))
        };
        let (cut, entry) = tried(FREE_ROOK, depth, 300, None);
        assert_eq!(cut, Some(true));
        assert_eq!((entry.depth, entry.bound), (depth - 3, Some(Bound::Lower)));
        assert_eq!(entry.mv.to_string(), "5e5d");
        assert_eq!(tried(FREE_ROOK, depth, -600, None).0, None, "the capture is not enough");
        assert_eq!(tried(SAFE_ROOK, depth, 300, None).0, None, "there is no capture");
        assert_eq!(tried(FREE_ROOK, params::probcut_depth() - 1, 300, None).0, None, "too little is left to search");
        assert_eq!(tried(FREE_ROOK, depth, 300, Some("5e5d")).0, None, "a singular search leaves it out");
    }

    #[test]
    fn probcut_that_is_off_cuts_nothing_and_cuts_can_be_watched() {
        for (mode, cuts) in [(ProbCutMode::Off, 0), (ProbCutMode::Constant, 1)] {
            let mut worker = worker(FREE_ROOK, 0);
            let claims = Arc::new(Mutex::new(Vec::new()));
            let seen = Arc::clone(&claims);
            let observer: ProbCutObserver = Arc::new(move |_, claim| seen.lock().push(*claim));
            let probcut = ProbCutOptions { mode, ..ProbCutOptions::default() };
            worker.reliability = Arc::new(Reliability { probcut, observer: Some(observer), ..Reliability::default() });
            let beta = worker.evaluate() + 500;
            let context = context(&mut worker, beta - 1, 6);
            worker.probcut(&context);
            assert_eq!(*claims.lock(), vec![ProbCutClaim { depth: 6, value: beta }; cuts]);
        }
    }

    /// The decision on a move when another one is best so far.
    fn decide<N: NodeKind>(worker: &mut Worker<Plain>, context: &Context, text: &str, depth: i32) -> Option<Value> {
        let searched = SearchedMove::new(&worker.position, parse(worker, text));
        worker.prune_move::<N>(context, &searched, depth, &Best { value: -100, mv: Move::NONE }, &mut None)
    }

    #[test]
    fn hopeless_quiet_moves_are_left_out_and_say_what_they_may_be_worth() {
        let mut worker = worker(BARE, 0);
        let depth = 2;
        let reach = params::futility_base() + params::futility_no_best() + params::futility_slope() * (depth - 1);
        // The start values of the histories subtract a ply: (-523 - 523 - 1238) / 3220 is 0.
        let at = |worker: &mut Worker<Plain>, alpha| {
            let context = context(worker, alpha, 4);
            decide::<NonPvNode>(worker, &context, "5i5h", depth - 1)
        };
        assert_eq!(at(&mut worker, reach), Some(reach), "futile");
        assert_eq!(at(&mut worker, reach - 1), None);
    }

    #[test]
    fn quiet_moves_that_were_refuted_again_and_again_are_left_out() {
        let mut worker = worker(BARE, 0);
        make(&mut worker, "5i5h");
        make(&mut worker, "5a5b");
        let context = context(&mut worker, -500, 3);
        assert_eq!(decide::<NonPvNode>(&mut worker, &context, "5h5g", 3), None);
        let refuted = SearchedMove::new(&worker.position, parse(&worker, "5h5g"));
        for _ in 0..40 {
            worker.teach_continuations(0, refuted.piece_to, -2000);
        }
        assert_eq!(decide::<NonPvNode>(&mut worker, &context, "5h5g", 3), Some(UNKNOWN_WORTH));
        worker.stack[0].on_last_line = true;
        assert_eq!(decide::<PvNode>(&mut worker, &context, "5h5g", 3), None, "on the last best line");
    }

    #[test]
    fn a_check_may_be_what_a_hopeless_position_needs() {
        let mut worker = worker("4k4/9/9/9/9/9/9/3R5/K8 b - 1", 0);
        let hopeless = context(&mut worker, 5000, 1);
        assert!(decide::<NonPvNode>(&mut worker, &hopeless, "6h7h", 1) > Some(UNKNOWN_WORTH));
        assert_eq!(decide::<NonPvNode>(&mut worker, &hopeless, "6h5h", 1), None);
    }

    #[test]
    fn moves_that_lose_material_are_left_out() {
        // The rook can sacrifice itself for a pawn with check, or move into an effect without
        // check.
        let mut worker = worker("4k4/3gpg3/9/9/1p7/2g6/9/4R4/K8 b - 1", 0);
        let context = context(&mut worker, 0, 2);
        assert_eq!(decide::<NonPvNode>(&mut worker, &context, "5h5b", 2), Some(UNKNOWN_WORTH));
        let behind = Context { window: Window::null(-5000), ..context };
        assert_eq!(decide::<NonPvNode>(&mut worker, &behind, "5h5c", 2), Some(UNKNOWN_WORTH));
        assert_eq!(decide::<NonPvNode>(&mut worker, &behind, "5h5b", 2), None, "below 0 there is no test");
    }

    #[test]
    fn hopeless_captures_are_left_out() {
        let mut worker = worker(FREE_ROOK, 0);
        let eval = worker.evaluate();
        let history = params::capture_futility_history() * -678 / 1024;
        let reach = params::capture_futility_base() + params::capture_futility_slope() * 2 + 990 + history;
        for (alpha, expected) in [(reach, Some(UNKNOWN_WORTH)), (reach - 1, None)] {
            let context = context(&mut worker, eval + alpha, 4);
            assert_eq!(decide::<NonPvNode>(&mut worker, &context, "5e5d", 2), expected);
        }
        let context = context(&mut worker, eval + 9000, 20);
        assert_eq!(decide::<NonPvNode>(&mut worker, &context, "5e5d", params::capture_futility_depth()), None);
    }
}

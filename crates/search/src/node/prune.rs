//! Steps 6 to 10 prune nodes, step 14 prunes moves. Forward pruning guarantees nothing; it stays because it wins games.

use kiki_board::exchange_value;
use kiki_eval::Evaluator;

use super::worker::Worker;
use super::{Context, MoveCandidate, Window};
use super::{NodeKind, NonPvNode};
use crate::order::Purpose;
use crate::order::history::{SearchedMove, hanging};
use crate::params;
use crate::reliability::{CutNode, ProbCutClaim};
use crate::table::TableEntry;
use crate::value::{Bound, MATE_BOUND, Value};

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
        if !params::use_razoring() || context.eval >= reach {
            return None;
        }
        let value = self.quiesce::<NonPvNode>(Window::null(alpha - 1), 0);
        (value < alpha && value.abs() < MATE_BOUND).then_some(value)
    }

    /// Step 7. Reverse futility: so far above beta that the opponent cannot make it up in the plies left, not even by taking hanging pieces.
    fn reverse_futility(&self, context: &Context) -> Option<Value> {
        let beta = context.window.beta;
        let plies = context.depth - i32::from(context.improving);
        let margin = params::reverse_futility_slope() * plies;
        if !params::use_reverse_futility()
            || context.depth > params::reverse_futility_depth()
            || context.eval - margin < beta
            || context.eval >= MATE_BOUND
            || beta <= -MATE_BOUND
        {
            return None;
        }
        let [_, second] = hanging(&self.position, self.position.side_to_move());
        let lost = exchange_value(second) * params::reverse_futility_hanging() / 16;
        let percent = params::reverse_futility_return();
        (context.eval - margin - lost >= beta).then_some(beta + (context.eval - beta) * percent / 100)
    }

    /// Step 8. Null move: if passing still reaches beta, a move will. Zugzwang is rare in shogi.
    fn null_move(&mut self, context: &mut Context) -> Option<Value> {
        let beta = context.window.beta;
        let depth = context.depth;
        let passed = self.stack.frame_above(1).is_some_and(|frame| frame.null);
        let hopeful = context.eval >= beta && self.stack.frame().static_eval >= beta - params::null_hope() * depth;
        let may_pass = params::use_null_moves() && !passed && hopeful;
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

impl<E: Evaluator> Worker<E> {
    /// Step 9. A capture that a shallow search shows to be far above beta is above beta.
    pub(super) fn probcut_by_captures(&mut self, context: &Context) -> Option<Value> {
        let beta = context.window.beta;
        let depth = context.depth;
        let may_try = params::use_probcut() && self.reliability.tries_probcut() && depth >= params::probcut_depth();
        if !may_try || beta.abs() >= MATE_BOUND {
            return None;
        }
        let raised = self.reliability.capture_threshold(&self.cut_node(context, Bound::Lower));
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
        self.reliability.observe(&self.position, &claim);
        let eval = context.raw_eval;
        let entry = TableEntry { mv, value, eval, depth: depth - 3, bound: Bound::Lower, pv: false };
        self.table.store(self.position.key(), self.stack.ply, entry);
        Some(value)
    }

    /// Step 10. Shallow searches of the node itself, the cheapest first: a value far above beta, or far below alpha, cuts. Returns a bound that the
    /// deep search is expected to reach too; the table does not store it.
    pub(super) fn probcut_by_check_search(&mut self, context: &mut Context) -> Option<Value> {
        let Window { alpha, beta } = context.window;
        // A check search is likely to leave the window only where the evaluation already lies outside.
        let bound = if context.eval >= beta {
            Bound::Lower
        } else if context.eval <= alpha {
            Bound::Upper
        } else {
            return None;
        };
        let searches = self.reliability.check_searches(context.depth, self.check_searches, bound);
        if !params::use_probcut() || searches == 0 || beta >= MATE_BOUND || alpha <= -MATE_BOUND {
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
        let (depth, threshold) = self.reliability.check_search(index, &node)?;
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
        self.reliability.observe(&self.position, &claim);
        Some(claimed)
    }

    fn cut_node(&self, context: &Context, bound: Bound) -> CutNode<'_> {
        let Window { alpha, beta } = context.window;
        let value = if bound == Bound::Lower { beta } else { alpha };
        CutNode { depth: context.depth, position: &self.position, static_value: context.raw_eval, value, bound }
    }
}

/// The decision on a move before it is played.
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
            // A mistake here is played: a sacrifice may mate.
            return Skip::No;
        }
        let depth = context.depth;
        let mv = candidate.searched.mv;
        if candidate.searched.tactical {
            let loss = params::see_capture_slope() * depth;
            let bad = params::use_capture_exchanges() && !self.position.see_ge(mv, -loss);
            return if bad { Skip::This } else { Skip::No };
        }
        let percent = if context.improving { 100 } else { params::late_move_falling() };
        let limit = (params::late_move_base() + params::late_move_slope() * depth * depth / 100) * percent / 100;
        if params::use_late_move_pruning() && candidate.number as i32 > limit && !context.in_check {
            return Skip::AllQuiets;
        }
        let reduced = (depth - self.base_reduction(context, candidate.number) / 100).max(0);
        if params::use_history_pruning()
            && candidate.history < -params::history_prune_slope() * depth
            && depth <= params::history_prune_depth()
        {
            return Skip::This;
        }
        if !candidate.gives_check && context.is_futile(reduced) {
            return Skip::This;
        }
        let loss = params::see_quiet_slope() * reduced * (reduced + 1) / 2;
        if context.in_check || !params::use_quiet_exchanges() {
            // Giving a piece to block a line may be the only defence.
            return Skip::No;
        }
        if self.position.see_ge(mv, -loss) { Skip::No } else { Skip::This }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use kiki_board::{Move, Position};
    use parking_lot::Mutex;

    use crate::node::PvNode;
    use crate::node::testing::{BARE, FREE_ROOK, Plain, SAFE_ROOK, THREAT, candidate, context, make, parse, worker};
    use crate::reliability::{CheckOptions, GambleMode, ProbCutMode, ProbCutObserver, ProbCutOptions, Reliability};
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
        assert_eq!(razored(FREE_ROOK, 1), None, "a capture brings it back");
    }

    #[test]
    fn reverse_futility_cuts_far_above_beta_without_a_search() {
        let depth = 3;
        let cut = |sfen: &str, depth: i32, margin: Value| {
            let mut worker = worker(sfen, 0);
            let beta = worker.evaluate() - params::reverse_futility_slope() * depth - margin;
            let context = context(&mut worker, beta - 1, depth);
            let value = worker.reverse_futility(&context);
            assert_eq!(worker.limiter.nodes(), 0);
            value.map(|value| value >= beta)
        };
        assert_eq!(cut(BARE, depth, 0), Some(true));
        assert_eq!(cut(BARE, depth, -1), None, "within the margin");
        assert_eq!(cut(BARE, params::reverse_futility_depth() + 1, 0), None, "too much is left to search");
        // Rook and bishop hang to a lance each: one of them will be lost.
        let hanging = "4k4/2l3l2/9/2R6/6B2/9/9/9/4K4 b - 1";
        assert_eq!(cut(hanging, depth, 100), None);
        assert_eq!(cut(hanging, depth, 5000), Some(true));
    }

    #[test]
    fn reverse_futility_says_nothing_about_mates() {
        let mut worker = worker(BARE, 0);
        let context = context(&mut worker, -MATE + 4, 1);
        assert_eq!(worker.reverse_futility(&context), None);
    }

    #[test]
    fn a_null_move_cuts_where_passing_is_good_enough() {
        let mut worker = worker(SAFE_ROOK, 3000);
        make(&mut worker, "5i5h");
        make(&mut worker, "5a5b");
        let mut good = context(&mut worker, 0, 6);
        assert!(worker.null_move(&mut good).is_some_and(|value| value >= 1));
        assert!(!good.mate_threat);
        let nodes = worker.limiter.nodes();
        assert!(nodes > 2);
        let hopeless = worker.evaluate() + 1000;
        let mut bad = context(&mut worker, hopeless, 6);
        assert_eq!(worker.null_move(&mut bad), None);
        assert_eq!(worker.limiter.nodes(), nodes, "below beta it is not tried");
        let mut last_ply = context(&mut worker, 0, 1);
        assert_eq!(worker.null_move(&mut last_ply), None);
        // No side passes twice in succession.
        worker.make_null();
        let mut again = context(&mut worker, -9000, 6);
        assert_eq!(worker.null_move(&mut again), None);
    }

    #[test]
    fn a_null_move_that_is_mated_shows_a_threat() {
        let mut worker = worker(THREAT, 3000);
        let mut context = context(&mut worker, 0, 6);
        assert_eq!(worker.null_move(&mut context), None);
        assert!(context.mate_threat);
    }

    #[test]
    fn a_mate_by_passing_is_no_mate() {
        // White has nothing but its king, and after a pass is mated by any move.
        let mut worker = worker("4k4/9/3GPG3/9/9/9/9/9/4K4 b G 1", 3000);
        let mut context = context(&mut worker, 100, 6);
        assert!(worker.null_move(&mut context).is_some_and(|value| value < MATE_BOUND));
    }

    #[test]
    fn probcut_cuts_by_a_capture_that_is_far_above_beta() {
        let depth = params::probcut_depth();
        let tried = |sfen: &str, depth: i32, short_of_capture: Value| {
            let mut worker = worker(sfen, 0);
            // After the capture Black is a rook ahead twice over.
            let beta = worker.evaluate() + 2 * 990 - params::probcut_margin() - short_of_capture;
            let context = context(&mut worker, beta - 1, depth);
            let value = worker.probcut_by_captures(&context);
            (value.map(|value| value >= beta), worker.table.probe(worker.position.key(), 0))
        };
        let (cut, entry) = tried(FREE_ROOK, depth, 200);
        assert_eq!(cut, Some(true));
        let entry = entry.expect("it is remembered");
        assert_eq!((entry.mv.to_string().as_str(), entry.bound, entry.depth), ("5e5d", Bound::Lower, depth - 3));
        assert_eq!(tried(FREE_ROOK, depth, -600).0, None, "the capture does not bring enough");
        assert_eq!(tried(SAFE_ROOK, depth, 200).0, None, "no capture");
        assert_eq!(tried(FREE_ROOK, depth - 1, 200).0, None, "too near the leaves");
    }

    #[test]
    fn probcut_is_not_tried_against_what_the_table_knows() {
        let mut worker = worker(FREE_ROOK, 0);
        let beta = 100;
        let depth = params::probcut_depth();
        let mut context = context(&mut worker, beta - 1, depth);
        assert!(worker.probcut_by_captures(&context).is_some());
        let known = |value| TableEntry { mv: Move::NONE, value, eval: 0, depth, bound: Bound::Upper, pv: false };
        context.entry = Some(known(beta));
        assert_eq!(worker.probcut_by_captures(&context), None);
        context.entry = Some(known(beta + params::probcut_margin()));
        assert!(worker.probcut_by_captures(&context).is_some());
    }

    /// Nodes of this depth are searched less deep.
    const DEPTH: i32 = 8;

    /// The result of check searches at a node.
    struct Checked {
        /// The difference between the value of the cut and beta.
        cut: Option<Value>,
        nodes: u64,
    }

    /// Tries check searches at a node whose beta lies `beta_above` centipawns above the evaluation.
    fn checked(options: ProbCutOptions, beta_above: Value, depth: i32) -> Checked {
        let mut worker = worker(SAFE_ROOK, 0);
        worker.reliability = Arc::new(reliability(options));
        let beta = worker.evaluate() + beta_above;
        let mut context = context(&mut worker, beta - 1, depth);
        let value = worker.probcut_by_check_search(&mut context);
        assert_eq!(worker.check_searches, 0);
        Checked { cut: value.map(|value| value - beta), nodes: worker.limiter.nodes() }
    }

    const MARGIN: Value = 100;
    const REDUCTION: i32 = 4;

    /// One check search at [`DEPTH`] alone, on both sides of the window.
    const ONE: CheckOptions = CheckOptions {
        min_depth: DEPTH,
        max_depth: DEPTH,
        reduction: REDUCTION,
        margin: MARGIN,
        first_reduction: 0,
        first_percent: 100,
        low_percent: 100,
        most_nested: 0,
    };

    fn reliability(options: ProbCutOptions) -> Reliability {
        Reliability::new(options, GambleMode::Off, Arc::default(), None)
    }

    fn constant(checks: CheckOptions) -> ProbCutOptions {
        ProbCutOptions { mode: ProbCutMode::Constant, k: 100, checks }
    }

    #[test]
    fn a_check_search_cuts_on_both_sides_of_the_window() {
        let cut = |beta_above, depth| checked(constant(ONE), beta_above, depth).cut;
        let far = MARGIN + 60;
        assert_eq!(cut(-far, DEPTH), Some(0), "fails high with beta");
        assert_eq!(cut(far + 1, DEPTH), Some(-1), "fails low with alpha");
        assert_eq!((cut(-MARGIN / 2, DEPTH), cut(MARGIN / 2, DEPTH)), (None, None), "within the margin");
        assert_eq!((cut(-far, DEPTH - 1), cut(-far, DEPTH + 1)), (None, None), "at other depths it is not tried");
        let off = checked(ProbCutOptions { mode: ProbCutMode::Off, ..constant(ONE) }, -far, DEPTH);
        assert_eq!((off.cut, off.nodes), (None, 0));
        let captures_alone = checked(constant(CheckOptions { margin: 0, ..ONE }), -far, DEPTH);
        assert_eq!((captures_alone.cut, captures_alone.nodes), (None, 0));
    }

    #[test]
    fn margins_below_alpha_may_be_others_or_none() {
        let far = MARGIN + 60;
        let low = |low_percent, beta_above| checked(constant(CheckOptions { low_percent, ..ONE }), beta_above, DEPTH);
        assert_eq!(low(200, far + 1).cut, None, "not far enough for twice the margin");
        assert_eq!(low(200, far + 1 + MARGIN).cut, Some(-1));
        assert_eq!(low(200, -far).cut, Some(0), "above beta they are as before");
        assert_eq!(low(0, far + 1).nodes, 0);
        assert_eq!(low(0, -far).cut, Some(0));
    }

    #[test]
    fn the_cheapest_check_search_that_cuts_spares_the_others() {
        // Below alpha, where even a shallow search has something to look at.
        let with_first = |first_reduction, first_percent| {
            checked(constant(CheckOptions { margin: 40, first_reduction, first_percent, ..ONE }), 101, DEPTH)
        };
        let (alone, cheap, both) = (with_first(0, 100), with_first(6, 100), with_first(6, 1000));
        assert_eq!((alone.cut, cheap.cut, both.cut), (Some(-1), Some(-1), Some(-1)));
        assert!(
            cheap.nodes <= alone.nodes && alone.nodes < both.nodes,
            "{} {} {}",
            cheap.nodes,
            alone.nodes,
            both.nodes
        );
        let two = constant(CheckOptions { first_reduction: 6, first_percent: 150, ..ONE });
        let margins = reliability(two);
        let position = Position::startpos();
        let node = CutNode { depth: DEPTH, position: &position, static_value: 0, value: 300, bound: Bound::Lower };
        assert_eq!(margins.check_searches(DEPTH, 0, Bound::Lower), 2);
        assert_eq!(margins.check_search(0, &node), Some((DEPTH - 6, 300 + MARGIN * 3 / 2)));
        assert_eq!(margins.check_search(1, &node), Some((DEPTH - REDUCTION, 300 + MARGIN)));
        let too_shallow = checked(constant(CheckOptions { reduction: DEPTH, ..ONE }), -MARGIN - 60, DEPTH);
        assert_eq!((too_shallow.cut, too_shallow.nodes), (None, 0), "a check search has a ply at least");
    }

    #[test]
    fn check_searches_stand_in_one_another_as_far_as_allowed() {
        let tried = |most_nested, outer: usize| {
            let mut worker = worker(SAFE_ROOK, 0);
            worker.reliability = Arc::new(reliability(constant(CheckOptions { most_nested, ..ONE })));
            worker.check_searches = outer;
            let beta = worker.evaluate() - MARGIN - 60;
            let mut context = context(&mut worker, beta - 1, DEPTH);
            worker.probcut_by_check_search(&mut context).is_some()
        };
        assert_eq!([tried(0, 0), tried(0, 1), tried(1, 1), tried(1, 2)], [true, false, true, false]);
    }

    #[test]
    fn a_check_search_that_does_not_cut_leaves_its_move() {
        let mut worker = worker(FREE_ROOK, 0);
        // Taking the rook is worth less than the margin requires.
        let options = constant(CheckOptions { margin: 9000, ..ONE });
        worker.reliability = Arc::new(reliability(options));
        let beta = worker.evaluate() - 1;
        let mut context = context(&mut worker, beta - 1, DEPTH);
        assert!(context.entry.is_none());
        assert_eq!(worker.probcut_by_check_search(&mut context), None);
        assert!(context.entry.is_some_and(|entry| entry.depth < DEPTH));
    }

    #[test]
    fn an_observer_receives_every_cut() {
        let claims = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&claims);
        let observer: ProbCutObserver = Arc::new(move |_, claim: &ProbCutClaim| heard.lock().push(*claim));
        let mut worker = worker(SAFE_ROOK, 0);
        worker.reliability = Arc::new(Reliability::new(constant(ONE), GambleMode::Off, Arc::default(), Some(observer)));
        let alpha = worker.evaluate() + MARGIN + 60;
        let mut context = context(&mut worker, alpha, DEPTH);
        assert_eq!(worker.probcut_by_check_search(&mut context), Some(alpha));
        let expected = ProbCutClaim { depth: DEPTH, bound: Bound::Upper, value: alpha, by_capture: false };
        assert_eq!(*claims.lock(), [expected]);
    }

    #[test]
    fn late_and_hopeless_quiet_moves_are_left_out() {
        let mut worker = worker(BARE, 0);
        let near = context(&mut worker, 0, 1);
        let skip = |worker: &mut Worker<Plain>, context: &Context, text: &str, number: usize| {
            let candidate = candidate(worker, text, number);
            worker.prune_move::<NonPvNode>(context, &candidate)
        };
        assert_eq!(skip(&mut worker, &near, "5i5h", 2), Skip::No);
        assert_eq!(skip(&mut worker, &near, "5i5h", 40), Skip::AllQuiets, "late");
        let hopeless = context(&mut worker, 3000, 1);
        assert_eq!(skip(&mut worker, &hopeless, "5i5h", 2), Skip::This, "futile");
        let mut history = near;
        history.depth = params::history_prune_depth();
        let [refuted, best] = ["5i5h", "5i4h"].map(|text| parse(&worker, text));
        for _ in 0..40 {
            worker.searched = vec![SearchedMove::new(&worker.position, refuted)];
            worker.update_histories(best, 0, 20);
        }
        assert_eq!(skip(&mut worker, &history, "5i5h", 2), Skip::This, "refuted again and again");
    }

    #[test]
    fn a_check_may_be_what_a_hopeless_position_needs() {
        let mut worker = worker("4k4/9/9/9/9/9/9/3R5/K8 b - 1", 0);
        let hopeless = context(&mut worker, 5000, 1);
        let away = candidate(&worker, "6h7h", 2);
        assert!(!away.gives_check);
        assert_eq!(worker.prune_move::<NonPvNode>(&hopeless, &away), Skip::This);
        let check = candidate(&worker, "6h5h", 2);
        assert!(check.gives_check);
        assert_eq!(worker.prune_move::<NonPvNode>(&hopeless, &check), Skip::No);
    }

    #[test]
    fn moves_that_lose_material_are_left_out_but_for_checks_on_the_principal_variation() {
        // The rook can give itself up for a pawn, with and without check.
        let mut worker = worker("4k4/3gpg3/9/9/1p7/2g6/9/4R4/K8 b - 1", 0);
        let context = context(&mut worker, 0, 2);
        let for_pawn = candidate(&worker, "5h5b", 2);
        assert!(for_pawn.gives_check && for_pawn.searched.tactical);
        assert_eq!(worker.prune_move::<NonPvNode>(&context, &for_pawn), Skip::This);
        assert_eq!(worker.prune_move::<PvNode>(&context, &for_pawn), Skip::No);
        let into_effect = candidate(&worker, "5h5c", 2);
        assert_eq!(worker.prune_move::<NonPvNode>(&context, &into_effect), Skip::This);
    }
}

//! One node of the alpha-beta search, as numbered steps. `docs/search.md` explains them.

use std::ops::ControlFlow::{self, Break, Continue};

use kiki_board::{CheckInfo, DeclarationVerdict, Move, opponent};
use kiki_eval::Evaluator;

use super::root_moves::RootMoveResult;
use super::worker::Worker;
use super::{Best, Context, NodeKind, NonPvNode, Window};
use crate::order::history::SearchedMove;
use crate::order::{MovePicker, Purpose, check_info};
use crate::params;
use crate::table::TableEntry;
use crate::value::{
    Bound, EVAL_LIMIT, INFINITE, MATE_BOUND, MAX_PLY, NONE, Value, mate_in, mated_in, repetition_value,
};

/// Only this many first moves of a node teach the histories when another one is best.
const REMEMBERED: i32 = 32;

impl<E: Evaluator> Worker<E> {
    /// The value of the position for the side to move: exact within `window` as far as pruning
    /// allows, a bound outside it. Meaningless once the search is stopped.
    #[inline(always)]
    pub(crate) fn search<N: NodeKind>(&mut self, window: Window, depth: i32, cut_node: bool) -> Value {
        // Step 1. Leaves belong to the quiescence search.
        if depth <= 0 {
            return self.quiesce::<N>(window);
        }
        let value = self.search_node::<N>(window, depth.min(MAX_PLY as i32 - 1), cut_node);
        debug_assert!(self.stopped() || self.is_possible(value), "{value} at ply {} within {window:?}", self.stack.ply);
        value
    }

    fn search_node<N: NodeKind>(&mut self, mut window: Window, depth: i32, cut_node: bool) -> Value {
        // Step 2. Terminal nodes, and mate distance pruning.
        self.stack.clear_pv();
        if self.limiter.must_stop() {
            return 0;
        }
        if !N::ROOT {
            if let Some(value) = self.terminal_value() {
                return value;
            }
            window.alpha = window.alpha.max(mated_in(self.stack.ply));
            window.beta = window.beta.min(mate_in(self.stack.ply + 1));
            if window.alpha >= window.beta {
                // All possible values of this node lie on one side of the window: return the
                // nearest.
                return window.alpha.min(mate_in(self.stack.ply + 1));
            }
        }
        self.seldepth = self.seldepth.max(self.stack.ply + 1);

        // Step 3. The transposition table.
        let mut context = self.enter::<N>(window, depth, cut_node);
        if !N::PV && self.table_cutoff(&context) {
            return context.entry.value;
        }

        // Step 4. Mate in one, and a win by declaration.
        let mut info = None;
        if !N::ROOT
            && context.excluded.is_none()
            && let Some(mv) = self.immediate_win(&context, &mut info)
        {
            return self.conclude_win(mv, depth + 6);
        }

        // Step 5. The static evaluation, and what it shows about the opponent's last move.
        self.evaluate_node(&mut context);
        if !context.in_check {
            self.teach_by_swing(&context);
            if params::use_hindsight() {
                context.depth += self.hindsight(&context);
            }
            // Steps 6 to 9. Subtrees that need no search.
            if let Some(value) = self.prune_node::<N>(&mut context) {
                return value;
            }
        }
        if self.stopped() {
            return 0;
        }
        self.search_moves::<N>(context, info)
    }

    /// Steps 10 to 18: the moves of a node, and their results.
    fn search_moves<N: NodeKind>(&mut self, mut context: Context, info: Option<CheckInfo>) -> Value {
        // Step 10. A table value far above beta.
        if !N::ROOT
            && let Some(value) = small_probcut(&context)
        {
            return value;
        }

        // Step 11. The moves, in the order of the picker.
        let searched_from = self.searched.len();
        let mut picker = self.new_picker(context.tt_move, Purpose::Main { depth: context.depth });
        let best = self.try_moves::<N>(&mut context, &mut picker, info);
        picker.finish(&mut self.lists);
        let value = match best {
            _ if self.stopped() => 0,
            Continue(best) => self.conclude::<N>(&context, best, searched_from),
            Break(cut) => cut,
        };
        self.searched.truncate(searched_from);
        value
    }

    /// Steps 12 to 15: the best of a node after all its moves, or the value of a node that is cut
    /// without one (multi-cut).
    #[inline(always)]
    fn try_moves<N: NodeKind>(
        &mut self,
        context: &mut Context,
        picker: &mut MovePicker,
        mut info: Option<CheckInfo>,
    ) -> ControlFlow<Value, Best> {
        let mut best = Best { value: -INFINITE, mv: Move::NONE };
        let mut count = 0;
        let values_all = N::ROOT && self.root_moves.values_all;
        while let Some(mv) = self.next_move(picker, best.value, &mut info) {
            if mv == context.excluded || (N::ROOT && !self.root_moves.is_searched_now(mv)) {
                continue;
            }
            count += 1;
            // If every move needs an exact value, search each like the first.
            let number = if values_all { 1 } else { count };
            let searched = SearchedMove::new(&self.position, mv);
            self.stack[0].move_count = number;
            let new_depth = context.depth - 1;
            let reduction = self.early_reduction(context, number);

            // Step 12. Moves that need no search.
            if !N::ROOT && best.value > -MATE_BOUND {
                picker.skip_quiets |= is_late(context, number);
                let reduced = new_depth - reduction / 1024;
                if let Some(worth) = self.prune_move::<N>(context, &searched, reduced, &best, &mut info) {
                    best.value = best.value.max(worth);
                    continue;
                }
            }

            // Step 13. A singular table move is searched deeper.
            let extension = self.extension::<N>(context, mv)?;
            if self.stopped() {
                break;
            }

            // Step 14. Make the move and search the child.
            let stat = self.stat(&searched);
            self.stack[0].stat = stat;
            let nodes = self.limiter.nodes;
            self.make(&searched);
            let reduction = self.late_reduction::<N>(context, mv, number, reduction);
            let value = self.search_child::<N>(context, number, new_depth + extension, reduction, best.value);
            self.unmake();
            if self.stopped() {
                break;
            }
            if N::ROOT {
                let (seldepth, line) = (self.seldepth, self.stack.pv(1));
                let (window, nodes) = (context.window, self.limiter.nodes - nodes);
                self.root_moves.note(&RootMoveResult { mv, value, number, window, seldepth, nodes, line });
                self.limiter.note_better(self.root_depth, self.root_moves.better_move());
            }

            // Step 15. A new best move, perhaps a cutoff. Sometimes an equal value counts as
            // better.
            let bump = i32::from(value == best.value && self.prefers_equal::<N>(value));
            if value + bump > best.value {
                best.value = value;
                if value + bump > context.window.alpha {
                    best.mv = mv;
                    if N::PV && !N::ROOT {
                        self.stack.extend_pv(mv);
                    }
                    if value >= context.window.beta {
                        self.stack[0].note_cutoff(&searched, extension < 2 || N::PV);
                        break;
                    }
                    if !values_all {
                        context.window.alpha = value;
                    }
                }
            }
            if mv != best.mv && count <= REMEMBERED {
                self.searched.push(searched);
            }
        }
        Continue(best)
    }

    /// Steps 16 to 18: the value of the node after its moves, what the histories learn, and its
    /// entry in the table.
    fn conclude<N: NodeKind>(&mut self, context: &Context, mut best: Best, searched_from: usize) -> Value {
        let Window { alpha, beta } = context.window;
        let ply = self.stack.ply;
        let is_plain = |value: Value| value.abs() < MATE_BOUND;
        if best.value >= beta && is_plain(best.value) && is_plain(alpha) {
            best.value = (best.value * context.depth + beta) / (context.depth + 1);
        }
        let mut depth = context.depth;
        if best.value == -INFINITE {
            // Step 16. No move: mate, at any depth. (Shogi has no stalemate: a side that cannot
            // move has lost.)
            best.value = if context.excluded.is_none() { mated_in(ply) } else { alpha };
            depth += 6;
        } else if best.mv.is_none() {
            // Step 17. Histories.
            self.teach_by_failure(context, best.value);
        } else {
            self.teach_by_success::<N>(context, best.mv, searched_from);
        }
        if best.value <= alpha {
            let was_pv = self.stack[-1].was_pv;
            self.stack[0].was_pv |= was_pv;
        }

        // Step 18. Store the result in the table, and its difference from the evaluation in the
        // corrections.
        if context.excluded.is_none() && !(N::ROOT && self.root_moves.first > 0) {
            let bound = match best.value {
                value if value >= beta => Bound::Lower,
                _ if N::PV && !best.mv.is_none() => Bound::Exact,
                _ => Bound::Upper,
            };
            let Best { value, mv } = best;
            let (bound, pv) = (Some(bound), self.stack[0].was_pv);
            self.store(TableEntry { mv, value, eval: context.raw_eval, depth, bound, pv });
        }
        self.teach_corrections(context, &best);
        best.value
    }

    /// Step 2. The value of a terminal node: decided by the rules of the game, or at the greatest
    /// distance from the root.
    #[inline(always)]
    pub(crate) fn terminal_value(&mut self) -> Option<Value> {
        let ply = self.stack.ply;
        let repetition = self.position.search_repetition(ply);
        if let Some(value) = repetition_value(repetition, ply, self.draw_value()) {
            return Some(value);
        }
        if ply >= MAX_PLY {
            return Some(if self.position.in_check() { self.draw_value() } else { self.evaluate() });
        }
        let limit = self.rules.max_moves;
        // A mate with the last move still counts.
        (limit > 0 && self.position.ply() > limit && !self.position.is_checkmate()).then(|| self.draw_value())
    }

    /// Step 3. The context on entering the node. Initialises its stack frame and those of its
    /// neighbours.
    #[inline(always)]
    pub(crate) fn enter<N: NodeKind>(&mut self, window: Window, depth: i32, cut_node: bool) -> Context {
        let ply = self.stack.ply;
        let in_check = self.position.in_check();
        self.prepare_evaluation();
        let entry = self.table.probe(self.position.key(), ply);
        let tt_move = if N::ROOT { self.root_moves.front() } else { entry.mv };
        let parent = &mut self.stack[-1];
        let parent_reduction = std::mem::take(&mut parent.reduction);
        let on_last_line = N::ROOT
            || parent.on_last_line
                && self.last_line.get(ply.wrapping_sub(1)).is_some_and(|&mv| mv == parent.searched.mv);
        self.stack[2].forget_cutoffs();
        let frame = &mut self.stack[0];
        (frame.in_check, frame.hit, frame.on_last_line) = (in_check, entry.exists(), on_last_line);
        (frame.move_count, frame.stat) = (0, 0);
        let excluded = frame.excluded;
        if excluded.is_none() {
            frame.was_pv = N::PV || entry.pv;
        }
        Context {
            window,
            depth,
            cut_node,
            all_node: !(N::PV || cut_node),
            in_check,
            static_eval: NONE,
            eval: NONE,
            raw_eval: NONE,
            doubt: 0,
            improving: false,
            worsening: false,
            entry,
            tt_move,
            tt_capture: !tt_move.is_none() && self.position.is_capture(tt_move),
            excluded,
            parent_reduction,
        }
    }

    /// Step 3. Whether the table's value cuts off, outside the principal variation. Such a cutoff
    /// teaches the histories.
    #[inline(always)]
    pub(super) fn table_cutoff(&mut self, context: &Context) -> bool {
        let &Context { entry, depth, window: Window { beta, .. }, .. } = context;
        let cuts = context.excluded.is_none()
            && entry.value != NONE
            && entry.depth > depth - i32::from(entry.value <= beta)
            && entry.decides(beta)
            && (context.cut_node == (entry.value >= beta) || depth > params::table_cut_depth());
        if cuts && entry.value >= beta && !entry.mv.is_none() {
            self.teach_by_table(context);
        }
        cuts
    }

    /// Step 4. A win without search: by declaration (no move), or, without a table entry, by mate in
    /// one.
    #[inline(always)]
    fn immediate_win(&mut self, context: &Context, info: &mut Option<CheckInfo>) -> Option<Move> {
        match self.position.declaration(self.rules.declaration) {
            DeclarationVerdict::Win | DeclarationVerdict::WinBy(_) => Some(Move::NONE),
            _ if context.entry.exists() || context.in_check => None,
            DeclarationVerdict::No | DeclarationVerdict::Draw => self.mate_in_one(info),
        }
    }

    /// The mate in one of the side to move, which is not in check. Looks only where the opponent's
    /// king is attacked nearby; the search finds the few other mates.
    #[inline(always)]
    pub(crate) fn mate_in_one(&mut self, info: &mut Option<CheckInfo>) -> Option<Move> {
        if !params::use_mate_in_one() || !self.position.is_king_approached(opponent(self.position.side_to_move())) {
            return None;
        }
        let info = check_info(info, &self.position);
        let mate = self.position.find_mate_in_one(info, &mut self.lists.moves);
        mate.filter(|&mv| !self.errors.hides(&self.position, mv, self.stack.ply))
    }

    /// Stores a win with its move: where a later search does not trust the depth, it tries the move
    /// first. Returns the value.
    pub(crate) fn conclude_win(&mut self, mv: Move, depth: i32) -> Value {
        let (value, bound) = (mate_in(self.stack.ply + 1), Some(Bound::Exact));
        self.store(TableEntry { mv, value, depth, bound, pv: self.stack[0].was_pv, ..TableEntry::MISSING });
        value
    }

    /// Step 5. The static evaluation and its consequences. Without a table entry, stores one with
    /// the evaluation only.
    #[inline(always)]
    pub(crate) fn evaluate_node(&mut self, context: &mut Context) {
        let correction = self.correction();
        context.doubt = correction.abs();
        if context.in_check {
            context.static_eval = self.stack[-2].static_eval;
            context.eval = context.static_eval;
            self.stack[0].static_eval = context.static_eval;
            return;
        }
        let entry = &context.entry;
        if !context.excluded.is_none() {
            // A singular search is at the same node as its parent.
            context.raw_eval = self.stack[0].static_eval;
            (context.static_eval, context.eval) = (context.raw_eval, context.raw_eval);
        } else {
            context.raw_eval = self.raw_evaluation(entry);
            context.static_eval = corrected(context.raw_eval, correction);
            context.eval = context.static_eval;
            if entry.improves_evaluation(context.static_eval) {
                context.eval = entry.value;
            }
            if !context.entry.exists() {
                let pv = self.stack[0].was_pv;
                self.store(TableEntry { eval: context.raw_eval, depth: EVALUATED, pv, ..TableEntry::MISSING });
            }
        }
        self.stack[0].static_eval = context.static_eval;
        // `NONE` exceeds every value: without an earlier evaluation the side does not improve, and
        // the opponent's worsens.
        context.improving = context.static_eval > self.stack[-2].static_eval;
        context.worsening = context.static_eval > -self.stack[-1].static_eval;
    }

    /// Step 5. More plies, or fewer, if the evaluations show that the parent reduced too much, or
    /// too little.
    #[inline(always)]
    pub(super) fn hindsight(&self, context: &Context) -> i32 {
        let reduction = context.parent_reduction;
        let mut plies = i32::from(reduction >= params::hindsight_deeper() && !context.worsening);
        let sum = context.static_eval + self.stack[-1].static_eval;
        if reduction >= params::hindsight_shallower() && context.depth + plies >= 2 && sum > params::hindsight_sum() {
            plies -= 1;
        }
        plies
    }

    /// Whether a value lies between being mated now and mating with the next move.
    pub(crate) fn is_possible(&self, value: Value) -> bool {
        (mated_in(self.stack.ply)..=mate_in(self.stack.ply + 1)).contains(&value)
    }

    /// Step 14. Searches the position after a move: late moves at reduced depth first, all but the
    /// first with a null window first. `depth` is without reduction, `reduction` in 1/1024 ply,
    /// `best` the best value so far.
    #[inline(always)]
    fn search_child<N: NodeKind>(
        &mut self,
        context: &Context,
        number: i32,
        mut depth: i32,
        mut reduction: i32,
        best: Value,
    ) -> Value {
        let &Context { window, entry, cut_node, .. } = context;
        let null = Window::null(window.alpha).negated();
        let mut value = window.alpha + 1;
        if params::use_late_move_reductions() && context.depth >= 2 && number > 1 {
            let reduced =
                (depth - reduction / 1024).min(depth + params::negative_reduction()).max(1) + i32::from(N::PV);
            self.stack[-1].reduction = depth - reduced;
            value = -self.search::<NonPvNode>(null, reduced, true);
            self.stack[-1].reduction = 0;
            if value > window.alpha && !self.stopped() {
                depth += i32::from(reduced < depth && value > best + params::again_deeper())
                    - i32::from(value < best + params::again_shallower());
                if depth > reduced {
                    value = -self.search::<NonPvNode>(null, depth, !cut_node);
                }
                self.teach_continuations(1, self.stack[-1].searched.piece_to, params::again_bonus());
            }
        } else if !N::PV || number > 1 {
            reduction += if context.tt_move.is_none() { params::unreduced_no_move() } else { 0 };
            let less = i32::from(reduction > params::unreduced_first())
                + i32::from(reduction > params::unreduced_second() && depth > 2);
            value = -self.search::<NonPvNode>(null, depth - less, !cut_node);
        }
        if N::PV && (number == 1 || value > window.alpha) && !self.stopped() {
            let decided = entry.value != NONE && entry.value.abs() >= MATE_BOUND && entry.depth > 0;
            if self.stack[-1].searched.mv == context.tt_move && (entry.depth > 1 || decided) {
                depth = depth.max(1);
            }
            value = -self.search::<N::Child>(window.negated(), depth, false);
        }
        value
    }

    /// Step 15. Near the end of the iteration, one of eight equal values counts as better, so that
    /// the first line found does not always stay.
    #[inline(always)]
    fn prefers_equal<N: NodeKind>(&self, value: Value) -> bool {
        !N::ROOT
            && self.stack.ply + 2 >= self.root_depth
            && self.limiter.nodes & 14 == 0
            && value.abs() + 1 < MATE_BOUND
    }
}

/// The depth of entries with an evaluation only, or with the bound that it gives.
pub(super) const EVALUATED: i32 = -2;

/// The evaluation `raw` with a correction in 1/131072 unit.
#[inline(always)]
pub(crate) fn corrected(raw: Value, correction: i32) -> Value {
    (raw + correction / 131_072).clamp(-EVAL_LIMIT, EVAL_LIMIT)
}

/// Step 10. Small ProbCut: the table has a lower bound far above beta, from little less depth.
#[inline(always)]
pub(super) fn small_probcut(context: &Context) -> Option<Value> {
    let entry = &context.entry;
    let bar = context.window.beta + params::small_probcut_margin();
    let cuts = params::use_small_probcut()
        && entry.has_lower()
        && entry.depth >= context.depth - params::small_probcut_depth()
        && entry.value >= bar
        && context.window.beta.abs() < MATE_BOUND
        && entry.value.abs() < MATE_BOUND;
    cuts.then_some(bar)
}

/// Step 12. Whether quiet moves after this one are too late to be searched.
#[inline(always)]
pub(super) fn is_late(context: &Context, number: i32) -> bool {
    let limit = (params::late_move_base() + context.depth * context.depth) / (2 - i32::from(context.improving));
    params::use_late_move_pruning() && number >= limit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::testing::{BARE, FREE_ROOK, context, make, parse, worker};

    fn entry(value: Value, depth: i32, bound: Bound) -> TableEntry {
        TableEntry { value, depth, bound: Some(bound), ..TableEntry::MISSING }
    }

    #[test]
    fn a_value_of_the_table_cuts_where_it_is_deep_enough_and_expected() {
        let cuts = |value: Value, stored: i32, bound, depth, cut_node| {
            let mut worker = worker(BARE, 0);
            let mut context = context(&mut worker, 99, depth);
            (context.entry, context.cut_node) = (entry(value, stored, bound), cut_node);
            worker.table_cutoff(&context)
        };
        assert!(cuts(100, 4, Bound::Lower, 4, true), "beta itself suffices with equal depth");
        assert!(!cuts(101, 4, Bound::Lower, 4, true), "a value above beta needs more");
        assert!(cuts(101, 5, Bound::Lower, 4, true));
        assert!(!cuts(100, 3, Bound::Lower, 4, true));
        assert!(!cuts(100, 9, Bound::Upper, 4, true) && !cuts(99, 9, Bound::Lower, 4, false), "on the wrong side");
        assert!(cuts(99, 4, Bound::Upper, 4, false) && cuts(99, 4, Bound::Exact, 4, false));
        assert!(!cuts(99, 4, Bound::Upper, 4, true), "a cut was expected");
        assert!(cuts(99, 6, Bound::Upper, 6, true), "deep nodes do not mind");
        assert!(!cuts(NONE, 9, Bound::Lower, 4, true), "an evaluation alone is no value");
    }

    #[test]
    fn a_value_of_the_table_far_above_beta_cuts_with_less_depth() {
        let cut = |value: Value, stored: i32, bound| {
            let mut context = context(&mut worker(BARE, 0), 99, 9);
            context.entry = entry(value, stored, bound);
            small_probcut(&context)
        };
        let bar = 100 + params::small_probcut_margin();
        assert_eq!(cut(bar, 5, Bound::Lower), Some(bar));
        assert_eq!(cut(bar + 50, 5, Bound::Exact), Some(bar));
        assert_eq!(cut(bar - 1, 5, Bound::Lower), None);
        assert_eq!(cut(bar, 4, Bound::Lower), None, "too shallow");
        assert_eq!(cut(bar, 9, Bound::Upper), None);
        assert_eq!(cut(MATE_BOUND, 9, Bound::Lower), None);
        assert_eq!(cut(NONE, 9, Bound::Lower), None);
    }

    #[test]
    fn quiet_moves_come_late_after_the_square_of_the_depth_or_half_of_it() {
        let mut context = context(&mut worker(BARE, 0), 0, 1);
        for (depth, not_improving, improving) in
            [(1, 2, 4), (2, 3, 7), (3, 6, 12), (4, 9, 19), (5, 14, 28), (6, 19, 39), (7, 26, 52), (8, 33, 67)]
        {
            context.depth = depth;
            for (improves, limit) in [(false, not_improving), (true, improving)] {
                context.improving = improves;
                assert!(is_late(&context, limit) && !is_late(&context, limit - 1), "{depth} {improves}");
            }
        }
    }

    #[test]
    fn hindsight_corrects_the_parents_reduction() {
        let plies = |reduction: i32, worsening: bool, depth: i32, evals: [Value; 2]| {
            let mut worker = worker(BARE, 0);
            make(&mut worker, "5i5h");
            let mut context = context(&mut worker, 0, depth);
            worker.stack[-1].static_eval = evals[0];
            (context.parent_reduction, context.worsening, context.static_eval) = (reduction, worsening, evals[1]);
            worker.hindsight(&context)
        };
        assert_eq!(plies(3, false, 5, [0, 0]), 1);
        assert_eq!(plies(2, false, 5, [0, 0]), 0, "hardly reduced");
        assert_eq!(plies(3, true, 5, [0, 0]), 0, "the opponent's evaluation worsened");
        assert_eq!(plies(2, true, 5, [100, 74]), -1, "both evaluations gain");
        assert_eq!(plies(2, true, 5, [100, 73]), 0);
        assert_eq!(plies(3, false, 5, [100, 74]), 0, "both at once");
        assert_eq!(plies(2, true, 1, [100, 74]), 0, "too little depth");
    }

    #[test]
    fn a_node_without_an_entry_leaves_its_evaluation_in_the_table() {
        let mut worker = worker(FREE_ROOK, 0);
        let context = context(&mut worker, 0, 4);
        let stored = worker.table.probe(worker.position.key(), 0);
        assert_eq!((stored.value, stored.bound, stored.eval), (NONE, None, context.raw_eval));
        assert!(!stored.decides(-30_000) && !stored.decides(30_000) && !stored.improves_evaluation(0));
    }

    #[test]
    fn a_mate_that_quiescence_found_is_found_again() {
        // Two free rooks come first. After them quiet moves are late at depth 1.
        let mut worker = worker("4k4/9/4P4/9/9/9/r7r/9/L3K3L b G 1", 0);
        let window = Window::null(500);
        assert_eq!(worker.quiesce::<NonPvNode>(window), mate_in(1));
        assert_eq!(worker.search::<NonPvNode>(window, 1, false), mate_in(1));
    }

    #[test]
    fn values_above_beta_are_softened_by_depth_but_mates_are_not() {
        let mut worker = worker(BARE, 0);
        let context = context(&mut worker, 99, 4);
        let mv = parse(&worker, "5i5h");
        let concluded = |worker: &mut Worker<_>, value| worker.conclude::<NonPvNode>(&context, Best { value, mv }, 0);
        assert_eq!(concluded(&mut worker, 300), (4 * 300 + 100) / 5);
        assert_eq!(concluded(&mut worker, mate_in(3)), mate_in(3));
        assert_eq!(concluded(&mut worker, 50), 50);
    }
}

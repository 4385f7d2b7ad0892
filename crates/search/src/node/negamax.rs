//! One node of the alpha-beta search, as numbered steps.

use kiki_board::{CheckInfo, Move, opponent};
use kiki_eval::Evaluator;

use super::depth::Extension;
use super::prune::Skip;
use super::root_moves::RootMoveResult;
use super::worker::Worker;
use super::{Context, MoveCandidate, Window};
use super::{NodeKind, NonPvNode};
use crate::order::history::SearchedMove;
use crate::order::{Purpose, check_info};
use crate::params;
use crate::table::TableEntry;
use crate::value::{Bound, INFINITE, MATE_BOUND, MAX_PLY, NONE, Value, mate_in, mated_in, repetition_value};

impl<E: Evaluator> Worker<E> {
    /// The value of the position for the side to move: exact within `window` as far as pruning allows, a bound outside it; without meaning
    /// once the search is stopped.
    #[inline(always)]
    pub(crate) fn search<N: NodeKind>(&mut self, window: Window, depth: i32, cut_node: bool) -> Value {
        let value = self.search_node::<N>(window, depth, cut_node);
        debug_assert!(self.stopped() || self.is_possible(value), "{value} at ply {} within {window:?}", self.stack.ply);
        value
    }

    #[expect(clippy::too_many_lines, clippy::cognitive_complexity, reason = "the order of the steps is its subject")]
    fn search_node<N: NodeKind>(&mut self, mut window: Window, mut depth: i32, cut_node: bool) -> Value {
        // Step 1. Leaves belong to the quiescence search.
        if depth <= 0 {
            return self.quiesce::<N>(window, 0);
        }
        self.stack.clear_pv();
        if self.must_stop() {
            return 0;
        }

        // Step 2. Terminal nodes, and mate distance pruning.
        if !N::ROOT {
            if let Some(value) = self.terminal_value() {
                return value;
            }
            window.alpha = window.alpha.max(mated_in(self.stack.ply));
            window.beta = window.beta.min(mate_in(self.stack.ply + 1));
            if window.alpha >= window.beta {
                // The window lies above or below all values that this node can have: the nearest of them.
                return window.alpha.min(mate_in(self.stack.ply + 1));
            }
        }
        let ply = self.stack.ply;
        self.seldepth = self.seldepth.max(ply + 1);
        let excluded = self.stack.frame().excluded;
        let key = self.position.key();

        // Step 3. The transposition table.
        self.prepare_evaluation();
        let entry = if excluded.is_none() { self.table.probe(key, ply) } else { None };
        if !N::PV
            && let Some(entry) = entry
            && entry.depth >= depth
            && entry.causes_cutoff(window.beta)
        {
            return entry.value;
        }
        let was_pv = N::PV || entry.is_some_and(|entry| entry.pv);

        // Step 4. A win by declaration, and mate in one.
        let in_check = self.position.in_check();
        let mut info = None;
        if !N::ROOT
            && excluded.is_none()
            && let Some(value) = self.immediate_win(in_check, entry.is_some(), &mut info)
        {
            let depth = MAX_PLY as i32 - 2;
            let win = TableEntry { mv: Move::NONE, value, eval: NONE, depth, bound: Bound::Exact, pv: was_pv };
            self.table.store(key, ply, win);
            return value;
        }

        // Step 5. The static evaluation.
        let mut context = self.static_evaluation(window, depth, cut_node, in_check, entry);

        // Steps 6 to 10. Subtrees that need no search.
        if !N::PV
            && !in_check
            && excluded.is_none()
            && let Some(value) = self.prune_node(&mut context)
        {
            return value;
        }
        if self.stopped() {
            return 0;
        }

        // Step 11. A threat of mate: searched a ply deeper, as it must be met.
        depth += i32::from(params::use_mate_threats() && context.mate_threat && self.may_extend());
        context.depth = depth;

        // Step 12. Internal iterative reduction: without a TT move search a ply less; the next visit has one.
        let has_no_move = params::use_internal_reductions() && context.tt_move().is_none() && excluded.is_none();
        if has_no_move && depth >= params::iterative_reduction_depth() && (N::PV || cut_node) {
            depth -= 1;
            context.depth = depth;
        }

        // Step 13. The moves.
        let searched_from = self.searched.len();
        let tt_move = if N::ROOT { self.root_moves.front() } else { context.tt_move() };
        let mut picker = self.new_picker(tt_move, Purpose::Main);
        let (alpha, beta) = (window.alpha, window.beta);
        let mut best_value = -INFINITE;
        let mut best_move = Move::NONE;
        let mut number = 0;
        self.stack.frame_below(2).killers = [Move::NONE; 2];
        let futile = !N::ROOT && context.is_futile(depth);
        while let Some(mv) = self.next_move(&mut picker, best_value, &mut info) {
            if mv == excluded || (N::ROOT && !self.root_moves.is_searched_now(mv)) {
                continue;
            }
            number += 1;
            // Where every move gets an exact value, each is searched like the first.
            let values_all = N::ROOT && self.root_moves.values_all;
            let number = if values_all { 1 } else { number };
            let candidate = self.candidate(mv, number, picker.gives_bad_captures(), &mut info);

            // Step 14. Moves that need no search.
            if !N::ROOT && best_value > -MATE_BOUND {
                match self.prune_move::<N>(&context, &candidate) {
                    Skip::No => {}
                    Skip::This => continue,
                    Skip::AllQuiets => {
                        picker.skip_quiets = true;
                        if !candidate.searched.tactical {
                            continue;
                        }
                    }
                }
            }

            // Step 15. Extensions.
            let extension = if N::ROOT { Extension::By(0) } else { self.extension::<N>(&context, &candidate) };
            if self.stopped() {
                break;
            }
            let extension = match extension {
                Extension::By(plies) => plies,
                Extension::Cut(value) => {
                    picker.finish(&mut self.lists);
                    self.searched.truncate(searched_from);
                    return value;
                }
            };

            // Step 16. Make the move and search the child: late moves with less depth, all but the first with a null window first.
            self.make(mv, candidate.searched.piece_to);
            self.stack.frame_mut().double_extensions += i32::from(extension >= 2);
            let value = self.search_child::<N>(
                &context,
                &candidate,
                was_pv,
                extension,
                if values_all { alpha } else { best_value.max(alpha) },
            );
            self.unmake();
            if self.stopped() {
                break;
            }
            if N::ROOT {
                let (seldepth, line) = (self.seldepth, self.stack.pv(1));
                self.root_moves.note(&RootMoveResult { mv, value, number, window, seldepth, line });
            }

            // Step 17. A new best move, perhaps a cutoff.
            if value > best_value {
                best_value = value;
                if value > alpha {
                    best_move = mv;
                    if N::PV && !N::ROOT {
                        self.stack.extend_pv(mv);
                    }
                    if value >= beta {
                        break;
                    }
                }
            }
            self.searched.push(candidate.searched);
            if futile && best_value > -MATE_BOUND {
                picker.only_checks = true;
            }
        }
        picker.finish(&mut self.lists);
        if self.stopped() {
            self.searched.truncate(searched_from);
            return 0;
        }

        // Step 18. No move: mate. (Shogi has no stalemate: the side that cannot move has lost.)
        if number == 0 {
            return if excluded.is_none() { mated_in(ply) } else { alpha };
        }

        // Step 19. Histories.
        if best_value >= beta {
            self.update_histories(best_move, searched_from, depth);
        }
        self.update_correction(&context, best_move, best_value);
        self.searched.truncate(searched_from);

        // Step 20. Store the result in the table.
        if excluded.is_none() && !(N::ROOT && self.root_moves.line_index() > 0) {
            let bound = match best_value {
                value if value >= beta => Bound::Lower,
                value if value > alpha => Bound::Exact,
                _ => Bound::Upper,
            };
            let eval = context.raw_eval;
            self.table.store(key, ply, TableEntry { mv: best_move, value: best_value, eval, depth, bound, pv: was_pv });
        }
        best_value
    }

    /// Step 2. The value of a terminal node: decided by the rules of the game, or at the greatest distance from the root.
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

    /// Step 4. The value of a win that needs no search: by declaration, or, if the table has no entry, by mate in one.
    #[inline(always)]
    pub(crate) fn immediate_win(
        &mut self,
        in_check: bool,
        has_entry: bool,
        info: &mut Option<CheckInfo>,
    ) -> Option<Value> {
        use kiki_board::DeclarationVerdict::{Draw, No, Win, WinBy};
        match self.position.declaration(self.rules.declaration) {
            Win | WinBy(_) => return Some(mate_in(self.stack.ply + 1)),
            No | Draw => {}
        }
        (!has_entry && !in_check && self.finds_mate_in_one(info)).then(|| mate_in(self.stack.ply + 1))
    }

    /// Whether the side to move, which is not in check, mates in one. Looks only where the opponent's king is attacked nearby; the few other mates
    /// are left to the search.
    #[inline(always)]
    pub(crate) fn finds_mate_in_one(&mut self, info: &mut Option<CheckInfo>) -> bool {
        params::use_mate_in_one() && self.position.is_king_approached(opponent(self.position.side_to_move())) && {
            let info = check_info(info, &self.position);
            self.position.find_mate_in_one(info, &mut self.lists.moves).is_some()
        }
    }

    /// Step 5. The static evaluation, and what the following steps read.
    pub(crate) fn static_evaluation(
        &mut self,
        window: Window,
        depth: i32,
        cut_node: bool,
        in_check: bool,
        entry: Option<TableEntry>,
    ) -> Context {
        let excluded = self.stack.frame().excluded;
        let (mut raw_eval, mut eval) = (NONE, NONE);
        if !in_check {
            raw_eval = self.raw_evaluation(entry);
            // A singular search stands at the same node as its parent.
            let known = if excluded.is_none() { NONE } else { self.stack.frame().static_eval };
            eval = if known == NONE { self.corrected(raw_eval) } else { known };
        }
        self.stack.frame_mut().static_eval = eval;
        let before = |plies: usize| self.stack.frame_above(plies).map_or(NONE, |frame| frame.static_eval);
        let earlier = if before(2) == NONE { before(4) } else { before(2) };
        let improving = !in_check && earlier != NONE && eval > earlier;
        if let Some(entry) = entry
            && !in_check
            && entry.improves_evaluation(eval)
        {
            eval = entry.value;
        }
        Context { window, depth, cut_node, in_check, mate_threat: false, eval, raw_eval, improving, entry, excluded }
    }

    /// The static evaluation before corrections: that of the table, if it has one.
    #[inline(always)]
    pub(crate) fn raw_evaluation(&mut self, entry: Option<TableEntry>) -> Value {
        match entry.map_or(NONE, |entry| entry.eval) {
            NONE => self.evaluate(),
            known => known,
        }
    }

    /// Whether a value lies between being mated here and mating with the next move.
    pub(crate) fn is_possible(&self, value: Value) -> bool {
        (mated_in(self.stack.ply)..=mate_in(self.stack.ply + 1)).contains(&value)
    }

    #[inline(always)]
    pub(crate) fn candidate(
        &self,
        mv: Move,
        number: usize,
        bad_capture: bool,
        info: &mut Option<CheckInfo>,
    ) -> MoveCandidate {
        let searched = SearchedMove::new(&self.position, mv);
        let gives_check = check_info(info, &self.position).gives_check(mv, self.position.arriving(mv));
        let history = if searched.tactical { 0 } else { self.quiet_history(searched) };
        MoveCandidate { searched, number, bad_capture, gives_check, history }
    }

    #[inline(always)]
    fn quiet_history(&self, searched: SearchedMove) -> i32 {
        let side = self.position.side_to_move();
        self.histories.quiet(side, searched.mv)
            + self.histories.continuation(self.stack.piece_to_before(1)).get(searched.piece_to)
            + self.histories.continuation(self.stack.piece_to_before(2)).get(searched.piece_to)
    }

    /// Searches the position after a move: late moves with reduced depth first, all but the first with a null window first.
    #[inline(always)]
    fn search_child<N: NodeKind>(
        &mut self,
        context: &Context,
        candidate: &MoveCandidate,
        was_pv: bool,
        extension: i32,
        alpha: Value,
    ) -> Value {
        let depth = context.depth - 1 + extension;
        let beta = context.window.beta;
        let mut value = alpha + 1;
        let late = params::use_late_move_reductions() && candidate.number > 1 + usize::from(N::ROOT);
        if late && context.depth >= 2 && (!candidate.searched.tactical || candidate.bad_capture || context.cut_node) {
            let reduced = (depth - self.reduction::<N>(context, candidate, was_pv)).clamp(1.min(depth), depth);
            value = -self.search::<NonPvNode>(Window::null(alpha).negated(), reduced, true);
            if value > alpha && reduced < depth && !self.stopped() {
                value = -self.search::<NonPvNode>(Window::null(alpha).negated(), depth, !context.cut_node);
            }
        } else if !N::PV || candidate.number > 1 {
            value = -self.search::<NonPvNode>(Window::null(alpha).negated(), depth, !context.cut_node);
        }
        if N::PV && (candidate.number == 1 || value > alpha) && !self.stopped() {
            value = -self.search::<N::Child>(Window { alpha, beta }.negated(), depth, false);
        }
        value
    }
}

//! Updates of the histories: by table cutoffs (step 3), evaluations (step 5), second searches (step
//! 14), and results (steps 17 and 18).

use kiki_board::{Cell, Move, PieceKind, opponent};
use kiki_eval::Evaluator;

use super::worker::Worker;
use super::{Best, Context, NodeKind};
use crate::order::history::{Histories, PieceTo, SearchedMove, pair_index, quiet_index};
use crate::params;

/// Weights of the continuation histories after the moves 1 to 6 plies before, in 1/1024 of the
/// bonus.
const CONTINUATIONS: [i32; 6] = [1157, 648, 288, 576, 140, 441];

impl<E: Evaluator> Worker<E> {
    /// The counter of a move after the one `plies` before.
    #[inline(always)]
    pub(crate) fn continuation(&self, plies: isize, searched: &SearchedMove) -> i32 {
        self.histories.continuation.get(self.stack[-plies].row.index(searched.piece_to))
    }

    /// The last move, unless it was none or a null move.
    #[inline(always)]
    fn last(&self) -> Option<SearchedMove> {
        let last = self.stack[-1].searched;
        (!last.mv.is_none()).then_some(last)
    }

    /// Teaches the continuation histories of the node `above` plies above this one.
    #[inline(always)]
    pub(crate) fn teach_continuations(&mut self, above: isize, piece_to: PieceTo, bonus: i32) {
        if !params::use_continuation_history() {
            return;
        }
        let in_check = self.stack[-above].in_check;
        for (before, weight) in (0..).zip(CONTINUATIONS) {
            if in_check && before >= 2 {
                break;
            }
            let frame = &self.stack[-above - before - 1];
            if !frame.searched.mv.is_none() {
                let nearest = if before == 0 { params::teach_nearest() } else { 0 };
                self.histories.continuation.add(frame.row.index(piece_to), bonus * weight / 1024 + nearest);
            }
        }
    }

    /// Teaches all histories of a quiet move of this node.
    fn teach_quiet(&mut self, searched: &SearchedMove, bonus: i32) {
        let &SearchedMove { mv, piece_to, .. } = searched;
        let side = self.position.side_to_move();
        if params::use_quiet_history() {
            self.histories.quiet.add(quiet_index(side, mv), bonus);
        }
        if params::use_low_history()
            && let Some(index) = Histories::low_index(self.stack.ply, mv)
        {
            self.histories.low.add(index, bonus * params::teach_low() / 1024);
        }
        self.teach_continuations(0, piece_to, bonus * params::teach_continuation() / 1024);
        self.teach_pawns(
            piece_to,
            bonus * if bonus > 0 { params::teach_pawn_good() } else { params::teach_pawn_bad() } / 1024,
        );
    }

    /// Teaches the pawn history, in the row of this node's position.
    #[inline(always)]
    fn teach_pawns(&mut self, piece_to: PieceTo, bonus: i32) {
        if params::use_pawn_history() {
            let shared = &self.histories.shared;
            shared.pawn.add(shared.pawn_start(&self.stack[0].keys) + piece_to.index(), bonus);
        }
    }

    fn teach_capture(&mut self, searched: &SearchedMove, bonus: i32) {
        if params::use_capture_history() {
            self.histories.capture.add(searched.capture_index(), bonus);
        }
    }

    /// Step 3. A cutoff by the table: its quiet move is good; the opponent's early quiet move was
    /// bad.
    #[cold]
    pub(crate) fn teach_by_table(&mut self, context: &Context) {
        let mv = context.entry.mv;
        if !self.position.is_legal(mv) {
            return;
        }
        if !context.tt_capture {
            let bonus = params::table_bonus_slope() * context.depth - params::table_bonus_base();
            self.teach_quiet(&SearchedMove::new(&self.position, mv), bonus.min(params::table_bonus_max()));
        }
        if let Some(last) = self.last()
            && self.stack[-1].move_count <= 4
            && !last.is_capture()
        {
            self.teach_continuations(1, last.piece_to, -params::table_malus());
        }
    }

    /// Whether pawn histories learn from the last move's consequences: not for pawn moves and
    /// promotions.
    fn last_is_settled(&self, last: Move) -> bool {
        let cell: Cell = self.position.cell(last.to());
        !cell.is_kind(PieceKind::Pawn) && !last.is_promotion()
    }

    /// Step 5. The swing of the static evaluation shows how good the opponent's quiet move was.
    #[inline(always)]
    pub(crate) fn teach_by_swing(&mut self, context: &Context) {
        let parent = &self.stack[-1];
        let judges = params::use_swing_teaching() && self.evaluator.judges_moves();
        let SearchedMove { mv, piece_to, .. } = parent.searched;
        if !judges || mv.is_none() || parent.in_check || parent.searched.is_capture() {
            return;
        }
        let swing = (-(parent.static_eval + context.static_eval)).clamp(-params::swing_least(), params::swing_most())
            + params::swing_base();
        let them = opponent(self.position.side_to_move());
        self.histories.quiet.add(quiet_index(them, mv), params::swing_quiet() * swing);
        if !context.entry.exists() && self.last_is_settled(mv) {
            self.teach_pawns(piece_to, params::swing_pawn() * swing);
        }
    }

    /// Step 17. A move raised alpha: it is good, and those searched before it are bad, from index
    /// `searched_from` of the worker's list.
    pub(crate) fn teach_by_success<N: NodeKind>(&mut self, context: &Context, best: Move, searched_from: usize) {
        let depth = context.depth;
        let parent = &self.stack[-1];
        let (parent_stat, parent_count, parent_hit) = (parent.stat, parent.move_count, parent.hit);
        let is_tt_move = best == context.tt_move;
        let bonus = (params::bonus_slope() * depth - params::bonus_base()).min(params::bonus_max())
            + if is_tt_move { params::bonus_tt_move() } else { 0 }
            + parent_stat / params::bonus_stat();
        let malus = (params::malus_slope() * depth - params::malus_base()).min(params::malus_max());
        let best = SearchedMove::new(&self.position, best);
        if best.is_capture() {
            self.teach_capture(&best, bonus * params::bonus_capture() / 1024);
        } else {
            self.teach_quiet(&best, bonus * params::bonus_quiet() / 1024);
        }
        let mut less = malus * params::malus_quiet() / 1024;
        for index in searched_from..self.searched.len() {
            let other = self.searched[index];
            if other.is_capture() {
                self.teach_capture(&other, -malus * params::malus_capture() / 1024);
            } else if !best.is_capture() {
                less = less * params::malus_falling() / 1024;
                self.teach_quiet(&other, -less);
            }
        }
        if let Some(last) = self.last()
            && parent_count == 1 + i32::from(parent_hit)
            && !last.is_capture()
        {
            self.teach_continuations(1, last.piece_to, -malus * params::malus_early() / 1024);
        }
        if !N::PV {
            self.histories
                .table_move
                .add(0, if is_tt_move { params::table_move_right() } else { -params::table_move_wrong() });
        }
    }

    /// Step 17. No move raised alpha: the opponent's last move is good.
    pub(crate) fn teach_by_failure(&mut self, context: &Context, best: i32) {
        let Some(last) = self.last() else { return };
        let parent = self.stack[-1];
        if last.is_capture() {
            return self.teach_capture(&last, params::failure_capture());
        }
        if !params::use_failure_teaching() {
            return;
        }
        let of = |holds: bool, change: i32| if holds { change } else { 0 };
        let depth = context.depth;
        let scale = -params::failure_base() - parent.stat / params::failure_stat()
            + (params::failure_depth() * depth).min(params::failure_depth_max())
            + of(parent.move_count > 8, params::failure_late())
            + of(
                !context.in_check && best <= context.static_eval - params::failure_own_margin(),
                params::failure_own(),
            )
            + of(
                !parent.in_check && best <= -parent.static_eval - params::failure_parent_margin(),
                params::failure_parent(),
            );
        let bonus =
            (params::failure_slope() * depth - params::failure_slope_base()).min(params::failure_max()) * scale.max(0);
        self.teach_continuations(1, last.piece_to, bonus * params::failure_continuation() / 16_384);
        let them = opponent(self.position.side_to_move());
        self.histories.quiet.add(quiet_index(them, last.mv), bonus * params::failure_quiet() / 32_768);
        if self.last_is_settled(last.mv) {
            self.teach_pawns(last.piece_to, bonus * params::failure_pawn() / 8192);
        }
    }

    /// The indices of this position's corrections: by pawns, by minor pieces, by Black's and White's
    /// other pieces.
    #[inline(always)]
    fn correction_indices(&self) -> [usize; 4] {
        self.histories.shared.correction_indices(&self.stack[0].keys, self.position.side_to_move())
    }

    /// The indices of the corrections by the last move and its side's moves before it.
    #[inline(always)]
    fn pair_indices(&self) -> [usize; 2] {
        let last = self.stack[-1].searched.piece_to;
        [-2, -4].map(|plies| pair_index(self.stack[plies].searched.piece_to, last))
    }

    /// Prefetches the entries of a position just entered, while the evaluation is updated.
    #[inline(always)]
    pub(crate) fn prefetch_corrections(&self) {
        for index in self.correction_indices() {
            self.histories.shared.correction.prefetch(index);
        }
        for index in self.pair_indices() {
            self.histories.pair_correction.prefetch(index);
        }
    }

    /// The expected error of the static evaluation, in 1/131072 unit.
    #[inline(always)]
    pub(crate) fn correction(&self) -> i32 {
        if !params::use_corrections() {
            return 0;
        }
        let shared = &self.histories.shared;
        let [pawn, minor, black, white] = self.correction_indices().map(|index| shared.correction.get(index));
        let pairs = match self.last() {
            Some(_) => self.pair_indices().map(|index| self.histories.pair_correction.get(index)).iter().sum(),
            None => 8,
        };
        params::correction_pawn() * pawn
            + params::correction_minor() * minor
            + params::correction_others() * (black + white)
            + params::correction_pairs() * pairs
    }

    /// Step 18. Learns the error of the static evaluation. Captures, and bounds on the wrong side
    /// of it, show none.
    #[inline(always)]
    pub(crate) fn teach_corrections(&mut self, context: &Context, best: &Best) {
        let has_best = !best.mv.is_none();
        let error = best.value - context.static_eval;
        if context.in_check || (has_best && self.position.is_capture(best.mv)) || (error > 0) != has_best {
            return;
        }
        let rate = if has_best { params::correct_best() } else { params::correct_bound() };
        let bonus = (error * context.depth * rate / 128).clamp(-256, 256);
        let bonus = params::correct_rate() * bonus / 1024;
        let (minor, others) = (params::correct_minor(), params::correct_others());
        for (index, rate) in self.correction_indices().into_iter().zip([128, minor, others, others]) {
            self.histories.shared.correction.add(index, bonus * rate / 128);
        }
        if self.last().is_some() {
            for (index, rate) in self.pair_indices().into_iter().zip([126, 63]) {
                self.histories.pair_correction.add(index, bonus * rate / 128);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use kiki_board::Color;

    use super::*;
    use crate::node::NonPvNode;
    use crate::node::testing::{BARE, Plain, context, make, parse, worker};

    /// A worker after six moves of bare kings.
    fn settled() -> Worker<Plain> {
        let mut worker = worker(BARE, 0);
        for text in ["5i5h", "5a5b", "5h5g", "5b4b", "5g6f", "4b3c"] {
            make(&mut worker, text);
        }
        worker.stack[-1].static_eval = 0;
        worker
    }

    /// The gain of a move in the quiet history, the pawn history, and the continuation histories of
    /// six plies.
    fn learned(worker: &Worker<Plain>, text: &str) -> (i32, i32, [i32; 6]) {
        let mv = SearchedMove::new(&worker.position, parse(worker, text));
        let continuations = [1, 2, 3, 4, 5, 6].map(|plies| worker.continuation(plies, &mv));
        let quiet = worker.histories.quiet.get(quiet_index(Color::Black, mv.mv));
        (quiet, worker.histories.shared.pawn_row(&worker.stack[0].keys).get(mv.piece_to), continuations)
    }

    /// A counter after a bonus.
    fn gravity(start: i32, bonus: i32, limit: i32) -> i32 {
        start + bonus - start * bonus.abs() / limit
    }

    #[test]
    fn a_quiet_move_that_raises_alpha_teaches_with_the_numbers_of_the_specification() {
        let mut worker = settled();
        let context = context(&mut worker, 0, 8);
        worker.searched =
            ["6f7f", "6f5f"].map(|text| SearchedMove::new(&worker.position, parse(&worker, text))).to_vec();
        let best = parse(&worker, "6f6e");
        worker.teach_by_success::<NonPvNode>(&context, best, 0);
        let (quiet, pawn, continuations) = learned(&worker, "6f6e");
        assert_eq!((quiet, pawn), (745, gravity(-1238, 618, 8192)));
        let bonuses = [872, 439, 195, 390, 94, 298];
        assert_eq!(continuations, bonuses.map(|bonus| gravity(-523, bonus, 30_000)));
        let (quiet, pawn, continuations) = learned(&worker, "6f7f");
        assert_eq!((quiet, pawn), (-2200, gravity(-1238, -1181, 8192)));
        let bonuses = [-2229, -1297, -576, -1153, -280, -883];
        assert_eq!(continuations, bonuses.map(|bonus| gravity(-523, bonus, 30_000)));
        assert_eq!(learned(&worker, "6f5f").0, -2099, "the next one less");
        assert_eq!(worker.histories.table_move.get(0), -787);
    }

    #[test]
    fn near_the_root_quiet_moves_teach_a_history_that_a_search_forgets() {
        let mut worker = worker(BARE, 0);
        let context = context(&mut worker, 0, 8);
        let mv = parse(&worker, "5i5h");
        worker.teach_by_success::<NonPvNode>(&context, mv, 0);
        let index = Histories::low_index(0, mv).unwrap();
        assert_eq!(worker.histories.low.get(index), gravity(98, 553, 7183));
        assert_eq!(Histories::low_index(5, mv), None);
    }

    #[test]
    fn captures_teach_their_own_history() {
        let mut worker = worker("4k4/9/9/4r4/3SP4/9/9/9/4K4 b - 1", 0);
        let context = context(&mut worker, 0, 8);
        let [best, other] = ["5e5d", "6e5d"].map(|text| SearchedMove::new(&worker.position, parse(&worker, text)));
        worker.searched = vec![other];
        worker.teach_by_success::<NonPvNode>(&context, best.mv, 0);
        assert_eq!(worker.histories.capture.get(best.capture_index()), gravity(-678, 947 * 1286 / 1024, 10_692));
        assert_eq!(worker.histories.capture.get(other.capture_index()), gravity(-678, -2122 * 1559 / 1024, 10_692));
        assert_eq!(worker.histories.quiet.get(quiet_index(Color::Black, best.mv)), 0);
    }

    #[test]
    fn a_node_where_nothing_succeeds_praises_the_move_that_led_to_it() {
        let mut worker = settled();
        worker.stack[-1].move_count = 9;
        let context = context(&mut worker, 0, 8);
        let before = worker.histories.quiet.get(quiet_index(Color::White, worker.stack[-1].searched.mv));
        worker.teach_by_failure(&context, -300);
        let scale = -232 + 454 + 169 + 145 + 154;
        let bonus = 1000 * scale * 235 / 32_768;
        let after = worker.histories.quiet.get(quiet_index(Color::White, worker.stack[-1].searched.mv));
        assert_eq!(after, gravity(before, bonus, 7183));
    }

    #[test]
    fn a_cutoff_by_the_table_praises_its_move_and_blames_the_opponents() {
        let mut worker = settled();
        worker.stack[-1].move_count = 1;
        let mut context = context(&mut worker, 0, 4);
        context.entry.mv = parse(&worker, "6f6e");
        let last = worker.stack[-1].searched;
        let blamed =
            |worker: &Worker<Plain>| worker.histories.continuation.get(worker.stack[-2].row.index(last.piece_to));
        let before = blamed(&worker);
        worker.teach_by_table(&context);
        assert_eq!(learned(&worker, "6f6e").0, 130 * 4 - 71);
        assert_eq!(blamed(&worker), gravity(before, -2142 * 1157 / 1024 + 88, 30_000));
    }

    #[test]
    fn corrections_learn_the_error_with_the_numbers_of_the_specification() {
        for (error, depth, has_best, expected) in [
            (100, 10, true, [97, 115, 141, 95, 47]),
            (-100, 10, false, [-137, -163, -200, -134, -67]),
            (-30, 6, false, [-24, -28, -35, -23, -11]),
        ] {
            let mut worker = settled();
            let context = context(&mut worker, 0, depth);
            let mv = if has_best { parse(&worker, "6f6e") } else { Move::NONE };
            worker.teach_corrections(&context, &Best { value: context.static_eval + error, mv });
            let corrections = worker.correction_indices().map(|index| worker.histories.shared.correction.get(index));
            let pairs = worker.pair_indices().map(|index| worker.histories.pair_correction.get(index));
            let [pawn, minor, other, near, far] = expected;
            assert_eq!(corrections, [pawn, minor, other, other]);
            assert_eq!(pairs, [gravity(6, near, 1024), gravity(6, far, 1024)]);
            assert!((worker.correction() > 0) == (error > 0));
        }
    }

    #[test]
    fn a_bound_on_the_wrong_side_and_a_capture_show_no_error() {
        let mut worker = settled();
        let context = context(&mut worker, 0, 8);
        let before = worker.correction();
        let mv = parse(&worker, "6f6e");
        worker.teach_corrections(&context, &Best { value: context.static_eval - 300, mv });
        worker.teach_corrections(&context, &Best { value: context.static_eval + 300, mv: Move::NONE });
        let mut checked = context;
        checked.in_check = true;
        worker.teach_corrections(&checked, &Best { value: context.static_eval + 300, mv });
        assert_eq!(worker.correction(), before);
    }

    #[test]
    fn the_change_of_the_evaluation_judges_the_opponents_quiet_move() {
        let judged = |evals: [i32; 2]| {
            let mut worker = settled();
            worker.stack[-1].static_eval = evals[0];
            let mut context = context(&mut worker, 0, 8);
            context.static_eval = evals[1];
            worker.teach_by_swing(&context);
            worker.histories.quiet.get(quiet_index(Color::White, worker.stack[-1].searched.mv))
        };
        assert_eq!(judged([0, 0]), 600);
        assert_eq!(judged([1000, 0]), 10 * (60 - 214));
        assert_eq!(judged([-100, -100]), 10 * (60 + 171));
    }
}

//! Steps 2, 4 and 5: what is known of a node without searching its moves.

use kiki_board::{CheckInfo, opponent};
use kiki_eval::Evaluator;

use super::context::{Context, Window};
use super::worker::Worker;
use crate::order::check_info;
use crate::params;
use crate::table::TableEntry;
use crate::value::{MAX_PLY, NONE, Value, mate_in, mated_in, repetition_value};

impl<E: Evaluator> Worker<E> {
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
        if has_entry || in_check || !self.may_mate_in_one() {
            return None;
        }
        let info = check_info(info, &self.position);
        self.position.find_mate_in_one(info, &mut self.lists.moves).map(|_| mate_in(self.stack.ply + 1))
    }

    /// Whether a mate in one is worth looking for: the opponent's king is attacked nearby. The few other mates are left to the search.
    #[inline(always)]
    pub(crate) fn may_mate_in_one(&self) -> bool {
        params::use_mate_in_one() && self.position.is_king_approached(opponent(self.position.side_to_move()))
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
            raw_eval = match entry.map_or(NONE, |entry| entry.eval) {
                NONE => self.evaluate(),
                known => known,
            };
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

    /// Whether a value lies between being mated here and mating with the next move.
    pub(crate) fn is_possible(&self, value: Value) -> bool {
        (mated_in(self.stack.ply)..=mate_in(self.stack.ply + 1)).contains(&value)
    }
}

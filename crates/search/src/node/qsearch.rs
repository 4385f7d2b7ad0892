//! The quiescence search: captures, promotions and checks until nothing is hanging.

use kiki_board::{CheckInfo, Move, exchange_value, opponent};
use kiki_eval::Evaluator;

use super::context::NodeKind;
use super::context::Window;
use super::worker::Worker;

use crate::order::history::{SearchedMove, hanging};
use crate::order::{Purpose, check_info};
use crate::params;
use crate::table::TableEntry;
use crate::value::{Bound, EVAL_LIMIT, INFINITE, MATE_BOUND, NONE, Value, mate_in, mated_in};

/// The depth under which entries of the quiescence search are stored: with checks, and without.
const WITH_CHECKS: i32 = 0;
const CAPTURES_ONLY: i32 = -1;

impl<E: Evaluator> Worker<E> {
    /// The value of the current position when only captures, pawn promotions and, at its first ply (`qs_ply` = 0), quiet checks are
    /// played; in check, all evasions. `qs_ply` counts the plies of quiescence.
    #[inline(always)]
    pub(crate) fn quiesce<N: NodeKind>(&mut self, window: Window, qs_ply: usize) -> Value {
        let value = self.quiescence_node::<N>(window, qs_ply);
        debug_assert!(self.stopped() || self.is_possible(value), "{value} at ply {} within {window:?}", self.stack.ply);
        value
    }

    fn quiescence_node<N: NodeKind>(&mut self, mut window: Window, qs_ply: usize) -> Value {
        self.stack.clear_pv();
        if self.must_stop() {
            return 0;
        }
        if let Some(value) = self.terminal_value() {
            return value;
        }
        self.seldepth = self.seldepth.max(self.stack.ply + 1);
        if self.limiter.is_hurried() {
            return self.value_at_a_glance();
        }
        let (ply, key) = (self.stack.ply, self.position.key());
        let in_check = self.position.in_check();
        let depth = if in_check || qs_ply == 0 { WITH_CHECKS } else { CAPTURES_ONLY };
        let entry = self.table.probe(key, ply);
        if !N::PV
            && let Some(entry) = entry
            && entry.depth >= depth
            && entry.causes_cutoff(window.beta)
        {
            return entry.value;
        }
        let alpha = window.alpha;
        let mut best_value = -INFINITE;
        let (mut raw_eval, mut eval) = (NONE, NONE);
        let mut info = None;
        if !in_check {
            if qs_ply == 0 && entry.is_none() && self.may_mate_in_one() {
                let info = check_info(&mut info, &self.position);
                if self.position.find_mate_in_one(info, &mut self.lists.moves).is_some() {
                    return mate_in(ply + 1);
                }
            }
            raw_eval = entry.map_or(NONE, |entry| entry.eval);
            if raw_eval == NONE {
                raw_eval = self.evaluate();
            }
            eval = self.corrected(raw_eval);
            best_value = eval;
            if let Some(entry) = entry
                && entry.improves_evaluation(best_value)
            {
                best_value = entry.value;
            }
            if best_value >= window.beta && qs_ply == 0 && alpha > -MATE_BOUND && self.is_threatened() {
                // Standing pat would be answered by mate: only moves can raise alpha. Not where alpha is a mate itself: a value below
                // it would be a mate that no search has found.
                best_value = alpha;
            }
            if best_value >= window.beta {
                if entry.is_none() {
                    let bound = Bound::Lower;
                    self.table.store(
                        key,
                        ply,
                        TableEntry { mv: Move::NONE, value: best_value, eval: raw_eval, depth, bound, pv: false },
                    );
                }
                return best_value;
            }
            window.alpha = window.alpha.max(best_value);
        }
        let purpose =
            if params::use_quiescence_checks() && qs_ply == 0 { Purpose::CapturesAndChecks } else { Purpose::Captures };
        let tt_move = entry.map_or(Move::NONE, |entry| entry.mv);
        let best_move = self.quiesce_moves::<N>(&mut window, &mut best_value, info, (eval, tt_move, purpose, qs_ply));
        if self.stopped() {
            return 0;
        }
        if best_value == -INFINITE {
            return mated_in(ply);
        }
        let bound = match best_value {
            value if value >= window.beta => Bound::Lower,
            value if N::PV && value > alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        let pv = entry.is_some_and(|entry| entry.pv);
        self.table.store(key, ply, TableEntry { mv: best_move, value: best_value, eval: raw_eval, depth, bound, pv });
        best_value
    }

    /// The value of a leaf without searching anything: mates at once, else the evaluation and the most valuable piece that hangs.
    #[cold]
    fn value_at_a_glance(&mut self) -> Value {
        if self.position.in_check() {
            return if self.position.is_checkmate() { mated_in(self.stack.ply) } else { self.evaluate() };
        }
        if self.may_mate_in_one() {
            let info = CheckInfo::new(&self.position);
            if self.position.find_mate_in_one(&info, &mut self.lists.moves).is_some() {
                return mate_in(self.stack.ply + 1);
            }
        }
        let [hangs, _] = hanging(&self.position, opponent(self.position.side_to_move()));
        (self.evaluate() + exchange_value(hangs)).min(EVAL_LIMIT)
    }

    /// Whether the opponent, if it were to move, would mate at once.
    fn is_threatened(&mut self) -> bool {
        if !self.position.is_king_approached(self.position.side_to_move()) {
            return false;
        }
        self.position.make_null();
        let info = CheckInfo::new(&self.position);
        let mate = self.position.find_mate_in_one(&info, &mut self.lists.moves).is_some();
        self.position.unmake_null();
        mate
    }

    /// The move loop; raises `window.alpha` and `best_value` and returns the best move.
    #[inline(always)]
    fn quiesce_moves<N: NodeKind>(
        &mut self,
        window: &mut Window,
        best_value: &mut Value,
        mut info: Option<CheckInfo>,
        (eval, tt_move, purpose, qs_ply): (Value, Move, Purpose, usize),
    ) -> Move {
        let in_check = eval == NONE;
        let mut best_move = Move::NONE;
        let mut picker = self.new_picker(tt_move, purpose);
        let mut quiet_evasions = 0;
        while let Some(mv) = self.next_move(&mut picker, *best_value, &mut info) {
            if *best_value > -MATE_BOUND {
                let tactical = self.position.is_tactical(mv);
                if in_check && !tactical {
                    quiet_evasions += 1;
                    if quiet_evasions > params::quiescence_evasions() {
                        continue;
                    }
                } else if !in_check && tactical {
                    let reach = eval + params::quiescence_margin() + 2 * self.position.immediate_gain(mv);
                    let arriving = self.position.arriving(mv);
                    if params::use_quiescence_futility()
                        && reach <= window.alpha
                        && !check_info(&mut info, &self.position).gives_check(mv, arriving)
                    {
                        *best_value = (*best_value).max(reach);
                        continue;
                    }
                }
                if params::use_quiescence_exchanges() && !self.position.see_ge(mv, 0) {
                    continue;
                }
            }
            let piece_to = SearchedMove::new(&self.position, mv).piece_to;
            self.make(mv, piece_to);
            let value = -self.quiesce::<N::Child>(window.negated(), qs_ply + 1);
            self.unmake();
            if self.stopped() {
                break;
            }
            if value > *best_value {
                *best_value = value;
                if value > window.alpha {
                    best_move = mv;
                    window.alpha = value;
                    if N::PV {
                        self.stack.extend_pv(mv);
                    }
                    if value >= window.beta {
                        break;
                    }
                }
            }
        }
        picker.finish(&mut self.lists);
        best_move
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::context::NonPvNode;
    use crate::node::testing::{THREAT, worker};
    use crate::value::MATE;

    #[test]
    fn a_threat_of_mate_is_no_mate() {
        // The side to move has far more than it needs; only a mate of its own would satisfy the question.
        let mut worker = worker(THREAT, 3000);
        let beta = 5 - MATE;
        let value = worker.quiesce::<NonPvNode>(Window::null(beta - 1), 0);
        assert!(value > -MATE_BOUND && value < mate_in(1), "{value}");
    }
}

//! The quiescence search: captures, promotions and checks until nothing is hanging.

use kiki_board::{CheckInfo, Move, exchange_value, opponent};
use kiki_eval::Evaluator;

use super::NodeKind;
use super::Window;
use super::worker::Worker;

use crate::order::history::{SearchedMove, hanging};
use crate::order::{Purpose, check_info};
use crate::params;
use crate::table::TableEntry;
use crate::value::{Bound, EVAL_LIMIT, INFINITE, MATE_BOUND, NONE, Value, mate_in, mated_in};

/// The depth under which entries of the quiescence search are stored: with checks, and without.
const WITH_CHECKS: i32 = 0;
const CAPTURES_ONLY: i32 = -1;

/// The state of a node of the quiescence search before its moves.
struct QuiescenceNode {
    in_check: bool,
    /// Plies of quiescence above the node.
    qs_ply: usize,
    /// The corrected static evaluation; `NONE` in check.
    eval: Value,
    tt_move: Move,
}

/// The best of a node so far: its value, the move that raised alpha, and the window left for other moves.
#[derive(Clone, Copy)]
struct Best {
    window: Window,
    value: Value,
    mv: Move,
}

impl<E: Evaluator> Worker<E> {
    /// The value of the current position when only captures, pawn promotions and, at its first ply (`qs_ply` = 0), quiet checks are
    /// played; in check, all evasions. `qs_ply` counts the plies of quiescence.
    #[inline(always)]
    pub(crate) fn quiesce<N: NodeKind>(&mut self, window: Window, qs_ply: usize) -> Value {
        let value = self.quiescence_node::<N>(window, qs_ply);
        debug_assert!(self.stopped() || self.is_possible(value), "{value} at ply {} within {window:?}", self.stack.ply);
        value
    }

    fn quiescence_node<N: NodeKind>(&mut self, window: Window, qs_ply: usize) -> Value {
        self.stack.clear_pv();
        if self.must_stop() {
            return 0;
        }
        if let Some(value) = self.terminal_value() {
            return value;
        }
        self.seldepth = self.seldepth.max(self.stack.ply + 1);
        if self.limiter.hurried {
            return self.value_at_a_glance();
        }
        let (ply, key) = (self.stack.ply, self.position.key());
        let in_check = self.position.in_check();
        let depth = if in_check || qs_ply == 0 { WITH_CHECKS } else { CAPTURES_ONLY };
        self.prepare_evaluation();
        let entry = self.table.probe(key, ply);
        if !N::PV
            && let Some(entry) = entry
            && entry.depth >= depth
            && entry.causes_cutoff(window.beta)
        {
            return entry.value;
        }
        let mut node =
            QuiescenceNode { in_check, qs_ply, eval: NONE, tt_move: entry.map_or(Move::NONE, |entry| entry.mv) };
        let mut best = Best { window, value: -INFINITE, mv: Move::NONE };
        let mut raw_eval = NONE;
        let mut info = None;
        if !in_check {
            if qs_ply == 0 && entry.is_none() && self.finds_mate_in_one(&mut info) {
                return mate_in(ply + 1);
            }
            raw_eval = self.raw_evaluation(entry);
            node.eval = self.corrected(raw_eval);
            best.value = match entry {
                Some(entry) if entry.improves_evaluation(node.eval) => entry.value,
                _ => node.eval,
            };
            if best.value >= window.beta && qs_ply == 0 && window.alpha > -MATE_BOUND && self.is_threatened() {
                // Standing pat would be answered by mate: only moves can raise alpha. Not where alpha is a mate itself: a value below
                // it would be a mate that no search has found.
                best.value = window.alpha;
            }
            if best.value >= window.beta {
                if entry.is_none() {
                    self.store_leaf(key, depth, best, raw_eval, Bound::Lower, false);
                }
                return best.value;
            }
            best.window.alpha = window.alpha.max(best.value);
        }
        let best = self.quiesce_moves::<N>(&node, best, info);
        if self.stopped() {
            return 0;
        }
        if best.value == -INFINITE {
            return mated_in(ply);
        }
        let bound = match best.value {
            value if value >= window.beta => Bound::Lower,
            value if N::PV && value > window.alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        self.store_leaf(key, depth, best, raw_eval, bound, entry.is_some_and(|entry| entry.pv));
        best.value
    }

    #[inline(always)]
    fn store_leaf(&self, key: u64, depth: i32, best: Best, eval: Value, bound: Bound, pv: bool) {
        self.table.store(key, self.stack.ply, TableEntry { mv: best.mv, value: best.value, eval, depth, bound, pv });
    }

    /// The value of a leaf without searching anything: mates at once, else the evaluation and the most valuable piece that hangs.
    #[cold]
    fn value_at_a_glance(&mut self) -> Value {
        if self.position.in_check() {
            return if self.position.is_checkmate() { mated_in(self.stack.ply) } else { self.evaluate() };
        }
        if self.finds_mate_in_one(&mut None) {
            return mate_in(self.stack.ply + 1);
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

    /// The move loop: the best of the node after all its moves.
    #[inline(always)]
    fn quiesce_moves<N: NodeKind>(
        &mut self,
        node: &QuiescenceNode,
        mut best: Best,
        mut info: Option<CheckInfo>,
    ) -> Best {
        let checks = params::use_quiescence_checks() && node.qs_ply == 0;
        let purpose = if checks { Purpose::CapturesAndChecks } else { Purpose::Captures };
        let mut picker = self.new_picker(node.tt_move, purpose);
        let mut quiet_evasions = 0;
        while let Some(mv) = self.next_move(&mut picker, best.value, &mut info) {
            if best.value > -MATE_BOUND {
                let tactical = self.position.is_tactical(mv);
                if node.in_check && !tactical {
                    quiet_evasions += 1;
                    if quiet_evasions > params::quiescence_evasions() {
                        continue;
                    }
                } else if !node.in_check && tactical {
                    let reach = node.eval + params::quiescence_margin() + 2 * self.position.immediate_gain(mv);
                    let arriving = self.position.arriving(mv);
                    if params::use_quiescence_futility()
                        && reach <= best.window.alpha
                        && !check_info(&mut info, &self.position).gives_check(mv, arriving)
                    {
                        best.value = best.value.max(reach);
                        continue;
                    }
                }
                if params::use_quiescence_exchanges() && !self.position.see_ge(mv, 0) {
                    continue;
                }
            }
            let piece_to = SearchedMove::new(&self.position, mv).piece_to;
            self.make(mv, piece_to);
            let value = -self.quiesce::<N::Child>(best.window.negated(), node.qs_ply + 1);
            self.unmake();
            if self.stopped() {
                break;
            }
            if value > best.value {
                best.value = value;
                if value > best.window.alpha {
                    best.mv = mv;
                    best.window.alpha = value;
                    if N::PV {
                        self.stack.extend_pv(mv);
                    }
                    if value >= best.window.beta {
                        break;
                    }
                }
            }
        }
        picker.finish(&mut self.lists);
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::NonPvNode;
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

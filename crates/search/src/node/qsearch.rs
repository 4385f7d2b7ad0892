//! The quiescence search: captures until nothing hangs; in check all moves.

use kiki_board::{CheckInfo, Move, exchange_value, opponent};
use kiki_eval::Evaluator;

use super::negamax::{EVALUATED, corrected};
use super::worker::Worker;
use super::{Best, NodeKind, Window};
use crate::order::history::SearchedMove;
use crate::order::{Purpose, check_info};
use crate::params;
use crate::table::TableEntry;
use crate::value::{Bound, EVAL_LIMIT, INFINITE, MATE_BOUND, NONE, Value, mate_in, mated_in};

/// Captures to search before only checks and recaptures remain.
const USUAL_MOVES: i32 = 2;

impl<E: Evaluator> Worker<E> {
    /// The value of the current position when only captures are played; in check, all evasions.
    #[inline(always)]
    pub(crate) fn quiesce<N: NodeKind>(&mut self, window: Window) -> Value {
        let value = self.quiescence_node::<N>(window);
        debug_assert!(self.stopped() || self.is_possible(value), "{value} at ply {} within {window:?}", self.stack.ply);
        value
    }

    fn quiescence_node<N: NodeKind>(&mut self, mut window: Window) -> Value {
        self.stack.clear_pv();
        if self.limiter.must_stop() {
            return 0;
        }
        if let Some(value) = self.terminal_value() {
            return value;
        }
        self.seldepth = self.seldepth.max(self.stack.ply + 1);
        if self.limiter.hurried {
            return self.value_at_a_glance();
        }
        let ply = self.stack.ply;
        let in_check = self.position.in_check();
        self.prepare_evaluation();
        let entry = self.table.probe(self.position.key(), ply);
        let hit = entry.exists();
        (self.stack[0].in_check, self.stack[0].hit) = (in_check, hit);
        if !N::PV && entry.depth >= 0 && entry.value != NONE && entry.decides(window.beta) {
            return entry.value;
        }
        let mut best = Best { value: -INFINITE, mv: Move::NONE };
        let mut base = -INFINITE;
        let mut raw_eval = NONE;
        let mut info = None;
        if !in_check {
            if !hit && let Some(mv) = self.mate_in_one(&mut info) {
                return self.conclude_win(mv, 0);
            }
            raw_eval = self.raw_evaluation(&entry);
            let eval = corrected(raw_eval, self.correction());
            self.stack[0].static_eval = eval;
            best.value = eval;
            if entry.value.abs() < MATE_BOUND && entry.improves_evaluation(eval) {
                best.value = entry.value;
            }
            if best.value >= window.beta {
                best.value = softened(best.value, window.beta);
                if !hit {
                    let (value, bound) = (best.value, Some(Bound::Lower));
                    self.store(TableEntry { value, eval: raw_eval, bound, depth: EVALUATED, ..TableEntry::MISSING });
                }
                return best.value;
            }
            window.alpha = window.alpha.max(best.value);
            base = eval + params::quiescence_margin();
        }
        let beta = window.beta;
        let best = self.quiesce_moves::<N>(window, entry.mv, base, best, info);
        if self.stopped() {
            return 0;
        }
        if best.value == -INFINITE {
            return mated_in(ply);
        }
        let value = if best.value > beta { softened(best.value, beta) } else { best.value };
        let bound = Some(if value >= beta { Bound::Lower } else { Bound::Upper });
        self.store(TableEntry { mv: best.mv, value, eval: raw_eval, depth: 0, bound, pv: entry.pv });
        value
    }

    /// The value of a leaf without a search: a mate in one, else the evaluation and the most
    /// valuable hanging piece.
    #[cold]
    fn value_at_a_glance(&mut self) -> Value {
        if self.position.in_check() {
            return if self.position.is_checkmate() { mated_in(self.stack.ply) } else { self.evaluate() };
        }
        if self.mate_in_one(&mut None).is_some() {
            return mate_in(self.stack.ply + 1);
        }
        let them = opponent(self.position.side_to_move());
        let hanging = self.position.pieces_of(them) & self.position.effects().unsupported(them);
        let most = hanging.into_iter().map(|sq| exchange_value(self.position.cell(sq))).max().unwrap_or(0);
        (self.evaluate() + most).min(EVAL_LIMIT)
    }

    /// The move loop: the best of the node after all its moves. Out of check, captures count only
    /// if they may raise `base` above alpha.
    #[inline(always)]
    fn quiesce_moves<N: NodeKind>(
        &mut self,
        mut window: Window,
        tt_move: Move,
        base: Value,
        mut best: Best,
        mut info: Option<CheckInfo>,
    ) -> Best {
        let mut picker = self.new_picker(tt_move, Purpose::Captures);
        let last = self.stack[-1].searched.mv;
        let mut number = 0;
        while let Some(mv) = self.next_move(&mut picker, best.value, &mut info) {
            if self.errors.hides(&self.position, mv, self.stack.ply) {
                continue;
            }
            number += 1;
            let searched = SearchedMove::new(&self.position, mv);
            if best.value > -MATE_BOUND {
                if params::use_quiescence_futility()
                    && base > -MATE_BOUND
                    && (last.is_none() || mv.to() != last.to())
                    && !check_info(&mut info, &self.position).gives_check(mv, self.position.arriving(mv))
                {
                    if number > USUAL_MOVES {
                        continue;
                    }
                    let reach = base + exchange_value(searched.captured);
                    if reach <= window.alpha {
                        best.value = best.value.max(reach);
                        continue;
                    }
                    if !self.position.see_ge(mv, window.alpha - base) {
                        best.value = best.value.max(window.alpha.min(base));
                        continue;
                    }
                }
                let loses =
                    || params::use_quiescence_exchanges() && !self.position.see_ge(mv, -params::quiescence_loss());
                if !searched.is_capture() || loses() {
                    continue;
                }
            }
            self.make(&searched);
            let value = -self.quiesce::<N::Child>(window.negated());
            self.unmake();
            if self.stopped() {
                break;
            }
            if value > best.value {
                best.value = value;
                if value > window.alpha {
                    best.mv = mv;
                    if N::PV {
                        self.stack.extend_pv(mv);
                    }
                    if value >= window.beta {
                        break;
                    }
                    window.alpha = value;
                }
            }
        }
        picker.finish(&mut self.lists);
        best
    }
}

/// A value at or above beta, moved half of the way back: shallow searches tend to overestimate.
fn softened(value: Value, beta: Value) -> Value {
    if value.abs() < MATE_BOUND { (value + beta) / 2 } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::NonPvNode;
    use crate::node::testing::{FREE_ROOK, SAFE_ROOK, THREAT, make, worker};
    use crate::skill::Skill;
    use crate::value::MATE;

    #[test]
    fn captures_are_played_until_nothing_hangs() {
        for (sfen, gain) in [(FREE_ROOK, true), (SAFE_ROOK, false)] {
            let mut worker = worker(sfen, 0);
            let eval = worker.evaluate();
            let value = worker.quiesce::<NonPvNode>(Window::null(eval + 500));
            assert_eq!(value > eval + 500, gain);
        }
    }

    #[test]
    fn an_overlooked_reply_does_not_count_nor_does_an_overlooked_mate() {
        // Black's pawn takes the rook after the king's move, and White mates after the drop.
        for (sfen, mv) in [(FREE_ROOK.replace(" b ", " w "), "5a4a"), (THREAT.to_owned(), "R*9b")] {
            let gain = |skill: Option<Skill>| {
                let mut worker = worker(&sfen, 0);
                worker.errors = skill.map(|skill| skill.errors(&worker.position)).unwrap_or_default();
                make(&mut worker, mv);
                worker.quiesce::<NonPvNode>(Window::null(500)) - worker.evaluate()
            };
            assert!(gain(None) > 300, "{sfen}");
            assert_eq!(gain(Skill::new(0, 1)), 0, "{sfen}");
        }
    }

    #[test]
    fn a_threat_of_mate_is_no_mate() {
        // The side to move has far more than it needs: only a mate of its own would reach the
        // bound.
        let mut worker = worker(THREAT, 3000);
        let beta = 5 - MATE;
        let value = worker.quiesce::<NonPvNode>(Window::null(beta - 1));
        assert!(value > -MATE_BOUND && value < mate_in(1), "{value}");
    }

    #[test]
    fn values_far_above_beta_are_believed_by_half() {
        let mut worker = worker(SAFE_ROOK, 3000);
        let eval = worker.evaluate();
        assert_eq!(worker.quiesce::<NonPvNode>(Window::null(99)), (eval + 100) / 2);
    }
}

//! Moves one by one, the most promising first; generated only when they are needed.

use kiki_board::{Bitboard, Cell, CheckInfo, Move, Position, exchange_value, opponent};
use kiki_eval::Evaluator;

use crate::history::MoveSlot;
use crate::params;
use crate::worker::Worker;

/// Where the picker stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    TableMove,
    GenerateCaptures,
    GoodCaptures,
    Refutations,
    GenerateQuiets,
    Quiets,
    BadCaptures,
    GenerateEvasions,
    Evasions,
    GenerateChecks,
    Checks,
    End,
}

/// What is asked of the picker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// All moves.
    Main,
    /// Captures that gain at least so many centipawns in the exchange.
    Gains(i32),
    /// Captures, in the quiescence search.
    Captures,
    /// Captures and then quiet checks.
    CapturesAndChecks,
}

/// Picks moves from the worker's list, where its part begins at `start`.
pub(crate) struct MovePicker {
    stage: Stage,
    purpose: Purpose,
    table_move: Move,
    refutations: [Move; 3],
    next_refutation: usize,
    start: usize,
    current: usize,
    /// Bad captures are collected at `start..bad_end`.
    bad_end: usize,
    skip_quiets: bool,
    only_checks: bool,
}

impl MovePicker {
    pub(crate) fn new<E: Evaluator>(worker: &Worker<E>, table_move: Move, purpose: Purpose) -> Self {
        let in_check = worker.position.in_check();
        let start = worker.moves.len();
        let allowed = !table_move.is_none()
            && worker.position.is_legal(table_move)
            && match purpose {
                Purpose::Main => true,
                Purpose::Gains(threshold) => {
                    worker.position.is_tactical(table_move) && worker.position.exchange_gains(table_move, threshold)
                }
                Purpose::Captures | Purpose::CapturesAndChecks => in_check || worker.position.is_tactical(table_move),
            };
        let table_move = if allowed { table_move } else { Move::NONE };
        let generate = if in_check { Stage::GenerateEvasions } else { Stage::GenerateCaptures };
        let mut refutations = [Move::NONE; 3];
        if purpose == Purpose::Main {
            let [first, second] = worker.frames[worker.ply].killers;
            refutations = [first, second, worker.histories.answer_to(worker.slot_before(1))];
        }
        Self {
            stage: if table_move.is_none() { generate } else { Stage::TableMove },
            purpose,
            table_move,
            refutations,
            next_refutation: 0,
            start,
            current: start,
            bad_end: start,
            skip_quiets: false,
            only_checks: false,
        }
    }

    /// No further quiet moves are wanted.
    pub(crate) fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// Of the quiet moves that are not yet generated only checks are wanted.
    pub(crate) fn want_only_checks(&mut self) {
        self.only_checks = true;
    }

    /// Whether the last move was a capture that had been put off because it loses material.
    pub(crate) fn gives_what_was_put_off(&self) -> bool {
        self.stage == Stage::BadCaptures
    }

    /// Gives the list back as it was.
    pub(crate) fn finish<E: Evaluator>(&self, worker: &mut Worker<E>) {
        worker.moves.truncate(self.start);
        worker.scores.truncate(self.start);
    }

    /// The next move, each once, all legal. `info` is filled when it is needed.
    pub(crate) fn next<E: Evaluator>(&mut self, worker: &mut Worker<E>, info: &mut Option<CheckInfo>) -> Option<Move> {
        loop {
            match self.stage {
                Stage::TableMove => {
                    self.stage =
                        if worker.position.in_check() { Stage::GenerateEvasions } else { Stage::GenerateCaptures };
                    return Some(self.table_move);
                }
                Stage::GenerateCaptures | Stage::GenerateQuiets | Stage::GenerateEvasions | Stage::GenerateChecks => {
                    self.generate(worker, info);
                }
                Stage::GoodCaptures => {
                    if let Some(mv) = self.next_capture(worker) {
                        return Some(mv);
                    }
                    self.stage = match self.purpose {
                        Purpose::Main => Stage::Refutations,
                        Purpose::CapturesAndChecks => Stage::GenerateChecks,
                        Purpose::Gains(_) | Purpose::Captures => Stage::End,
                    };
                }
                Stage::Refutations => match self.next_refutation(worker) {
                    Some(mv) => return Some(mv),
                    None => self.stage = Stage::GenerateQuiets,
                },
                Stage::Quiets => {
                    if !self.skip_quiets
                        && let Some(mv) = self.next_quiet(worker)
                    {
                        return Some(mv);
                    }
                    self.current = self.start;
                    self.stage = Stage::BadCaptures;
                }
                Stage::BadCaptures => {
                    if self.current < self.bad_end {
                        self.current += 1;
                        return Some(worker.moves[self.current - 1]);
                    }
                    self.stage = Stage::End;
                }
                Stage::Evasions | Stage::Checks => match self.next_best(worker) {
                    Some(mv) => return Some(mv),
                    None => self.stage = Stage::End,
                },
                Stage::End => return None,
            }
        }
    }

    /// Generates and scores the moves of a stage, and begins to give them. Out of line: the loop of stages is entered for every move, this
    /// once or twice a node.
    #[inline(never)]
    fn generate<E: Evaluator>(&mut self, worker: &mut Worker<E>, info: &mut Option<CheckInfo>) {
        let choice = if worker.ply == 0 { worker.root_choice } else { worker.rules.choice };
        let Worker { position, moves, .. } = worker;
        self.stage = match self.stage {
            Stage::GenerateEvasions => {
                position.evasions(moves, choice);
                self.score_evasions(worker);
                Stage::Evasions
            }
            Stage::GenerateChecks => {
                self.current = moves.len();
                let info = check_info(info, position);
                position.quiet_checks(moves, info);
                self.score_quiets(worker, info);
                Stage::Checks
            }
            Stage::GenerateQuiets => {
                if !self.skip_quiets {
                    self.current = moves.len();
                    let info = check_info(info, position);
                    if self.only_checks {
                        position.quiet_checks(moves, info);
                    } else {
                        position.quiets(moves, choice);
                        position.drops(moves);
                    }
                    self.score_quiets(worker, info);
                }
                Stage::Quiets
            }
            other => {
                debug_assert!(other == Stage::GenerateCaptures);
                position.captures(moves, choice);
                self.score_captures(worker);
                Stage::GoodCaptures
            }
        };
    }

    /// The best of what is left that is not the table move.
    #[inline(always)]
    fn next_best<E: Evaluator>(&mut self, worker: &mut Worker<E>) -> Option<Move> {
        while self.current < worker.moves.len() {
            let mv = self.select(worker);
            if mv != self.table_move {
                return Some(mv);
            }
        }
        None
    }

    /// Brings the best of what is left to the front and steps over it.
    #[inline(always)]
    fn select<E: Evaluator>(&mut self, worker: &mut Worker<E>) -> Move {
        let scores = &mut worker.scores;
        // Two passes: the greatest of many is found eight at a time, which its place would forbid.
        let left = &scores[self.current..];
        let greatest = left.iter().copied().fold(i32::MIN, i32::max);
        let best = self.current + place_of(greatest, left);
        scores.swap(self.current, best);
        worker.moves.swap(self.current, best);
        self.current += 1;
        worker.moves[self.current - 1]
    }

    fn next_capture<E: Evaluator>(&mut self, worker: &mut Worker<E>) -> Option<Move> {
        while let Some(mv) = self.next_best(worker) {
            let threshold = match self.purpose {
                // Captures that have done well may lose a little.
                Purpose::Main => -worker.scores[self.current - 1].clamp(0, 4000) / params::capture_loss(),
                Purpose::Gains(threshold) => threshold,
                Purpose::Captures | Purpose::CapturesAndChecks => return Some(mv),
            };
            if worker.position.exchange_gains(mv, threshold) {
                return Some(mv);
            }
            if self.purpose == Purpose::Main {
                worker.moves.swap(self.bad_end, self.current - 1);
                worker.scores.swap(self.bad_end, self.current - 1);
                self.bad_end += 1;
            }
        }
        None
    }

    fn next_refutation<E: Evaluator>(&mut self, worker: &Worker<E>) -> Option<Move> {
        while self.next_refutation < self.refutations.len() && !self.skip_quiets {
            let index = self.next_refutation;
            let mv = self.refutations[index];
            self.next_refutation += 1;
            let fresh = !mv.is_none() && mv != self.table_move && !self.refutations[..index].contains(&mv);
            if fresh && worker.position.is_legal(mv) && !worker.position.is_tactical(mv) {
                return Some(mv);
            }
            self.refutations[index] = Move::NONE;
        }
        self.refutations[self.next_refutation..].fill(Move::NONE);
        None
    }

    fn next_quiet<E: Evaluator>(&mut self, worker: &mut Worker<E>) -> Option<Move> {
        while let Some(mv) = self.next_best(worker) {
            if !self.refutations.contains(&mv) {
                return Some(mv);
            }
        }
        None
    }

    fn score_captures<E: Evaluator>(&self, worker: &mut Worker<E>) {
        for i in worker.scores.len()..worker.moves.len() {
            let mv = worker.moves[i];
            let captured = worker.position.cell(mv.to());
            let slot = MoveSlot::new(worker.position.arriving(mv), mv.to());
            let learned = worker.histories.capture(slot, captured).get();
            worker.scores.push(worker.position.immediate_gain(mv) * params::capture_gain() / 8 + learned / 8);
        }
    }

    fn score_quiets<E: Evaluator>(&self, worker: &mut Worker<E>, info: &CheckInfo) {
        let Worker { position, histories, frames, moves, scores, ply, .. } = worker;
        let side = position.side_to_move().array_index();
        let row = |plies| {
            let earlier = if *ply >= plies { frames[*ply - plies].slot } else { MoveSlot::NONE };
            histories.following(earlier)
        };
        let (last, own, own_before, own_first) = (row(1), row(2), row(4), row(6));
        let peril = Peril::new(position);
        for i in scores.len()..moves.len() {
            let mv = moves[i];
            let arriving = position.arriving(mv);
            let slot = MoveSlot::new(arriving, mv.to());
            let learned = params::quiet_origin() * histories.quiet(side, mv).get()
                + params::quiet_last() * last.get(slot)
                + params::quiet_own() * own.get(slot)
                + params::quiet_own_before() * own_before.get(slot)
                + params::quiet_own_first() * own_first.get(slot);
            let mut score = learned / 100;
            if info.gives_check(mv, arriving) {
                score += params::quiet_check();
            }
            score += peril.score(mv, arriving);
            scores.push(score);
        }
    }

    fn score_evasions<E: Evaluator>(&self, worker: &mut Worker<E>) {
        let side = worker.position.side_to_move().array_index();
        let last = worker.slot_before(1);
        for i in worker.scores.len()..worker.moves.len() {
            let mv = worker.moves[i];
            let arriving = worker.position.arriving(mv);
            let score = if worker.position.is_tactical(mv) {
                // Taking the checker, with a cheap piece if possible, comes first.
                (1 << 20) + 16 * worker.position.immediate_gain(mv) - exchange_value(arriving)
            } else {
                let slot = MoveSlot::new(arriving, mv.to());
                worker.histories.quiet(side, mv).get()
                    + params::evasion_last() * worker.histories.following(last).get(slot) / 100
            };
            worker.scores.push(score);
        }
    }
}

/// Where a number first stands in a list that has it.
#[inline(always)]
fn place_of(number: i32, list: &[i32]) -> usize {
    let (eights, rest) = list.as_chunks::<8>();
    // Without a way out of the middle of eight, all are compared at once.
    let has_it = |eight: &[i32; 8]| eight.iter().fold(false, |found, &other| found | (other == number));
    let (skipped, part) = match eights.iter().position(has_it) {
        Some(place) => (8 * place, &eights[place][..]),
        None => (8 * eights.len(), rest),
    };
    skipped + part.iter().position(|&other| other == number).unwrap_or(0)
}

/// What gives check, made when it is first asked for.
#[inline(always)]
pub(crate) fn check_info<'a>(info: &'a mut Option<CheckInfo>, position: &Position) -> &'a CheckInfo {
    info.get_or_insert_with(|| CheckInfo::new(position))
}

/// What the effects say of quiet moves: places that the enemy attacks and nobody supports are to be left rather than entered.
struct Peril {
    /// Attacked by the enemy, and not by the side to move.
    unsupported: Bitboard,
    /// Attacked by the enemy, and at most once by the side to move: a piece that moves there does not support itself.
    hardly_supported: Bitboard,
}

impl Peril {
    #[inline(always)]
    fn new(position: &Position) -> Self {
        let (us, effects) = (position.side_to_move(), position.effects());
        let enemy = effects.attacked(opponent(us));
        Self { unsupported: effects.unsupported(us), hardly_supported: enemy - effects.attacked_twice(us) }
    }

    /// What a move adds to its score.
    #[inline(always)]
    fn score(&self, mv: Move, arriving: Cell) -> i32 {
        let (entered, left) = if mv.is_drop() {
            (self.unsupported.contains(mv.to()), false)
        } else {
            (self.hardly_supported.contains(mv.to()), self.unsupported.contains(mv.from()))
        };
        let sixteenths = i32::from(left) * params::quiet_escape() - i32::from(entered) * params::quiet_hanging();
        exchange_value(arriving) * sixteenths / 16
    }
}

#[cfg(test)]
mod tests;

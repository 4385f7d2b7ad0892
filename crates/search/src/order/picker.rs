//! Moves one by one, the most promising first; generated only when they are needed.

use kiki_board::{CheckInfo, Move, Position, PromotionChoice};

use super::score::{score_captures, score_evasions, score_quiets};
use super::sources::{MoveLists, MoveSources};
use crate::params;
use crate::switches;

/// The stages of picking, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    TtMove,
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
    LeftOut,
    End,
}

/// Which moves are wanted.
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

/// Gives the moves of one node one by one. They are generated into the lists of [`MoveSources`], from index `start` on.
pub(crate) struct MovePicker {
    stage: Stage,
    purpose: Purpose,
    /// Which promotions are generated.
    choice: PromotionChoice,
    tt_move: Move,
    /// Killers and the counter move.
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
    /// A picker for the node that the sources stand at. `tt_move` is given first if it is legal and fits the purpose.
    pub(crate) fn new(sources: &MoveSources<'_>, tt_move: Move, purpose: Purpose, choice: PromotionChoice) -> Self {
        let in_check = sources.position.in_check();
        let start = sources.lists.moves.len();
        // At the root it is the best move of the last iteration, without which there is no iteration.
        let tried_first = switches::use_table_moves() || sources.stack.ply == 0;
        let allowed = tried_first
            && !tt_move.is_none()
            && sources.position.is_legal(tt_move)
            && match purpose {
                Purpose::Main => true,
                Purpose::Gains(threshold) => {
                    sources.position.is_tactical(tt_move) && sources.position.see_ge(tt_move, threshold)
                }
                Purpose::Captures | Purpose::CapturesAndChecks => in_check || sources.position.is_tactical(tt_move),
            };
        let tt_move = if allowed { tt_move } else { Move::NONE };
        let generate = if in_check { Stage::GenerateEvasions } else { Stage::GenerateCaptures };
        let mut refutations = [Move::NONE; 3];
        if purpose == Purpose::Main {
            let [first, second] = sources.stack.frame().killers;
            refutations = [first, second, sources.histories.counter_move(sources.stack.piece_to_before(1))];
        }
        Self {
            stage: if tt_move.is_none() { generate } else { Stage::TtMove },
            purpose,
            choice,
            tt_move,
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

    /// Whether the last move was a bad capture: one that loses material, given after all others.
    pub(crate) fn gives_bad_captures(&self) -> bool {
        self.stage == Stage::BadCaptures
    }

    /// Takes the node's moves away from the lists.
    pub(crate) fn finish(&self, lists: &mut MoveLists) {
        lists.truncate(self.start);
    }

    /// After all others, goes on to the moves that its choice of promotions leaves out; false if there are none, or if not all moves were
    /// wanted.
    #[cold]
    pub(crate) fn add_left_out(&mut self, sources: &mut MoveSources<'_>) -> bool {
        debug_assert!(self.stage == Stage::End);
        let wants_all = self.purpose == Purpose::Main || sources.position.in_check();
        if self.choice == PromotionChoice::All || !wants_all {
            return false;
        }
        self.choice = PromotionChoice::All;
        let MoveLists { moves, scores } = &mut *sources.lists;
        self.current = moves.len();
        sources.position.left_out_moves(moves);
        scores.resize(moves.len(), 0);
        self.stage = Stage::LeftOut;
        self.current < moves.len()
    }

    /// The next move; each is given once, all are legal. `info` is filled when it is needed.
    pub(crate) fn next(&mut self, sources: &mut MoveSources<'_>, info: &mut Option<CheckInfo>) -> Option<Move> {
        loop {
            match self.stage {
                Stage::TtMove => {
                    self.stage =
                        if sources.position.in_check() { Stage::GenerateEvasions } else { Stage::GenerateCaptures };
                    return Some(self.tt_move);
                }
                Stage::GenerateCaptures | Stage::GenerateQuiets | Stage::GenerateEvasions | Stage::GenerateChecks => {
                    self.generate(sources, info);
                }
                Stage::GoodCaptures => {
                    if let Some(mv) = self.next_capture(sources) {
                        return Some(mv);
                    }
                    self.stage = match self.purpose {
                        Purpose::Main => Stage::Refutations,
                        Purpose::CapturesAndChecks => Stage::GenerateChecks,
                        Purpose::Gains(_) | Purpose::Captures => Stage::End,
                    };
                }
                Stage::Refutations => match self.next_refutation(sources) {
                    Some(mv) => return Some(mv),
                    None => self.stage = Stage::GenerateQuiets,
                },
                Stage::Quiets => {
                    if !self.skip_quiets
                        && let Some(mv) = self.next_quiet(sources)
                    {
                        return Some(mv);
                    }
                    self.current = self.start;
                    self.stage = Stage::BadCaptures;
                }
                Stage::BadCaptures => {
                    if self.current < self.bad_end {
                        self.current += 1;
                        return Some(sources.lists.moves[self.current - 1]);
                    }
                    self.stage = Stage::End;
                }
                Stage::LeftOut => match self.next_quiet(sources) {
                    Some(mv) => return Some(mv),
                    None => self.stage = Stage::End,
                },
                Stage::Evasions | Stage::Checks => match self.next_best(sources) {
                    Some(mv) => return Some(mv),
                    None => self.stage = Stage::End,
                },
                Stage::End => return None,
            }
        }
    }

    /// Generates and scores the moves of a stage, and goes on to the stage that gives them. Not inlined: `next` is entered for every move, this
    /// once or twice a node.
    #[inline(never)]
    fn generate(&mut self, sources: &mut MoveSources<'_>, info: &mut Option<CheckInfo>) {
        let MoveSources { position, lists: MoveLists { moves, .. }, .. } = sources;
        self.stage = match self.stage {
            Stage::GenerateEvasions => {
                position.evasions(moves, self.choice);
                score_evasions(sources);
                Stage::Evasions
            }
            Stage::GenerateChecks => {
                self.current = moves.len();
                let info = check_info(info, position);
                position.quiet_checks(moves, info);
                score_quiets(sources, info);
                Stage::Checks
            }
            Stage::GenerateQuiets => {
                if !self.skip_quiets {
                    self.current = moves.len();
                    let info = check_info(info, position);
                    if self.only_checks {
                        position.quiet_checks(moves, info);
                    } else {
                        position.quiets(moves, self.choice);
                        position.drops(moves);
                    }
                    score_quiets(sources, info);
                }
                Stage::Quiets
            }
            other => {
                debug_assert!(other == Stage::GenerateCaptures);
                position.captures(moves, self.choice);
                score_captures(sources);
                Stage::GoodCaptures
            }
        };
    }

    /// The best of those left that is not the TT move.
    #[inline(always)]
    fn next_best(&mut self, sources: &mut MoveSources<'_>) -> Option<Move> {
        while self.current < sources.lists.moves.len() {
            let mv = self.select(sources);
            if mv != self.tt_move {
                return Some(mv);
            }
        }
        None
    }

    /// Gives the move with the best score of those left: it is swapped to the front, and the front moves on.
    #[inline(always)]
    fn select(&mut self, sources: &mut MoveSources<'_>) -> Move {
        let lists = &mut *sources.lists;
        // Two passes: the greatest score is found eight at a time, which is not possible together with its index.
        let left = &lists.scores[self.current..];
        let greatest = left.iter().copied().fold(i32::MIN, i32::max);
        let best = self.current + index_of(greatest, left);
        lists.swap(self.current, best);
        self.current += 1;
        lists.moves[self.current - 1]
    }

    fn next_capture(&mut self, sources: &mut MoveSources<'_>) -> Option<Move> {
        while let Some(mv) = self.next_best(sources) {
            let threshold = match self.purpose {
                // Captures that have done well may lose a little.
                Purpose::Main => -sources.lists.scores[self.current - 1].clamp(0, 4000) / params::capture_loss(),
                Purpose::Gains(threshold) => threshold,
                Purpose::Captures | Purpose::CapturesAndChecks => return Some(mv),
            };
            let in_order = !switches::use_bad_captures_last() && self.purpose == Purpose::Main;
            if in_order || sources.position.see_ge(mv, threshold) {
                return Some(mv);
            }
            if self.purpose == Purpose::Main {
                sources.lists.swap(self.bad_end, self.current - 1);
                self.bad_end += 1;
            }
        }
        None
    }

    fn next_refutation(&mut self, sources: &MoveSources<'_>) -> Option<Move> {
        while self.next_refutation < self.refutations.len() && !self.skip_quiets {
            let index = self.next_refutation;
            let mv = self.refutations[index];
            self.next_refutation += 1;
            let fresh = !mv.is_none() && mv != self.tt_move && !self.refutations[..index].contains(&mv);
            if fresh && sources.position.is_legal(mv) && !sources.position.is_tactical(mv) {
                return Some(mv);
            }
            self.refutations[index] = Move::NONE;
        }
        self.refutations[self.next_refutation..].fill(Move::NONE);
        None
    }

    fn next_quiet(&mut self, sources: &mut MoveSources<'_>) -> Option<Move> {
        while let Some(mv) = self.next_best(sources) {
            if !self.refutations.contains(&mv) {
                return Some(mv);
            }
        }
        None
    }
}

/// The index at which a number first stands in a list that has it.
#[inline(always)]
fn index_of(number: i32, list: &[i32]) -> usize {
    let (eights, rest) = list.as_chunks::<8>();
    // Without an early return inside the eight, all are compared at once.
    let contains = |eight: &[i32; 8]| eight.iter().fold(false, |found, &other| found | (other == number));
    let (skipped, part) = match eights.iter().position(contains) {
        Some(place) => (8 * place, &eights[place][..]),
        None => (8 * eights.len(), rest),
    };
    skipped + part.iter().position(|&other| other == number).unwrap_or(0)
}

/// Which moves give check, computed when it is first asked for.
#[inline(always)]
pub(crate) fn check_info<'a>(info: &'a mut Option<CheckInfo>, position: &Position) -> &'a CheckInfo {
    info.get_or_insert_with(|| CheckInfo::new(position))
}

#[cfg(test)]
mod tests;

//! The move picker: gives moves one by one, the most promising first, and generates them only when they are needed.

use kiki_board::{CheckInfo, Move, Position, PromotionChoice};

use super::score::{MoveLists, MoveSources, score_captures, score_evasions, score_quiets};
use crate::params;

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

/// Which moves a picker gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// All moves.
    Main,
    /// Captures that gain at least this many centipawns in the exchange.
    Gains(i32),
    /// Captures, in the quiescence search.
    Captures,
    /// Captures and then quiet checks.
    CapturesAndChecks,
}

/// Gives the moves of one node one by one. Generated moves stand in the lists of [`MoveSources`] from index `start` on.
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
    /// Gives no further quiet moves.
    pub(crate) skip_quiets: bool,
    /// Of the quiet moves not generated yet, gives only checks.
    pub(crate) only_checks: bool,
}

impl MovePicker {
    /// A picker for the node that the sources stand at. `tt_move` is given first if it is legal and fits the purpose.
    pub(crate) fn new(sources: &MoveSources<'_>, tt_move: Move, purpose: Purpose, choice: PromotionChoice) -> Self {
        let in_check = sources.position.in_check();
        let start = sources.lists.moves.len();
        // At the root it is the best move of the last iteration, which every iteration needs.
        let tried_first = params::use_table_moves() || sources.stack.ply == 0;
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

    /// Whether the last move was a bad capture: one that loses material, given after all others.
    pub(crate) fn gives_bad_captures(&self) -> bool {
        self.stage == Stage::BadCaptures
    }

    /// Removes the node's moves from the lists.
    pub(crate) fn finish(&self, lists: &mut MoveLists) {
        lists.truncate(self.start);
    }

    /// After all others, continues with the moves that the choice of promotions leaves out; false without such moves, or if the purpose does not
    /// ask for all moves.
    #[cold]
    pub(crate) fn add_left_out(&mut self, sources: &mut MoveSources<'_>) -> bool {
        debug_assert!(self.stage == Stage::End);
        let asks_for_all = self.purpose == Purpose::Main || sources.position.in_check();
        if self.choice == PromotionChoice::All || !asks_for_all {
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

    /// The next move. Each comes once, and all are legal. `info` is filled when it is needed.
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

    /// Generates and scores the moves of a stage, and enters the stage that gives them. Not inlined: `next` runs for every move, this once or twice
    /// a node.
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
        // Two passes: the processor compares eight scores at a time, which it cannot do together with an index.
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
            let in_order = !params::use_bad_captures_last() && self.purpose == Purpose::Main;
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

/// The first index of a number that the list contains.
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

/// Which moves give check, computed at the first use.
#[inline(always)]
pub(crate) fn check_info<'a>(info: &'a mut Option<CheckInfo>, position: &Position) -> &'a CheckInfo {
    info.get_or_insert_with(|| CheckInfo::new(position))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use kiki_tests::moves::{MoveSet, legal_set, set_of, texts};
    use kiki_tests::playout::{Dice, HANDICAPS, Manner, SPARSE, play};
    use kiki_tests::{fixtures, parallel};
    use rand::RngExt;

    use crate::node::root_moves::RootMoves;
    use crate::node::testing::{Plain, parse, worker};
    use crate::node::worker::Worker;
    use crate::order::history::SearchedMove;

    /// The moves that a picker gives, each once.
    fn picked(worker: &mut Worker<Plain>, tt_move: Move, purpose: Purpose) -> MoveSet {
        let mut picker = worker.new_picker(tt_move, purpose);
        let mut given = Vec::new();
        while let Some(mv) = picker.next(&mut worker.move_sources(), &mut None) {
            given.push(mv.bits());
        }
        picker.finish(&mut worker.lists);
        assert!(worker.lists.moves.is_empty() && worker.lists.scores.is_empty(), "the list is left as it was");
        let set: MoveSet = given.iter().copied().collect();
        assert_eq!(set.len(), given.len(), "a move comes twice: {}", worker.position.to_sfen());
        set
    }

    /// Fills killers, the answer to the last move and the histories with moves of other positions of a game.
    fn disturb(worker: &mut Worker<Plain>, earlier: &[Move], dice: &mut Dice) {
        let legal = worker.position.legal_moves();
        let mut pick = |list: &[Move]| list[dice.rng().random_range(0..list.len())];
        if !legal.is_empty() {
            for depth in 1..8 {
                let best = pick(&legal);
                worker.searched = (0..4).map(|_| SearchedMove::new(&worker.position, pick(&legal))).collect();
                worker.update_histories(best, 0, depth);
            }
        }
        (0..2).for_each(|_| worker.stack.add_killer(pick(earlier)));
    }

    fn check(position: &Position, earlier: &[Move], dice: &mut Dice) {
        let sfen = position.to_sfen();
        let mut worker = worker(&sfen, 0);
        let [all, sensible] =
            [PromotionChoice::All, PromotionChoice::Sensible].map(|choice| legal_set(position, choice));
        for _ in 0..3 {
            if !earlier.is_empty() {
                disturb(&mut worker, earlier, dice);
            }
            // A move of this position or of another one, as a table may give it.
            let own = all
                .iter()
                .nth(dice.rng().random_range(0..all.len().max(1)))
                .map_or(Move::NONE, |&bits| Move::from_bits(bits));
            let other = earlier.last().copied().unwrap_or(Move::NONE);
            for tt_move in [Move::NONE, own, other] {
                let given = picked(&mut worker, tt_move, Purpose::Main);
                assert!(given.is_subset(&all), "illegal in {sfen}: {}", texts(&(&given - &all)));
                assert!(sensible.is_subset(&given), "left out in {sfen}: {}", texts(&(&sensible - &given)));
                check_quiescence(&mut worker, tt_move, &all, &sensible);
            }
        }
    }

    fn check_quiescence(worker: &mut Worker<Plain>, tt_move: Move, all: &MoveSet, sensible: &MoveSet) {
        let position = worker.position.clone();
        let sfen = position.to_sfen();
        let captures = picked(worker, tt_move, Purpose::Captures);
        let with_checks = picked(worker, tt_move, Purpose::CapturesAndChecks);
        let tt_move: MoveSet = [tt_move.bits()].into();
        if position.in_check() {
            for given in [captures, with_checks] {
                assert_eq!(texts(&(&given - &tt_move)), texts(&(sensible - &tt_move)), "evasions of {sfen}");
            }
            return;
        }
        let expected = set_of(|list| position.captures(list, PromotionChoice::Sensible));
        assert_eq!(texts(&(&captures - &tt_move)), texts(&(&expected - &tt_move)), "captures of {sfen}");
        let info = CheckInfo::new(&position);
        let quiet_check = |bits: &&u16| {
            let mv = Move::from_bits(**bits);
            !position.is_tactical(mv) && info.gives_check(mv, position.arriving(mv))
        };
        let checks = |moves: &MoveSet| moves.iter().filter(quiet_check).copied().collect::<MoveSet>();
        assert!(checks(sensible).is_subset(&with_checks), "a check is left out in {sfen}");
        let most: BTreeSet<u16> = &captures | &checks(all);
        assert!(with_checks.is_subset(&most), "more than captures and checks in {sfen}");
    }

    #[test]
    fn every_move_is_given_once_whatever_is_remembered() {
        let midgame = fixtures::midgame();
        let starts: Vec<&str> =
            SPARSE.into_iter().chain(HANDICAPS).chain(midgame.iter().step_by(4).map(|row| row.sfen)).collect();
        parallel::for_each(&starts, |start| {
            let mut earlier = Vec::new();
            let mut dice = Dice::new(start.len() as u64, Manner::Any);
            play(fixtures::position(start), 40, &mut dice, |position, dice| {
                check(position, &earlier, dice);
                earlier.extend(position.legal_moves().iter().copied());
            });
        });
    }

    #[test]
    fn after_skip_quiets_only_captures_are_left() {
        let mut worker = worker(fixtures::midgame()[0].sfen, 0);
        let mut picker = worker.new_picker(Move::NONE, Purpose::Main);
        picker.skip_quiets = true;
        let mut given = Vec::new();
        while let Some(mv) = picker.next(&mut worker.move_sources(), &mut None) {
            given.push(mv);
        }
        assert!(given.iter().all(|&mv| worker.position.is_tactical(mv)), "{given:?}");
        let expected = set_of(|list| worker.position.captures(list, PromotionChoice::Sensible));
        assert_eq!(given.len(), expected.len());
    }

    #[test]
    fn a_losing_capture_comes_last_and_says_so() {
        // The rook may take a free pawn or one that a gold protects.
        let mut worker = worker("4k4/9/9/4pg3/9/4R1p2/9/9/4K4 b - 1", 0);
        let mut picker = worker.new_picker(Move::NONE, Purpose::Main);
        let mut given = Vec::new();
        while let Some(mv) = picker.next(&mut worker.move_sources(), &mut None) {
            given.push((mv.to_string(), picker.gives_bad_captures()));
        }
        assert_eq!(given.first(), Some(&("5f3f".to_owned(), false)));
        assert_eq!(given.last(), Some(&("5f5d".to_owned(), true)));
        assert_eq!(given.iter().filter(|(_, bad_capture)| *bad_capture).count(), 1);
    }

    #[test]
    fn a_promotion_that_nobody_needs_is_given_at_the_root_if_it_was_asked_for() {
        let mut worker = worker("4k4/7r1/9/9/9/9/9/1B7/4K4 b - 1", 0);
        let without_promotion = parse(&worker, "8h2b");
        assert!(!picked(&mut worker, Move::NONE, Purpose::Main).contains(&without_promotion.bits()));
        let asked = [parse(&worker, "5i5h"), without_promotion];
        worker.root_moves = RootMoves::of(&worker.position, &asked, PromotionChoice::Sensible);
        assert!(picked(&mut worker, Move::NONE, Purpose::Main).contains(&without_promotion.bits()));
    }
}

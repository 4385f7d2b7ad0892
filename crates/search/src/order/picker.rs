//! The move picker: gives moves one by one, the most promising first, and generates them only when
//! needed.

use kiki_board::{CheckInfo, Move, Position, PromotionChoice};
use wide::i32x8;

use super::score::{MoveLists, MoveSources, score_captures, score_evasions, score_of, score_quiets};
use crate::params;

/// The stages of picking, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    TtMove,
    GenerateCaptures,
    GoodCaptures,
    GenerateQuiets,
    GoodQuiets,
    BadCaptures,
    BadQuiets,
    GenerateEvasions,
    Evasions,
    LeftOut,
    End,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// All moves, for a search to this depth.
    Main { depth: i32 },
    /// Captures that gain at least this much in the exchange.
    Gains(i32),
    /// Captures, in the quiescence search.
    Captures,
}

/// Gives the moves of one node one by one. Its moves are in the lists of [`MoveSources`] from index
/// `start` on.
pub(crate) struct MovePicker {
    stage: Stage,
    purpose: Purpose,
    choice: PromotionChoice,
    tt_move: Move,
    start: usize,
    current: usize,
    /// Bad captures are at `start..bad_end`.
    bad_end: usize,
    next_bad: usize,
    /// Quiet moves come in the order of their scores down to this one. `None` once the rest comes
    /// as generated.
    sorted_above: Option<i32>,
    /// Whether to give no more quiet moves.
    pub(crate) skip_quiets: bool,
}

impl MovePicker {
    /// A picker for the node of the sources. `tt_move` comes first if it is legal and fits the
    /// purpose.
    pub(crate) fn new(sources: &MoveSources<'_>, tt_move: Move, purpose: Purpose, choice: PromotionChoice) -> Self {
        let in_check = sources.position.in_check();
        let start = sources.lists.moves.len();
        // At the root this is the best move of the last iteration, which every iteration needs.
        let tried_first = params::use_table_moves() || sources.stack.ply == 0;
        let fits = !matches!(purpose, Purpose::Gains(_)) || sources.position.is_capture(tt_move);
        let allowed = tried_first && !tt_move.is_none() && fits && sources.position.is_legal(tt_move);
        let tt_move = if allowed { tt_move } else { Move::NONE };
        let generate = if in_check { Stage::GenerateEvasions } else { Stage::GenerateCaptures };
        let depth = if let Purpose::Main { depth } = purpose { depth } else { 0 };
        Self {
            stage: if tt_move.is_none() { generate } else { Stage::TtMove },
            purpose,
            choice,
            tt_move,
            start,
            current: start,
            bad_end: start,
            next_bad: start,
            sorted_above: Some(-params::sorted_quiets() * depth),
            skip_quiets: false,
        }
    }

    /// Removes the node's moves from the lists.
    pub(crate) fn finish(&self, lists: &mut MoveLists) {
        lists.truncate(self.start);
    }

    /// Continues, after all others, with the moves that the choice of promotions left out. False if
    /// there are none, or if the purpose is not all moves.
    #[cold]
    pub(crate) fn add_left_out(&mut self, sources: &mut MoveSources<'_>) -> bool {
        debug_assert!(self.stage == Stage::End);
        let asks_for_all = matches!(self.purpose, Purpose::Main { .. }) || sources.position.in_check();
        if self.choice == PromotionChoice::All || !asks_for_all {
            return false;
        }
        self.choice = PromotionChoice::All;
        let MoveLists { moves, ranks } = &mut *sources.lists;
        self.current = moves.len();
        sources.position.left_out_moves(moves);
        ranks.resize(moves.len(), 0);
        sources.lists.rank(self.start, self.current);
        self.stage = Stage::LeftOut;
        self.current < sources.lists.moves.len()
    }

    /// The next move. Each comes once, and all are legal. `info` is filled when it is needed.
    pub(crate) fn next(&mut self, sources: &mut MoveSources<'_>, info: &mut Option<CheckInfo>) -> Option<Move> {
        loop {
            let (found, next) = match self.stage {
                Stage::TtMove => {
                    self.stage =
                        if sources.position.in_check() { Stage::GenerateEvasions } else { Stage::GenerateCaptures };
                    return Some(self.tt_move);
                }
                Stage::GenerateCaptures | Stage::GenerateQuiets | Stage::GenerateEvasions => {
                    self.generate(sources, info);
                    continue;
                }
                Stage::GoodCaptures => {
                    let is_main = matches!(self.purpose, Purpose::Main { .. });
                    (self.next_capture(sources), if is_main { Stage::GenerateQuiets } else { Stage::End })
                }
                Stage::GoodQuiets => (self.next_quiet(sources, params::good_quiet()), Stage::BadCaptures),
                Stage::BadCaptures => {
                    // The remaining quiet moves are from `current` on.
                    let bad = (self.next_bad < self.bad_end).then(|| sources.lists.moves[self.next_bad]);
                    self.next_bad += 1;
                    (bad, Stage::BadQuiets)
                }
                Stage::BadQuiets => (self.next_quiet(sources, i32::MIN), Stage::End),
                Stage::Evasions | Stage::LeftOut => (self.next_best(sources), Stage::End),
                Stage::End => return None,
            };
            if found.is_some() {
                return found;
            }
            self.stage = next;
        }
    }

    /// Generates and scores the moves of a stage, and enters the stage that gives them. Not
    /// inlined: `next` runs for every move, this once or twice a node.
    #[inline(never)]
    fn generate(&mut self, sources: &mut MoveSources<'_>, info: &mut Option<CheckInfo>) {
        let MoveSources { position, lists: MoveLists { moves, .. }, .. } = sources;
        let unranked = moves.len();
        self.stage = match self.stage {
            Stage::GenerateEvasions => {
                position.evasions(moves, self.choice);
                score_evasions(sources);
                Stage::Evasions
            }
            Stage::GenerateQuiets => {
                self.current = moves.len();
                if !self.skip_quiets {
                    let info = check_info(info, position);
                    position.quiets(moves, self.choice);
                    position.drops(moves);
                    score_quiets(sources, info);
                }
                Stage::GoodQuiets
            }
            other => {
                debug_assert!(other == Stage::GenerateCaptures);
                position.captures(moves, self.choice);
                score_captures(sources);
                Stage::GoodCaptures
            }
        };
        sources.lists.rank(self.start, unranked);
    }

    /// The best of the remaining moves that is not the TT move.
    #[inline(always)]
    fn next_best(&mut self, sources: &mut MoveSources<'_>) -> Option<Move> {
        while self.current < sources.lists.moves.len() {
            let greatest = greatest(&sources.lists.ranks[self.current..]);
            let mv = self.take(sources, greatest);
            if mv != self.tt_move {
                return Some(mv);
            }
        }
        None
    }

    /// Gives the move of a rank: swaps it to the front, and advances the front.
    #[inline(always)]
    fn take(&mut self, sources: &mut MoveSources<'_>, rank: i32) -> Move {
        let mv = sources.lists.bring_forward(self.start, rank, self.current);
        self.current += 1;
        mv
    }

    fn next_capture(&mut self, sources: &mut MoveSources<'_>) -> Option<Move> {
        while let Some(mv) = self.next_best(sources) {
            let threshold = match self.purpose {
                // Captures with a good history may lose a little.
                Purpose::Main { .. } => -score_of(sources.lists.ranks[self.current - 1]) / params::capture_loss(),
                Purpose::Gains(threshold) => threshold,
                Purpose::Captures => return Some(mv),
            };
            let is_main = matches!(self.purpose, Purpose::Main { .. });
            let in_order = !params::use_bad_captures_last() && is_main;
            if in_order || sources.position.see_ge(mv, threshold) {
                return Some(mv);
            }
            if is_main {
                sources.lists.moves.swap(self.bad_end, self.current - 1);
                self.bad_end += 1;
            }
        }
        None
    }

    /// The next quiet move with a score above `least`: the best of the rest, or simply the first
    /// once the sorted ones are given.
    fn next_quiet(&mut self, sources: &mut MoveSources<'_>, least: i32) -> Option<Move> {
        while !self.skip_quiets && self.current < sources.lists.moves.len() {
            let ranks = &sources.lists.ranks[self.current..];
            let rank = if let Some(sorted_above) = self.sorted_above {
                let greatest = greatest(ranks);
                if score_of(greatest) <= least {
                    return None;
                }
                if score_of(greatest) < sorted_above {
                    self.sorted_above = None;
                    continue;
                }
                greatest
            } else {
                *ranks.iter().find(|&&rank| score_of(rank) > least)?
            };
            let mv = self.take(sources, rank);
            if mv != self.tt_move {
                return Some(mv);
            }
        }
        None
    }
}

/// The greatest of at least one rank.
#[inline(always)]
fn greatest(ranks: &[i32]) -> i32 {
    let (eights, rest) = ranks.as_chunks::<8>();
    let most = eights.iter().fold(i32x8::splat(i32::MIN), |most, &eight| most.max(i32x8::new(eight)));
    rest.iter().copied().fold(most.reduce_max(), i32::max)
}

/// Which moves give check, computed at the first use.
#[inline(always)]
pub(crate) fn check_info<'a>(info: &'a mut Option<CheckInfo>, position: &Position) -> &'a CheckInfo {
    info.get_or_insert_with(|| CheckInfo::new(position))
}

#[cfg(test)]
mod tests {
    use super::*;

    use kiki_board::Color;
    use kiki_tests::moves::{MoveSet, legal_set, set_of, texts};
    use kiki_tests::playout::{Dice, HANDICAPS, Manner, SPARSE, play};
    use kiki_tests::{fixtures, parallel};
    use rand::RngExt;

    use crate::node::NonPvNode;
    use crate::node::root_moves::RootMoves;
    use crate::node::testing::{Plain, context, parse, place, worker};
    use crate::node::worker::Worker;
    use crate::order::history::{SearchedMove, quiet_index};

    /// The moves that a picker gives, each once.
    fn picked(worker: &mut Worker<Plain>, tt_move: Move, purpose: Purpose) -> MoveSet {
        let mut picker = worker.new_picker(tt_move, purpose);
        let mut given = Vec::new();
        while let Some(mv) = picker.next(&mut worker.move_sources(), &mut None) {
            given.push(mv.bits());
        }
        picker.finish(&mut worker.lists);
        assert!(worker.lists.moves.is_empty() && worker.lists.ranks.is_empty(), "the list is left as it was");
        let set: MoveSet = given.iter().copied().collect();
        assert_eq!(set.len(), given.len(), "a move comes twice: {}", worker.position.to_sfen());
        set
    }

    /// Fills the histories with moves of this position.
    fn disturb(worker: &mut Worker<Plain>, dice: &mut Dice) {
        let legal = worker.position.legal_moves();
        let mut pick = || legal[dice.rng().random_range(0..legal.len())];
        if legal.is_empty() {
            return;
        }
        for depth in 1..8 {
            let context = context(worker, 0, depth);
            worker.searched = (0..4).map(|_| SearchedMove::new(&worker.position, pick())).collect();
            worker.teach_by_success::<NonPvNode>(&context, pick(), 0);
        }
    }

    fn check(worker: &mut Worker<Plain>, position: &Position, earlier: &[Move], dice: &mut Dice) {
        let sfen = position.to_sfen();
        place(worker, position);
        let [all, sensible] =
            [PromotionChoice::All, PromotionChoice::Sensible].map(|choice| legal_set(position, choice));
        for _ in 0..3 {
            disturb(worker, dice);
            // A move of this position, or of another one, as a table may give it.
            let own = all
                .iter()
                .nth(dice.rng().random_range(0..all.len().max(1)))
                .map_or(Move::NONE, |&bits| Move::from_bits(bits));
            let other = earlier.last().copied().unwrap_or(Move::NONE);
            for tt_move in [Move::NONE, own, other] {
                let given = picked(worker, tt_move, Purpose::Main { depth: dice.rng().random_range(1..6) });
                assert!(given.is_subset(&all), "illegal in {sfen}: {}", texts(&(&given - &all)));
                assert!(sensible.is_subset(&given), "left out in {sfen}: {}", texts(&(&sensible - &given)));
                let captures = picked(worker, tt_move, Purpose::Captures);
                let expected = match position.in_check() {
                    true => sensible.clone(),
                    false => set_of(|list| position.captures(list, PromotionChoice::Sensible)),
                };
                let tt_move: MoveSet = [tt_move.bits()].into();
                assert_eq!(texts(&(&captures - &tt_move)), texts(&(&expected - &tt_move)), "quiescence of {sfen}");
            }
        }
    }

    #[test]
    fn every_move_is_given_once_whatever_is_remembered() {
        let midgame = fixtures::midgame();
        let starts: Vec<&str> =
            SPARSE.into_iter().chain(HANDICAPS).chain(midgame.iter().step_by(4).map(|row| row.sfen)).collect();
        parallel::for_each(&starts, |start| {
            let mut earlier = Vec::new();
            let mut dice = Dice::new(start.len() as u64, Manner::Any);
            let mut worker = worker(start, 0);
            play(fixtures::position(start), 40, &mut dice, |position, dice| {
                check(&mut worker, position, &earlier, dice);
                earlier.extend(position.legal_moves().iter().copied());
            });
        });
    }

    /// The moves of the whole search in their order.
    fn in_order(worker: &mut Worker<Plain>, skip_quiets: bool) -> Vec<String> {
        let mut picker = worker.new_picker(Move::NONE, Purpose::Main { depth: 8 });
        picker.skip_quiets = skip_quiets;
        std::iter::from_fn(|| picker.next(&mut worker.move_sources(), &mut None)).map(|mv| mv.to_string()).collect()
    }

    #[test]
    fn after_skip_quiets_only_captures_are_left() {
        let mut worker = worker(fixtures::midgame()[0].sfen, 0);
        let given = in_order(&mut worker, true);
        let expected = set_of(|list| worker.position.captures(list, PromotionChoice::Sensible));
        assert_eq!(given.len(), expected.len());
        assert!(given.iter().all(|text| worker.position.is_capture(parse(&worker, text))), "{given:?}");
    }

    #[test]
    fn losing_captures_come_after_good_quiet_moves_and_before_bad_ones() {
        // The rook may take a free pawn or one that a gold protects.
        let mut worker = worker("4k4/9/9/4pg3/9/4R1p2/9/9/4K4 b - 1", 0);
        let bad = SearchedMove::new(&worker.position, parse(&worker, "5i6h"));
        (0..40).for_each(|_| worker.histories.quiet.add(quiet_index(Color::Black, bad.mv), -7000));
        let good = SearchedMove::new(&worker.position, parse(&worker, "5i4h"));
        worker.histories.quiet.add(quiet_index(Color::Black, good.mv), 7000);
        let given = in_order(&mut worker, false);
        assert_eq!(given[..2], ["5f3f", "5i4h"]);
        assert_eq!(given[given.len() - 2..], ["5f5d", "5i6h"]);
    }

    #[test]
    fn a_direct_check_that_loses_little_comes_early() {
        let mut worker = worker("4k4/9/9/9/9/9/9/3R5/K8 b - 1", 0);
        assert_eq!(in_order(&mut worker, false)[0], "6h5h");
    }

    #[test]
    fn the_last_two_quiet_moves_that_cut_siblings_come_first() {
        let mut worker = worker("4k4/9/9/9/9/9/9/9/4K4 b P 1", 0);
        for text in ["5i5h", "P*5e", "5i6h", "P*5e", "P*5e"] {
            let killer = SearchedMove::new(&worker.position, parse(&worker, text));
            worker.stack[0].note_cutoff(&killer, true);
        }
        assert_eq!(in_order(&mut worker, false)[..2], ["P*5e", "5i6h"]);
        assert_eq!(worker.stack[0].cutoffs, 5);
        worker.stack[0].forget_cutoffs();
        assert_ne!(in_order(&mut worker, false)[0], "P*5e");
    }

    #[test]
    fn a_hanging_piece_moves_early_and_pieces_are_dropped_late_where_they_would_hang() {
        // A lance attacks the silver, and the squares before it.
        let mut worker = worker("4l3k/9/9/9/9/4S4/9/9/K8 b G 1", 0);
        let given = in_order(&mut worker, false);
        let mut first = given[..4].to_vec();
        first.sort_unstable();
        assert_eq!(first, ["5f4e", "5f4g", "5f6e", "5f6g"]);
        let mut last = given[given.len() - 6..].to_vec();
        last.sort_unstable();
        assert_eq!(last, ["G*1b", "G*2a", "G*2b", "G*5b", "G*5c", "G*5d"]);
    }

    #[test]
    fn a_promotion_that_nobody_needs_is_given_at_the_root_if_it_was_asked_for() {
        let mut worker = worker("4k4/7r1/9/9/9/9/9/1B7/4K4 b - 1", 0);
        let without_promotion = parse(&worker, "8h2b");
        assert!(!picked(&mut worker, Move::NONE, Purpose::Main { depth: 3 }).contains(&without_promotion.bits()));
        let asked = [parse(&worker, "5i5h"), without_promotion];
        worker.root_moves = RootMoves::of(&worker.position, &asked, PromotionChoice::Sensible);
        assert!(picked(&mut worker, Move::NONE, Purpose::Main { depth: 3 }).contains(&without_promotion.bits()));
    }
}

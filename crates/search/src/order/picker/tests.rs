use std::collections::BTreeSet;

use kiki_board::{Position, PromotionChoice};
use kiki_tests::moves::{MoveSet, legal_set, set_of, texts};
use kiki_tests::playout::{Dice, HANDICAPS, Manner, SPARSE, play};
use kiki_tests::{fixtures, parallel};
use rand::RngExt;

use super::*;
use crate::node::RootMoves;
use crate::node::Worker;
use crate::node::testing::{Plain, parse, worker};
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
    let [all, sensible] = [PromotionChoice::All, PromotionChoice::Sensible].map(|choice| legal_set(position, choice));
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
    picker.skip_quiets();
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

use kiki_board::Color;

use super::*;
use crate::node::testing::{Plain, context, make, parse, worker};

/// Has `best` cut after the others.
fn learn(worker: &mut Worker<Plain>, best: Move, others: &[Move], depth: i32) {
    worker.searched = others.iter().map(|&mv| SearchedMove::new(&worker.position, mv)).collect();
    worker.update_histories(best, 0, depth);
}

#[test]
fn a_promotion_of_a_pawn_is_learned_as_a_capture() {
    let mut worker = worker("4k4/9/9/7P1/9/9/9/9/4K4 b - 1", 0);
    let promotion = parse(&worker, "2d2c+");
    let best = SearchedMove::new(&worker.position, promotion);
    assert!(best.tactical && best.captured.is_empty());
    let learned = |worker: &Worker<Plain>| worker.histories.capture(best.piece_to, best.captured).get();
    learn(&mut worker, promotion, &[], 6);
    assert!(learned(&worker) > 0);
    assert_eq!(worker.histories.quiet(Color::Black, promotion).get(), 0);
    assert_eq!(worker.stack.frame().killers, [Move::NONE; 2], "killers are quiet");
    let quiet = parse(&worker, "5i5h");
    learn(&mut worker, quiet, &[promotion], 3);
    assert!(worker.histories.quiet(Color::Black, quiet).get() > 0);
    assert_eq!(worker.stack.frame().killers[0], quiet);
    let before = learned(&worker);
    learn(&mut worker, quiet, &[promotion], 9);
    assert!(learned(&worker) < before, "it did not cut");
}

#[test]
fn evaluations_are_corrected_by_what_a_search_finds_but_not_by_a_singular_one() {
    let mut worker = worker("4k4/9/9/9/9/9/9/9/4K4 b - 1", 0);
    make(&mut worker, "5i5h");
    let mut context = context(&mut worker, 0, 8);
    let raw = worker.evaluate();
    context.excluded = parse(&worker, "5a5b");
    worker.update_correction(&context, Move::NONE, raw - 300);
    assert_eq!(worker.corrected(raw), raw);
    context.excluded = Move::NONE;
    worker.update_correction(&context, Move::NONE, raw - 300);
    assert!(worker.corrected(raw) < raw);
}

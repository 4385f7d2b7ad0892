use super::*;
use crate::testing::{context, make, parse, worker};

#[test]
fn a_promotion_of_a_pawn_is_learned_as_a_capture() {
    let mut worker = worker("4k4/9/9/7P1/9/9/9/9/4K4 b - 1", 0);
    let promotion = parse(&worker, "2d2c+");
    let best = worker.tried_move(promotion);
    assert!(best.tactical && best.captured.is_empty());
    worker.learn_from_cut(best, &[], 6);
    assert!(worker.histories.capture(best.slot, Cell::EMPTY).get() > 0);
    assert_eq!(worker.histories.quiet(0, promotion).get(), 0);
    assert_eq!(worker.frames[0].killers, [Move::NONE; 2], "killers are quiet");
    let quiet = worker.tried_move(parse(&worker, "5i5h"));
    worker.learn_from_cut(quiet, &[best], 3);
    assert!(worker.histories.quiet(0, quiet.mv).get() > 0);
    assert_eq!(worker.frames[0].killers[0], quiet.mv);
    let before = worker.histories.capture(best.slot, Cell::EMPTY).get();
    worker.learn_from_cut(quiet, &[best], 9);
    assert!(worker.histories.capture(best.slot, Cell::EMPTY).get() < before, "it did not cut");
}

#[test]
fn evaluations_are_corrected_by_what_a_search_finds_but_not_by_a_singular_one() {
    let mut worker = worker("4k4/9/9/9/9/9/9/9/4K4 b - 1", 0);
    make(&mut worker, "5i5h");
    let mut context = context(&mut worker, 0, 8);
    let raw = worker.evaluate();
    context.excluded = parse(&worker, "5a5b");
    worker.learn_error(&context, Move::NONE, raw - 300);
    assert_eq!(worker.corrected(raw), raw);
    context.excluded = Move::NONE;
    worker.learn_error(&context, Move::NONE, raw - 300);
    assert!(worker.corrected(raw) < raw);
}

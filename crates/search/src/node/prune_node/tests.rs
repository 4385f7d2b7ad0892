use super::*;
use crate::node::testing::{BARE, FREE_ROOK, SAFE_ROOK, THREAT, context, make, worker};
use crate::value::MATE;

#[test]
fn razoring_ends_a_node_that_no_capture_can_save() {
    let razored = |sfen: &str, margin: Value| {
        let mut worker = worker(sfen, 0);
        let alpha = worker.evaluate() + params::razor_base() + params::razor_slope() + margin;
        let context = context(&mut worker, alpha, 1);
        worker.razor(&context).map(|value| value <= alpha)
    };
    assert_eq!(razored(SAFE_ROOK, 1), Some(true));
    assert_eq!(razored(SAFE_ROOK, 0), None, "within the margin");
    assert_eq!(razored(FREE_ROOK, 1), None, "a capture brings it back");
}

#[test]
fn reverse_futility_cuts_far_above_beta_without_a_search() {
    let depth = 3;
    let cut = |sfen: &str, depth: i32, margin: Value| {
        let mut worker = worker(sfen, 0);
        let beta = worker.evaluate() - params::reverse_futility_slope() * depth - margin;
        let context = context(&mut worker, beta - 1, depth);
        let value = worker.reverse_futility(&context);
        assert_eq!(worker.limiter.nodes(), 0);
        value.map(|value| value >= beta)
    };
    assert_eq!(cut(BARE, depth, 0), Some(true));
    assert_eq!(cut(BARE, depth, -1), None, "within the margin");
    assert_eq!(cut(BARE, params::reverse_futility_depth() + 1, 0), None, "too much is left to search");
    // Rook and bishop hang to a lance each: one of them will be lost.
    let hanging = "4k4/2l3l2/9/2R6/6B2/9/9/9/4K4 b - 1";
    assert_eq!(cut(hanging, depth, 100), None);
    assert_eq!(cut(hanging, depth, 5000), Some(true));
}

#[test]
fn reverse_futility_says_nothing_about_mates() {
    let mut worker = worker(BARE, 0);
    let context = context(&mut worker, -MATE + 4, 1);
    assert_eq!(worker.reverse_futility(&context), None);
}

#[test]
fn a_null_move_cuts_where_passing_is_good_enough() {
    let mut worker = worker(SAFE_ROOK, 3000);
    make(&mut worker, "5i5h");
    make(&mut worker, "5a5b");
    let mut good = context(&mut worker, 0, 6);
    assert!(worker.null_move(&mut good).is_some_and(|value| value >= 1));
    assert!(!good.mate_threat);
    let nodes = worker.limiter.nodes();
    assert!(nodes > 2);
    let hopeless = worker.evaluate() + 1000;
    let mut bad = context(&mut worker, hopeless, 6);
    assert_eq!(worker.null_move(&mut bad), None);
    assert_eq!(worker.limiter.nodes(), nodes, "below beta it is not tried");
    let mut last_ply = context(&mut worker, 0, 1);
    assert_eq!(worker.null_move(&mut last_ply), None);
    // Nobody passes twice in succession.
    worker.make_null();
    let mut again = context(&mut worker, -9000, 6);
    assert_eq!(worker.null_move(&mut again), None);
}

#[test]
fn a_null_move_that_is_mated_shows_a_threat() {
    let mut worker = worker(THREAT, 3000);
    let mut context = context(&mut worker, 0, 6);
    assert_eq!(worker.null_move(&mut context), None);
    assert!(context.mate_threat);
}

#[test]
fn a_mate_by_passing_is_no_mate() {
    // White has nothing but its king, and after a pass is mated by any move.
    let mut worker = worker("4k4/9/3GPG3/9/9/9/9/9/4K4 b G 1", 3000);
    let mut context = context(&mut worker, 100, 6);
    assert!(worker.null_move(&mut context).is_some_and(|value| value < MATE_BOUND));
}

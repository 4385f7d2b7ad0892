use super::*;
use crate::node::testing::{BARE, FREE_ROOK, Plain, candidate, context, parse, worker};

#[test]
fn checks_that_lose_nothing_are_searched_deeper() {
    let mut worker = worker("4k4/3gpg3/9/9/9/9/9/3R5/K8 b - 1", 0);
    let depth = params::check_extension_depth();
    let context = context(&mut worker, 0, depth);
    let extension = |worker: &mut Worker<Plain>, text: &str| {
        let candidate = candidate(worker, text, 1);
        worker.extension::<NonPvNode>(&context, &candidate)
    };
    assert_eq!(extension(&mut worker, "6h5h"), Extension::By(0), "no check: a pawn stands between");
    let mut worker = crate::node::testing::worker("4k4/3g1g3/9/9/9/9/9/3R5/K8 b - 1", 0);
    assert_eq!(extension(&mut worker, "6h5h"), Extension::By(1));
    assert_eq!(extension(&mut worker, "6h6b+"), Extension::By(0), "a check that loses the rook");
    worker.root_depth = 0;
    assert_eq!(extension(&mut worker, "6h5h"), Extension::By(0), "the line is long enough");
}

/// What becomes of a TT move of this value, others being searched without it.
fn singular(sfen: &str, text: &str, value: Value, alpha: Value, cut_node: bool) -> Extension {
    let mut worker = worker(sfen, 0);
    let depth = params::singular_depth();
    let mv = parse(&worker, text);
    let entry = TableEntry { mv, value, eval: worker.evaluate(), depth, bound: Bound::Lower, pv: false };
    let mut context = context(&mut worker, alpha, depth);
    (context.entry, context.cut_node) = (Some(entry), cut_node);
    let candidate = candidate(&worker, text, 1);
    let before = worker.stack.frame().killers;
    let extension = worker.extension::<NonPvNode>(&context, &candidate);
    let frame = worker.stack.frame();
    assert!(frame.excluded.is_none() && frame.killers == before, "the frame is as it was");
    assert!(worker.limiter.nodes() > 0);
    extension
}

#[test]
fn a_table_move_without_rival_is_searched_deeper() {
    let won_rook = 90 + 990;
    let Extension::By(plies) = singular(FREE_ROOK, "5e5d", won_rook, won_rook - 1, false) else { panic!("a cut") };
    assert!(plies >= 1, "{plies}");
}

#[test]
fn a_table_move_with_rivals_is_not() {
    let bar = |value| value - params::singular_margin() * params::singular_depth();
    // All moves of bare kings have the value 0.
    let several_reach_beta = singular(BARE, "5i5h", 0, -500, false);
    assert!(matches!(several_reach_beta, Extension::Cut(value) if value >= bar(0)), "{several_reach_beta:?}");
    assert!(matches!(singular(BARE, "5i5h", 0, -1, false), Extension::By(..0)), "it will fail high anyway");
    assert_eq!(singular(BARE, "5i5h", 0, 5, true), Extension::By(-1));
    assert_eq!(singular(BARE, "5i5h", 0, 5, false), Extension::By(0));
}

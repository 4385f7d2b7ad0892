use kiki_board::Move;

use super::*;
use crate::node::OnPv;
use crate::testing::{Plain, context, make, parse, worker};
use crate::value::{MATE, mates_from};

const BARE: &str = "4k4/9/9/9/9/9/9/9/4K4 b - 1";
/// Black's pawn can take a rook; in the second it stands too far away.
const FREE_ROOK: &str = "4k4/9/9/4r4/4P4/9/9/9/4K4 b - 1";
const SAFE_ROOK: &str = "4k4/9/9/3r5/4P4/9/9/9/4K4 b - 1";
/// White threatens to mate by dropping a gold before the king.
const THREAT: &str = "4k4/9/9/9/9/9/4p4/9/4K4 b RBg 1";

fn candidate(worker: &Worker<Plain>, text: &str, number: usize) -> Candidate {
    worker.candidate(parse(worker, text), number, false, &mut None)
}

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
        assert_eq!(worker.nodes(), 0);
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
    assert!(!good.threat);
    let nodes = worker.nodes();
    assert!(nodes > 2);
    let hopeless = worker.evaluate() + 1000;
    let mut bad = context(&mut worker, hopeless, 6);
    assert_eq!(worker.null_move(&mut bad), None);
    assert_eq!(worker.nodes(), nodes, "below beta it is not tried");
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
    assert!(context.threat);
}

#[test]
fn a_mate_by_passing_is_no_mate() {
    // White has nothing but its king, and after a pass is mated by whatever it does.
    let mut worker = worker("4k4/9/3GPG3/9/9/9/9/9/4K4 b G 1", 3000);
    let mut context = context(&mut worker, 100, 6);
    assert!(worker.null_move(&mut context).is_some_and(|value| value < MATE_BOUND));
}

#[test]
fn probcut_cuts_by_a_capture_that_is_far_above_beta() {
    let depth = params::probcut_depth();
    let tried = |sfen: &str, depth: i32, short_of_capture: Value| {
        let mut worker = worker(sfen, 0);
        // After the capture Black is a rook ahead twice over.
        let beta = worker.evaluate() + 2 * 990 - params::probcut_margin() - short_of_capture;
        let context = context(&mut worker, beta - 1, depth);
        let value = worker.probcut(&context);
        (value.map(|value| value >= beta), worker.table.probe(worker.position.key(), 0))
    };
    let (cut, entry) = tried(FREE_ROOK, depth, 200);
    assert_eq!(cut, Some(true));
    let entry = entry.expect("it is remembered");
    assert_eq!((entry.mv.to_string().as_str(), entry.bound, entry.depth), ("5e5d", Bound::Lower, depth - 3));
    assert_eq!(tried(FREE_ROOK, depth, -600).0, None, "the capture does not bring enough");
    assert_eq!(tried(SAFE_ROOK, depth, 200).0, None, "no capture");
    assert_eq!(tried(FREE_ROOK, depth - 1, 200).0, None, "too near the leaves");
}

#[test]
fn probcut_is_not_tried_against_what_the_table_knows() {
    let mut worker = worker(FREE_ROOK, 0);
    let beta = 100;
    let depth = params::probcut_depth();
    let mut context = context(&mut worker, beta - 1, depth);
    assert!(worker.probcut(&context).is_some());
    let known = |value| Entry { mv: Move::NONE, value, eval: 0, depth, bound: Bound::Upper, pv: false };
    context.entry = Some(known(beta));
    assert_eq!(worker.probcut(&context), None);
    context.entry = Some(known(beta + params::probcut_margin()));
    assert!(worker.probcut(&context).is_some());
}

#[test]
fn late_and_hopeless_quiet_moves_are_left_out() {
    let mut worker = worker(BARE, 0);
    let near = context(&mut worker, 0, 1);
    let skip = |worker: &mut Worker<Plain>, context: &Context, text: &str, number: usize| {
        let candidate = candidate(worker, text, number);
        worker.prune_move::<OffPv>(context, &candidate)
    };
    assert_eq!(skip(&mut worker, &near, "5i5h", 2), Skip::No);
    assert_eq!(skip(&mut worker, &near, "5i5h", 40), Skip::AllQuiets, "late");
    let hopeless = context(&mut worker, 3000, 1);
    assert_eq!(skip(&mut worker, &hopeless, "5i5h", 2), Skip::This, "futile");
    let mut history = near;
    history.depth = params::history_prune_depth();
    for _ in 0..40 {
        let mv = parse(&worker, "5i5h");
        worker.histories.quiet_mut(0, mv).add(-4000);
    }
    assert_eq!(skip(&mut worker, &history, "5i5h", 2), Skip::This, "refuted again and again");
}

#[test]
fn a_check_may_be_what_a_hopeless_position_needs() {
    let mut worker = worker("4k4/9/9/9/9/9/9/3R5/K8 b - 1", 0);
    let hopeless = context(&mut worker, 5000, 1);
    let away = candidate(&worker, "6h7h", 2);
    assert!(!away.gives_check);
    assert_eq!(worker.prune_move::<OffPv>(&hopeless, &away), Skip::This);
    let check = candidate(&worker, "6h5h", 2);
    assert!(check.gives_check);
    assert_eq!(worker.prune_move::<OffPv>(&hopeless, &check), Skip::No);
}

#[test]
fn moves_that_lose_material_are_left_out_but_for_checks_on_the_principal_variation() {
    // The rook can give itself up for a pawn, with and without check.
    let mut worker = worker("4k4/3gpg3/9/9/1p7/2g6/9/4R4/K8 b - 1", 0);
    let context = context(&mut worker, 0, 2);
    let for_pawn = candidate(&worker, "5h5b", 2);
    assert!(for_pawn.gives_check && for_pawn.tried.tactical);
    assert_eq!(worker.prune_move::<OffPv>(&context, &for_pawn), Skip::This);
    assert_eq!(worker.prune_move::<OnPv>(&context, &for_pawn), Skip::No);
    let into_effect = candidate(&worker, "5h5c", 2);
    assert_eq!(worker.prune_move::<OffPv>(&context, &into_effect), Skip::This);
}

#[test]
fn checks_that_lose_nothing_are_searched_deeper() {
    let mut worker = worker("4k4/3gpg3/9/9/9/9/9/3R5/K8 b - 1", 0);
    let depth = params::check_extension_depth();
    let context = context(&mut worker, 0, depth);
    let extension = |worker: &mut Worker<Plain>, text: &str| {
        let candidate = candidate(worker, text, 1);
        worker.extension::<OffPv>(&context, &candidate)
    };
    assert_eq!(extension(&mut worker, "6h5h"), Extension::By(0), "no check: a pawn stands between");
    let mut worker = crate::testing::worker("4k4/3g1g3/9/9/9/9/9/3R5/K8 b - 1", 0);
    assert_eq!(extension(&mut worker, "6h5h"), Extension::By(1));
    assert_eq!(extension(&mut worker, "6h6b+"), Extension::By(0), "a check that loses the rook");
    worker.root_depth = 0;
    assert_eq!(extension(&mut worker, "6h5h"), Extension::By(0), "the line is long enough");
}

/// What becomes of a table move of this value, others being searched without it.
fn singular(sfen: &str, text: &str, value: Value, alpha: Value, cut_node: bool) -> Extension {
    let mut worker = worker(sfen, 0);
    let depth = params::singular_depth();
    let mv = parse(&worker, text);
    let entry = Entry { mv, value, eval: worker.evaluate(), depth, bound: Bound::Lower, pv: false };
    let mut context = context(&mut worker, alpha, depth);
    (context.entry, context.cut_node) = (Some(entry), cut_node);
    let candidate = candidate(&worker, text, 1);
    let before = worker.frames[0].killers;
    let extension = worker.extension::<OffPv>(&context, &candidate);
    assert!(worker.frames[0].excluded.is_none() && worker.frames[0].killers == before, "the frame is as it was");
    assert!(worker.nodes() > 0);
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
    // All moves of bare kings are worth nothing.
    let several_reach_beta = singular(BARE, "5i5h", 0, -500, false);
    assert!(matches!(several_reach_beta, Extension::Cut(value) if value >= bar(0)), "{several_reach_beta:?}");
    assert!(matches!(singular(BARE, "5i5h", 0, -1, false), Extension::By(..0)), "it will fail high anyway");
    assert_eq!(singular(BARE, "5i5h", 0, 5, true), Extension::By(-1));
    assert_eq!(singular(BARE, "5i5h", 0, 5, false), Extension::By(0));
}

#[test]
fn double_extensions_are_counted_along_the_line_null_moves_included() {
    let mut worker = worker(BARE, 0);
    worker.frames[0].doubles = 2;
    // What an earlier line has left behind.
    (worker.frames[1].doubles, worker.frames[2].doubles) = (7, 8);
    make(&mut worker, "5i5h");
    assert_eq!(worker.frames[1].doubles, 2);
    worker.make_null();
    assert_eq!(worker.frames[2].doubles, 2);
}

#[test]
fn a_threat_of_mate_is_no_mate() {
    // The side to move has far more than it needs; only a mate of its own would satisfy the question.
    let mut worker = worker(THREAT, 3000);
    let beta = 5 - MATE;
    let value = worker.quiesce::<OffPv>(Window::null(beta - 1), 0);
    assert!(value > -MATE_BOUND && value < mates_from(0), "{value}");
}

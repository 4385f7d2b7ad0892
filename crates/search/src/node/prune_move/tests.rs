use kiki_board::Color;

use super::*;
use crate::node::kind::{NonPvNode, PvNode};
use crate::node::testing::{BARE, Plain, candidate, context, parse, worker};
use crate::order::history::SearchedMove;

#[test]
fn late_and_hopeless_quiet_moves_are_left_out() {
    let mut worker = worker(BARE, 0);
    let near = context(&mut worker, 0, 1);
    let skip = |worker: &mut Worker<Plain>, context: &Context, text: &str, number: usize| {
        let candidate = candidate(worker, text, number);
        worker.prune_move::<NonPvNode>(context, &candidate)
    };
    assert_eq!(skip(&mut worker, &near, "5i5h", 2), Skip::No);
    assert_eq!(skip(&mut worker, &near, "5i5h", 40), Skip::AllQuiets, "late");
    let hopeless = context(&mut worker, 3000, 1);
    assert_eq!(skip(&mut worker, &hopeless, "5i5h", 2), Skip::This, "futile");
    let mut history = near;
    history.depth = params::history_prune_depth();
    let [refuted, best] = ["5i5h", "5i4h"].map(|text| SearchedMove::new(&worker.position, parse(&worker, text)));
    for _ in 0..40 {
        worker.histories.update_histories(Color::Black, &worker.stack, best, &[refuted], 20);
    }
    assert_eq!(skip(&mut worker, &history, "5i5h", 2), Skip::This, "refuted again and again");
}

#[test]
fn a_check_may_be_what_a_hopeless_position_needs() {
    let mut worker = worker("4k4/9/9/9/9/9/9/3R5/K8 b - 1", 0);
    let hopeless = context(&mut worker, 5000, 1);
    let away = candidate(&worker, "6h7h", 2);
    assert!(!away.gives_check);
    assert_eq!(worker.prune_move::<NonPvNode>(&hopeless, &away), Skip::This);
    let check = candidate(&worker, "6h5h", 2);
    assert!(check.gives_check);
    assert_eq!(worker.prune_move::<NonPvNode>(&hopeless, &check), Skip::No);
}

#[test]
fn moves_that_lose_material_are_left_out_but_for_checks_on_the_principal_variation() {
    // The rook can give itself up for a pawn, with and without check.
    let mut worker = worker("4k4/3gpg3/9/9/1p7/2g6/9/4R4/K8 b - 1", 0);
    let context = context(&mut worker, 0, 2);
    let for_pawn = candidate(&worker, "5h5b", 2);
    assert!(for_pawn.gives_check && for_pawn.searched.tactical);
    assert_eq!(worker.prune_move::<NonPvNode>(&context, &for_pawn), Skip::This);
    assert_eq!(worker.prune_move::<PvNode>(&context, &for_pawn), Skip::No);
    let into_effect = candidate(&worker, "5h5c", 2);
    assert_eq!(worker.prune_move::<NonPvNode>(&context, &into_effect), Skip::This);
}

use std::sync::Arc;

use kiki_board::{Move, Position};
use kiki_eval::{FEATURES, PairModel, ProgressWeights, SigmaModel, ValueLine};
use parking_lot::Mutex;

use super::*;
use crate::node::testing::{FREE_ROOK, SAFE_ROOK, context, worker};
use crate::probcut::{CheckOptions, ProbCutMargins, ProbCutMode, ProbCutObserver, ProbCutOptions};

#[test]
fn probcut_cuts_by_a_capture_that_is_far_above_beta() {
    let depth = params::probcut_depth();
    let tried = |sfen: &str, depth: i32, short_of_capture: Value| {
        let mut worker = worker(sfen, 0);
        // After the capture Black is a rook ahead twice over.
        let beta = worker.evaluate() + 2 * 990 - params::probcut_margin() - short_of_capture;
        let context = context(&mut worker, beta - 1, depth);
        let value = worker.probcut_by_captures(&context);
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
    assert!(worker.probcut_by_captures(&context).is_some());
    let known = |value| TableEntry { mv: Move::NONE, value, eval: 0, depth, bound: Bound::Upper, pv: false };
    context.entry = Some(known(beta));
    assert_eq!(worker.probcut_by_captures(&context), None);
    context.entry = Some(known(beta + params::probcut_margin()));
    assert!(worker.probcut_by_captures(&context).is_some());
}

/// Nodes of this depth are searched less deep.
const DEPTH: i32 = 8;

/// What check searches make of a node.
struct Checked {
    /// The difference between the value of the cut and beta.
    cut: Option<Value>,
    nodes: u64,
}

/// Tries check searches at a node whose beta lies so far above the evaluation, in centipawns.
fn checked(options: ProbCutOptions, beta_above: Value, depth: i32) -> Checked {
    let mut worker = worker(SAFE_ROOK, 0);
    worker.probcut = ProbCutMargins::new(options, Arc::new(model()), None);
    let beta = worker.evaluate() + beta_above;
    let mut context = context(&mut worker, beta - 1, depth);
    let value = worker.probcut_by_check_search(&mut context);
    assert_eq!(worker.check_searches, 0);
    Checked { cut: value.map(|value| value - beta), nodes: worker.limiter.nodes() }
}

const MARGIN: Value = 100;
const REDUCTION: i32 = 4;

/// One check search at [`DEPTH`] alone, on both sides of the window.
const ONE: CheckOptions = CheckOptions {
    min_depth: DEPTH,
    max_depth: DEPTH,
    reduction: REDUCTION,
    margin: MARGIN,
    first_reduction: 0,
    first_percent: 100,
    low_percent: 100,
    most_nested: 0,
};

fn constant(checks: CheckOptions) -> ProbCutOptions {
    ProbCutOptions { mode: ProbCutMode::Constant, k: 100, checks }
}

/// Sigma is 100 everywhere, and the deep value that of the shallow search less 40, in the endgame less 90.
fn model() -> SigmaModel {
    let mut weights = vec![0.0; FEATURES];
    weights[0] = 100.0;
    let pair = PairModel {
        shallow: (DEPTH - REDUCTION) as u8,
        deep: DEPTH as u8,
        floor: 10.0,
        lines: [-40.0, -40.0, -90.0].map(|offset| ValueLine { slope: 1.0, offset, share: 1.0 }),
        constant: 100.0,
        progress: [100.0, 0.0],
        values: std::array::from_fn(|index| if index == 0 { 100.0 } else { 0.0 }),
        weights,
    };
    SigmaModel { pairs: vec![pair], ..SigmaModel::default() }
}

#[test]
fn a_check_search_cuts_on_both_sides_of_the_window() {
    let cut = |beta_above, depth| checked(constant(ONE), beta_above, depth).cut;
    let far = MARGIN + 60;
    assert_eq!(cut(-far, DEPTH), Some(0), "fails high with beta");
    assert_eq!(cut(far + 1, DEPTH), Some(-1), "fails low with alpha");
    assert_eq!((cut(-MARGIN / 2, DEPTH), cut(MARGIN / 2, DEPTH)), (None, None), "within the margin");
    assert_eq!((cut(-far, DEPTH - 1), cut(-far, DEPTH + 1)), (None, None), "at other depths it is not tried");
    let off = checked(ProbCutOptions { mode: ProbCutMode::Off, ..constant(ONE) }, -far, DEPTH);
    assert_eq!((off.cut, off.nodes), (None, 0));
    let captures_alone = checked(constant(CheckOptions { margin: 0, ..ONE }), -far, DEPTH);
    assert_eq!((captures_alone.cut, captures_alone.nodes), (None, 0));
}

#[test]
fn margins_below_alpha_may_be_others_or_none() {
    let far = MARGIN + 60;
    let low = |low_percent, beta_above| checked(constant(CheckOptions { low_percent, ..ONE }), beta_above, DEPTH);
    assert_eq!(low(200, far + 1).cut, None, "not far enough for twice the margin");
    assert_eq!(low(200, far + 1 + MARGIN).cut, Some(-1));
    assert_eq!(low(200, -far).cut, Some(0), "above beta they are as before");
    assert_eq!(low(0, far + 1).nodes, 0);
    assert_eq!(low(0, -far).cut, Some(0));
}

#[test]
fn the_cheapest_check_search_that_cuts_spares_the_others() {
    // Below alpha, where even a shallow search has something to look at.
    let with_first = |first_reduction, first_percent| {
        checked(constant(CheckOptions { margin: 40, first_reduction, first_percent, ..ONE }), 101, DEPTH)
    };
    let (alone, cheap, both) = (with_first(0, 100), with_first(6, 100), with_first(6, 1000));
    assert_eq!((alone.cut, cheap.cut, both.cut), (Some(-1), Some(-1), Some(-1)));
    assert!(cheap.nodes <= alone.nodes && alone.nodes < both.nodes, "{} {} {}", cheap.nodes, alone.nodes, both.nodes);
    let two = constant(CheckOptions { first_reduction: 6, first_percent: 150, ..ONE });
    let margins = ProbCutMargins::new(two, Arc::new(model()), None);
    let position = Position::startpos();
    let node = CutNode { depth: DEPTH, position: &position, static_value: 0, value: 300, bound: Bound::Lower };
    assert_eq!(margins.check_searches(DEPTH, 0, Bound::Lower), 2);
    assert_eq!(margins.check_search(0, &node), Some((DEPTH - 6, 300 + MARGIN * 3 / 2)));
    assert_eq!(margins.check_search(1, &node), Some((DEPTH - REDUCTION, 300 + MARGIN)));
    let too_shallow = checked(constant(CheckOptions { reduction: DEPTH, ..ONE }), -MARGIN - 60, DEPTH);
    assert_eq!((too_shallow.cut, too_shallow.nodes), (None, 0), "a check search has a ply at least");
}

#[test]
fn check_searches_stand_in_one_another_as_far_as_allowed() {
    let tried = |most_nested, outer: usize| {
        let mut worker = worker(SAFE_ROOK, 0);
        worker.probcut = ProbCutMargins::new(constant(CheckOptions { most_nested, ..ONE }), Arc::new(model()), None);
        worker.check_searches = outer;
        let beta = worker.evaluate() - MARGIN - 60;
        let mut context = context(&mut worker, beta - 1, DEPTH);
        worker.probcut_by_check_search(&mut context).is_some()
    };
    assert_eq!([tried(0, 0), tried(0, 1), tried(1, 1), tried(1, 2)], [true, false, true, false]);
}

#[test]
fn a_check_search_that_does_not_cut_leaves_its_move() {
    let mut worker = worker(FREE_ROOK, 0);
    // Taking the rook is worth less than the margin asks for.
    let options = constant(CheckOptions { margin: 9000, ..ONE });
    worker.probcut = ProbCutMargins::new(options, Arc::new(model()), None);
    let beta = worker.evaluate() - 1;
    let mut context = context(&mut worker, beta - 1, DEPTH);
    assert!(context.entry.is_none());
    assert_eq!(worker.probcut_by_check_search(&mut context), None);
    assert!(context.entry.is_some_and(|entry| entry.depth < DEPTH));
}

#[test]
fn margins_are_multiples_of_sigma_around_the_value_that_is_expected() {
    let threshold = |options, model: SigmaModel, depth, bound| {
        let position = Position::startpos();
        let node = CutNode { depth, position: &position, static_value: 0, value: 300, bound };
        ProbCutMargins::new(options, Arc::new(model), None).check_search(0, &node).map(|(_, threshold)| threshold)
    };
    for mode in [ProbCutMode::Progress, ProbCutMode::Features, ProbCutMode::Sigma] {
        for k in [50, 100, 200] {
            let of_sigma = |depth, bound| threshold(ProbCutOptions { mode, k, checks: ONE }, model(), depth, bound);
            // For a deep value of 300 the shallow one is expected to be 340.
            assert_eq!(of_sigma(DEPTH, Bound::Lower), Some(340 + k), "{mode:?}");
            assert_eq!(of_sigma(DEPTH, Bound::Upper), Some(340 - k), "{mode:?}");
            // A depth without a pair of its own takes the nearest.
            assert_eq!(of_sigma(DEPTH + 20, Bound::Lower), Some(340 + k), "{mode:?}");
        }
    }
    assert_eq!(threshold(constant(ONE), SigmaModel::default(), DEPTH, Bound::Lower), Some(300 + MARGIN));
    let sigma = ProbCutOptions { mode: ProbCutMode::Sigma, ..constant(ONE) };
    assert_eq!(threshold(sigma, SigmaModel::default(), DEPTH, Bound::Lower), None, "there is no model");
    // A line that leaves half of sigma, at a slope of one half: (300 + 40 + 100 / 2) / (1 / 2).
    let mut steep = model();
    steep.pairs[0].lines = [ValueLine { slope: 0.5, offset: -40.0, share: 0.5 }; 3];
    assert_eq!(threshold(sigma, steep, DEPTH, Bound::Lower), Some(780));
    // In the endgame shallow values are more hopeful.
    let mut progress = ProgressWeights::default();
    progress.0[0] = 5.0;
    assert_eq!(threshold(sigma, SigmaModel { progress, ..model() }, DEPTH, Bound::Lower), Some(390 + 100));
}

#[test]
fn every_cut_is_told_to_who_wants_to_verify_it() {
    let claims = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&claims);
    let observer: ProbCutObserver = Arc::new(move |_, claim: &ProbCutClaim| heard.lock().push(*claim));
    let mut worker = worker(SAFE_ROOK, 0);
    worker.probcut = ProbCutMargins::new(constant(ONE), Arc::default(), Some(observer));
    let alpha = worker.evaluate() + MARGIN + 60;
    let mut context = context(&mut worker, alpha, DEPTH);
    assert_eq!(worker.probcut_by_check_search(&mut context), Some(alpha));
    let expected = ProbCutClaim { depth: DEPTH, bound: Bound::Upper, value: alpha, by_capture: false };
    assert_eq!(*claims.lock(), [expected]);
}

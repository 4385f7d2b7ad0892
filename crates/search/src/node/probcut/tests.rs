use std::sync::Arc;

use kiki_board::{Move, Position};
use kiki_eval::{FEATURES, PairModel, SigmaModel};
use parking_lot::Mutex;

use super::*;
use crate::node::testing::{FREE_ROOK, SAFE_ROOK, context, worker};
use crate::probcut::{ProbCutMargins, ProbCutMode, ProbCutObserver, ProbCutOptions};

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

/// What a check search makes of a node whose beta lies so far above the evaluation, in centipawns; the difference between its value and beta,
/// and how many nodes it took.
fn checked(options: ProbCutOptions, beta_above: Value, depth: i32) -> (Option<Value>, u64) {
    let mut worker = worker(SAFE_ROOK, 0);
    worker.probcut = ProbCutMargins::new(options, Arc::new(model()), None);
    worker.probcut.search_depths = DEPTH..=DEPTH;
    let beta = worker.evaluate() + beta_above;
    let context = context(&mut worker, beta - 1, depth);
    let value = worker.probcut_by_check_search(&context);
    assert_eq!(worker.check_searches, 0);
    (value.map(|value| value - beta), worker.limiter.nodes())
}

/// Sigma is 100 everywhere, and the deep value that of the shallow search less 40.
fn model() -> SigmaModel {
    let reduction = params::probcut_search_reduction() as u8;
    let mut weights = vec![0.0; FEATURES];
    weights[0] = 100.0;
    let pair = PairModel {
        shallow: DEPTH as u8 - reduction,
        deep: DEPTH as u8,
        floor: 10.0,
        slope: 1.0,
        offset: -40.0,
        constant: 100.0,
        progress: [100.0, 0.0],
        values: std::array::from_fn(|index| if index == 0 { 100.0 } else { 0.0 }),
        weights,
    };
    SigmaModel { pairs: vec![pair], ..SigmaModel::default() }
}

#[test]
fn a_check_search_cuts_on_both_sides_of_the_window() {
    let cut = |beta_above, depth| checked(ProbCutOptions::default(), beta_above, depth).0;
    let far = params::probcut_search_margin() + 60;
    assert_eq!(cut(-far, DEPTH), Some(0), "fails high with beta");
    assert_eq!(cut(far + 1, DEPTH), Some(-1), "fails low with alpha");
    let near = params::probcut_search_margin() / 2;
    assert_eq!((cut(-near, DEPTH), cut(near, DEPTH)), (None, None), "within the margin");
    assert_eq!((cut(-far, DEPTH - 1), cut(-far, DEPTH + 1)), (None, None), "at other depths it is not tried");
    let off = ProbCutOptions { mode: ProbCutMode::Off, ..ProbCutOptions::default() };
    assert_eq!(checked(off, -far, DEPTH), (None, 0));
}

#[test]
fn margins_are_multiples_of_sigma_around_the_value_that_is_expected() {
    for mode in [ProbCutMode::Progress, ProbCutMode::Features, ProbCutMode::Sigma] {
        for k in [50, 100, 200] {
            let margins = ProbCutMargins::new(ProbCutOptions { mode, k }, Arc::new(model()), None);
            let position = Position::startpos();
            let k = k as Value;
            // For a deep value of 300 the shallow one is expected to be 340.
            assert_eq!(margins.above(DEPTH, &position, 0, 300), 340 + k, "{mode:?}");
            assert_eq!(margins.below(DEPTH, &position, 0, 300), 340 - k, "{mode:?}");
            // A depth without a pair of its own takes the nearest.
            assert_eq!(margins.above(DEPTH + 20, &position, 0, 300), 340 + k, "{mode:?}");
        }
    }
    let constant = ProbCutMargins::new(ProbCutOptions::default(), Arc::new(model()), None);
    assert_eq!(constant.above(DEPTH, &Position::startpos(), 0, 300), 300 + params::probcut_search_margin());
    let none = ProbCutOptions { mode: ProbCutMode::Sigma, k: 100 };
    let without_model = ProbCutMargins::new(none, Arc::default(), None);
    assert_eq!(without_model.above(DEPTH, &Position::startpos(), 0, 300), 300 + params::probcut_search_margin());
}

#[test]
fn every_cut_is_told_to_who_wants_to_verify_it() {
    let claims = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&claims);
    let observer: ProbCutObserver = Arc::new(move |_, claim: &ProbCutClaim| heard.lock().push(*claim));
    let mut worker = worker(SAFE_ROOK, 0);
    worker.probcut = ProbCutMargins::new(ProbCutOptions::default(), Arc::default(), Some(observer));
    worker.probcut.search_depths = DEPTH..=DEPTH;
    let alpha = worker.evaluate() + params::probcut_search_margin() + 60;
    let context = context(&mut worker, alpha, DEPTH);
    assert_eq!(worker.probcut_by_check_search(&context), Some(alpha));
    let expected = ProbCutClaim { depth: DEPTH, bound: Bound::Upper, value: alpha, by_capture: false };
    assert_eq!(*claims.lock(), [expected]);
}

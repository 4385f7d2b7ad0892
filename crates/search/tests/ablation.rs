//! Every ablation of `kiki-lab ablation` changes the search: none of its options is dead.
#![cfg(feature = "tune")]

use std::collections::BTreeMap;
use std::sync::Arc;

use kiki_board::{Delta, Position};
use kiki_eval::{Evaluator, Formula, Value};
use kiki_search::{Limits, Options, Searcher, params};
use serde::Deserialize;

#[derive(Deserialize)]
struct AblationList {
    ablation: Vec<ListedAblation>,
}

#[derive(Deserialize)]
struct ListedAblation {
    name: String,
    options: BTreeMap<String, i32>,
}

/// The formula, as if the change of its value judged moves: else a step would have nothing to do.
struct Judging(Formula);

impl Evaluator for Judging {
    type Weights = <Formula as Evaluator>::Weights;

    fn new(weights: &Arc<Self::Weights>, position: &Position) -> Self {
        Self(Formula::new(weights, position))
    }

    fn reset(&mut self, position: &Position) {
        self.0.reset(position);
    }

    fn push(&mut self, delta: &Delta) {
        self.0.push(delta);
    }

    fn pop(&mut self) {
        self.0.pop();
    }

    fn evaluate(&mut self, position: &Position) -> Value {
        self.0.evaluate(position)
    }
}

/// At a smaller one some steps have nothing to do.
const DEPTH: u32 = 8;

/// Nodes to a small depth of some middle games and endgames.
fn bench(searcher: &mut Searcher<Judging>) -> Vec<u64> {
    let positions = include_str!("../../../bench/positions.sfen").lines().skip(1).step_by(12);
    let nodes = |sfen| {
        searcher.clear();
        let limits = Limits { depth: Some(DEPTH), ..Limits::default() };
        searcher.search(Position::from_sfen(sfen).unwrap(), limits, &false.into()).result.nodes
    };
    positions.map(nodes).collect()
}

fn set(name: &str, value: i32) {
    assert!(params::set(name, value), "there is no option {name}");
}

#[test]
fn each_ablation_changes_the_search_and_can_be_taken_back() {
    let listed: AblationList = toml::from_str(include_str!("../../contest/src/ablation/ablations.toml")).unwrap();
    let default: BTreeMap<&str, i32> =
        params::ALL.iter().chain(params::ABLATION_FLAGS).map(|tunable| (tunable.name, tunable.default)).collect();
    let options = Options { threads: 1, table_mebibytes: 4, ..Options::default() };
    let mut searcher = Searcher::<Judging>::new(<_>::default(), options).unwrap();
    let whole = bench(&mut searcher);
    for ListedAblation { name, options } in &listed.ablation {
        options.iter().for_each(|(option, &value)| set(option, value));
        assert_ne!(bench(&mut searcher), whole, "{name}");
        options.keys().for_each(|option| set(option, default[option.as_str()]));
    }
    assert_eq!(bench(&mut searcher), whole);
}

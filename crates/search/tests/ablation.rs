//! Every ablation of `kiki-lab ablation` changes the search: each of its options has an effect.
#![cfg(feature = "tune")]

mod wrapped;

use std::collections::BTreeMap;

use kiki_board::Position;
use kiki_search::{Limits, Options, Searcher, params};
use serde::Deserialize;

use wrapped::{Addition, Wrapped};

#[derive(Deserialize)]
struct AblationList {
    ablation: Vec<ListedAblation>,
}

#[derive(Deserialize)]
struct ListedAblation {
    name: String,
    options: BTreeMap<String, i32>,
}

/// The formula with [`Evaluator::judges_moves`] on: otherwise one step would have nothing to do.
struct Judging;

impl Addition for Judging {
    const JUDGES_MOVES: bool = true;
}

/// At a smaller one some steps have nothing to do.
const DEPTH: u32 = 8;

/// Nodes to a small depth of some middle games and endgames.
fn bench(searcher: &mut Searcher<Wrapped<Judging>>) -> Vec<u64> {
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
    let mut searcher = Searcher::<Wrapped<Judging>>::new(<_>::default(), options).unwrap();
    let whole = bench(&mut searcher);
    for ListedAblation { name, options } in &listed.ablation {
        options.iter().for_each(|(option, &value)| set(option, value));
        assert_ne!(bench(&mut searcher), whole, "{name}");
        options.keys().for_each(|option| set(option, default[option.as_str()]));
    }
    assert_eq!(bench(&mut searcher), whole);
}

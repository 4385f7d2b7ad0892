//! Section 14.7 of the specification.

use kiki_lengths::game_tree::GameTree;
use kiki_lengths::game_tree::GameTree::{Leaf, Node};
use kiki_lengths::game_tree::TreeShape;
use serde_json::Value;

use kiki_tests::golden::{GoldenRecord, by_number, check_all, close, number};

#[test]
fn alpha_beta_records() {
    check_all("alpha-beta", |record| {
        match record.id.as_str() {
            "AB-tree" => example(record),
            "AB-min" => counts(record),
            "AB-rand" => random_order(record),
            _ => return false,
        }
        true
    });
}

/// Values are the root player's, who does not move at leaves three plies deep.
fn tree(value: &Value, reversed: bool) -> GameTree {
    let Some(children) = value.as_array() else { return Leaf(-number(value) as i32) };
    let mut children: Vec<GameTree> = children.iter().map(|child| tree(child, reversed)).collect();
    if reversed {
        children.reverse();
    }
    Node(children)
}

fn example(record: &GoldenRecord) {
    for (order, reversed) in [("top_to_bottom", false), ("bottom_to_top", true)] {
        let expected = &record.output[order];
        let mut visited = Vec::new();
        let value = tree(&record.input["tree"], reversed).alpha_beta(-i32::MAX, i32::MAX, &mut visited);
        assert_eq!(Value::from(value), expected["value"]);
        assert_eq!(Value::from(visited.len()), expected["leaves"]);
        assert_eq!(Value::from(visited.iter().map(|value| -value).collect::<Vec<_>>()), expected["visited"]);
    }
}

fn counts(record: &GoldenRecord) {
    for (depth, expected) in by_number(&record.output) {
        let shape = TreeShape::new(3, depth as u32).unwrap();
        close("least", shape.least_leaves() as f64, &expected["minimal"], 0.0);
        close("rule of thumb", shape.rule_of_thumb(), &expected["approx"], 1e-6);
        close("all", shape.all_leaves() as f64, &expected["full"], 0.0);
    }
}

fn random_order(record: &GoldenRecord) {
    for (depth, expected) in by_number(&record.output) {
        let found = TreeShape::new(3, depth as u32).unwrap().random_order(1000, 1).unwrap();
        close("mean", found.mean, &expected["mean"], 4.0 * found.standard_error.hypot(number(&expected["se"])));
    }
}

//! Reference records of alpha-beta on trees.

use kiki_lengths::tree::{GameTree, TreeShape};
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

fn example(record: &GoldenRecord) {
    let mut tree = GameTree::parse(&record.input["tree"].to_string()).unwrap();
    for order in ["top_to_bottom", "bottom_to_top"] {
        let expected = &record.output[order];
        let mut visited = Vec::new();
        assert_eq!(Value::from(tree.alpha_beta(-i32::MAX, i32::MAX, &mut visited)), expected["value"]);
        assert_eq!(Value::from(visited.len()), expected["leaves"]);
        assert_eq!(Value::from(visited), expected["visited"]);
        tree.reverse();
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

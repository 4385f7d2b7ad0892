//! Section 11 of the specification.

use kiki_sigma::gamble::chance::UncertainTree;
use kiki_sigma::gamble::chance::UncertainTree::{Leaf, Node};
use kiki_sigma::gamble::chance::{SignTest, chance};

use kiki_tests::golden::{GoldenRecord, check_all, close, number, numbers};

#[test]
fn gamble_records() {
    check_all("gamble", |record| {
        match record.id.as_str() {
            "GM-root" => root_moves(record),
            "GM-tree" => tree(record),
            "GM-sign" => sign_tests(record),
            _ => return false,
        }
        true
    });
}

fn root_moves(record: &GoldenRecord) {
    for (side, moves) in record.input.as_object().expect("two sides") {
        for (name, leaf) in moves.as_object().expect("moves") {
            close(name, chance(number(&leaf[0]), number(&leaf[1])).unwrap(), &record.output[side][name], 1e-12);
        }
    }
}

/// White moves, Black replies: Black's values at the leaves are those of the side that is not to move there.
fn tree(record: &GoldenRecord) {
    let leaf = |pair: &serde_json::Value| {
        let pair = numbers(pair);
        Leaf(-pair[0], pair[1])
    };
    for (name, leaves) in record.input.as_object().expect("moves") {
        let replies: UncertainTree = Node(leaves.as_array().expect("leaves").iter().map(leaf).collect());
        close(name, replies.value(), &record.output["values"][name], 1e-12);
        close(name, 1.0 - replies.chance().unwrap(), &record.output["P"][name], 6e-10);
    }
}

fn sign_tests(record: &GoldenRecord) {
    for row in record.output["tests"].as_array().expect("rows") {
        let test = SignTest::new(number(&row[0]) as u64, number(&row[1]) as u64).unwrap();
        close("z", test.z, &row[2], 6e-5);
        close("p", test.two_sided, &row[3], 6e-7);
    }
}

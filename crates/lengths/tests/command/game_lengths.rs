//! The length of games and the leaves of trees on the command line.

use crate::documentation::{assert_documented, keys_of};
use crate::laboratory::Folder;
use kiki_tests::golden::{check_all, close, number};
use serde_json::Value;

/// The lengths of 400 games with a long tail: 60 to 109 plies, and a few far longer ones.
fn lengths() -> String {
    let lengths = (0..400).map(|game| (60 + game % 50 + 40 * u32::from(game % 13 == 0)).to_string());
    lengths.collect::<Vec<_>>().join("\n")
}

const QUICK: &str = "--replicates 20 --simulate 2000";

#[test]
fn lengths_are_fitted_told_and_drawn() {
    let folder = Folder::new();
    folder.write("lengths.txt", lengths());
    let fitted = folder.json(&format!("lengths lengths.txt --plot lengths.svg {QUICK}"));
    let same = |key: &str| {
        let (games, model) = (&fitted["games"]["moments"][key], &fitted["model"][key]);
        assert!((games.as_f64().unwrap() / model.as_f64().unwrap() - 1.0).abs() < 1e-9, "{key}: {fitted}");
    };
    ["mean", "deviation", "third"].into_iter().for_each(same);
    assert_eq!(fitted["games"]["counted"], 400);
    assert!(folder.text("lengths.svg").contains("random walk"));
    assert_documented(&keys_of(&[fitted]));

    // The deciding ply moves between the parts of a length and changes nothing else.
    let preset = "lengths --preset professional --simulate 2000";
    let (usual, counted) = (folder.json(preset), folder.json(&format!("{preset} --count-deciding-ply")));
    let difference = |of: &dyn Fn(&Value) -> f64| of(&counted) - of(&usual);
    assert!((difference(&|answer| answer["walk_plies"].as_f64().unwrap()) - 1.0).abs() < 1e-9);
    assert!((difference(&|answer| answer["other_plies"]["mean"].as_f64().unwrap()) + 1.0).abs() < 1e-9);
    assert_eq!((&usual["model"], &usual["walk_median"]), (&counted["model"], &Value::from(15)));
}

#[test]
fn games_that_cannot_be_read_are_left_out() {
    let folder = Folder::new();
    folder.write("lengths.txt", lengths());
    folder.write("words.txt", format!("\u{feff}100\n\nmany\n{}\n101\n", "x".repeat(10_000)));
    folder.write("two.csa", "PI\n+\n+7775FU\n/\nPI\n+\n+7776FU\n%TORYO\n/\nPI\n+\n+7776FU\n%CHUDAN\n");
    let ask = format!("lengths none.csa words.txt two.csa lengths.txt --shortest 1 --json {QUICK}");
    let (status, said, errors) = folder.run(&ask);
    let told = [
        "none.csa: No such file",
        "words.txt: line 3: `many` is no number of plies",
        "words.txt: line 4: `xxx",
        "two.csa: line 3: the move",
    ];
    assert!(told.iter().all(|part| errors.contains(part)) && errors.lines().count() == 4, "{errors}");
    assert!(errors.lines().all(|line| line.len() < 300), "{errors}");
    let games = &serde_json::from_str::<Value>(&said).unwrap()["games"];
    assert_eq!((status, games["counted"].as_u64(), games["other_endings"].as_u64()), (Some(1), Some(403), Some(1)));
}

#[test]
fn a_game_that_is_read_twice_counts_once() {
    let folder = Folder::new();
    let game = |start: u32| format!("V2.2\n$START_TIME:2026/01/02 10:00:{start}\nPI\n+\n+7776FU\n%TORYO\n");
    (10..13).for_each(|start| folder.write(format!("games/{start}.csa"), game(start)));
    folder.write("copies/x.csa", game(11));
    folder.write("lengths.txt", lengths());
    let ask = format!("lengths games games/10.csa copies lengths.txt ./lengths.txt --json {QUICK}");
    let (status, said, warnings) = folder.run(&ask);
    let games = &serde_json::from_str::<Value>(&said).unwrap()["games"];
    // The games are too short to count.
    let counts = ["counted", "out_of_range", "other_endings"].map(|key| games[key].as_u64().unwrap());
    assert_eq!((status, counts), (Some(0), [400, 3, 0]), "{warnings}");
    let told = ["records of games that were read before, each of which counts once: 1", "named twice", ": 2"];
    assert!(told.iter().all(|part| warnings.contains(part)), "{warnings}");
}

#[test]
fn endings_that_do_not_count_are_named() {
    let folder = Folder::new();
    folder.write("games/a.csa", "V2.2\nPI\n+\n+7776FU\n%CHUDAN\n");
    folder.write("games/b.kif", "手合割：平手\n   1 ７六歩(77)\n");
    let said = folder.fail("lengths games");
    assert!(said.contains("0 games count; 2 ended otherwise (1 interrupted, 1 unknown)"), "{said}");
}

#[test]
fn trees_are_counted_and_drawn() {
    let folder = Folder::new();
    let answer = folder.json("tree --depth 20 --trees 50 --plot tree.svg");
    let row = &answer["rows"][19];
    assert_eq!((row["best_order"].as_str(), row["worst_order"].as_str()), (Some("118097"), Some("3486784401")));
    assert!(row["random_order"].is_null() && answer["rows"][3]["random_order"]["mean"].as_f64().unwrap() > 17.0);
    assert!(folder.join("tree.svg").exists());
    assert_documented(&keys_of(&[answer]));
}

#[test]
fn bad_input_is_refused_with_a_reason_and_no_file() {
    let folder = Folder::new();
    folder.write("words.txt", "100\nmany\n");
    folder.write("same.txt", "100\n".repeat(50));
    folder.write("mate.csa", "PI\n+\n+7776FU\n%TSUMI\n");
    for (line, reason) in [
        ("lengths", "required"),
        ("lengths missing.txt", "missing.txt"),
        ("lengths words.txt", "line 2: `many` is no number of plies"),
        ("lengths same.txt", "the third moment of lengths"),
        ("lengths mate.csa", "1 checkmate), 0 were shorter or longer; --endings checkmate counts these"),
        ("lengths same.txt --shortest 200", "0 games count; 0 ended otherwise, 50 were shorter or longer"),
        ("lengths same.txt --shortest 200 --longest 100", "--shortest 200 is longer than --longest 100"),
        ("lengths same.txt --endings boredom", "invalid value 'boredom'"),
        ("lengths --moments 100,10,10000", "vary less than a walk"),
        ("lengths --moments 100", "two or three numbers"),
        ("lengths --model a,b,c", "`a` is no number"),
        ("lengths --model 0.001,90,20", "the step is 0.001"),
        ("lengths --preset floodgate --simulate 0", "--simulate <N>"),
        ("tree --moves 0", "the number of moves is 0"),
        ("tree --moves 80 --depth 40", "too long"),
        ("tree --depth 0", "--depth <D>"),
        ("tree --depth 20 --largest 4e9", "the search of a tree would take too long"),
    ] {
        let said = folder.fail(&format!("{line} --plot x.svg"));
        assert!(said.contains(reason), "{line}: {said}");
        assert!(!folder.join("x.svg").exists());
    }
    assert!(folder.fail(&["lengths", "--model", "0.2, 90"]).contains("three numbers"), "a blank is allowed");
}

/// Records of an independent program. Those of lengths are checked by the crate.
#[test]
fn reference_trees_come_out() {
    let folder = Folder::new();
    let found = |value: &Value| value.as_f64().unwrap();
    check_all("alpha-beta", |record| {
        let output = &record.output;
        match record.id.as_str() {
            "AB-tree" => {
                let answer = folder.json(&format!("tree --values {}", record.input["tree"]));
                for (order, expected) in ["top_to_bottom", "bottom_to_top"].into_iter().enumerate() {
                    let (order, expected) = (&answer["orders"][order], &output[expected]);
                    assert_eq!((&order["value"], &order["visited"]), (&expected["value"], &expected["visited"]));
                }
                assert_documented(&keys_of(&[answer]));
            }
            "AB-rand" => {
                for row in folder.json("tree --depth 8")["rows"].as_array().unwrap() {
                    let expected = &output[row["depth"].to_string()];
                    if expected.is_object() {
                        let (mean, error) = (&row["random_order"]["mean"], &row["random_order"]["standard_error"]);
                        let tolerance = 4.0 * found(error).hypot(number(&expected["se"]));
                        close("random order", found(mean), &expected["mean"], tolerance);
                    }
                }
            }
            "AB-min" => {
                for row in folder.json("tree --depth 20 --trees 2")["rows"].as_array().unwrap() {
                    let expected = &output[row["depth"].to_string()];
                    if expected.is_object() {
                        assert_eq!(row["best_order"].as_str().unwrap(), expected["minimal"].to_string());
                        assert_eq!(row["worst_order"].as_str().unwrap(), expected["full"].to_string());
                        close("rule of thumb", found(&row["rule_of_thumb"]), &expected["approx"], 1e-6);
                    }
                }
            }
            _ => return false,
        }
        true
    });
}

#[test]
fn trees_that_are_none_are_refused() {
    let folder = Folder::new();
    for (values, reason) in [
        ("[[1,2],[]]", "--values: a list has no moves"),
        ("[1,2.5]", "--values: `2.5` is neither a list nor a whole number"),
        ("[1,2", "--values: EOF while parsing"),
    ] {
        let said = folder.fail(&format!("tree --values {values}"));
        assert!(said.contains(reason), "{said}");
    }
}

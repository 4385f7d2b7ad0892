//! Evaluation quality, measured by the program itself, for the formula and a network.

use kiki_tests::networks::network_file;
use serde_json::Value;

use crate::laboratory::{Folder, MOCK, interrupted};

/// The small network of the fixtures.
fn network() -> Vec<u8> {
    network_file(7, [32, 16, 16])
}

#[test]
fn formula_and_network_are_measured_at_each_limit_whatever_the_threads() {
    let folder = Folder::new();
    folder.write("nn.bin", network());
    let quality = |rest: &str| {
        let line = format!("quality --network nn.bin --depth 1,3 --nodes 200 --count 40 --table 1 {rest}");
        folder.json(&line)
    };
    let one = quality("--threads 1");
    assert_eq!(one, quality("--threads 3"));
    let rows = one["rows"].as_array().unwrap();
    let names: Vec<String> = rows.iter().map(|row| format!("{} {}", row["evaluation"], row["limit"])).collect();
    let expected = ["depth 1", "depth 3", "200 nodes"]
        .map(|limit| ["formula", "nn.bin"].map(|name| format!("\"{name}\" \"{limit}\"")))
        .concat();
    assert_eq!((names, &one["ending"]), (expected, &Value::from("complete")));
    let relative = |row: &Value| row["summary"]["relative_difference"]["value"].as_f64().unwrap();
    for row in rows {
        let summary = &row["summary"];
        let left_out: u64 =
            summary["left_out"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
        assert_eq!(summary["compared"].as_u64().unwrap() + left_out, 40, "{row}");
        assert!(summary["mean_difference"]["standard_error"].as_f64().unwrap() > 0.0, "{row}");
    }
    assert!(relative(&rows[0]) < relative(&rows[1]), "random numbers are worse than the formula: {one}");
    // Twice the scale halves the values, except for rounding and mates that only one search finds.
    let halved = quality("--no-formula --fv-scale 32");
    let spread = |row: &Value| row["summary"]["spread"].as_f64().unwrap();
    let ratio = spread(&halved["rows"][0]) / spread(&rows[1]);
    assert!((ratio - 0.5).abs() < 0.03, "{ratio}: {halved}");
}

#[test]
fn positions_come_from_matches_records_tables_and_openings() {
    let folder = Folder::new();
    let engine = |name: &str| format!("name={name} cmd='{MOCK}' nodes=1");
    let engines = ["--engine", &engine("a"), "--engine", &engine("b")];
    folder.succeed(&[&["match", "--games=2", "--max-plies=30", "--output=games"], &engines[..]].concat());
    folder.succeed("selfplay --out data.games --positions 50 --nodes 40 --table 1 --max-plies 40");
    folder.write("table.tsv", "source\tsfen\ng1\tlnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n");
    folder.write("openings.sfen", "startpos moves 7g7f\nstartpos moves 2g2f 8c8d\n");
    for (source, positions, games) in [
        ("games", None, Some(2)),
        ("data.games", None, None),
        ("table.tsv", Some(1), Some(1)),
        ("openings.sfen", Some(2), Some(2)),
    ] {
        let said = folder.json(&format!("quality --positions {source} --depth 1 --table 1"));
        let summary = &said["rows"][0]["summary"];
        assert!(summary["compared"].as_u64().unwrap() > 0, "{source}: {said}");
        assert!(positions.is_none_or(|count| said["positions"] == count), "{source}: {said}");
        assert!(games.is_none_or(|count| summary["games"] == count), "{source}: {said}");
    }
}

#[cfg(unix)]
#[test]
fn an_interruption_ends_the_searches_and_keeps_the_rows_that_are_complete() {
    let folder = Folder::new();
    let mut command = folder.lab("quality --json --depth 1,90 --count 4");
    // Depth 1 takes a moment, depth 90 more than a life.
    let began = std::time::Instant::now();
    let output = interrupted(&mut command, "time goes on", || began.elapsed().as_secs() >= 4);
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&said["ending"], said["rows"].as_array().unwrap().len()), (&"interrupted".into(), 1), "{said}");
}

#[test]
fn what_cannot_be_measured_is_told() {
    let folder = Folder::new();
    folder.write("nn.bin", &network()[..1000]);
    folder.write("bad.tsv", "sfen\nnonsense\n");
    folder.write("cut.psv", [0; 50]);
    for (option, expected) in [
        ("--network nn.bin", "nn.bin"),
        ("--network none.bin", "none.bin"),
        ("--positions bad.tsv", "bad.tsv: line 2"),
        ("--positions cut.psv", "cut.psv"),
        ("--positions none", "none"),
        ("--count 0", "--count 0"),
        ("--depth 0", "--depth"),
        ("--fv-scale 16", "--network"),
    ] {
        let said = folder.fail(&format!("quality {option}"));
        assert!(said.contains(expected), "{option}: {said}");
    }
}

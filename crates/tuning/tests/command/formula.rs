//! The pictures and tables of the formula, and the page of the documentation that shows them.

use std::fs;
use std::path::{Path, PathBuf};

use kiki_eval::Weights;
use serde_json::Value;

use crate::laboratory::Folder;

const PICTURES: [&str; 5] = ["effects.svg", "distances.svg", "pieces.svg", "zones.svg", "position.svg"];
const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    folder.json(&[&["formula"], arguments].concat())
}

fn documentation() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// The texts of a picture, in the order in which they were drawn.
fn texts(svg: &str) -> Vec<&str> {
    svg.split("<text").skip(1).map(|text| text.split(['>', '<']).nth(1).unwrap().trim()).collect()
}

#[test]
fn the_page_shows_what_the_program_says() {
    let folder = Folder::new();
    let tables = folder.succeed("formula --out pictures");
    for name in PICTURES {
        let drawn = folder.text(format!("pictures/{name}"));
        let shown = fs::read_to_string(documentation().join("pictures/formula").join(name)).unwrap();
        assert!(
            drawn == shown,
            "{name} is old: cargo lab formula --out docs/pictures/formula, and read docs/formula.md"
        );
    }
    let page = fs::read_to_string(documentation().join("formula.md")).unwrap();
    let blocks = page.split("```text\n").skip(1).map(|block| block.split("```").next().unwrap());
    let lines: Vec<&str> = blocks.flat_map(str::lines).map(str::trim).collect();
    assert!(lines.len() > 20, "the tables of the page");
    for line in lines {
        assert!(tables.lines().any(|printed| printed.trim() == line), "docs/formula.md: {line}");
    }
    // Rows of positions: in words, the position, the published sum and that in use.
    let rows = page.lines().filter(|line| line.starts_with("| ") && line.contains("` |"));
    let mut positions = 0;
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        let numbers = &json(&folder, &["--sfen", cells[1]])["numbers"];
        let sums = [0, 1].map(|column| format!("{:+}", numbers[column]["total"].as_i64().unwrap()));
        assert_eq!(sums, [cells[2], cells[3]], "docs/formula.md: {row}");
        positions += 1;
    }
    assert!(positions >= 8, "the positions of the page: {positions}");
}

#[test]
fn other_numbers_make_other_tables_and_pictures() {
    let folder = Folder::new();
    folder.write("mine.toml", "material_gold = { start = 999, min = 150, max = 1200, step = 24 }\n");
    let gold = |arguments: &[&str]| {
        let value = json(&folder, arguments);
        let numbers = value["numbers"].as_array().unwrap().clone();
        let of = |numbers: &Value| {
            let pieces = numbers["pieces"].as_array().unwrap().iter();
            let gold = pieces.clone().find(|piece| piece["kind"] == "gold").unwrap();
            (numbers["name"].as_str().unwrap().to_owned(), gold["in_hand"].as_i64().unwrap())
        };
        numbers.iter().map(of).collect::<Vec<_>>()
    };
    let in_use = i64::from(Weights::default().get("material_gold").unwrap());
    let named = |name: &str, value| (name.to_owned(), value);
    assert_eq!(gold(&["--out", "in-use"]), [named("published", 540), named("in use", in_use)]);
    assert_eq!(gold(&["--numbers", "mine.toml", "--out", "mine"]), [named("published", 540), named("mine", 999)]);
    assert_eq!(gold(&["--published", "--out", "published"]), [named("published", 540)]);
    let picture = |name: &str| folder.text(format!("{name}/pieces.svg"));
    assert!(texts(&picture("mine")).iter().any(|text| text.starts_with("999 (")));
    assert!(!texts(&picture("in-use")).iter().any(|text| text.starts_with("999 (")));
    assert!(texts(&picture("published")).iter().all(|&text| text != "in use"));
    // Both sides have the same, so every set of numbers gives 0.
    for sfen in [START, "startpos", "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"] {
        for numbers in json(&folder, &["--sfen", sfen])["numbers"].as_array().unwrap() {
            assert_eq!(numbers["total"], 0);
        }
    }
    let played = json(&folder, &["--sfen", "startpos moves 7g7f"]);
    assert!(played["sfen"].as_str().unwrap().ends_with(" w - 2"), "{played}");
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let folder = Folder::new();
    let write = |name: &str, text: &str| folder.write(name, text);
    write("queen.toml", "material_queen = { start = 9, min = 1, max = 10, step = 1 }\n");
    write("heavy.toml", "own_effect = { start = 300, min = 0, max = 400, step = 1 }\n");
    for (arguments, expected) in [
        (&["--sfen", "9/9 b - 1"][..], "--sfen"),
        (&["--numbers", "none.toml"], "none.toml"),
        (&["--numbers", "queen.toml"], "`material_queen` is not a number of the formula"),
        (&["--numbers", "heavy.toml"], "`own_effect` is 300, not from 0 to 250"),
        (&["--published", "--numbers", "queen.toml"], "cannot be used with"),
        (&["--out", "queen.toml"], "--out queen.toml"),
    ] {
        let (status, said, errors) = folder.run(&[&["formula"], arguments].concat());
        assert!(status != Some(0) && said.is_empty() && errors.contains(expected), "{arguments:?}: {errors}");
    }
}

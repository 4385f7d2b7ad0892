//! Tournament files together with the command line.

use std::fs;

use serde_json::{Value, json};

use super::TestMatch;
use crate::laboratory::Arguments as _;

/// Writes the tournament file of two engines with further tables.
fn tournament(contest: &TestMatch, tables: &str) {
    let engine = |name: &str| {
        let command =
            toml::Value::from(vec![contest.join("mock").to_str().unwrap().to_owned(), format!("name={name}")]);
        format!("[[engine]]\nname = \"{name}\"\ncommand = {command}\n")
    };
    let each = "[each]\nlimit = { nodes = 1 }\n";
    contest.write("tournament.toml", format!("games = 2\n{tables}\n{each}{}{}", engine("a"), engine("b")));
}

#[test]
fn a_sequential_test_of_a_file_is_the_one_that_is_played() {
    let of_file = "[rules]\nmax-plies = 6\n[sprt]\nelo0 = -100\nelo1 = 300\nalpha = 0.2\nmodel = \"normalized\"";
    let tested = |command: &[&str], tables: &str| {
        let contest = TestMatch::new();
        tournament(&contest, tables);
        contest.succeed(&[command, &["--config", "tournament.toml", "--output", "out"]].concat());
        contest.value("out/match.json")["sprt"].clone()
    };
    let sprt = |elo0: f64, elo1: f64, alpha: f64, model: &str| json!({ "elo0": elo0, "elo1": elo1, "alpha": alpha, "beta": 0.05, "model": model, "counts": "pentanomial" });
    let file = sprt(-100.0, 300.0, 0.2, "normalized");
    assert_eq!(tested(&["sprt"], of_file), file);
    assert_eq!(tested(&["match"], of_file), file);
    let mixed = sprt(-100.0, 400.0, 0.2, "normalized");
    assert_eq!(tested(&["sprt", "--elo1", "400"], of_file), mixed);
    assert_eq!(tested(&["match", "--sprt", "elo1=400"], of_file), mixed);
    let rules_alone = "[rules]\nmax-plies = 6";
    assert_eq!(tested(&["sprt"], rules_alone), sprt(0.0, 5.0, 0.05, "logistic"));
    assert_eq!(tested(&["match"], rules_alone), Value::Null);
}

/// What only an engine can tell is no mistake of the command line.
#[test]
fn a_command_line_that_makes_no_sense_ends_with_status_2() {
    let contest = TestMatch::new();
    let [a, b] = ["a", "b"].map(|name| contest.engine(name, "") + " nodes=1");
    let [limitless, wrong_option] = ["", " nodes=1 option.Thread=1"].map(|rest| contest.engine("c", "") + rest);
    let output = ["--output", "out"];
    let cases: [(&[&str], i32); 9] = [
        (&["--engine", &a, "--engine", &b], 2),
        (&[&output[..], &["--engine", &a]].concat(), 2),
        (&[&output[..], &["--engine", &a, "--engine", &a]].concat(), 2),
        (&[&output[..], &["--engine", &a, "--engine", &limitless]].concat(), 2),
        (&[&output[..], &["--engine", &a, "--engine", &b, "--games", "3"]].concat(), 2),
        (&[&output[..], &["--engine", &a, "--engine", &b, "--resign", "moves=0 score=1"]].concat(), 2),
        (&[&output[..], &["--engine", &a, "--engine", &b, "--concurrency", "0"]].concat(), 2),
        (&[&output[..], &["--engine", &a, "--engine", &b, "--openings", "missing.sfen"]].concat(), 1),
        (&[&output[..], &["--engine", &a, "--engine", &wrong_option]].concat(), 1),
    ];
    for (words, expected) in cases {
        let (status, _, errors) = contest.run(&[&["match"], words].concat());
        assert_eq!(status, Some(expected), "{words:?}: {errors}");
    }
    let training = "train --data none.games --held-out none.games --out out --positions 10";
    let (status, _, errors) = contest.run(training);
    assert!(status == Some(2) && errors.contains("10 positions are less than a batch"), "{errors}");
}

/// A wrong sign would let the winner resign.
#[test]
fn rules_that_cannot_be_meant_are_refused_from_a_file_and_from_the_command_line() {
    let refused = |rules: &str, rest: &[&str]| {
        let contest = TestMatch::new();
        tournament(&contest, &format!("[rules]\nmax-plies = 6\n{rules}"));
        let said = contest.fail(&[&["match", "--config", "tournament.toml", "--output", "out"], rest].concat());
        assert!(!contest.join("out").exists(), "{rules} {rest:?}");
        said
    };
    for (kind, numbers, expected) in [
        ("resign", ["moves=5", "score=-3000"], "`resign` has moves 5 and score -3000"),
        ("resign", ["moves=0", "score=3000"], "`resign` has moves 0 and score 3000"),
        ("draw", ["moves=0", "score=10"], "`draw` has moves 0 and score 10"),
        ("draw", ["moves=8", "score=-1"], "`draw` has moves 8 and score -1"),
    ] {
        let from = if kind == "draw" { ", from = 0" } else { "" };
        let of_file = refused(&format!("{kind} = {{ {}{from} }}", numbers.join(", ")), &[]);
        assert!(of_file.contains(expected), "{of_file}");
        let given = refused("", &[&format!("--{kind}"), &numbers.join(" ")]);
        assert!(given.contains(expected), "{given}");
    }
    let unknown = refused("resign = { moves = 5, score = 3000, from = 7 }", &[]);
    assert!(unknown.contains("unknown field `from`"), "{unknown}");
}

#[test]
fn openings_that_are_longer_than_a_game_may_be_are_refused() {
    let contest = TestMatch::new();
    tournament(&contest, "[rules]\nmax-plies = 2\n");
    contest.write("long.sfen", "startpos\nstartpos moves 7g7f 3c3d\n");
    let said = contest.fail(&["match", "--config", "tournament.toml", "--openings", "long.sfen", "--output", "out"]);
    assert!(said.contains("--max-plies 2 ends a game with an opening of 2 plies at once"), "{said}");
    assert!(!contest.join("out").exists());
}

/// The openings of a tuning and the games of an analysis have file names of a match.
#[test]
fn another_kind_of_run_in_the_folder_of_a_match_changes_nothing_there() {
    let contest = TestMatch::new();
    contest.write("openings.sfen", "startpos moves 2g2f\n");
    let engines = [contest.engine("a", ""), contest.engine("b", "seed=1")];
    contest.play(&engines, "--games 2 --each nodes=1 --max-plies 6");
    let files = || {
        let read = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().path();
        let mut paths: Vec<_> = fs::read_dir(contest.join("out")).unwrap().map(read).collect();
        paths.sort();
        paths.into_iter().map(|path| (fs::read(&path).unwrap_or_default(), path)).collect::<Vec<_>>()
    };
    let before = files();
    contest.write("parameters.toml", "Wisdom = { start = 30, min = 0, max = 100, step = 10 }\n");
    let engine = contest.engine("a", "multipv") + " nodes=1";
    for line in [
        "spsa --updates 1 --parameters parameters.toml --openings openings.sfen",
        "ablation --games 2 --depth 0 --openings openings.sfen",
        "analyze --moves 7g7f",
    ] {
        let words = [&line.words()[..], &["--output", "out", "--engine", &engine]].concat();
        let (status, _, errors) = contest.run(&words);
        assert_eq!(status, Some(1), "{line}: {errors}");
        assert!(errors.contains("holds a match already: name another folder"), "{errors}");
        assert!(files() == before, "{line}");
    }
}

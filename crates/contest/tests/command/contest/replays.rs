//! Games that a fault ended, voided and played again.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::test_match::{TestMatch, games, lab, text};

/// An engine that crashes at its first move, so many times in all.
fn crashing(contest: &TestMatch, name: &str, times: usize) -> String {
    let file = contest.path(name);
    fs::write(&file, "x\n".repeat(times)).unwrap();
    contest.engine(name, &format!("crashes={}", file.display()))
}

fn voided(games: &[Value]) -> Vec<u64> {
    games.iter().filter(|game| game["voided"] == true).map(|game| game["game"].as_u64().unwrap()).collect()
}

fn resume(folder: &Path) -> Value {
    let output = lab().args(["match", "--json", "--resume"]).arg(folder).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_game_that_a_crash_ended_is_voided_and_played_again() {
    let contest = TestMatch::new();
    let engines = [contest.engine("good", ""), crashing(&contest, "bad", 2)];
    let result = contest.play(&engines, "--games 4 --each nodes=1 --max-plies 10 --replay-faults");
    assert_eq!(
        (&result["games"], &result["voided"], &result["engines"][1]["voided"]),
        (&4.into(), &2.into(), &2.into())
    );
    assert_eq!(result["reasons"], serde_json::json!({ "max-plies": 4 }));
    assert_eq!(result["engines"][1]["faults"], serde_json::json!({}));
    assert_eq!(result["faults"][0]["voided"], true);
    // The journal keeps them, ratings and records do not count them.
    assert_eq!((contest.games().len(), voided(&contest.games())), (6, vec![1, 1]));
    assert_eq!(fs::read_dir(contest.path("out/csa")).unwrap().count(), 4);
    assert_eq!(fs::read_to_string(contest.path("out/games.pgn")).unwrap().matches("[Result ").count(), 4);
    let rated = lab().args(["rate", "--json"]).arg(contest.path("out")).output().unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&rated.stdout).unwrap()["games"], 4.0, "{}", text(&rated));
}

#[test]
fn a_game_is_played_again_only_so_often_also_after_an_interruption() {
    let contest = TestMatch::new();
    let engines = [contest.engine("good", ""), crashing(&contest, "bad", 100)];
    let result = contest.play(&engines, "--games 2 --each nodes=1 --max-plies 10 --replay-faults 2");
    assert_eq!((&result["reasons"], &result["voided"]), (&serde_json::json!({ "crash": 2 }), &4.into()));
    assert_eq!(voided(&contest.games()), [1, 1, 2, 2]);
    // A kill behind the first voided game leaves one more trial to it.
    let journal = contest.path("out/games.jsonl");
    let first: String = fs::read_to_string(&journal).unwrap().split_inclusive('\n').take(1).collect();
    fs::write(&journal, first).unwrap();
    let result = resume(&contest.path("out"));
    assert_eq!((&result["games"], &result["voided"]), (&2.into(), &4.into()));
    assert_eq!(voided(&games(&contest.path("out"))), [1, 1, 2, 2]);
}

#[test]
fn what_an_engine_does_wrong_itself_is_not_played_again() {
    let contest = TestMatch::new();
    let engines = [contest.engine("good", ""), contest.engine("bad", "illegal=3")];
    let result = contest.play(&engines, "--games 2 --each nodes=1 --max-plies 10 --replay-faults 2");
    assert_eq!((&result["voided"], &result["reasons"]["illegal-move"]), (&0.into(), &2.into()));
}

//! Numbers of games that no memory holds, and other numbers beyond reason.

use std::process::{Output, Stdio};

use serde_json::Value;

use super::test_match::{TestMatch, text};
use crate::laboratory::{interrupt, wait_until};

/// Starts a match, interrupts it when this many lines are in its journal, and returns what it said.
fn interrupted(contest: &TestMatch, engines: &[String], rest: &str, lines: usize) -> Output {
    let mut command = contest.command(engines, rest);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let path = contest.path("out/games.jsonl");
    wait_until("the match does not get on", || {
        assert!(child.try_wait().unwrap().is_none(), "it ends by itself");
        std::fs::read_to_string(&path).is_ok_and(|text| text.lines().count() >= lines)
    });
    interrupt(&child);
    child.wait_with_output().unwrap()
}

#[cfg(unix)]
#[test]
fn a_number_of_games_that_no_memory_holds_is_played_one_by_one() {
    let contest = TestMatch::new();
    let engines = [contest.engine("a", "late=2"), contest.engine("b", "seed=1")];
    let output = interrupted(&contest, &engines, "--games 9000000000000000000 --each nodes=1 --max-plies 10 --json", 3);
    assert_eq!(output.status.code(), Some(130), "{}", text(&output));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["scheduled"], 9_000_000_000_000_000_000_u64);
    assert_eq!(result["games"].as_u64().unwrap(), contest.games().len() as u64);
}

#[test]
fn numbers_beyond_all_counting_are_refused_before_anything_is_written() {
    let contest = TestMatch::new();
    let three = ["a", "b", "c"].map(|name| contest.engine(name, ""));
    for (engines, rest, expected) in [
        (&three[..], "--games 18446744073709551614", "more games than can be counted"),
        (&three[..2], "--games 18446744073709551615", "--games must be even"),
        (&three[..2], "--games 2 --patience 18446744073709551615", "--patience must be from 1 to"),
        (&three[..2], "--games 2 --start-timeout 18446744073709551615", "--start-timeout must be from 1 to"),
        (&three[..2], "--games 2 --concurrency 18446744073709551615", "--concurrency must be at least 1 and at most"),
    ] {
        let output = contest.command(engines, &format!("{rest} --each nodes=1")).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", text(&output));
        assert!(text(&output).contains(expected), "{expected}: {}", text(&output));
        assert!(!contest.path("out").exists());
    }
}

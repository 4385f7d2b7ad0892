//! What engines do wrong, and what comes of it.

use std::fs;
use std::process::Stdio;

use serde_json::Value;

use super::test_match::TestMatch;
use crate::laboratory::{is_alive, wait_until};

/// Plays four games of a good engine against a bad one at a limit, and checks that the bad one loses them all for this reason.
fn loses(behaviour: &str, limit: &str, reason: &str) -> Vec<Value> {
    let contest = TestMatch::new();
    let engines = [contest.engine("good", ""), contest.engine("bad", behaviour)];
    let rest = format!("--games 4 --concurrency 2 --each {limit} --max-plies 60 --patience 1 --start-timeout 2");
    let result = contest.play(&engines, &rest);
    let games = contest.games();
    assert_eq!(games.len(), 4);
    for game in &games {
        let winner = if game["black"] == "good" { "black" } else { "white" };
        assert_eq!((&game["result"], &game["reason"]), (&winner.into(), &reason.into()), "{game}");
        assert_eq!(game["fault"]["engine"], "bad");
    }
    assert_eq!(result["engines"][1]["faults"][reason], 4);
    assert_eq!(result["engines"][0]["wins"], 4);
    games
}

#[test]
fn an_engine_that_crashes_loses_and_is_quoted_and_started_again() {
    let how = if cfg!(windows) { "exited with status 0xC0000409" } else { "was killed by signal 6" };
    for game in loses("crash=7", "nodes=1", "crash") {
        let said: Vec<&str> = game["fault"]["said"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert!(said.contains(&"info string about to crash"), "{said:?}");
        assert!(said.contains(&"last words on standard error"), "{said:?}");
        assert!(game["fault"]["detail"].as_str().unwrap().starts_with(how), "{game}");
        assert!((6..=7).contains(&game["moves"].as_array().unwrap().len()), "{game}");
    }
}

#[test]
fn an_engine_that_hangs_loses_and_is_killed() {
    for game in loses("hang=7", "byoyomi=500", "hang") {
        assert!(game["fault"]["detail"].as_str().unwrap().contains("not even to `stop`"), "{game}");
    }
}

#[test]
fn an_engine_that_hangs_without_a_clock_is_not_waited_for_for_ever() {
    loses("hang=3", "nodes=1", "hang");
}

#[test]
fn an_illegal_move_loses_and_is_quoted() {
    for game in loses("illegal=9", "nodes=1", "illegal-move") {
        assert!(game["fault"]["detail"].as_str().unwrap().contains("`5e5e`"), "{game}");
    }
}

#[test]
fn a_declaration_without_right_loses() {
    loses("win=5", "nodes=1", "false-declaration");
}

#[test]
fn an_answer_after_its_time_loses_and_its_lateness_is_told() {
    for game in loses("late=1000", "byoyomi=500", "time") {
        assert!(game["fault"]["detail"].as_str().unwrap().starts_with("answered after 1"), "{game}");
        assert_eq!(game["times"].as_array().unwrap().iter().filter(|time| time.as_f64().unwrap() >= 1000.0).count(), 1);
    }
}

#[test]
fn an_engine_that_ponders_has_thought_already_when_it_guessed_right() {
    let nodes = |first: &str, second: &str| -> Vec<f64> {
        let contest = TestMatch::new();
        let engines = [contest.engine("first", first), contest.engine("second", second)];
        let each = "--each byoyomi=5000 --games 4 --max-plies 40 --concurrency 2";
        let result = contest.play(&engines.map(|engine| engine + " ponder=true"), each);
        assert_eq!(result["faults"], serde_json::json!([]));
        result["engines"].as_array().unwrap().iter().map(|engine| engine["mean_nodes"].as_f64().unwrap()).collect()
    };
    // They think alike: every guess is right, from the second move on.
    assert!(nodes("", "").iter().all(|&nodes| nodes > 1.9 && nodes < 2.0));
    assert!(nodes("seed=1", "seed=2").iter().all(|&nodes| nodes < 1.4));
    // Without the word nobody ponders.
    let contest = TestMatch::new();
    let alike = [contest.engine("first", ""), contest.engine("second", "")];
    assert_eq!(contest.play(&alike, "--each byoyomi=5000 --games 2 --max-plies 40")["engines"][0]["mean_nodes"], 1.0);
}

#[test]
fn an_engine_that_does_not_stop_pondering_loses() {
    let contest = TestMatch::new();
    let engines = [contest.engine("good", "seed=1"), contest.engine("bad", "seed=2 deaf=5") + " ponder=true"];
    let result = contest.play(&engines, "--each byoyomi=200 --games 2 --max-plies 40");
    assert_eq!((&result["engines"][0]["wins"], &result["reasons"]["hang"]), (&2.into(), &2.into()), "{result}");
}

/// A move belongs to who was to make it: who fails before the first move has none, and nobody is told one for it.
#[cfg(unix)]
#[test]
fn who_does_not_get_ready_as_white_is_no_move_of_black() {
    let contest = TestMatch::new();
    // The check before the first game finds it in order; later it is never ready.
    let script = contest.path("later-unready.sh");
    let (mock, mark) = (contest.path("mock"), contest.path("checked"));
    let text = format!("if mkdir {}; then exec {1}; else exec {1} unready; fi", mark.display(), mock.display());
    fs::write(&script, text).unwrap();
    let bad = format!("name=bad cmd='sh {}'", script.display());
    let result = contest.play(&[contest.engine("good", ""), bad], "--games 2 --each nodes=1 --start-timeout 3");
    assert_eq!((&result["engines"][0]["wins"], &result["reasons"]["not-ready"]), (&2.into(), &2.into()), "{result}");
    assert_eq!((&result["engines"][0]["moves"], &result["engines"][1]["moves"]), (&0.into(), &1.into()), "{result}");
    for game in contest.games() {
        let entries = usize::from(game["black"] == "bad");
        assert_eq!(game["times"].as_array().unwrap().len(), entries, "{game}");
    }
}

#[test]
fn a_flood_of_output_and_second_answers_are_no_fault() {
    let contest = TestMatch::new();
    let engines = [contest.engine("loud", "flood=200"), contest.engine("double", "twice seed=3")];
    let result = contest.play(&engines, "--games 2 --each nodes=1 --max-plies 40");
    for game in contest.games() {
        assert_eq!((&game["reason"], game["moves"].as_array().unwrap().len()), (&"max-plies".into(), 40));
    }
    assert_eq!(result["engines"][0]["faults"], serde_json::json!({}));
    assert_eq!(result["duplicates"], 0);
}

#[test]
fn an_engine_that_stays_after_quit_is_killed_and_named() {
    let contest = TestMatch::new();
    for restart in ["", " restart=true"] {
        let engines = [contest.engine("good", ""), contest.engine("stayer", "stay") + restart];
        let result = contest.play(&engines, "--games 2 --each nodes=1 --max-plies 10");
        assert_eq!(result["stayed"], serde_json::json!(["stayer"]));
        fs::remove_dir_all(contest.path("out")).unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_crash_is_seen_while_a_child_of_the_engine_holds_its_pipes() {
    let contest = TestMatch::new();
    let children = contest.path("children");
    let bad = format!("crash=5 child={}", children.display());
    let engines = [contest.engine("good", ""), contest.engine("bad", &bad)];
    // A minute without an answer would be called a hang.
    let result = contest.play(&engines, "--games 2 --each nodes=1 --max-plies 40 --patience 60");
    assert_eq!(result["engines"][1]["faults"], serde_json::json!({ "crash": 2 }));
    for game in contest.games() {
        let said: Vec<&str> = game["fault"]["said"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert!(said.contains(&"info string about to crash"), "{said:?}");
    }
    assert_eq!(fs::read_to_string(&children).unwrap().lines().count(), 2);
    assert!(!is_alive(&children));
}

/// Nobody can tell them to quit then, and they do not mind the end of their input.
#[cfg(target_os = "linux")]
#[test]
fn engines_that_stay_are_ended_when_the_laboratory_is_killed() {
    let contest = TestMatch::new();
    let children = contest.path("children");
    let engines =
        [contest.engine("a", "stay late=1"), contest.engine("b", &format!("stay child={}", children.display()))];
    let mut command = contest.command(&engines, "--games 1000 --each nodes=1 --max-plies 20");
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_until("the match does not begin", || fs::read_to_string(&children).is_ok_and(|text| text.contains('\n')));
    child.kill().unwrap();
    child.wait().unwrap();
    contest.assert_nothing_runs();
    wait_until("a child is left behind", || !is_alive(&children));
}

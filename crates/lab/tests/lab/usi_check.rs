//! `kiki-lab usi-check` as a command: what it prints, and its exit status.

use std::process::{Command, Output};

use serde_json::Value;

/// It knows neither pondering nor searches without end.
const MOCK: &str = env!("CARGO_BIN_EXE_kiki-mock");

fn check(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kiki-lab")).arg("usi-check").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn the_exit_status_tells_whether_required_cases_fail() {
    let output = check(&[MOCK, "--quick", "--only", "handshake,stop-idle,quit"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(text(&output.stdout).contains("mock: 3 cases pass, 0 fail, 0 are skipped"), "{output:?}");

    // `go infinite` is answered at once.
    let output = check(&[&format!("name=a cmd='{MOCK} name=hasty'"), "--quick", "--only", "infinite,output-ascii"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let shown = text(&output.stdout);
    assert!(shown.contains("> go infinite") && shown.contains("hasty: "), "the conversation is shown: {shown}");
}

#[test]
fn json_has_the_verdict_of_every_case() {
    let output = check(&[MOCK, "--quick", "--json", "--only", "infinite,ponder-hit,quit"]);
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&value["passes"], &value["complete"], &value["engine"]), (&false.into(), &true.into(), &"mock".into()));
    let verdicts: Vec<&Value> = value["cases"].as_array().unwrap().iter().map(|case| &case["verdict"]).collect();
    assert!(verdicts[0]["fail"].is_string() && verdicts[1]["skipped"].is_string(), "{verdicts:?}");
    assert!(verdicts[2].get("pass").is_some() && value["cases"][0]["conversation"].is_array());
}

#[test]
fn arguments_that_make_no_sense_are_told_in_one_line_with_status_2() {
    for (arguments, expected) in [
        (&["./no/such/engine"][..], "no file `./no/such/engine`"),
        (&[MOCK, "--only", "ready,nonsense"], "--only nonsense: no such case"),
        (&[""], "empty command"),
        (&["kiki fast=1"], "`fast=1`"),
        (&[MOCK, "--timeout", "0"], "--timeout"),
        (&[], "ENGINE"),
    ] {
        let output = check(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        assert!(text(&output.stderr).contains(expected), "{arguments:?}: {output:?}");
    }
}

#[test]
fn the_list_shows_every_case_with_its_reason() {
    let shown = text(&check(&["--list"]).stdout);
    assert!(shown.contains("ponder-races") && shown.matches("otherwise: ").count() > 80, "{shown}");
    let list: Value = serde_json::from_slice(&check(&["--list", "--json"]).stdout).unwrap();
    assert!(list.as_array().unwrap().iter().all(|case| case["why"].is_string()));
}

//! What hostile engines and records print, where people and other programs read it.
#![cfg(unix)]

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::test_match::TestMatch;
use crate::laboratory::wait_until;

/// An engine that runs commands of a shell at its start, at `isready` and at `go`.
fn script(contest: &TestMatch, name: &str, [start, ready, go]: [&str; 3]) -> String {
    let path = contest.path(&format!("{name}.sh"));
    let body = format!(
        "{start}\nwhile read -r line; do case \"$line\" in\nusi) echo 'id name {name}'; echo usiok;;\n\
         isready) {ready}\necho readyok;;\ngo*) {go}\n;;\nquit) exit;;\nesac; done\n"
    );
    fs::write(&path, body).unwrap();
    format!("name={name} cmd='sh {}'", path.display())
}

/// The engines go on while the program that measures them is stopped, as a machine that goes to sleep stops it.
#[test]
fn an_answer_that_came_while_the_laboratory_stood_still_is_in_time() {
    let contest = TestMatch::new();
    let begun = contest.path("begun");
    fs::write(&begun, "").unwrap();
    let go = format!("echo >> {}; sleep 0.1; echo bestmove resign", begun.display());
    let engines = [script(&contest, "a", ["", "", &go]), script(&contest, "b", ["", "", &go])];
    let command = contest.command(&engines, "--games 8 --each byoyomi=600 --tolerance 0").stdout(Stdio::null()).spawn();
    let mut child = command.unwrap();
    let id = child.id().to_string();
    let signal = |name: &str| assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
    for game in 1..=8 {
        let begun = || fs::read(&begun).unwrap().len() >= game;
        wait_until("the match does not get on", || begun() || child.try_wait().unwrap().is_some());
        signal("-STOP");
        std::thread::sleep(Duration::from_millis(900));
        signal("-CONT");
    }
    assert!(child.wait().unwrap().success());
    for game in contest.games() {
        assert_eq!(game["reason"], "resignation", "{game}");
        assert!(game["times"][0].as_u64().unwrap() < 600, "{game}");
    }
}

//! What hostile engines and records print, where people and other programs read it.
#![cfg(unix)]

use std::fs;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use super::test_match::{TestMatch, lab, text};
use crate::laboratory::wait_until;

/// What terminals obey: escape sequences, a control character of eight bits, and an override of the direction of writing.
const ESCAPES: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}";

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

#[track_caller]
fn assert_printable(output: &Output) {
    for stream in [&output.stdout, &output.stderr] {
        let text = String::from_utf8(stream.clone()).unwrap();
        let obeyed = |c: char| (c.is_control() && !matches!(c, '\n' | '\t')) || ('\u{202a}'..='\u{202e}').contains(&c);
        assert!(!text.contains(obeyed), "{text:?}");
    }
}

/// How long the longest line of a file is.
fn longest_line(path: &std::path::Path) -> usize {
    fs::read_to_string(path).unwrap().lines().map(str::len).max().unwrap()
}

#[test]
fn an_illegal_move_of_a_megabyte_is_quoted_in_part_everywhere() {
    let contest = TestMatch::new();
    let long = "printf 'bestmove '; head -c 1000000 /dev/zero | tr '\\0' x; echo";
    let engines = [contest.engine("good", ""), script(&contest, "bad", ["", "", long])];
    let output = contest.command(&engines, "--games 2 --each nodes=1 --max-plies 8").output().unwrap();
    let told = text(&output);
    assert!(output.status.success() && told.contains("bad lost by illegal-move: played `xxx"), "{told:.5000}");
    let shown = lab().arg("show").arg(contest.path("out")).output().unwrap();
    for line in told.lines().chain(text(&shown).lines()) {
        assert!(!line.contains(&"x".repeat(100)), "{line:.1000}");
    }
    assert!(longest_line(&contest.path("out/games.jsonl")) < 2000);
    assert!(longest_line(&contest.path("out/csa/000001.csa")) < 200);
    assert!(longest_line(&contest.path("out/games.pgn")) < 200);
}

#[test]
fn what_engines_print_is_not_obeyed_by_terminals() {
    let contest = TestMatch::new();
    let say = format!("printf '%s\\n' 'info string {ESCAPES}'; printf '%s\\n' '{ESCAPES}' >&2");
    let illegal = format!("{say}; printf '%s\\n' 'bestmove {ESCAPES}'");
    for [start, ready, go] in
        [["", say.as_str(), illegal.as_str()], [&say, &say, "exit 1"], [&say, &format!("{say}; exit 1"), ""]]
    {
        let engines = [contest.engine("good", ""), script(&contest, "bad", [start, ready, go])];
        let output = contest.command(&engines, "--games 2 --each nodes=1 --max-plies 8").output().unwrap();
        assert!(text(&output).contains("\\u{1b}]0;owned\\u{7}"), "{}", text(&output));
        assert_printable(&output);
        for rest in [&[][..], &["--json"], &["--game", "1"], &["--game", "1", "--json"]] {
            assert_printable(&lab().arg("show").arg(contest.path("out")).args(rest).output().unwrap());
        }
        fs::remove_dir_all(contest.path("out")).unwrap();
    }
    script(&contest, "checked", [&say, &say, &illegal]);
    let checked = format!("sh {}", contest.path("checked.sh").display());
    let output = lab().args(["usi-check", "--quick", "--only", "bestmove-legal", &checked]).output().unwrap();
    assert!(text(&output).contains("is illegal in `"), "{}", text(&output));
    assert_printable(&output);
}

#[test]
fn names_of_strangers_are_not_obeyed_by_terminals() {
    let contest = TestMatch::new();
    let engines = [contest.engine("good", ""), contest.engine("other", "crash=5")];
    contest.play(&engines, "--games 2 --each nodes=1 --max-plies 8");
    // A folder that somebody else has made.
    for file in ["match.json", "games.jsonl"] {
        let path = contest.path("out").join(file);
        let escaped = serde_json::to_string(&format!("{ESCAPES}\nother")).unwrap();
        fs::write(&path, fs::read_to_string(&path).unwrap().replace("\"other\"", &escaped)).unwrap();
    }
    let journal = contest.path("out/games.jsonl");
    for words in [&["show"][..], &["show", "--game", "1"], &["show", "--json"]] {
        let output = lab().args(words).arg(contest.path("out")).output().unwrap();
        assert!(text(&output).contains("owned"), "{}", text(&output));
        assert!(!text(&output).lines().any(|line| line.starts_with("other")), "{}", text(&output));
        assert_printable(&output);
    }
    let csa = contest.path("hostile.csa");
    let name = ESCAPES.replace('\u{7}', "");
    fs::write(&csa, format!("V2.2\nN+{name}\nN-b\nPI\n+\n+7776FU\n-3334FU\n%TORYO\n")).unwrap();
    for (words, path) in
        [(&["rate"][..], &journal), (&["rate", "--json"], &journal), (&["rate"], &csa), (&["records", "stats"], &csa)]
    {
        let output = lab().args(words).arg(path).output().unwrap();
        assert!(text(&output).contains("owned"), "{words:?} {}", text(&output));
        assert_printable(&output);
    }
}

/// An engine that does not find its evaluation says so, and plays all the same.
#[test]
fn what_engines_say_when_they_are_started_is_told_once() {
    let contest = TestMatch::new();
    let lost = "info string cannot read /nonexistent";
    let ready = format!("echo '{lost}'; echo '{lost}'; echo 'info string 7 threads'");
    let engines = [contest.engine("good", ""), script(&contest, "blind", ["", &ready, "echo bestmove resign"])];
    let output = contest.command(&engines, "--games 4 --each nodes=1").output().unwrap();
    let said =
        ["blind said when it was started: cannot read /nonexistent", "blind said when it was started: 7 threads"];
    let once = |output: &Output| {
        assert!(output.status.success(), "{}", text(output));
        assert!(said.iter().all(|line| text(output).matches(line).count() == 1), "{}", text(output));
        assert_eq!(text(output).matches("said when it was started").count(), 2);
    };
    once(&output);
    let mut resume = lab();
    resume.args(["match", "--games", "6", "--resume"]).arg(contest.path("out"));
    once(&resume.output().unwrap());
    once(&lab().arg("show").arg(contest.path("out")).output().unwrap());
    let json = lab().args(["show", "--json"]).arg(contest.path("out")).output().unwrap();
    let value: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let texts = serde_json::json!(["cannot read /nonexistent", "7 threads"]);
    assert_eq!(
        (&value["engines"][0]["handshake"], &value["engines"][1]["handshake"]),
        (&serde_json::json!([]), &texts)
    );
    assert_eq!(value["settings"]["handshake"], serde_json::json!({ "blind": texts }));
}

/// Programs that read CSA tell who won.
#[test]
fn a_mate_is_written_as_a_resignation_that_all_programs_read() {
    let contest = TestMatch::new();
    let opening = contest.path("mate.sfen");
    fs::write(&opening, "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1\n").unwrap();
    let engines = ["a", "b"].map(|name| script(&contest, name, ["", "", "echo bestmove G*5b"]));
    contest.play(&engines, &format!("--games 2 --each nodes=1 --openings {}", opening.display()));
    let csa = fs::read_to_string(contest.path("out/csa/000001.csa")).unwrap();
    assert!(csa.contains("\n%TORYO\n") && csa.contains("'*result black-wins checkmate"), "{csa}");
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
        assert!(game["times"][0].as_f64().unwrap() < 600.0, "{game}");
    }
}

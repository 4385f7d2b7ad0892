//! Faults of engines, output of hostile ones, and games that are played again after a fault.

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::{TestMatch, games};
use crate::laboratory::{is_alive, text, wait_until, while_stopped};

/// Plays two games of a good engine against a bad one at a limit, and checks that the bad one
/// loses both for this reason.
fn loses(behaviour: &str, limit: &str, reason: &str) -> Vec<Value> {
    let contest = TestMatch::new();
    let engines = [contest.engine("good", ""), contest.engine("bad", behaviour)];
    let rest = format!("--games 2 --concurrency 2 --each {limit} --max-plies 60 --patience 1 --ready-timeout 2");
    let result = contest.play(&engines, &rest);
    let games = contest.games();
    assert_eq!(games.len(), 2);
    for game in &games {
        let winner = if game["black"] == "good" { "black" } else { "white" };
        assert_eq!((&game["result"], &game["reason"]), (&winner.into(), &reason.into()), "{game}");
        assert_eq!(game["fault"]["engine"], "bad");
    }
    assert_eq!((&result["engines"][1]["faults"][reason], &result["engines"][0]["wins"]), (&2.into(), &2.into()));
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
fn a_hang_without_a_clock_and_a_declaration_without_right_lose() {
    loses("hang=3", "nodes=1", "hang");
    loses("win=5", "nodes=1", "false-declaration");
}

#[test]
fn an_illegal_move_loses_and_is_quoted() {
    for game in loses("illegal=9", "nodes=1", "illegal-move") {
        assert!(game["fault"]["detail"].as_str().unwrap().contains("`5e5e`"), "{game}");
    }
}

#[test]
fn a_late_answer_loses_and_shows_its_lateness() {
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
        // The nodes began before the times.
        assert_eq!(contest.json("show out")["engines"][0].get("nodes_per_second"), Some(&Value::Null));
        result["engines"].as_array().unwrap().iter().map(|engine| engine["mean_nodes"].as_f64().unwrap()).collect()
    };
    // Equal engines guess every move from the second on.
    assert!(nodes("", "").iter().all(|&nodes| nodes > 1.9 && nodes < 2.0));
    assert!(nodes("seed=1", "seed=2").iter().all(|&nodes| nodes < 1.4));
    // Without `ponder=true` no engine ponders.
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

/// An engine that fails before its first move has no move, and its failure is no move of the other
/// side.
#[cfg(unix)]
#[test]
fn a_white_engine_that_does_not_get_ready_makes_no_move_of_black() {
    let contest = TestMatch::new();
    // The engine passes the check before the first game and is never ready after it.
    let script = contest.join("later-unready.sh");
    let (mock, mark) = (contest.join("mock"), contest.join("checked"));
    let text = format!("if mkdir {}; then exec {1}; else exec {1} unready; fi", mark.display(), mock.display());
    fs::write(&script, text).unwrap();
    let bad = format!("name=bad cmd='sh {}'", script.display());
    let result = contest.play(&[contest.engine("good", ""), bad], "--games 2 --each nodes=1 --ready-timeout 3");
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
        fs::remove_dir_all(contest.join("out")).unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_crash_is_seen_while_a_child_of_the_engine_holds_its_pipes() {
    let contest = TestMatch::new();
    let children = contest.join("children");
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

/// A killed laboratory sends no `quit`, and these engines ignore the end of their input.
#[cfg(target_os = "linux")]
#[test]
fn engines_that_stay_are_ended_when_the_laboratory_is_killed() {
    let contest = TestMatch::new();
    let children = contest.join("children");
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

/// Text that terminals obey: escape sequences, an 8-bit control character, a change of direction.
#[cfg(unix)]
const ESCAPES: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}";

/// An engine that runs commands of a shell at its start, at `isready` and at `go`.
#[cfg(unix)]
fn script(contest: &TestMatch, name: &str, [start, ready, go]: [&str; 3]) -> String {
    let path = contest.join(format!("{name}.sh"));
    let body = format!(
        "{start}\nwhile read -r line; do case \"$line\" in\nusi) echo 'id name {name}'; echo usiok;;\n\
         isready) {ready}\necho readyok;;\ngo*) {go}\n;;\nquit) exit;;\nesac; done\n"
    );
    fs::write(&path, body).unwrap();
    format!("name={name} cmd='sh {}'", path.display())
}

#[cfg(unix)]
#[track_caller]
fn assert_printable(output: &Output) {
    for stream in [&output.stdout, &output.stderr] {
        let text = String::from_utf8(stream.clone()).unwrap();
        let obeyed = |c: char| (c.is_control() && !matches!(c, '\n' | '\t')) || ('\u{202a}'..='\u{202e}').contains(&c);
        assert!(!text.contains(obeyed), "{text:?}");
    }
}

/// Length of the longest line of a file.
#[cfg(unix)]
fn longest_line(path: &Path) -> usize {
    fs::read_to_string(path).unwrap().lines().map(str::len).max().unwrap()
}

#[cfg(unix)]
#[test]
fn an_illegal_move_of_a_megabyte_is_quoted_in_part_everywhere() {
    let contest = TestMatch::new();
    let long = "printf 'bestmove '; head -c 1000000 /dev/zero | tr '\\0' x; echo";
    let engines = [contest.engine("good", ""), script(&contest, "bad", ["", "", long])];
    let output = contest.command(&engines, "--games 2 --each nodes=1 --max-plies 8").output().unwrap();
    let told = text(&output);
    assert!(output.status.success() && told.contains("bad lost by illegal-move: played `xxx"), "{told:.5000}");
    let shown = contest.lab("show out").output().unwrap();
    for line in told.lines().chain(text(&shown).lines()) {
        assert!(!line.contains(&"x".repeat(100)), "{line:.1000}");
    }
    assert!(longest_line(&contest.join("out/games.jsonl")) < 2000);
    assert!(longest_line(&contest.join("out/csa/000001.csa")) < 200);
    assert!(longest_line(&contest.join("out/games.pgn")) < 200);
}

#[cfg(unix)]
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
        for rest in ["", "--json", "--game 1", "--game 1 --json"] {
            assert_printable(&contest.lab(&format!("show out {rest}")).output().unwrap());
        }
        fs::remove_dir_all(contest.join("out")).unwrap();
    }
    script(&contest, "checked", [&say, &say, &illegal]);
    let checked = format!("sh {}", contest.join("checked.sh").display());
    let output = contest.lab(&["usi-check", "--quick", "--only", "bestmove-legal", &checked]).output().unwrap();
    assert!(text(&output).contains("is illegal in `"), "{}", text(&output));
    assert_printable(&output);
}

#[cfg(unix)]
#[test]
fn names_of_strangers_are_not_obeyed_by_terminals() {
    let contest = TestMatch::new();
    let engines = [contest.engine("good", ""), contest.engine("other", "crash=5")];
    contest.play(&engines, "--games 2 --each nodes=1 --max-plies 8");
    // A folder that somebody else has made.
    for file in ["match.json", "games.jsonl"] {
        let path = contest.join("out").join(file);
        let escaped = serde_json::to_string(&format!("{ESCAPES}\nother")).unwrap();
        fs::write(&path, fs::read_to_string(&path).unwrap().replace("\"other\"", &escaped)).unwrap();
    }
    for line in ["show out", "show out --game 1", "show out --json"] {
        let output = contest.lab(line).output().unwrap();
        assert!(text(&output).contains("owned"), "{}", text(&output));
        assert!(!text(&output).lines().any(|line| line.starts_with("other")), "{}", text(&output));
        assert_printable(&output);
    }
    let name = ESCAPES.replace('\u{7}', "");
    contest.write("hostile.csa", format!("V2.2\nN+{name}\nN-b\nPI\n+\n+7776FU\n-3334FU\n%TORYO\n"));
    let of_journal = ["rate out/games.jsonl", "rate out/games.jsonl --json"];
    for line in of_journal.into_iter().chain(["rate hostile.csa", "records stats hostile.csa"]) {
        let output = contest.lab(line).output().unwrap();
        assert!(text(&output).contains("owned"), "{line} {}", text(&output));
        assert_printable(&output);
    }
}

/// An engine that does not find its evaluation reports this and still plays.
#[cfg(unix)]
#[test]
fn texts_of_engines_at_their_start_show_once() {
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
    once(&contest.lab("resume out --games 6").output().unwrap());
    once(&contest.lab("show out").output().unwrap());
    let value = contest.json("show out");
    let texts = serde_json::json!(["cannot read /nonexistent", "7 threads"]);
    assert_eq!(
        (&value["engines"][0]["handshake"], &value["engines"][1]["handshake"]),
        (&serde_json::json!([]), &texts)
    );
    assert_eq!(value["settings"]["handshake"], serde_json::json!({ "blind": texts }));
}

/// Programs that read CSA determine the winner.
#[cfg(unix)]
#[test]
fn a_mate_is_written_as_a_resignation_that_all_programs_read() {
    let contest = TestMatch::new();
    let opening = contest.join("mate.sfen");
    fs::write(&opening, "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1\n").unwrap();
    let engines = ["a", "b"].map(|name| script(&contest, name, ["", "", "echo bestmove G*5b"]));
    contest.play(&engines, &format!("--games 2 --each nodes=1 --openings {}", opening.display()));
    let csa = contest.text("out/csa/000001.csa");
    assert!(csa.contains("\n%TORYO\n") && csa.contains("'*result black-wins checkmate"), "{csa}");
}

/// The engines run on while the measuring program is stopped, as when a machine sleeps.
#[cfg(unix)]
#[test]
fn an_answer_that_came_while_the_laboratory_stood_still_is_in_time() {
    let contest = TestMatch::new();
    let begun = contest.join("begun");
    fs::write(&begun, "").unwrap();
    let go = format!("echo >> {}; sleep 0.1; echo bestmove resign", begun.display());
    let engines = [script(&contest, "a", ["", "", &go]), script(&contest, "b", ["", "", &go])];
    let command = contest.command(&engines, "--games 4 --each byoyomi=600 --tolerance 0").stdout(Stdio::null()).spawn();
    let mut child = command.unwrap();
    for game in 1..=4 {
        let begun = || fs::read(&begun).unwrap().len() >= game;
        wait_until("the match does not get on", || begun() || child.try_wait().unwrap().is_some());
        while_stopped(&child, || std::thread::sleep(Duration::from_millis(900)));
    }
    assert!(child.wait().unwrap().success());
    for game in contest.games() {
        assert_eq!(game["reason"], "resignation", "{game}");
        assert!(game["times"][0].as_f64().unwrap() < 600.0, "{game}");
    }
}

/// An engine that crashes at its first move, in its first games.
fn crashing(contest: &TestMatch, name: &str, times: usize) -> String {
    let file = contest.join(name);
    fs::write(&file, "x\n".repeat(times)).unwrap();
    contest.engine(name, &format!("crashes={}", file.display()))
}

fn voided(games: &[Value]) -> Vec<u64> {
    games.iter().filter(|game| game["voided"] == true).map(|game| game["game"].as_u64().unwrap()).collect()
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
    assert_eq!(fs::read_dir(contest.join("out/csa")).unwrap().count(), 4);
    assert_eq!(contest.text("out/games.pgn").matches("[Result ").count(), 4);
    let rated = contest.json("rate out");
    assert_eq!(rated["games"], 4.0, "{rated}");
}

#[test]
fn the_limit_of_replays_holds_after_an_interruption() {
    let contest = TestMatch::new();
    let engines = [contest.engine("good", ""), crashing(&contest, "bad", 100)];
    let result = contest.play(&engines, "--games 2 --each nodes=1 --max-plies 10 --replay-faults 2");
    assert_eq!((&result["reasons"], &result["voided"]), (&serde_json::json!({ "crash": 2 }), &4.into()));
    assert_eq!(voided(&contest.games()), [1, 1, 2, 2]);
    // A kill after the first voided game leaves that game one more trial.
    let journal = contest.join("out/games.jsonl");
    let first: String = fs::read_to_string(&journal).unwrap().split_inclusive('\n').take(1).collect();
    fs::write(&journal, first).unwrap();
    let result = contest.json("resume out");
    assert_eq!((&result["games"], &result["voided"]), (&2.into(), &4.into()));
    assert_eq!(voided(&games(&contest.join("out"))), [1, 1, 2, 2]);
}

#[test]
fn a_mistake_of_an_engine_is_not_replayed() {
    let contest = TestMatch::new();
    let engines = [contest.engine("good", ""), contest.engine("bad", "illegal=3")];
    let result = contest.play(&engines, "--games 2 --each nodes=1 --max-plies 10 --replay-faults 2");
    assert_eq!((&result["voided"], &result["reasons"]["illegal-move"]), (&0.into(), &2.into()));
}

//! Contests of engines that misbehave, played by the program itself.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

const MOCK: &str = env!("CARGO_BIN_EXE_kiki-mock");

fn lab() -> Command {
    Command::new(env!("CARGO_BIN_EXE_kiki-lab"))
}

/// Every test has engines of its own: a copy of the program under a name that no other process has, so that one left behind is found.
struct Arena {
    folder: tempfile::TempDir,
}

impl Arena {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::copy(MOCK, folder.path().join("mock")).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// An engine with this name, this behaviour and a fast limit.
    fn engine(&self, name: &str, behaviour: &str) -> String {
        format!("name={name} cmd='{} name={name} {behaviour}'", self.path("mock").display())
    }

    fn command(&self, engines: &[String], rest: &str) -> Command {
        let mut command = lab();
        command.arg("match").arg("--output").arg(self.path("out")).args(rest.split_whitespace());
        for engine in engines {
            command.arg("--engine").arg(engine);
        }
        command
    }

    /// Plays a match of two engines and returns its result.
    fn play(&self, engines: &[String], rest: &str) -> Value {
        let output = self.command(engines, rest).arg("--json").output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        self.assert_nothing_runs();
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn games(&self) -> Vec<Value> {
        games(&self.path("out"))
    }

    fn assert_nothing_runs(&self) {
        let path = self.path("mock");
        let deadline = Instant::now() + Duration::from_secs(5);
        while is_running(&path) {
            assert!(Instant::now() < deadline, "an engine is left behind");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn is_running(program: &Path) -> bool {
    let Ok(processes) = fs::read_dir("/proc") else { return false };
    let line = |entry: fs::DirEntry| fs::read(entry.path().join("cmdline")).unwrap_or_default();
    processes.flatten().any(|entry| line(entry).starts_with(program.to_str().unwrap().as_bytes()))
}

fn games(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("games.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Plays four games of a good engine against a bad one at a limit, and checks that the bad one loses them all for this reason.
fn loses(behaviour: &str, limit: &str, reason: &str) -> Vec<Value> {
    let arena = Arena::new();
    let engines = [arena.engine("good", ""), arena.engine("bad", behaviour)];
    let rest = format!("--games 4 --concurrency 2 --each {limit} --max-plies 60 --patience 1 --start-timeout 2");
    let result = arena.play(&engines, &rest);
    let games = arena.games();
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
    for game in loses("crash=7", "nodes=1", "crash") {
        let said: Vec<&str> = game["fault"]["said"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert!(said.contains(&"info string about to crash"), "{said:?}");
        assert!(said.contains(&"last words on standard error"), "{said:?}");
        assert!(game["fault"]["detail"].as_str().unwrap().starts_with("was killed by signal 6"), "{game}");
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
        assert_eq!(game["times"].as_array().unwrap().iter().filter(|time| time.as_u64().unwrap() >= 1000).count(), 1);
    }
}

#[test]
fn an_engine_that_ponders_has_thought_already_when_it_guessed_right() {
    let nodes = |first: &str, second: &str| -> Vec<f64> {
        let arena = Arena::new();
        let engines = [arena.engine("first", first), arena.engine("second", second)];
        let each = "--each byoyomi=5000 --games 4 --max-plies 40 --concurrency 2";
        let result = arena.play(&engines.map(|engine| engine + " ponder=true"), each);
        assert_eq!(result["faults"], serde_json::json!([]));
        result["engines"].as_array().unwrap().iter().map(|engine| engine["mean_nodes"].as_f64().unwrap()).collect()
    };
    // They think alike: every guess is right, from the second move on.
    assert!(nodes("", "").iter().all(|&nodes| nodes > 1.9 && nodes < 2.0));
    assert!(nodes("seed=1", "seed=2").iter().all(|&nodes| nodes < 1.4));
    // Without the word nobody ponders.
    let arena = Arena::new();
    let alike = [arena.engine("first", ""), arena.engine("second", "")];
    assert_eq!(arena.play(&alike, "--each byoyomi=5000 --games 2 --max-plies 40")["engines"][0]["mean_nodes"], 1.0);
}

#[test]
fn an_engine_that_does_not_stop_pondering_loses() {
    let arena = Arena::new();
    let engines = [arena.engine("good", "seed=1"), arena.engine("bad", "seed=2 deaf=5") + " ponder=true"];
    let result = arena.play(&engines, "--each byoyomi=200 --games 2 --max-plies 40");
    assert_eq!((&result["engines"][0]["wins"], &result["reasons"]["hang"]), (&2.into(), &2.into()), "{result}");
}

#[test]
fn a_flood_of_output_and_second_answers_are_no_fault() {
    let arena = Arena::new();
    let engines = [arena.engine("loud", "flood=200"), arena.engine("double", "twice seed=3")];
    let result = arena.play(&engines, "--games 2 --each nodes=1 --max-plies 40");
    for game in arena.games() {
        assert_eq!((&game["reason"], game["moves"].as_array().unwrap().len()), (&"max-plies".into(), 40));
    }
    assert_eq!(result["engines"][0]["faults"], serde_json::json!({}));
    assert_eq!(result["duplicates"], 0);
}

#[test]
fn an_engine_that_stays_after_quit_is_killed_and_named() {
    let arena = Arena::new();
    for restart in ["", " restart=true"] {
        let engines = [arena.engine("good", ""), arena.engine("stayer", "stay") + restart];
        let result = arena.play(&engines, "--games 2 --each nodes=1 --max-plies 10");
        assert_eq!(result["stayed"], serde_json::json!(["stayer"]));
        fs::remove_dir_all(arena.path("out")).unwrap();
    }
}

/// Every mistake is told before the first game.
#[test]
fn what_cannot_work_is_told_at_once() {
    let arena = Arena::new();
    let good = arena.engine("good", "");
    let nodes = "--each nodes=1 --games 2 --start-timeout 1";
    let opening = arena.path("openings.sfen");
    fs::write(&opening, "startpos\nstartpos moves 7g7f 7g7f\n").unwrap();
    let with_opening = format!("{nodes} --openings {}", opening.display());
    let cases: [(String, &str, &str); 11] = [
        (
            arena.engine("mute", "mute"),
            nodes,
            "engine `mute`: no `usiok` within 1.0 s; its last line: option name Style",
        ),
        (arena.engine("lazy", "unready"), nodes, "engine `lazy`: no `readyok` within 1.0 s"),
        ("name=none cmd=./no/such/engine".to_owned(), nodes, "engine `none`: there is no file `./no/such/engine`"),
        (
            "name=cat cmd='cat /dev/null'".to_owned(),
            nodes,
            "engine `cat`: exited with status 0 while `usiok` was awaited",
        ),
        (arena.engine("a", "") + " option.Depth=3", nodes, "no such option: Depth (it has Threads, Wisdom, Style)"),
        (arena.engine("a", "") + " option.Threads=0", nodes, "option Threads takes a number from 1 to 64, not `0`"),
        (arena.engine("a", "") + " option.Style=mild", nodes, "option Style takes one of calm, wild, not `mild`"),
        (arena.engine("good", ""), nodes, "two engines are named `good`"),
        (arena.engine("a", ""), "--games 2", "nothing limits the thinking of engine `good`"),
        (arena.engine("a", ""), "--games 3 --each nodes=1", "--games must be even"),
        (arena.engine("a", ""), &with_opening, "line 2: move 2 of the position command is illegal: 7g7f"),
    ];
    for (engine, rest, expected) in cases {
        let output = arena.command(&[good.clone(), engine], rest).output().unwrap();
        assert!(!output.status.success());
        assert!(text(&output).contains(expected), "{expected}\n{}", text(&output));
        assert!(!arena.path("out/games.jsonl").exists() || games(&arena.path("out")).is_empty());
    }
    // None of this has used up the folder.
    arena.play(&[good, arena.engine("a", "seed=1")], "--each nodes=1 --games 2 --max-plies 10");
}

/// What was played, without times.
fn played(folder: &Path) -> BTreeSet<String> {
    let key = |game: Value| {
        format!("{} {} {} {} {}", game["game"], game["black"], game["moves"], game["result"], game["reason"])
    };
    games(folder).into_iter().map(key).collect()
}

#[test]
fn a_killed_match_goes_on_with_nothing_lost_or_played_twice() {
    let arena = Arena::new();
    let engines = [arena.engine("a", "seed=1 resign=30"), arena.engine("b", "seed=2 resign=30")];
    let rest = format!("--games 200 --each nodes=1 --openings {}", openings().display());
    let whole = Arena::new();
    let same = [whole.engine("a", "seed=1 resign=30"), whole.engine("b", "seed=2 resign=30")];
    whole.play(&same, &format!("{rest} --concurrency 2"));

    let journal = arena.path("out/games.jsonl");
    let mut child = arena.command(&engines, &rest).stderr(Stdio::null()).spawn().unwrap();
    for games_before_kill in [20, 60, 110] {
        let lines = || fs::read(&journal).unwrap_or_default().iter().filter(|&&byte| byte == b'\n').count();
        let deadline = Instant::now() + Duration::from_secs(60);
        while lines() < games_before_kill && child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < deadline, "the match does not get on");
            std::thread::sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // A line that was being written.
        fs::OpenOptions::new()
            .append(true)
            .open(&journal)
            .map(|mut file| {
                use std::io::Write as _;
                file.write_all(b"{\"game\":7,\"black\":\"a").unwrap();
            })
            .unwrap();
        let mut resume = lab();
        resume.args(["match", "--concurrency", "2", "--resume"]).arg(arena.path("out"));
        child = resume.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    }
    assert!(child.wait().unwrap().success());
    arena.assert_nothing_runs();
    assert_eq!(games(&arena.path("out")).len(), 200);
    assert_eq!(played(&arena.path("out")), played(&whole.path("out")));
    assert_eq!(fs::read_dir(arena.path("out/csa")).unwrap().count(), 200);
    let pgn = fs::read_to_string(arena.path("out/games.pgn")).unwrap();
    assert_eq!(pgn.matches("[Result ").count(), 200);
}

#[cfg(unix)]
#[test]
fn an_interrupted_match_ends_cleanly_and_can_be_gone_on_with_and_made_longer() {
    let arena = Arena::new();
    let engines = [arena.engine("a", "seed=1 late=5"), arena.engine("b", "seed=2")];
    let rest = format!("--games 20 --each nodes=1 --max-plies 60 --openings {}", openings().display());
    let child = arena.command(&engines, &rest).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Once a game is written down, the program surely listens.
    let deadline = Instant::now() + Duration::from_secs(60);
    while !fs::read(arena.path("out/games.jsonl")).is_ok_and(|journal| journal.contains(&b'\n')) {
        assert!(Instant::now() < deadline, "the match does not get on");
        std::thread::sleep(Duration::from_millis(5));
    }
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupt.success());
    let began = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(began.elapsed() < Duration::from_secs(5));
    assert!(output.status.success(), "{}", text(&output));
    assert!(text(&output).contains("--resume"), "{}", text(&output));
    arena.assert_nothing_runs();
    let before = arena.games().len();
    assert!(before < 20);
    let resume = lab().args(["match", "--games", "24", "--resume"]).arg(arena.path("out")).output().unwrap();
    assert!(resume.status.success(), "{}", text(&resume));
    assert_eq!(arena.games().len(), 24);
}

#[test]
fn a_sequential_test_stops_by_itself_with_the_same_decision_for_any_concurrency() {
    let mut llrs = Vec::new();
    for concurrency in [1, 3] {
        let arena = Arena::new();
        let engines = [arena.engine("good", "seed=1"), arena.engine("weak", "seed=2 resign=20")];
        let mut command = lab();
        command.args(["sprt", "--elo0", "0", "--elo1", "50", "--each", "nodes=1", "--json", "--max-plies", "120"]);
        command.args(["--concurrency", &concurrency.to_string(), "--openings"]).arg(openings());
        for engine in &engines {
            command.arg("--engine").arg(engine);
        }
        let output = command.arg("--output").arg(arena.path("out")).output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        let result: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&result["ending"], &result["sprt"]["decision"]), (&"decided".into(), &"h1".into()));
        assert!(result["games"].as_u64().unwrap() < 200);
        llrs.push(result["sprt"]["llr"].as_f64().unwrap());
        arena.assert_nothing_runs();
    }
    assert_eq!(llrs[0], llrs[1]);
}

fn openings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/openings.sfen")
}

#[test]
fn a_folder_that_holds_a_match_is_not_overwritten() {
    let arena = Arena::new();
    let engines = [arena.engine("a", ""), arena.engine("b", "seed=1")];
    arena.play(&engines, "--games 2 --each nodes=1 --max-plies 10");
    let output = arena.command(&engines, "--games 2 --each nodes=1").output().unwrap();
    assert!(!output.status.success());
    assert!(text(&output).contains("holds a match already"), "{}", text(&output));
    assert_eq!(arena.games().len(), 2);
}

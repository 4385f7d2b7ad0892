//! Contests of engines that misbehave, played by the program itself.

mod faults;
mod records;
mod run_options;
mod settings;

use std::collections::BTreeSet;
use std::fs;
use std::ops::Deref;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::laboratory::{Folder, MOCK, interrupted, openings, printed, text, wait_until};

/// Every test has engines of its own: a copy of the program under a unique name, so that a leftover
/// process is found.
pub(crate) struct TestMatch {
    folder: Folder,
}

impl TestMatch {
    pub(crate) fn new() -> Self {
        let folder = Folder::new();
        fs::copy(MOCK, folder.join("mock")).unwrap();
        Self { folder }
    }

    /// An engine with this name, this behaviour and a fast limit.
    pub(crate) fn engine(&self, name: &str, behaviour: &str) -> String {
        format!("name={name} cmd='{} name={name} {behaviour}'", self.join("mock").display())
    }

    pub(crate) fn command(&self, engines: &[String], rest: &str) -> Command {
        let mut command = self.lab(&format!("match --output out {rest}"));
        for engine in engines {
            command.arg("--engine").arg(engine);
        }
        command
    }

    /// Plays a match of two engines and returns its result.
    pub(crate) fn play(&self, engines: &[String], rest: &str) -> Value {
        let result = printed(&self.command(engines, rest).arg("--json").output().unwrap());
        self.assert_nothing_runs();
        result
    }

    pub(crate) fn games(&self) -> Vec<Value> {
        games(&self.join("out"))
    }

    pub(crate) fn assert_nothing_runs(&self) {
        let path = self.join("mock");
        wait_until("an engine is left behind", || !is_running(&path));
    }
}

impl Deref for TestMatch {
    type Target = Folder;

    fn deref(&self) -> &Folder {
        &self.folder
    }
}

fn is_running(program: &Path) -> bool {
    let Ok(processes) = fs::read_dir("/proc") else { return false };
    let line = |entry: fs::DirEntry| fs::read(entry.path().join("cmdline")).unwrap_or_default();
    processes.flatten().any(|entry| line(entry).starts_with(program.to_str().unwrap().as_bytes()))
}

pub(crate) fn games(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("games.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Every mistake shows before the first game.
#[test]
fn mistakes_show_at_once() {
    let contest = TestMatch::new();
    let good = contest.engine("good", "");
    let nodes = "--each nodes=1 --games 2 --ready-timeout 1";
    let opening = contest.join("openings.sfen");
    fs::write(&opening, "startpos\nstartpos moves 7g7f 7g7f\n").unwrap();
    let with_opening = format!("{nodes} --openings {}", opening.display());
    let cases: [(String, &str, &str); 12] = [
        (
            contest.engine("mute", "mute"),
            nodes,
            "--ready-timeout: engine `mute`: no `usiok` within 1.0 s; its last line: option name Style",
        ),
        (contest.engine("lazy", "unready"), nodes, "--ready-timeout: engine `lazy`: no `readyok` within 1.0 s"),
        ("name=none cmd=./no/such/engine".to_owned(), nodes, "engine `none`: there is no file `./no/such/engine`"),
        ("name=none cmd=/".to_owned(), nodes, "engine `none`: `/` is a folder"),
        (
            concat!("name=brief cmd='", env!("CARGO_BIN_EXE_kiki-lab"), " --version'").to_owned(),
            nodes,
            "engine `brief`: exited with status 0 while `usiok` was awaited",
        ),
        (contest.engine("a", "") + " option.Depth=3", nodes, "no such option: Depth (it has Threads, Wisdom, Style)"),
        (contest.engine("a", "") + " option.Threads=0", nodes, "option Threads takes a number from 1 to 64, not `0`"),
        (contest.engine("a", "") + " option.Style=mild", nodes, "option Style takes one of calm, wild, not `mild`"),
        (contest.engine("good", ""), nodes, "two engines are named `good`"),
        (contest.engine("a", ""), "--games 2", "nothing limits the thinking of engine `good`"),
        (contest.engine("a", ""), "--games 3 --each nodes=1", "--games must be even"),
        (contest.engine("a", ""), &with_opening, "line 2: move 2 of the position command is illegal: 7g7f"),
    ];
    for (engine, rest, expected) in cases {
        let output = contest.command(&[good.clone(), engine], rest).output().unwrap();
        assert!(!output.status.success());
        assert!(text(&output).contains(expected), "{expected}\n{}", text(&output));
        assert!(text(&output).matches("engine `").count() <= 1, "{}", text(&output));
        assert!(!contest.join("out/games.jsonl").exists() || games(&contest.join("out")).is_empty());
    }
    // The folder is still unused.
    contest.play(&[good, contest.engine("a", "seed=1")], "--each nodes=1 --games 2 --max-plies 10");
}

/// The games played, without times.
fn played(folder: &Path) -> BTreeSet<String> {
    let key = |game: Value| {
        format!("{} {} {} {} {}", game["game"], game["black"], game["moves"], game["result"], game["reason"])
    };
    games(folder).into_iter().map(key).collect()
}

#[test]
fn a_killed_match_continues_with_nothing_lost_or_played_twice() {
    let contest = TestMatch::new();
    let engines = [contest.engine("a", "seed=1 resign=30"), contest.engine("b", "seed=2 resign=30")];
    let rest = format!("--games 200 --each nodes=1 --openings {}", openings().display());
    let whole = TestMatch::new();
    let same = [whole.engine("a", "seed=1 resign=30"), whole.engine("b", "seed=2 resign=30")];
    whole.play(&same, &format!("{rest} --concurrency 2"));

    let journal = contest.join("out/games.jsonl");
    let mut child = contest.command(&engines, &rest).stderr(Stdio::null()).spawn().unwrap();
    for games_before_kill in [20, 60, 110] {
        let lines = || fs::read(&journal).unwrap_or_default().iter().filter(|&&byte| byte == b'\n').count();
        wait_until("the match does not get on", || lines() >= games_before_kill || child.try_wait().unwrap().is_some());
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
        let mut resume = contest.lab("resume out --concurrency 2");
        child = resume.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    }
    assert!(child.wait().unwrap().success());
    contest.assert_nothing_runs();
    assert_eq!(games(&contest.join("out")).len(), 200);
    assert_eq!(played(&contest.join("out")), played(&whole.join("out")));
    assert_eq!(fs::read_dir(contest.join("out/csa")).unwrap().count(), 200);
    let pgn = contest.text("out/games.pgn");
    assert_eq!(pgn.matches("[Result ").count(), 200);
}

#[cfg(unix)]
#[test]
fn an_interrupted_match_ends_cleanly_and_can_continue_and_grow() {
    let contest = TestMatch::new();
    let engines = [contest.engine("a", "seed=1 late=5"), contest.engine("b", "seed=2")];
    let rest = format!("--games 20 --each nodes=1 --max-plies 60 --openings {}", openings().display());
    // Once the journal has a game, the program surely listens.
    let output = interrupted(&mut contest.command(&engines, &rest), "the match does not get on", || {
        fs::read(contest.join("out/games.jsonl")).is_ok_and(|journal| journal.contains(&b'\n'))
    });
    assert!(text(&output).contains("kiki-lab resume"), "{}", text(&output));
    contest.assert_nothing_runs();
    let before = contest.games().len();
    assert!(before < 20);
    contest.succeed("resume out --games 24");
    assert_eq!(contest.games().len(), 24);
}

#[test]
fn a_sequential_test_stops_by_itself_with_the_same_decision_for_any_concurrency() {
    let mut llrs = Vec::new();
    for concurrency in [1, 3] {
        let contest = TestMatch::new();
        let engines = [contest.engine("good", "seed=1"), contest.engine("weak", "seed=2 resign=20")];
        let options = format!("--each nodes=1 --max-plies 120 --concurrency {concurrency} --output out");
        let mut command = contest.lab(&format!("sprt --elo0 0 --elo1 50 --json {options} --openings"));
        command.arg(openings()).args(["--engine", &engines[0], "--engine", &engines[1]]);
        let result = printed(&command.output().unwrap());
        assert_eq!((&result["ending"], &result["sprt"]["decision"]), (&"decided".into(), &"h1".into()));
        assert!(result["games"].as_u64().unwrap() < 200);
        llrs.push(result["sprt"]["llr"].as_f64().unwrap());
        // The weak engine lost all games, so the Elo have no picture.
        let pictures = ["out/llr.svg", "out/elo.svg"].map(|picture| contest.join(picture).exists());
        assert_eq!(pictures, [true, false], "{result}");
        contest.assert_nothing_runs();
    }
    assert_eq!(llrs[0], llrs[1]);
}

//! Ablation studies of an engine whose options have known effects.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use serde_json::Value;

use crate::laboratory::{MOCK, lab, openings, printed};

/// Without the first step the engine resigns less often; without the second nothing changes.
const LIST: &str = "\
[[ablation]]
name = \"giving-up\"
group = \"play\"
meaning = \"gives up easily\"
options = { Wisdom = 90 }

[[ablation]]
name = \"one-thread\"
group = \"hardware\"
meaning = \"takes one thread only\"
options = { Threads = 2 }
";

struct TestStudy {
    folder: tempfile::TempDir,
}

impl TestStudy {
    fn new(list: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("list.toml"), list).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, output: &str, engine: &str, rest: &str) -> Output {
        let mut command = lab();
        command.args(["ablation", "--max-plies", "40", "--engine", engine]);
        command.arg("--ablations").arg(self.path("list.toml")).arg("--output").arg(self.path(output));
        command.arg("--openings").arg(openings()).args(rest.split_whitespace()).output().unwrap()
    }

    fn resume(&self, output: &str, rest: &str) -> Output {
        lab().arg("resume").arg(self.path(output)).args(rest.split_whitespace()).output().unwrap()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }
}

fn mock() -> String {
    format!("cmd='{MOCK} resign=2' nodes=1")
}

fn error(output: &Output) -> String {
    assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_step_that_loses_games_costs_elo_and_one_that_means_nothing_costs_none() {
    let study = TestStudy::new(LIST);
    let result = printed(&study.run("out", &mock(), "--games 80 --concurrency 2 --json"));
    let [giving_up, one_thread] = &result["ablations"].as_array().unwrap()[..] else { panic!("{result}") };
    assert_eq!((&result["ending"], &giving_up["name"]), (&"complete".into(), &"giving-up".into()));
    let estimates = &giving_up["games"]["estimates"];
    assert!(estimates["elo"].as_f64().unwrap() < -50.0, "the engine is better without it: {giving_up}");
    assert!(estimates["elo_interval"][1].as_f64().unwrap() < 0.0, "{giving_up}");
    // Both sides play alike, so that each opening is won once by either.
    assert_eq!(one_thread["games"]["estimates"]["elo"].as_f64(), Some(0.0), "{one_thread}");
    assert_eq!(one_thread["nodes_to_depth"]["ratio"].as_f64(), Some(1.0), "{one_thread}");
    assert_eq!(result["whole_nodes"], result["positions"], "it says that every position took one node");
    for (file, text) in [
        ("out/table.md", "| one-thread | takes one thread only | 80 | +0.0 |"),
        ("out/elo.svg", "giving-up"),
        ("out/nodes.svg", "one-thread"),
        ("out/giving-up/match.json", "without-giving-up"),
    ] {
        assert!(study.read(file).contains(text), "{file}");
    }
    let table: Value = serde_json::from_str(&study.read("out/table.json")).unwrap();
    assert_eq!(table, result);
}

#[test]
fn a_continued_study_comes_to_the_same_end() {
    let study = TestStudy::new(LIST);
    let whole = printed(&study.run("whole", &mock(), "--games 12 --json"));
    printed(&study.run("part", &mock(), "--games 4 --json"));
    // A kill before the last nodes were counted and in the last match.
    let counted = study.read("part/nodes.jsonl");
    fs::write(study.path("part/nodes.jsonl"), &counted[..counted.len() - 20]).unwrap();
    let games = study.read("part/one-thread/games.jsonl");
    fs::write(study.path("part/one-thread/games.jsonl"), &games[..games.len() - 20]).unwrap();
    let resumed = printed(&study.resume("part", "--games 12 --json"));
    assert_eq!(resumed["ablations"], whole["ablations"]);
    assert_eq!(study.read("part/nodes.jsonl"), study.read("whole/nodes.jsonl"));
    assert_eq!(study.read("part/table.md"), study.read("whole/table.md"));
    assert!(error(&study.run("whole", &mock(), "")).contains("kiki-lab resume"));
    assert!(error(&study.resume("whole", "--games 2")).contains("12 games"));
}

#[test]
fn impossible_ablations_fail_before_the_first_game() {
    let unknown = TestStudy::new(&LIST.replace("Wisdom", "use_null_moves"));
    let said = error(&unknown.run("out", &mock(), ""));
    assert!(said.contains("use_null_moves") && said.contains("--features tune"), "{said}");
    let study = TestStudy::new(LIST);
    let twice = format!("{} option.wisdom=3", mock());
    assert!(error(&study.run("out", &twice, "")).contains("`Wisdom` is set by the engine"));
    assert!(error(&study.run("out", &mock(), "--only nothing")).contains("--only nothing"));
    assert!(error(&study.run("out", &mock(), "--games 3")).contains("even"));
    assert!(error(&study.run("out", &mock(), "--games 0 --depth 0")).contains("nothing to do"));
    assert!(error(&TestStudy::new("x = 1").run("out", &mock(), "")).contains("list.toml"));
}

#[test]
fn the_steps_of_kiki_are_listed_with_their_options() {
    let output = lab().args(["ablation", "--list"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("null-move") && text.contains("use_null_moves=0"), "{text}");
}

//! Ablation studies of an engine whose options have known effects.

use std::process::Output;

use crate::laboratory::{Folder, MOCK, openings, printed};

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

/// A folder with a list of ablations.
fn study(list: &str) -> Folder {
    let folder = Folder::new();
    folder.write("list.toml", list);
    folder
}

fn run(study: &Folder, output: &str, engine: &str, rest: &str) -> Output {
    let options = format!("ablation --max-plies 40 --ablations list.toml --output {output} {rest}");
    study.lab(&options).args(["--engine", engine, "--openings"]).arg(openings()).output().unwrap()
}

fn resume(study: &Folder, output: &str, rest: &str) -> Output {
    study.lab(&format!("resume {output} {rest}")).output().unwrap()
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
    let folder = study(LIST);
    let result = printed(&run(&folder, "out", &mock(), "--games 80 --concurrency 2 --json"));
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
        assert!(folder.text(file).contains(text), "{file}");
    }
    assert_eq!(folder.value("out/table.json"), result);
}

#[test]
fn a_continued_study_comes_to_the_same_end() {
    let folder = study(LIST);
    let whole = printed(&run(&folder, "whole", &mock(), "--games 12 --json"));
    printed(&run(&folder, "part", &mock(), "--games 4 --json"));
    // A kill before the last nodes were counted and in the last match.
    let counted = folder.text("part/nodes.jsonl");
    folder.write("part/nodes.jsonl", &counted[..counted.len() - 20]);
    let games = folder.text("part/one-thread/games.jsonl");
    folder.write("part/one-thread/games.jsonl", &games[..games.len() - 20]);
    let resumed = printed(&resume(&folder, "part", "--games 12 --json"));
    assert_eq!(resumed["ablations"], whole["ablations"]);
    assert_eq!(folder.text("part/nodes.jsonl"), folder.text("whole/nodes.jsonl"));
    assert_eq!(folder.text("part/table.md"), folder.text("whole/table.md"));
    assert!(error(&run(&folder, "whole", &mock(), "")).contains("kiki-lab resume"));
    assert!(error(&resume(&folder, "whole", "--games 2")).contains("12 games"));
}

#[test]
fn impossible_ablations_fail_before_the_first_game() {
    let unknown = study(&LIST.replace("Wisdom", "use_null_moves"));
    let said = error(&run(&unknown, "out", &mock(), ""));
    assert!(said.contains("use_null_moves") && said.contains("--features tune"), "{said}");
    let folder = study(LIST);
    let twice = format!("{} option.wisdom=3", mock());
    assert!(error(&run(&folder, "out", &twice, "")).contains("`Wisdom` is set by the engine"));
    assert!(error(&run(&folder, "out", &mock(), "--only nothing")).contains("--only nothing"));
    assert!(error(&run(&folder, "out", &mock(), "--games 3")).contains("even"));
    assert!(error(&run(&folder, "out", &mock(), "--games 0 --depth 0")).contains("nothing to do"));
    assert!(error(&run(&study("x = 1"), "out", &mock(), "")).contains("list.toml"));
}

#[test]
fn the_steps_of_kiki_are_listed_with_their_options() {
    let text = Folder::new().succeed("ablation --list");
    assert!(text.contains("null-move") && text.contains("use_null_moves=0"), "{text}");
}

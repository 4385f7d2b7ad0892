//! A page of docs describes every key that the laboratory writes.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::documentation::{assert_documented, keys_of};
use crate::laboratory::{MOCK, lab, printed};

fn read(path: PathBuf) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn lines(path: PathBuf) -> Value {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect()
}

#[test]
fn every_json_key_is_documented() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let text = |name: &str| path(name).to_str().unwrap().to_owned();
    let engine = |name: &str, words: &str| format!("name={name} cmd='{MOCK} {words}' option.Threads=1");
    let each = "nodes=1 depth=9 time=9000 increment=9 byoyomi=900 movetime=9000 dir=. ponder=true restart=true";
    let rules =
        ["--resign", "moves=5 score=3000", "--draw", "moves=8 score=20 from=120", "--max-plies", "12", "--json"];
    let (match_folder, tuning_folder, parameters) = (text("match"), text("tuning"), text("parameters.toml"));
    let tuned = format!("{MOCK} nodes=1");
    let (good, bad) = (engine("a", ""), engine("b", "crash=5 seed=1"));
    let play = ["match", "--engine", &good, "--engine", &bad, "--each", each, "--replay-faults", "1", "--games", "4"];
    let play = [&play[..], &rules, &["--sprt", "elo0=0 elo1=5", "--output", &match_folder]].concat();
    fs::write(path("parameters.toml"), "Wisdom = { start = 3, min = 0, max = 9, step = 1 }\n").unwrap();
    let tune = ["spsa", "--engine", &tuned, "--updates", "2", "--parameters", &parameters];
    let tune = [&tune[..], &rules, &["--output", &tuning_folder]].concat();
    let ablations = "[[ablation]]\nname = \"a\"\ngroup = \"g\"\nmeaning = \"m\"\noptions = { Wisdom = 9 }\n";
    fs::write(path("ablations.toml"), ablations).unwrap();
    let (ablation_folder, list) = (text("ablation"), text("ablations.toml"));
    let study = ["ablation", "--engine", &tuned, "--ablations", &list, "--games", "2"];
    let study = [&study[..], &rules, &["--output", &ablation_folder]].concat();
    let printed = |arguments: &[&str]| printed(&lab().args(arguments).output().unwrap());
    let values = [
        printed(&study),
        read(path("ablation/ablation.json")),
        lines(path("ablation/nodes.jsonl")),
        printed(&["quality", "--depth", "1", "--count", "3", "--table", "1", "--json"]),
        printed(&play),
        read(path("match/match.json")),
        lines(path("match/games.jsonl")),
        printed(&["show", &match_folder, "--json"]),
        printed(&["show", &match_folder, "--game", "1", "--json"]),
        printed(&tune),
        read(path("tuning/tuning.json")),
        lines(path("tuning/updates.jsonl")),
        printed(&["series", &match_folder, "--json"]),
        printed(&["formula", "--json"]),
    ];
    let keys = keys_of(&values);
    assert!(keys.len() > 90 && keys.contains("voided") && keys.contains("max-plies"), "{keys:?}");
    assert_documented(&keys);
}

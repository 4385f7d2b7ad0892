//! A page of docs describes every key that the laboratory writes.

use serde_json::Value;

use crate::documentation::{assert_documented, keys_of};
use crate::laboratory::{Folder, MOCK};

fn lines(folder: &Folder, file: &str) -> Value {
    folder.text(file).lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect()
}

#[test]
fn every_json_key_is_documented() {
    let folder = Folder::new();
    let engine = |name: &str, words: &str| format!("name={name} cmd='{MOCK} {words}' option.Threads=1");
    let each = "nodes=1 depth=9 time=9000 increment=9 byoyomi=900 movetime=9000 dir=. ponder=true restart=true";
    let rules = ["--resign", "moves=5 score=3000", "--draw", "moves=8 score=20 from=120", "--max-plies", "12"];
    let tuned = format!("{MOCK} nodes=1");
    let (good, bad) = (engine("a", ""), engine("b", "crash=5 seed=1"));
    let play = ["match", "--engine", &good, "--engine", &bad, "--each", each, "--replay-faults", "1", "--games", "4"];
    let play = [&play[..], &rules, &["--sprt", "elo0=0 elo1=5", "--output", "match"]].concat();
    folder.write("parameters.toml", "Wisdom = { start = 3, min = 0, max = 9, step = 1 }\n");
    let tune = ["spsa", "--engine", &tuned, "--updates", "2", "--parameters", "parameters.toml"];
    let tune = [&tune[..], &rules, &["--output", "tuning"]].concat();
    let ablations = "[[ablation]]\nname = \"a\"\ngroup = \"g\"\nmeaning = \"m\"\noptions = { Wisdom = 9 }\n";
    folder.write("ablations.toml", ablations);
    let study = ["ablation", "--engine", &tuned, "--ablations", "ablations.toml", "--games", "2"];
    let study = [&study[..], &rules, &["--output", "ablation"]].concat();
    let values = [
        folder.json(&study),
        folder.value("ablation/ablation.json"),
        lines(&folder, "ablation/nodes.jsonl"),
        folder.json("quality --depth 1 --count 3 --table 1"),
        folder.json(&play),
        folder.value("match/match.json"),
        lines(&folder, "match/games.jsonl"),
        folder.json("show match"),
        folder.json("show match --game 1"),
        folder.json(&tune),
        folder.value("tuning/tuning.json"),
        lines(&folder, "tuning/updates.jsonl"),
        folder.json("series match"),
        folder.json("formula"),
    ];
    let keys = keys_of(&values);
    assert!(keys.len() > 90 && keys.contains("voided") && keys.contains("max-plies"), "{keys:?}");
    assert_documented(&keys);
}

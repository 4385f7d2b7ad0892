//! `kiki-lab learn`: a run resumes after any end, takes games of others, and shows its progress.

use std::fs;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::laboratory::{Folder, interrupt, wait_until, while_stopped};

/// Two generations in a few seconds.
const SETTINGS: &str = "
patience = 2
least_elo = 10000.0
[selfplay]
positions = 1500
growth = 1.5
held_out = 200
nodes = 20
formula_nodes = 20
[training]
shape = 'HalfKP_vm 16x2-8-8'
batch = 256
passes = 10.0
[test]
games = 4
nodes = 20
";

fn start(line: &str, folder: &Folder) -> Child {
    folder.lab(line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// The generations of a run without times and paths.
fn generations(folder: &Folder, run: &str) -> Vec<Value> {
    let mut generations = folder.value(format!("{run}/learn.json"))["generations"].as_array().unwrap().clone();
    for generation in &mut generations {
        generation["seconds"] = Value::Null;
        generation["network"]["network"]["file"] = Value::Null;
        // The note of a file of games has the path of the network.
        for file in generation["games"]["data"].as_array_mut().unwrap() {
            (file["blake3"], file["bytes"]) = (Value::Null, Value::Null);
        }
        (generation["games"]["held_out"]["blake3"], generation["games"]["held_out"]["bytes"]) =
            (Value::Null, Value::Null);
    }
    generations
}

#[test]
fn a_run_killed_again_and_again_ends_as_one_without_a_stop() {
    let folder = Folder::new();
    folder.write("mine.toml", SETTINGS);
    let said = folder.succeed("learn whole --settings mine.toml --threads 2 --eager");
    assert!(
        said.contains("generation 2: ") && said.contains("2 generations in a row brought less than 10000 Elo"),
        "{said}"
    );
    for milliseconds in [100, 200, 300, 500, 700, 900] {
        let mut child = start("learn parts --settings mine.toml --threads 2 --eager", &folder);
        wait_until("the run does not begin", || folder.join("parts/learn.json").exists());
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(generations(&folder, "parts").len() < 2, "nothing was interrupted");
    assert!(folder.succeed("resume parts --eager").contains("the run has ended"));
    assert_eq!(generations(&folder, "parts"), generations(&folder, "whole"));
    assert!(!folder.join("parts/generation-001/training/checkpoint.bin").exists());
    let page = folder.text("parts/learning.html");
    assert!(page.contains("The run has ended") && page.matches("<figure><svg").count() == 2, "{page}");

    for (arguments, expected) in [
        ("learn whole --network whole/generation-001/training/nn.bin", "with another network"),
        ("learn .", "holds other files"),
        ("learn whole --hours 0", "--hours"),
        ("learn fresh --hours 0", "--hours"),
    ] {
        let said = folder.fail(arguments);
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
    assert!(!folder.join("fresh").exists(), "a refusal leaves nothing");
    folder.write("mine.toml", SETTINGS.replace("games = 4", "games = 10"));
    let said = folder.fail("learn whole --settings mine.toml");
    assert!(said.contains("with other settings"), "{said}");
}

/// Seconds of work of a run, as its file says: in all, and of its generations.
#[cfg(unix)]
fn seconds(folder: &Folder) -> (f64, f64) {
    let state = folder.value("run/learn.json");
    let generations = state["generations"].as_array().unwrap();
    let of_generations = generations.iter().map(|generation| generation["seconds"].as_f64().unwrap()).sum();
    (state["seconds"].as_f64().unwrap(), of_generations)
}

#[cfg(unix)]
#[test]
fn time_counts_whatever_ends_a_process() {
    let folder = Folder::new();
    let settings = SETTINGS.replace("patience = 2", "patience = 1");
    folder.write("mine.toml", settings.replace("formula_nodes = 20", "formula_nodes = 100"));
    let mut killed = start("learn run --settings mine.toml --eager", &folder);
    wait_until("no time is written", || folder.join("run/learn.json").exists() && seconds(&folder).0 > 0.0);
    killed.kill().unwrap();
    killed.wait().unwrap();
    let (at_kill, _) = seconds(&folder);
    let mut interrupted = start("learn run --eager", &folder);
    wait_until("the run does not go on", || seconds(&folder).0 > at_kill);
    std::thread::sleep(Duration::from_millis(800));
    interrupt(&interrupted);
    interrupted.wait().unwrap();
    let (before, _) = seconds(&folder);
    assert!(before > 0.5 && folder.value("run/learn.json")["generations"][0].is_null());
    folder.succeed("learn run --eager");
    let (all, of_generations) = seconds(&folder);
    assert!(all - of_generations < before / 2.0, "{all} seconds, {of_generations} of generations");
}

#[cfg(unix)]
#[test]
fn games_of_another_process_are_learned_from_and_the_network_goes_there() {
    let folder = Folder::new();
    // A short test: a network may win and be published. Enough positions for full blocks.
    let settings = SETTINGS.replace("games = 4", "games = 2").replace("patience = 2", "patience = 9");
    folder.write("mine.toml", settings.replace("passes = 10.0", "passes = 1.0"));
    fs::create_dir(folder.join("shared")).unwrap();
    let other = "--positions 19000 --nodes 1 --max-plies 320 --seed 77 --threads 2";
    folder.succeed(&format!("selfplay --out shared/held-out.games {other}"));
    let child = start("learn run --settings mine.toml --shards shared --eager --threads 2", &folder);
    let done = || folder.join("run/learn.json").exists() && !generations(&folder, "run").is_empty();
    wait_until("no generation was finished", done);
    let busy = while_stopped(&child, || {
        let busy = folder.fail("learn run");
        interrupt(&child);
        busy
    });
    assert!(busy.contains("another process learns here"), "{busy}");
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    let first = &folder.value("run/learn.json")["generations"][0];
    let names: Vec<_> = first["games"]["data"].as_array().unwrap().iter().map(|file| file["name"].clone()).collect();
    // Its name is like that of the games that the run itself holds out.
    assert_eq!(names, ["generation-001.games", "generation-001-shard-held-out.games"]);
    assert!(first["games"]["data"][1]["positions"].as_u64() > Some(5000), "{first}");
    let said = folder.succeed("data check run/data/generation-001-shard-held-out.games");
    assert!(said.contains("all blocks agree"), "{said}");
    let won = first["test"]["wins"].as_u64() > first["test"]["losses"].as_u64();
    assert_eq!(folder.join("shared/nn.bin").exists(), won);
}

#[test]
fn the_usual_settings_are_shown_and_wrong_ones_named() {
    let folder = Folder::new();
    let usual = folder.succeed("learn --show-settings");
    assert!(
        usual.contains("[selfplay]\n") && usual.lines().filter(|line| line.starts_with('#')).count() > 8,
        "{usual}"
    );
    folder.write("nn.bin", "no network");
    let mine = "learn new --settings mine.toml";
    for (text, arguments, expected) in [
        ("[test]\nplays = 3\n", mine, "mine.toml: unknown field `plays`"),
        ("[training]\nbatch = 100\n", mine, "batch of 100"),
        ("[training]\narguments = ['--tails', '0.2']\n", mine, "--tails"),
        ("[training]\narguments = ['--batch', '512']\n", mine, "[training]: --batch has a setting of its own"),
        ("[training]\narguments = ['--evaluate-every', '0']\n", mine, "--evaluate-every"),
        ("", "learn new --settings none.toml", "none.toml"),
        ("", "learn new --network nn.bin", "nn.bin"),
        ("", "learn", "<DIR>"),
    ] {
        folder.write("mine.toml", text);
        let said = folder.fail(arguments);
        assert!(said.contains(expected), "{text}{arguments:?}: {said}");
        assert!(!folder.join("new").exists(), "nothing is left of a run that did not begin");
    }
}

#[test]
fn a_recipe_has_settings_of_its_own() {
    let folder = Folder::new();
    let week = folder.succeed("learn --show-settings --recipe week");
    assert!(week.contains("growth = 2.0") && !week.contains("formula_nodes"), "{week}");
    let said = folder.succeed("learn run --recipe week --hours 0.0001 --threads 1 --eager");
    assert!(said.contains(" worked; go on with: kiki-lab learn run --hours 0.0002"), "{said}");
    let state: Value = serde_json::from_str(&folder.text("run/learn.json")).unwrap();
    assert_eq!(state["settings"]["selfplay"]["positions"], 100_000_000);
    assert_eq!(state["settings"]["selfplay"]["formula_nodes"], 500);
    assert!(folder.fail("learn run --recipe evening --eager").contains("with other settings"));
    folder.succeed("learn run --eager --hours 0.0001");
}

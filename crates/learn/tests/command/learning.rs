//! `kiki-lab learn`: a run resumes after any end, takes games of others, and shows its progress.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::laboratory::{fail, interrupt, succeed, wait_until};

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

fn settings(folder: &Path) {
    fs::write(folder.join("mine.toml"), SETTINGS).unwrap();
}

fn start(arguments: &[&str], folder: &Path) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiki-lab"));
    command.args(arguments).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

fn state(run: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(run.join("learn.json")).unwrap()).unwrap()
}

/// The generations of a run without times and paths.
fn generations(run: &Path) -> Vec<Value> {
    let mut generations = state(run)["generations"].as_array().unwrap().clone();
    for generation in &mut generations {
        generation["seconds"] = Value::Null;
        generation["network"]["network"]["file"] = Value::Null;
        // The note of a file of games has the path of the network.
        for file in generation["games"]["data"].as_array_mut().unwrap() {
            (file["blake3"], file["bytes"]) = (Value::Null, Value::Null);
        }
        (generation["games"]["held_out"]["blake3"], generation["games"]["held_out"]["bytes"]) = (Value::Null, Value::Null);
    }
    generations
}

#[test]
fn a_run_killed_again_and_again_ends_as_one_without_a_stop() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    settings(folder);
    let said = succeed(&["learn", "whole", "--settings", "mine.toml", "--threads", "2", "--eager"], folder);
    assert!(said.contains("generation 2: ") && said.contains("2 generations in a row brought less than 10000 Elo"), "{said}");
    let words = ["learn", "parts", "--settings", "mine.toml", "--threads", "2", "--eager"];
    for milliseconds in [100, 200, 300, 500, 700, 900] {
        let mut child = start(&words, folder);
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(generations(&folder.join("parts")).len() < 2, "nothing was interrupted");
    assert!(succeed(&["resume", "parts", "--eager"], folder).contains("the run has ended"));
    assert_eq!(generations(&folder.join("parts")), generations(&folder.join("whole")));
    assert!(!folder.join("parts/generation-001/training/checkpoint.bin").exists());
    let page = fs::read_to_string(folder.join("parts/learning.html")).unwrap();
    assert!(page.contains("The run has ended") && page.matches("<figure><svg").count() == 2, "{page}");

    for (arguments, expected) in [
        (&["learn", "whole", "--network", "whole/generation-001/training/nn.bin"][..], "with another network"),
        (&["learn", "."], "holds other files"),
        (&["learn", "whole", "--hours", "0"], "--hours"),
    ] {
        let said = fail(arguments, folder);
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
    fs::write(folder.join("mine.toml"), SETTINGS.replace("games = 4", "games = 10")).unwrap();
    let said = fail(&["learn", "whole", "--settings", "mine.toml"], folder);
    assert!(said.contains("with other settings"), "{said}");
}

#[cfg(unix)]
#[test]
fn games_of_another_process_are_learned_from_and_the_network_goes_there() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // A short test: a network may win and be published. Enough positions for full blocks.
    fs::write(folder.join("mine.toml"), SETTINGS.replace("games = 4", "games = 2").replace("patience = 2", "patience = 9")).unwrap();
    fs::create_dir(folder.join("shared")).unwrap();
    let other = ["--positions", "19000", "--nodes", "1", "--max-plies", "320", "--seed", "77", "--threads", "2"];
    succeed(&[&["selfplay", "--out", "shared/seventy-seven.games"], &other[..]].concat(), folder);
    let words = ["learn", "run", "--settings", "mine.toml", "--shards", "shared", "--eager", "--threads", "2"];
    let child = start(&words, folder);
    let run = folder.join("run");
    let done = || run.join("learn.json").exists() && !state(&run)["generations"].as_array().unwrap().is_empty();
    wait_until("no generation was finished", done);
    let busy = fail(&["learn", "run"], folder);
    assert!(busy.contains("another process learns here"), "{busy}");
    interrupt(&child);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    let first = &state(&run)["generations"][0];
    let names: Vec<_> = first["games"]["data"].as_array().unwrap().iter().map(|file| file["name"].clone()).collect();
    assert_eq!(names, ["generation-001.games", "generation-001-seventy-seven.games"]);
    assert!(first["games"]["data"][1]["positions"].as_u64() > Some(5000), "{first}");
    let said = succeed(&["data", "check", "run/data/generation-001-seventy-seven.games"], folder);
    assert!(said.contains("all blocks agree"), "{said}");
    let won = first["test"]["wins"].as_u64() > first["test"]["losses"].as_u64();
    assert_eq!(folder.join("shared/nn.bin").exists(), won);
}

#[test]
fn the_usual_settings_are_shown_and_wrong_ones_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let usual = succeed(&["learn", "--show-settings"], folder);
    assert!(usual.contains("[selfplay]\n") && usual.lines().filter(|line| line.starts_with('#')).count() > 8, "{usual}");
    fs::write(folder.join("nn.bin"), "no network").unwrap();
    let mine = ["learn", "new", "--settings", "mine.toml"];
    for (text, arguments, expected) in [
        ("[test]\nplays = 3\n", &mine[..], "mine.toml: unknown field `plays`"),
        ("[training]\nbatch = 100\n", &mine, "batch of 100"),
        ("[training]\narguments = ['--tails', '0.2']\n", &mine, "--tails"),
        ("[training]\narguments = ['--batch', '512']\n", &mine, "[training]: --batch has a setting of its own"),
        ("[training]\narguments = ['--evaluate-every', '0']\n", &mine, "--evaluate-every"),
        ("", &["learn", "new", "--settings", "none.toml"], "none.toml"),
        ("", &["learn", "new", "--network", "nn.bin"], "nn.bin"),
        ("", &["learn"], "<DIR>"),
    ] {
        fs::write(folder.join("mine.toml"), text).unwrap();
        let said = fail(arguments, folder);
        assert!(said.contains(expected), "{text}{arguments:?}: {said}");
        assert!(!folder.join("new").exists(), "nothing is left of a run that did not begin");
    }
}

//! `kiki-lab train`: a training stops and resumes, and errors are reported.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::laboratory::{fail, interrupt, succeed, wait_until};

const SMALL: [&str; 12] = [
    "--shape",
    "HalfKP_vm 16x2-8-8",
    "--batch",
    "256",
    "--positions",
    "150000",
    "--evaluate-every",
    "10000",
    "--held-out",
    "held.games",
    "--data",
    "data.games",
];

fn make_data(folder: &Path) {
    for (file, seed, positions) in [("data.games", "1", "1500"), ("held.games", "2", "200")] {
        let games = ["selfplay", "--out", file, "--seed", seed, "--positions", positions, "--nodes", "30", "--table", "1"];
        succeed(&games, folder);
    }
}

fn note(folder: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.join("training.json")).unwrap()).unwrap()
}

#[cfg(unix)]
#[test]
fn a_training_gone_on_with_ends_as_one_without_a_stop() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    make_data(folder);
    let said = succeed(&[&["train", "--out", "whole", "--threads", "1"], &SMALL[..]].concat(), folder);
    assert!(said.contains("best network (whole/nn.bin)"), "{said}");

    let child = Command::new(env!("CARGO_BIN_EXE_kiki-lab"))
        .args([&["train", "--out", "parts", "--threads", "2"], &SMALL[..]].concat())
        .current_dir(folder)
        .stderr(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until("no look at the held-out records", || folder.join("parts/curve.jsonl").exists());
    interrupt(&child);
    let stopped = child.wait_with_output().unwrap();
    assert_eq!(stopped.status.code(), Some(130));
    let said = String::from_utf8_lossy(&stopped.stdout).into_owned();
    assert!(said.ends_with("interrupted; go on with: kiki-lab resume parts\n"), "{said}");
    assert_eq!(note(&folder.join("parts"))["result"]["ended"], false);

    // A training can be resumed from another folder.
    succeed(&["resume", "."], &folder.join("parts"));
    for file in ["nn.bin", "curve.jsonl", "checkpoint.bin", "curves.svg"] {
        let of = |training: &str| fs::read(folder.join(training).join(file)).unwrap();
        assert!(of("whole") == of("parts"), "{file}");
    }
    let (whole, parts) = (note(&folder.join("whole")), note(&folder.join("parts")));
    for key in ["best", "ended", "positions"] {
        assert_eq!(whole["result"][key], parts["result"][key], "{key}");
    }
    assert_eq!(parts["result"]["ended"], true);

    let next = ["train", "--start", "whole", "--out", "next", "--data", "held.games", "--held-out", "data.games"];
    let numbers = ["--shape", "HalfKP_vm 16x2-8-8", "--batch", "256", "--positions", "512"];
    succeed(&[&next[..], &numbers].concat(), folder);
    let of_file = [&["train", "--start", "whole/nn.bin", "--out", "of-file"], &next[5..], &numbers].concat();
    succeed(&of_file, folder);
    let of_file_note = note(&folder.join("of-file"));
    assert!(of_file_note["start"]["file"].as_str().is_some_and(|file| file.ends_with("whole/nn.bin")), "{of_file_note}");
    // The checkpoint has learned from all positions, the network file from those up to the best.
    let positions = [&whole["result"], &whole["result"]["best"]].map(|part| &part["positions"]);
    assert_ne!(positions[0], positions[1]);
    for (after, positions) in [&note(&folder.join("next")), &of_file_note].into_iter().zip(positions) {
        let before = &after["ancestors"][0];
        assert_eq!(&before["positions"], positions, "{after}");
        assert_eq!((&before["data"], &before["blake3"]), (&whole["data"], &whole["result"]["best"]["blake3"]));
    }
    let other = ["--shape", "HalfKP 16x2-8-8"];
    for start in [&next[..3], &of_file[..3]] {
        let refused = fail(&[start, &["--out", "other"], &next[5..], &other].concat(), folder);
        assert!(refused.contains("HalfKP_vm 16x2-8-8"), "{refused}");
    }

    fs::write(folder.join("data.games"), [0; 4000]).unwrap();
    let changed = fail(&["resume", "parts"], folder);
    assert!(changed.contains("data.games has changed"), "{changed}");
}

#[test]
fn a_network_with_stacks_is_learned_and_used() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    make_data(folder);
    let files = ["train", "--out", "stacks", "--data", "data.games", "--held-out", "held.games"];
    let shape = ["--shape", "SFNN_halfkahm2_64_7_8_k3k3", "--weight-decay", "0.01", "--tail", "0.25"];
    let numbers = ["--batch", "256", "--positions", "5120", "--evaluate-every", "2560"];
    succeed(&[&files[..], &shape, &numbers].concat(), folder);
    assert_eq!(note(&folder.join("stacks"))["settings"]["shape"], "SFNN_halfkahm2_64_7_8_k3k3");
    let curve = fs::read_to_string(folder.join("stacks/curve.jsonl")).unwrap();
    let losses: Vec<f64> = curve
        .lines()
        .map(|point| serde_json::from_str::<Value>(point).unwrap()["training_loss"].as_f64().unwrap())
        .collect();
    assert!(losses.len() == 2 && losses[1] < losses[0], "{losses:?}");
    let games = ["selfplay", "--out", "by-stacks.games", "--positions", "50", "--nodes", "20", "--table", "1", "--seed", "3"];
    succeed(&[&games[..], &["--network", "stacks/nn.bin"]].concat(), folder);
    let other = ["--shape", "SFNN_halfkahm2_64_7_8_progress2"];
    let refused = fail(&[&["train", "--out", "other"], &files[3..], &other].concat(), folder);
    assert!(refused.contains("stacks by progress"), "{refused}");
}

#[test]
fn what_is_wrong_with_a_training_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    make_data(folder);
    fs::write(folder.join("torn.psv"), [0; 100]).unwrap();
    fs::write(folder.join("zeros.psv"), [0; 4000]).unwrap();
    fs::write(folder.join("empty.psv"), "").unwrap();
    let mut damaged = fs::read(folder.join("data.games")).unwrap();
    damaged.iter_mut().last().into_iter().for_each(|byte| *byte ^= 1);
    fs::write(folder.join("damaged.games"), damaged).unwrap();
    let cases: [(&[&str], &str); 9] = [
        (&["--data", "data.games", "--held-out", "data.games"], "cannot be held out too"),
        (&["--data", "torn.psv", "--held-out", "held.games"], "20 bytes follow the last whole record, number 2"),
        (&["--data", "zeros.psv", "--held-out", "held.games", "--batch", "256"], "record 0"),
        (&["--data", "empty.psv", "--held-out", "held.games"], "no records to learn from"),
        (&["--data", "damaged.games", "--held-out", "held.games", "--batch", "256"], "damaged.games: the block from byte"),
        (&["--data", "none.psv", "--held-out", "held.games"], "none.psv"),
        (&["--data", "data.games", "--held-out", "held.games", "--batch", "100"], "batch of 100"),
        (&["--data", "data.games", "--held-out", "held.games", "--lambda", "2"], "lambda = 2"),
        (&["--data", "data.games", "--held-out", "held.games", "--shape", "HalfKP 16"], "names no network: expected one like"),
    ];
    for (number, (arguments, expected)) in cases.into_iter().enumerate() {
        let out = format!("out-{number}");
        let said = fail(&[&["train", "--out", &out], arguments].concat(), folder);
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
}

//! `kiki-lab train`: a training stops and resumes, and errors are reported.

use std::process::Stdio;

use serde_json::Value;

use crate::laboratory::{Arguments as _, Folder, interrupt, succeed, wait_until, while_stopped};

const SHAPE: &str = "HalfKP_vm 16x2-8-8";
/// At this rate the network soon learns the games by heart, so the best one is not the last.
const RATE: &str = "--learning-rate 0.004 --patience 20";
const NUMBERS: &str = "--batch 256 --positions 75000 --evaluate-every 5000 --held-out held.games --data data.games";

/// A training of a small network into a folder.
fn small<'a>(out: &'a str, threads: &'a str) -> Vec<&'a str> {
    let words = ["train", "--out", out, "--threads", threads, "--shape", SHAPE];
    [&words[..], &NUMBERS.words()[..], &RATE.words()[..]].concat()
}

fn make_data(folder: &Folder) {
    for games in ["data.games --seed 1 --positions 1500", "held.games --seed 2 --positions 200"] {
        folder.succeed(&format!("selfplay --nodes 30 --table 1 --out {games}"));
    }
}

#[cfg(unix)]
#[test]
fn a_training_gone_on_with_ends_as_one_without_a_stop() {
    let folder = Folder::new();
    make_data(&folder);
    let said = folder.succeed(&small("whole", "1"));
    assert!(said.contains("best network (whole/nn.bin)"), "{said}");

    let mut command = folder.lab(&small("parts", "2"));
    let child = command.stderr(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    wait_until("no look at the held-out records", || folder.join("parts/curve.jsonl").exists());
    let busy = while_stopped(&child, || {
        let busy = folder.fail("resume parts");
        interrupt(&child);
        busy
    });
    assert!(busy.contains("another process trains here"), "{busy}");
    let stopped = child.wait_with_output().unwrap();
    assert_eq!(stopped.status.code(), Some(130));
    let said = String::from_utf8_lossy(&stopped.stdout).into_owned();
    assert!(said.ends_with("interrupted; go on with: kiki-lab resume parts\n"), "{said}");
    let note = folder.text("parts/training.json");
    assert!(note.contains("\"ended\": false"), "{note}");
    // As if it had been killed between its last note and its last checkpoint.
    let positions = folder.value("whole/training.json")["result"]["positions"].to_string();
    let at = folder.value("parts/training.json")["result"]["positions"].to_string();
    let last = note.replace("\"ended\": false", "\"ended\": true");
    folder.write("parts/training.json", last.replace(&format!("\"positions\": {at}"), &format!("\"positions\": {positions}")));

    // A training can be resumed from another folder.
    succeed("resume .", &folder.join("parts"));
    for file in ["nn.bin", "curve.jsonl", "checkpoint.bin", "curves.svg"] {
        let of = |training: &str| folder.bytes(format!("{training}/{file}"));
        assert!(of("whole") == of("parts"), "{file}");
    }
    let (whole, parts) = (folder.value("whole/training.json"), folder.value("parts/training.json"));
    for key in ["best", "ended", "positions"] {
        assert_eq!(whole["result"][key], parts["result"][key], "{key}");
    }
    assert_eq!(parts["result"]["ended"], true);

    let train = |start: &str, out: &str, shape: &str| {
        let numbers = "--data held.games --held-out data.games --batch 256 --positions 512".words();
        folder.run(&[&["train", "--start", start, "--out", out, "--shape", shape], &numbers[..]].concat())
    };
    for (start, out) in [("whole", "next"), ("whole/nn.bin", "of-file")] {
        assert_eq!(train(start, out, SHAPE).0, Some(0), "{start}");
    }
    let of_file_note = folder.value("of-file/training.json");
    assert!(of_file_note["start"]["file"].as_str().is_some_and(|file| file.ends_with("whole/nn.bin")), "{of_file_note}");
    // The checkpoint has learned from all positions, the network file from those up to the best.
    let positions = [&whole["result"], &whole["result"]["best"]].map(|part| &part["positions"]);
    assert_ne!(positions[0], positions[1]);
    for (after, positions) in [&folder.value("next/training.json"), &of_file_note].into_iter().zip(positions) {
        let before = &after["ancestors"][0];
        assert_eq!(&before["positions"], positions, "{after}");
        assert_eq!((&before["data"], &before["blake3"]), (&whole["data"], &whole["result"]["best"]["blake3"]));
    }
    for start in ["whole", "whole/nn.bin"] {
        let (status, _, refused) = train(start, "other", "HalfKP 16x2-8-8");
        assert!(status != Some(0) && refused.contains(SHAPE), "{refused}");
    }

    folder.write("data.games", [0; 4000]);
    let changed = folder.fail("resume parts");
    assert!(changed.contains("data.games has changed"), "{changed}");
}

#[test]
fn a_network_with_stacks_is_learned_and_used() {
    let folder = Folder::new();
    make_data(&folder);
    let files = "train --data data.games --held-out held.games";
    let shape = "--shape SFNN_halfkahm2_64_7_8_k3k3 --weight-decay 0.01 --tail 0.25";
    let numbers = "--batch 256 --positions 5120 --evaluate-every 2560";
    folder.succeed(&format!("{files} --out stacks {shape} {numbers}"));
    assert_eq!(folder.value("stacks/training.json")["settings"]["shape"], "SFNN_halfkahm2_64_7_8_k3k3");
    let curve = folder.text("stacks/curve.jsonl");
    let losses: Vec<f64> = curve
        .lines()
        .map(|point| serde_json::from_str::<Value>(point).unwrap()["training_loss"].as_f64().unwrap())
        .collect();
    assert!(losses.len() == 2 && losses[1] < losses[0], "{losses:?}");
    let games = "selfplay --out by-stacks.games --positions 50 --nodes 20 --table 1 --seed 3";
    folder.succeed(&format!("{games} --network stacks/nn.bin"));
    let refused = folder.fail(&format!("{files} --out other --shape SFNN_halfkahm2_64_7_8_progress2"));
    assert!(refused.contains("stacks by progress"), "{refused}");
}

#[test]
fn what_is_wrong_with_a_training_is_said() {
    let folder = Folder::new();
    make_data(&folder);
    folder.write("torn.psv", [0; 100]);
    folder.write("zeros.psv", [0; 4000]);
    folder.write("empty.psv", "");
    let mut damaged = folder.bytes("data.games");
    damaged.iter_mut().last().into_iter().for_each(|byte| *byte ^= 1);
    folder.write("damaged.games", damaged);
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
        let said = folder.fail(&[&["train", "--out", &out], arguments].concat());
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
}

//! Training data: the program makes, continues, checks, counts, shuffles and merges it.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::laboratory::{interrupt, run, succeed, wait_until};

/// Fast games: few nodes, and short.
const GAMES: [&str; 11] =
    ["--nodes", "40", "--max-plies", "60", "--max-random-plies", "8", "--table", "1", "--seed", "7", "--threads=2"];

/// Runs a command that has to fail; returns all that it says.
fn fail(arguments: &[&str], folder: &Path) -> String {
    let (status, said, errors) = run(arguments, folder);
    assert_ne!(status, Some(0), "{arguments:?}");
    errors + &said
}

/// Makes a file with at least this number of positions.
fn make(folder: &Path, file: &str, positions: &str) {
    succeed(&[&["selfplay", "--out", file, "--positions", positions], &GAMES[..]].concat(), folder);
}

fn note(folder: &Path, file: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.join(format!("{file}.json"))).unwrap()).unwrap()
}

/// The records of a file, in a fixed order.
fn sorted(folder: &Path, file: &str) -> Vec<[u8; 40]> {
    let mut records = fs::read(folder.join(file)).unwrap().as_chunks().0.to_vec();
    records.sort_unstable();
    records
}

#[test]
fn a_file_gone_on_with_is_the_file_made_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    make(folder.path(), "once.psv", "400");
    make(folder.path(), "part.psv", "150");
    assert_ne!(fs::read(at("part.psv")).unwrap(), fs::read(at("once.psv")).unwrap());
    // A kill in the middle of a game's records: some bytes of them, and of its entry.
    let torn = |name: &str| {
        let mut bytes = fs::read(at(name)).unwrap();
        bytes.extend([1; 13]);
        fs::write(at(name), bytes).unwrap();
    };
    torn("part.psv");
    torn("part.psv.games");
    succeed(&["resume", "part.psv", "--positions", "400", "--threads", "1"], folder.path());
    assert_eq!(fs::read(at("part.psv")).unwrap(), fs::read(at("once.psv")).unwrap());
    assert_eq!(fs::read(at("part.psv.games")).unwrap(), fs::read(at("once.psv.games")).unwrap());
    assert_eq!(note(folder.path(), "part.psv"), note(folder.path(), "once.psv"));
    let note = note(folder.path(), "once.psv");
    assert_eq!((&note["complete"], note["positions"].as_u64() >= Some(400)), (&Value::Bool(true), true));
    assert!(fail(&["selfplay", "--out", "once.psv"], folder.path()).contains("kiki-lab resume"));
}

#[test]
fn a_file_is_checked_against_its_note_and_record_by_record() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), "data.psv", "100");
    let said = succeed(&["data", "check", "data.psv"], folder.path());
    assert!(said.contains("the sum agrees with the note"), "{said}");
    let mut bytes = fs::read(folder.path().join("data.psv")).unwrap();
    bytes[40 + 38] = 5;
    fs::write(folder.path().join("data.psv"), &bytes).unwrap();
    let said = fail(&["data", "check", "data.psv"], folder.path());
    assert!(said.contains("data.psv, record 1 (from byte 40): the result 5 is not one of"), "{said}");
    assert!(said.contains("1 records are wrong") && said.contains("DIFFERS"), "{said}");
    fs::write(folder.path().join("torn.psv"), &bytes[..100]).unwrap();
    assert!(fail(&["data", "check", "torn.psv"], folder.path()).contains("20 bytes follow the last whole record"));
}

#[test]
fn what_are_no_records_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), "data.psv", "100");
    let mut bytes = fs::read(folder.path().join("data.psv")).unwrap();
    let random: Vec<u8> = (0_u32..4000).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    fs::write(folder.path().join("random.psv"), random).unwrap();
    // A move from an empty square.
    bytes[3 * 40 + 34..3 * 40 + 36].fill(0);
    fs::write(folder.path().join("wrong.psv"), bytes).unwrap();
    for (file, place) in
        [("random.psv", "random.psv, record 0 (from byte 0): "), ("wrong.psv", "wrong.psv, record 3 (from byte 120): ")]
    {
        for command in [
            &["stats"][..],
            &["stats", "--json"],
            &["shuffle", "--out", "o"],
            &["merge", "--out", "o"],
            &["returns", "--out", "o"],
        ] {
            let said = fail(&[&["data"], command, &[file]].concat(), folder.path());
            assert!(said.contains(place) && said.lines().count() == 1, "{command:?}: {said}");
            assert!(!folder.path().join("o").exists());
        }
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_tells_how_to_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [&["selfplay", "--out", "a file.psv", "--positions", "100000000"], &GAMES[..]].concat();
    let child = Command::new(env!("CARGO_BIN_EXE_kiki-lab"))
        .args(arguments)
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let games = || fs::metadata(folder.path().join("a file.psv.games")).is_ok_and(|file| file.len() > 0);
    wait_until("no game was written", games);
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.ends_with("interrupted; go on with: kiki-lab resume 'a file.psv'\n"), "{said}");
}

#[test]
fn counts_are_those_of_the_note() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), "data.psv", "200");
    let counts: Value =
        serde_json::from_str(&succeed(&["data", "stats", "--json", "data.psv"], folder.path())).unwrap();
    let sum = |counts: &Value| ["wins", "draws", "losses"].map(|key| counts[key].as_u64().unwrap()).iter().sum::<u64>();
    assert_eq!(Some(sum(&counts["all"])), note(folder.path(), "data.psv")["positions"].as_u64());
    for key in ["by_score", "by_ply"] {
        assert_eq!(counts[key].as_object().unwrap().values().map(sum).sum::<u64>(), sum(&counts["all"]));
    }
    assert!(succeed(&["data", "stats", "data.psv"], folder.path()).contains("Black to move"));
}

#[test]
fn a_shuffle_keeps_all_records_and_follows_from_its_seed() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), "data.psv", "300");
    let shuffle = |out: &str, seed: &str| {
        succeed(&["data", "shuffle", "data.psv", "--out", out, "--seed", seed], folder.path());
        fs::read(folder.path().join(out)).unwrap()
    };
    let one = shuffle("one.psv", "1");
    assert_eq!(one, shuffle("again.psv", "1"));
    assert_ne!(one, shuffle("two.psv", "2"));
    assert_ne!(one, fs::read(folder.path().join("data.psv")).unwrap());
    assert_eq!(sorted(folder.path(), "one.psv"), sorted(folder.path(), "data.psv"));
    assert!(succeed(&["data", "check", "one.psv"], folder.path()).contains("agrees"));
    assert!(fail(&["data", "shuffle", "data.psv", "--out", "one.psv"], folder.path()).contains("exists already"));
}

/// More records than fit into the memory allowed: they are divided among several temporary files.
#[test]
fn a_merge_leaves_out_duplicates_in_bounded_memory() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), "data.psv", "100");
    let records = fs::read(folder.path().join("data.psv")).unwrap();
    let many = records.repeat(1 + 20_000 * 40 / records.len());
    fs::write(folder.path().join("many.psv"), &many).unwrap();
    succeed(&["data", "merge", "many.psv", "data.psv", "--out", "merged.psv", "--memory", "1"], folder.path());
    let note = note(folder.path(), "merged.psv");
    assert!(note["parts"].as_u64() > Some(1), "{note}");
    let merged = sorted(folder.path(), "merged.psv");
    let distinct = |records: &[[u8; 40]]| {
        records.iter().map(|record| (record[..32].to_vec(), record[34..36].to_vec())).collect::<HashSet<_>>()
    };
    assert_eq!(merged.len(), distinct(&merged).len());
    assert_eq!(distinct(&merged), distinct(records.as_chunks().0));
    let total = (many.len() + records.len()) as u64 / 40;
    assert_eq!(note["duplicates"].as_u64().unwrap() + note["positions"].as_u64().unwrap(), total);
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 6, "nothing temporary stays: {left:?}");
}

#[test]
fn scores_are_mixed_with_what_came_later() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), "games.psv", "300");
    let scores = |file: &str| -> Vec<(i16, i8)> {
        let bytes = fs::read(folder.path().join(file)).unwrap();
        let (records, _) = bytes.as_chunks::<40>();
        records.iter().map(|bytes| (i16::from_le_bytes([bytes[32], bytes[33]]), bytes[38].cast_signed())).collect()
    };
    let returns = |out: &str, own: &str, decay: &str| {
        succeed(
            &["data", "returns", "games.psv", "--out", out, "--own", own, "--decay", decay, "--score-scale", "600"],
            folder.path(),
        );
        succeed(&["data", "check", out], folder.path());
        scores(out)
    };
    let before = scores("games.psv");
    let scores_alone = returns("own.psv", "1", "0.9");
    assert_eq!(scores_alone.len(), before.len());
    assert!(
        scores_alone
            .iter()
            .zip(&before)
            .all(|(after, before)| after.0.abs_diff(before.0) <= 1 || before.0.abs() > 8_000)
    );
    let results_alone = returns("result.psv", "0", "1");
    assert!(results_alone.iter().all(|&(score, result)| score == 32_000 * i16::from(result)));
    let mixed = returns("mixed.psv", "0.5", "0.95");
    assert!(
        mixed.iter().zip(&before).filter(|(after, before)| after.0.abs_diff(before.0) > 10).count() > before.len() / 2
    );
    let (made, mixed) = (note(folder.path(), "games.psv"), note(folder.path(), "mixed.psv"));
    assert_eq!(made["games"], mixed["games"]);
    assert_eq!(mixed["sources"][0]["blake3"], made["blake3"]);

    succeed(&["data", "shuffle", "games.psv", "--out", "shuffled.psv"], folder.path());
    let error = fail(&["data", "returns", "shuffled.psv", "--out", "none.psv"], folder.path());
    assert!(error.contains("not in the order of their games"), "{error}");
    assert!(!folder.path().join("none.psv").exists());
    assert!(fail(&["data", "returns", "games.psv", "--out", "own.psv"], folder.path()).contains("exists already"));
    let error = fail(&["data", "returns", "games.psv", "--out", "none.psv", "--own", "1.5"], folder.path());
    assert!(error.contains("0 to 1"), "{error}");
}

//! Training data: the program makes, continues, checks, counts, converts, shuffles and merges it.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::laboratory::{fail, interrupt, run, succeed, wait_until};

/// Fast games: few nodes, and short.
const GAMES: [&str; 11] =
    ["--nodes", "40", "--max-plies", "60", "--max-random-plies", "8", "--table", "1", "--seed", "7", "--threads=2"];

/// Makes a file with at least this number of positions. Returns what the program says.
fn make(folder: &Path, file: &str, positions: &str) -> String {
    succeed(&[&["selfplay", "--out", file, "--positions", positions], &GAMES[..]].concat(), folder)
}

/// Makes a file of records with at least this number of positions.
fn make_records(folder: &Path, file: &str, positions: &str) {
    make(folder, "made.games", positions);
    succeed(&["data", "convert", "made.games", "--out", file], folder);
    fs::remove_file(folder.join("made.games")).unwrap();
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
    // Without the note, which says how many positions were asked for at first.
    let games = |name: &str| {
        let bytes = fs::read(at(name)).unwrap();
        let first = bytes.windows(4).position(|bytes| bytes == b"GAME").unwrap();
        bytes[first..].to_vec()
    };
    let said = make(folder.path(), "once.games", "400");
    assert!(said.starts_with("once.games: 4"), "{said}");
    make(folder.path(), "part.games", "150");
    assert!(games("part.games").len() < games("once.games").len());
    // A kill in the middle of a block.
    let mut torn = fs::read(at("part.games")).unwrap();
    torn.extend(b"GAME\x40\0\0\0");
    fs::write(at("part.games"), torn).unwrap();
    let said = succeed(&["data", "check", "part.games"], folder.path());
    assert!(said.contains("its last 8 bytes are no whole block"), "{said}");
    succeed(&["resume", "part.games", "--positions", "400", "--threads", "1"], folder.path());
    assert!(games("part.games") == games("once.games"));
    assert!(fail(&["selfplay", "--out", "once.games"], folder.path()).contains("kiki-lab resume"));
    // Nobody can write there, whoever runs the test.
    if cfg!(target_os = "linux") {
        let refused = fail(&["selfplay", "--out", "/proc/new.games"], folder.path());
        assert!(!refused.contains("resume") && refused.lines().count() == 1, "{refused}");
    }
    assert!(fail(&["selfplay", "--out", "games.psv"], folder.path()).contains("kiki-lab data convert"));
}

#[test]
fn games_become_records_and_records_games_without_loss() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    make(folder, "made.games", "400");
    for (from, to) in [("made.games", "one.psv"), ("one.psv", "again.games"), ("again.games", "two.psv")] {
        succeed(&["data", "convert", from, "--out", to], folder);
        assert!(succeed(&["data", "check", to], folder).contains("agree"));
    }
    let read = |name: &str| fs::read(folder.join(name)).unwrap();
    assert!(!read("one.psv").is_empty() && read("one.psv") == read("two.psv"));
    // Records do not hold the plies between them, but most can be found.
    assert!(read("made.games").len() < read("again.games").len() && read("again.games").len() < read("one.psv").len() / 2);
    let counts = |file: &str| succeed(&["data", "stats", "--json", file], folder);
    assert_eq!(counts("made.games"), counts("two.psv"));
    assert!(fail(&["data", "convert", "one.psv", "--out", "two.psv"], folder).contains("exists already"));
    assert!(fail(&["data", "convert", "one.psv", "--out", "made.games"], folder).contains("exists already"));
}

#[test]
fn a_file_of_records_is_checked_against_its_note_and_record_by_record() {
    let folder = tempfile::tempdir().unwrap();
    make_records(folder.path(), "data.psv", "100");
    let said = succeed(&["data", "check", "data.psv"], folder.path());
    assert!(said.contains("the sum agrees with the note"), "{said}");
    let mut bytes = fs::read(folder.path().join("data.psv")).unwrap();
    bytes[40 + 38] = 5;
    fs::write(folder.path().join("data.psv"), &bytes).unwrap();
    let (status, said, _) = run(&["data", "check", "data.psv"], folder.path());
    assert!(status == Some(1) && said.contains("data.psv, record 1 (from byte 40): the result 5 is not one of"), "{said}");
    assert!(said.contains("1 records are wrong") && said.contains("DIFFERS"), "{said}");
    fs::write(folder.path().join("torn.psv"), &bytes[..100]).unwrap();
    assert!(fail(&["data", "check", "torn.psv"], folder.path()).contains("20 bytes follow the last whole record"));
}

#[test]
fn what_are_no_records_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    make_records(folder.path(), "data.psv", "100");
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
            &["convert", "--out", "o"],
            &["convert", "--out", "o.psv"],
        ] {
            let said = fail(&[&["data"], command, &[file]].concat(), folder.path());
            assert!(said.contains(place) && said.lines().count() == 1, "{command:?}: {said}");
            assert!(!folder.path().join("o").exists() && !folder.path().join("o.psv").exists());
        }
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_tells_how_to_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [&["selfplay", "--out", "a file", "--positions", "100000000"], &GAMES[..]].concat();
    let child = Command::new(env!("CARGO_BIN_EXE_kiki-lab"))
        .args(arguments)
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("no file was made", || folder.path().join("a file").exists());
    // It listens for an interruption as soon as it plays.
    std::thread::sleep(std::time::Duration::from_secs(1));
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.ends_with("interrupted; go on with: kiki-lab resume 'a file'\n"), "{said}");
    assert!(succeed(&["data", "check", "a file"], folder.path()).contains("all blocks agree"));
}

#[test]
fn counts_are_those_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let said = make(folder.path(), "data.games", "200");
    let counts: Value =
        serde_json::from_str(&succeed(&["data", "stats", "--json", "data.games"], folder.path())).unwrap();
    let sum = |counts: &Value| ["wins", "draws", "losses"].map(|key| counts[key].as_u64().unwrap()).iter().sum::<u64>();
    let all = sum(&counts["all"]);
    assert!(said.starts_with(&format!("data.games: {all} positions of ")), "{said}, not {all}");
    for key in ["by_score", "by_ply"] {
        assert_eq!(counts[key].as_object().unwrap().values().map(sum).sum::<u64>(), all);
    }
    assert!(succeed(&["data", "stats", "data.games"], folder.path()).contains("Black to move"));
}

#[test]
fn a_shuffle_keeps_all_records_and_follows_from_its_seed() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), "data.games", "300");
    succeed(&["data", "convert", "data.games", "--out", "data.psv"], folder.path());
    let shuffle = |out: &str, seed: &str| {
        succeed(&["data", "shuffle", "data.games", "--out", out, "--seed", seed], folder.path());
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
    make_records(folder.path(), "data.psv", "100");
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
    assert_eq!(left.len(), 5, "nothing temporary stays: {left:?}");
}

#[test]
fn scores_are_mixed_with_what_came_later() {
    let folder = tempfile::tempdir().unwrap();
    let said = make(folder.path(), "data.games", "300");
    succeed(&["data", "convert", "data.games", "--out", "data.psv"], folder.path());
    let scores = |file: &str| -> Vec<(i16, i8)> {
        let bytes = fs::read(folder.path().join(file)).unwrap();
        let (records, _) = bytes.as_chunks::<40>();
        records.iter().map(|bytes| (i16::from_le_bytes([bytes[32], bytes[33]]), bytes[38].cast_signed())).collect()
    };
    let before = scores("data.psv");
    succeed(&["data", "returns", "data.games", "--out", "result.psv", "--own", "0", "--decay", "1"], folder.path());
    let results = scores("result.psv");
    assert_eq!(results.len(), before.len());
    assert!(results.iter().all(|&(score, result)| score == 32_000 * i16::from(result)));
    // The file of games says that 1000 is its scale.
    for (out, options, scale) in [("own.psv", &[][..], 1000), ("600.psv", &["--score-scale", "600"], 600)] {
        let words = ["data", "returns", "data.games", "--own", "1", "--out", out];
        succeed(&[&words, options].concat(), folder.path());
        assert!(succeed(&["data", "check", out], folder.path()).contains("agrees"));
        let similar = |(after, before): (&(i16, i8), &(i16, i8))| {
            (i32::from(after.0) - i32::from(before.0) * 600 / scale).abs() <= 1 || before.0.abs() > 8_000
        };
        let after = scores(out);
        assert_eq!(after.len(), before.len());
        assert!(after.iter().zip(&before).all(similar));
    }
    let games = note(folder.path(), "own.psv")["games"].as_u64().unwrap();
    assert!(said.contains(&format!(" positions of {games} games")), "{said}, not {games}");

    succeed(&["data", "shuffle", "data.games", "--out", "shuffled.psv"], folder.path());
    let error = fail(&["data", "returns", "shuffled.psv", "--out", "none.psv"], folder.path());
    assert!(error.contains("not in the order of their games"), "{error}");
    assert!(!folder.path().join("none.psv").exists());
    assert!(fail(&["data", "returns", "data.games", "--out", "own.psv"], folder.path()).contains("exists already"));
    let error = fail(&["data", "returns", "data.games", "--out", "none.psv", "--own", "1.5"], folder.path());
    assert!(error.contains("0 to 1"), "{error}");
}

//! Training data: the program makes, continues, checks, counts, converts, shuffles and merges it.

use std::collections::HashSet;
use std::fs;

use serde_json::Value;

use crate::laboratory::{Arguments as _, Folder, interrupted};

/// Fast games: few nodes, and short.
const GAMES: &str = "--nodes 40 --max-plies 60 --max-random-plies 8 --table 1 --seed 7 --threads 2";

/// Makes a file with at least this number of positions. Returns what the program says.
fn make(folder: &Folder, file: &str, positions: u32) -> String {
    folder.succeed(&format!("selfplay --out {file} --positions {positions} {GAMES}"))
}

/// Makes a file of records with at least this number of positions.
fn make_records(folder: &Folder, file: &str, positions: u32) {
    make(folder, "made.games", positions);
    folder.succeed(&format!("data convert made.games --out {file}"));
    fs::remove_file(folder.join("made.games")).unwrap();
}

fn note(folder: &Folder, file: &str) -> Value {
    folder.value(format!("{file}.json"))
}

/// The records of a file, in a fixed order.
fn sorted(folder: &Folder, file: &str) -> Vec<[u8; 40]> {
    let mut records = folder.bytes(file).as_chunks().0.to_vec();
    records.sort_unstable();
    records
}

#[test]
fn a_file_gone_on_with_is_the_file_made_at_once() {
    let folder = Folder::new();
    // Without the note, which says how many positions were asked for at first.
    let games = |name: &str| {
        let bytes = folder.bytes(name);
        let first = bytes.windows(4).position(|bytes| bytes == b"GAME").unwrap();
        bytes[first..].to_vec()
    };
    let said = make(&folder, "once.games", 400);
    assert!(said.starts_with("once.games: 4"), "{said}");
    make(&folder, "part.games", 150);
    assert!(games("part.games").len() < games("once.games").len());
    // A kill in the middle of a block.
    let mut torn = folder.bytes("part.games");
    torn.extend(b"GAME\x40\0\0\0");
    folder.write("part.games", torn);
    let said = folder.succeed("data check part.games");
    assert!(said.contains("its last 8 bytes are no whole block"), "{said}");
    folder.succeed("resume part.games --positions 400 --threads 1");
    assert!(games("part.games") == games("once.games"));
    assert!(folder.fail("selfplay --out once.games").contains("kiki-lab resume"));
    assert!(folder.fail("selfplay --out records.PSV").contains("games are no PSV records"));
    // Nobody can write there, whoever runs the test.
    if cfg!(target_os = "linux") {
        let refused = folder.fail("selfplay --out /proc/new.games");
        assert!(!refused.contains("resume") && refused.lines().count() == 1, "{refused}");
    }
    assert!(folder.fail("selfplay --out games.psv").contains("kiki-lab data convert"));
}

#[test]
fn games_become_records_and_records_games_without_loss() {
    let folder = Folder::new();
    make(&folder, "made.games", 400);
    for (from, to) in [("made.games", "one.psv"), ("one.psv", "again.games"), ("again.games", "two.psv")] {
        folder.succeed(&format!("data convert {from} --out {to}"));
        assert!(folder.succeed(&format!("data check {to}")).contains("agree"));
    }
    let read = |name: &str| folder.bytes(name);
    assert!(!read("one.psv").is_empty() && read("one.psv") == read("two.psv"));
    // Records do not hold the plies between them, but most can be found.
    assert!(
        read("made.games").len() < read("again.games").len() && read("again.games").len() < read("one.psv").len() / 2
    );
    let counts = |file: &str| folder.json(&format!("data stats {file}"));
    assert_eq!(counts("made.games"), counts("two.psv"));
    assert!(folder.fail("data convert one.psv --out two.psv").contains("exists already"));
    assert!(folder.fail("data convert one.psv --out made.games").contains("exists already"));
}

#[test]
fn a_file_of_records_is_checked_against_its_note_and_record_by_record() {
    let folder = Folder::new();
    make_records(&folder, "data.psv", 100);
    let said = folder.succeed("data check data.psv");
    assert!(said.contains("the sum agrees with the note"), "{said}");
    let mut bytes = folder.bytes("data.psv");
    bytes[40 + 38] = 5;
    folder.write("data.psv", &bytes);
    let (status, said, _) = folder.run("data check data.psv");
    assert!(
        status == Some(1) && said.contains("data.psv, record 1 (from byte 40): the result 5 is not one of"),
        "{said}"
    );
    assert!(said.contains("1 records are wrong") && said.contains("DIFFERS"), "{said}");
    folder.write("torn.psv", &bytes[..100]);
    assert!(folder.fail("data check torn.psv").contains("20 bytes follow the last whole record"));
}

#[test]
fn what_are_no_records_is_refused_with_its_place() {
    let folder = Folder::new();
    make_records(&folder, "data.psv", 100);
    let mut bytes = folder.bytes("data.psv");
    let random: Vec<u8> = (0_u32..4000).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    folder.write("random.psv", random);
    // A move from an empty square.
    bytes[3 * 40 + 34..3 * 40 + 36].fill(0);
    folder.write("wrong.psv", bytes);
    for (file, place) in
        [("random.psv", "random.psv, record 0 (from byte 0): "), ("wrong.psv", "wrong.psv, record 3 (from byte 120): ")]
    {
        let writing = ["shuffle --out o", "merge --out o", "returns --out o", "convert --out o", "convert --out o.psv"];
        for command in ["stats", "stats --json"].into_iter().chain(writing) {
            let said = folder.fail(&format!("data {command} {file}"));
            assert!(said.contains(place) && said.lines().count() == 1, "{command}: {said}");
            assert!(!folder.join("o").exists() && !folder.join("o.psv").exists());
        }
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_tells_how_to_go_on() {
    let folder = Folder::new();
    let arguments = [&["selfplay", "--out", "a file", "--positions", "100000000"], &GAMES.words()[..]].concat();
    // It listens for an interruption as soon as it plays.
    let plays = || {
        let is_made = folder.join("a file").exists();
        std::thread::sleep(std::time::Duration::from_secs(1));
        is_made
    };
    let output = interrupted(&mut folder.lab(&arguments), "no file was made", plays);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.ends_with("interrupted; go on with: kiki-lab resume 'a file'\n"), "{said}");
    // A number that the file does not keep is told again.
    let words = ["resume", "a file", "--positions", "200000000", "--threads", "1"];
    let said = String::from_utf8(interrupted(&mut folder.lab(&words), "no file was made", plays).stdout).unwrap();
    assert!(said.ends_with("kiki-lab resume 'a file' --positions 200000000\n"), "{said}");
    assert!(folder.succeed(&["data", "check", "a file"]).contains("all blocks agree"));
}

#[test]
fn counts_are_those_of_the_file() {
    let folder = Folder::new();
    let said = make(&folder, "data.games", 200);
    let counts = folder.json("data stats data.games");
    let sum = |counts: &Value| ["wins", "draws", "losses"].map(|key| counts[key].as_u64().unwrap()).iter().sum::<u64>();
    let all = sum(&counts["all"]);
    assert!(said.starts_with(&format!("data.games: {all} positions of ")), "{said}, not {all}");
    for key in ["by_score", "by_ply"] {
        assert_eq!(counts[key].as_object().unwrap().values().map(sum).sum::<u64>(), all);
    }
    assert!(folder.succeed("data stats data.games").contains("Black to move"));
}

#[test]
fn a_shuffle_keeps_all_records_and_follows_from_its_seed() {
    let folder = Folder::new();
    make(&folder, "data.games", 300);
    folder.succeed("data convert data.games --out data.psv");
    let shuffle = |out: &str, seed: u64| {
        folder.succeed(&format!("data shuffle data.games --out {out} --seed {seed}"));
        folder.bytes(out)
    };
    let one = shuffle("one.psv", 1);
    assert_eq!(one, shuffle("again.psv", 1));
    assert_ne!(one, shuffle("two.psv", 2));
    assert_ne!(one, folder.bytes("data.psv"));
    assert_eq!(sorted(&folder, "one.psv"), sorted(&folder, "data.psv"));
    assert!(folder.succeed("data check one.psv").contains("agrees"));
    assert!(folder.fail("data shuffle data.psv --out one.psv").contains("exists already"));
}

/// More records than fit into the memory allowed: they are divided among several temporary files.
#[test]
fn a_merge_leaves_out_duplicates_in_bounded_memory() {
    let folder = Folder::new();
    make_records(&folder, "data.psv", 100);
    let records = folder.bytes("data.psv");
    let many = records.repeat(1 + 20_000 * 40 / records.len());
    folder.write("many.psv", &many);
    folder.succeed("data merge many.psv data.psv --out merged.psv --memory 1");
    let note = note(&folder, "merged.psv");
    assert!(note["parts"].as_u64() > Some(1), "{note}");
    let merged = sorted(&folder, "merged.psv");
    let distinct = |records: &[[u8; 40]]| {
        records.iter().map(|record| (record[..32].to_vec(), record[34..36].to_vec())).collect::<HashSet<_>>()
    };
    assert_eq!(merged.len(), distinct(&merged).len());
    assert_eq!(distinct(&merged), distinct(records.as_chunks().0));
    let total = (many.len() + records.len()) as u64 / 40;
    assert_eq!(note["duplicates"].as_u64().unwrap() + note["positions"].as_u64().unwrap(), total);
    let left: Vec<_> = fs::read_dir(&*folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 5, "nothing temporary stays: {left:?}");
}

#[test]
fn scores_are_mixed_with_what_came_later() {
    let folder = Folder::new();
    let said = make(&folder, "data.games", 300);
    folder.succeed("data convert data.games --out data.psv");
    let scores = |file: &str| -> Vec<(i16, i8)> {
        let bytes = folder.bytes(file);
        let (records, _) = bytes.as_chunks::<40>();
        records.iter().map(|bytes| (i16::from_le_bytes([bytes[32], bytes[33]]), bytes[38].cast_signed())).collect()
    };
    let before = scores("data.psv");
    folder.succeed("data returns data.games --out result.psv --own 0 --decay 1");
    let results = scores("result.psv");
    assert_eq!(results.len(), before.len());
    assert!(results.iter().all(|&(score, result)| score == 32_000 * i16::from(result)));
    // The file of games says that 1000 is its scale.
    for (out, options, scale) in [("own.psv", "", 1000), ("600.psv", "--score-scale 600", 600)] {
        folder.succeed(&format!("data returns data.games --own 1 --out {out} {options}"));
        assert!(folder.succeed(&format!("data check {out}")).contains("agrees"));
        let similar = |(after, before): (&(i16, i8), &(i16, i8))| {
            (i32::from(after.0) - i32::from(before.0) * 600 / scale).abs() <= 1 || before.0.abs() > 8_000
        };
        let after = scores(out);
        assert_eq!(after.len(), before.len());
        assert!(after.iter().zip(&before).all(similar));
    }
    let games = note(&folder, "own.psv")["games"].as_u64().unwrap();
    assert!(said.contains(&format!(" positions of {games} games")), "{said}, not {games}");

    folder.succeed("data shuffle data.games --out shuffled.psv");
    let error = folder.fail("data returns shuffled.psv --out none.psv");
    assert!(error.contains("not in the order of their games"), "{error}");
    assert!(!folder.join("none.psv").exists());
    assert!(folder.fail("data returns data.games --out own.psv").contains("exists already"));
    let error = folder.fail("data returns data.games --out none.psv --own 1.5");
    assert!(error.contains("0 to 1"), "{error}");
}

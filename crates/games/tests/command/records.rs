//! Game records converted and counted by the program.

use std::fs;
use std::path::Path;

use crate::laboratory::{fail, run, succeed};
use serde_json::Value;

const CSA: &str =
    "N+alice\nN-bob\n$START_TIME:2026/01/31 09:30:00\nPI\n+\n+7776FU\nT3\n'** 35 -3334FU\n-3334FU\nT5\n%TORYO\n";
const KIF: &str = "手合割：平手\n開始日時：2025年12月1日\n先手：bob\n後手：carol\n手数----指手---------消費時間--\n   1 ２六歩(27)   ( 0:01/00:00:01)\n   2 投了\nまで1手で先手の勝ち\n";

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn a_record_goes_through_all_forms_and_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "a.csa", CSA);
    for (from, to) in [("a.csa", "kif"), ("a.kif", "jkf"), ("a.jkf", "ki2"), ("a.ki2", "usi")] {
        let output = format!("a.{to}");
        succeed(&["convert", from, "--to", to, "--output", &output], folder);
    }
    assert!(read(folder, "a.kif").contains("   1 ７六歩(77)   ( 0:03/00:00:03)\n**評価値=35\n**読み筋=△３４歩\n"));
    assert!(read(folder, "a.ki2").ends_with("▲７六歩\n**評価値=35\n**読み筋=△３４歩\n△３四歩\nまで2手で後手の勝ち\n"));
    succeed(&["convert", "a.ki2", "--to", "ki2", "--ki2-ranks", "digits", "--output", "digits.ki2"], folder);
    assert_eq!(read(folder, "digits.ki2"), read(folder, "a.ki2").replace("７六", "７６").replace("３四", "３４"));
    let said = fail(&["convert", "a.csa", "--to", "kif", "--ki2-ranks", "digits", "--output", "x.kif"], folder);
    assert!(said.contains("--ki2-ranks: only --to ki2 has it"), "{said}");
    assert_eq!(read(folder, "a.usi"), "startpos moves 7g7f 3c3d\n");
    succeed(&["convert", "a.jkf", "--to", "csa", "--output", "back.csa"], folder);
    assert_eq!(read(folder, "back.csa"), format!("V2.2\n{CSA}'*result white-wins resignation\n"));
    succeed(&["convert", "a.csa", "--to", "kif", "--encoding", "shift-jis", "--output", "old.kif"], folder);
    assert!(fs::read_to_string(folder.join("old.kif")).is_err(), "Shift_JIS is no UTF-8");
    succeed(&["convert", "old.kif", "--to", "kif", "--output", "new.kif"], folder);
    assert_eq!(read(folder, "new.kif"), read(folder, "a.kif"));
}

#[test]
fn letters_that_shift_jis_lacks_are_named_once() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "a.kif", &KIF.replace("carol", "☖한").replace("   2", "*〜한\n   2").repeat(2));
    let (status, _, said) =
        run(&["convert", "a.kif", "--to", "kif", "--encoding", "shift-jis", "--output", "b.kif"], folder);
    let expected = "kiki-lab: a.kif: kif does not hold: the letter 한 in Shift_JIS, written as &#54620;\n";
    assert_eq!((status, said.as_str()), (Some(0), expected));
    succeed(&["convert", "b.kif", "--to", "kif", "--output", "c.kif"], folder);
    let text = read(folder, "c.kif");
    assert!(text.contains("後手：△&#54620;\n") && text.contains("*～&#54620;\n"), "{text}");
}

#[test]
fn one_file_goes_to_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "a.csa", CSA);
    write(folder, "two.kif", &format!("{KIF}\n{KIF}"));
    for (input, to) in [("a.csa", "kif"), ("a.csa", "jkf"), ("two.kif", "ki2"), ("two.kif", "csa")] {
        succeed(&["convert", input, "--to", to, "--output", "out"], folder);
        let (status, said, errors) = run(&["convert", input, "--to", to], folder);
        assert_eq!(
            (status, said, errors.contains(" games of ")),
            (Some(0), read(folder, "out"), false),
            "{input} {to}"
        );
    }
    // Losses and unreadable input are reported apart from it, with the exit status of errors.
    let (status, said, errors) = run(&["convert", "a.csa", "--to", "usi"], folder);
    assert_eq!((status, said.as_str()), (Some(0), "startpos moves 7g7f 3c3d\n"));
    assert!(errors.contains("a.csa: usi does not hold: names of players"), "{errors}");
    write(folder, "half.csa", "PI\n+\n+7775FU\n/\nPI\n+\n+2726FU\n");
    let (status, said, errors) = run(&["convert", "half.csa", "--to", "usi"], folder);
    assert_eq!((status, said.as_str()), (Some(1), "startpos moves 2g2f\n"), "{errors}");
    for several in [&["a.csa", "two.kif"][..], &["."], &["two.kif", "--split"]] {
        let said = fail(&[&["convert", "--to", "csa"], several].concat(), folder);
        assert!(said.contains("--output: name a folder; only one file goes to standard output"), "{said}");
    }
}

#[test]
fn folders_are_converted_and_what_is_broken_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "in/a.csa", CSA);
    write(folder, "in/below/two.kif", &format!("{KIF}\n{KIF}"));
    write(folder, "in/below/broken.csa", "PI\n+\n+7775FU\n/\nPI\n+\n+2726FU\n");
    write(folder, "in/notes.txt", "no record");
    let said = fail(&["convert", "in", "--to", "usi", "--output", "out"], folder);
    assert!(said.contains("broken.csa: line 3: the move `+7775FU` is illegal in the position "), "{said}");
    assert!(said.contains("a.csa: usi does not hold: names of players, start time, times, scores, principal variations, who won, how the game ended\n"), "{said}");
    assert_eq!(read(folder, "out/a.usi"), "startpos moves 7g7f 3c3d\n");
    assert_eq!(read(folder, "out/below/two.usi"), "startpos moves 2g2f\nstartpos moves 2g2f\n");
    assert_eq!(read(folder, "out/below/broken.usi"), "startpos moves 2g2f\n");
    succeed(&["convert", "in/below/two.kif", "--to", "csa", "--split", "--output", "apart"], folder);
    assert!(read(folder, "apart/two-0002.csa").contains("V2.2\nN+bob\nN-carol\n"));
    succeed(&["convert", "in/below/two.kif", "--to", "csa3", "--output", "three/"], folder);
    let three = read(folder, "three/two.csa");
    assert!(
        three.starts_with("'CSA encoding=UTF-8\nV3.0\nN+bob\nN-carol\n") && three.contains("\n/\nN+bob\n"),
        "{three}"
    );
    let names = fs::read_dir(folder.join("out")).unwrap().count();
    assert_eq!(names, 2, "no temporary file is left");
}

#[test]
fn nothing_is_overwritten_by_mistake() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "in/a.csa", CSA);
    write(folder, "in/a.kif", KIF);
    let said = fail(&["convert", "in", "--to", "usi", "--output", "out"], folder);
    assert!(said.contains("a.usi too, as in/a.csa did: convert them apart"), "{said}");
    let said = fail(&["convert", "in/a.csa", "--to", "csa", "--output", "in/a.csa"], folder);
    assert!(said.contains("in/a.csa is an input: name another output"), "{said}");
    assert_eq!(read(folder, "in/a.csa"), CSA);
    for (arguments, expected) in [
        (vec!["convert", "nowhere", "--to", "csa", "--output", "x"], "nowhere: "),
        (vec!["convert", "in/a.csa", "--to", "jkf", "--encoding", "shift-jis", "--output", "x"], "JKF is always UTF-8"),
    ] {
        let said = fail(&arguments, folder);
        assert!(said.contains(expected), "{said}");
    }
    for below in ["one", "two"] {
        write(folder, &format!("{below}/b.kif"), KIF);
    }
    let said = fail(&["convert", "one/b.kif", "two/b.kif", "--to", "csa", "--output", "same"], folder);
    assert!(said.contains("two/b.kif: it would become same/b.csa too, as one/b.kif did"), "{said}");
    assert!(read(folder, "same/b.csa").contains("N+bob"));
    write(folder, "letter.txt", "Dear Sir");
    let said = fail(&["convert", "letter.txt", "--to", "csa", "--output", "x"], folder);
    assert!(said.contains("letter.txt: line 1: this is not a game record"), "{said}");
    write(folder, "broken.csa", "PI\n+\n+7775FU\n");
    let (status, said, errors) = run(&["convert", "broken.csa", "--to", "kif", "--output", "new/x.kif"], folder);
    assert_eq!((status, said.as_str()), (Some(1), "nothing was written: no game could be converted\n"), "{errors}");
    assert!(!folder.join("new").exists());
}

#[test]
fn one_input_that_cannot_be_read_does_not_stop_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "broken.csa", "PI\n+\n+7775FU\n");
    write(folder, "empty.csa", "");
    write(folder, "a.csa", CSA);
    fs::create_dir(folder.join("nothing")).unwrap();
    let expected = [
        "none.csa: No such file",
        "broken.csa: line 3: the move `+7775FU`",
        "empty.csa: ",
        "nothing: there are no game records in this folder",
    ];
    let inputs = ["none.csa", "broken.csa", "empty.csa", "nothing", "a.csa"];
    let said = fail(&[&["convert", "--to", "usi", "--output", "out"], &inputs[..]].concat(), folder);
    for part in expected {
        assert!(said.lines().any(|line| line.starts_with("kiki-lab: ") && line.contains(part)), "{part}\n{said}");
    }
    assert_eq!(read(folder, "out/a.usi"), "startpos moves 7g7f 3c3d\n");
    // Of two inputs one remains; the output is still a folder.
    fail(&["convert", "--to", "usi", "--output", "one", "none.csa", "a.csa"], folder);
    assert_eq!(read(folder, "one/a.usi"), "startpos moves 7g7f 3c3d\n");
    let (status, counted, said) = run(&[&["records", "stats", "--json"], &inputs[..]].concat(), folder);
    let counted: Value = serde_json::from_str(&counted).unwrap();
    assert_eq!((status, counted["games"].as_u64(), counted["broken_files"].as_u64()), (Some(1), Some(1), Some(2)));
    for part in expected {
        assert!(said.contains(part), "{part}\n{said}");
    }
}

/// Plays two short games into the folder `m`.
fn play_match(folder: &Path) {
    let mock = env!("CARGO_BIN_EXE_kiki-mock");
    let engines = ["a", "b"].map(|name| format!("name={name} cmd={mock} nodes=1"));
    let options = ["--games", "2", "--max-plies", "10", "--output", "m"];
    succeed(&[&["match", "--engine", &engines[0], "--engine", &engines[1]], &options[..]].concat(), folder);
}

#[test]
fn the_files_of_a_match_are_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    play_match(folder);
    for (to, output, file) in [
        ("csa", "m/csa/000001.csa", "m/csa/000001.csa"),
        ("usi", "m/openings.sfen", "m/openings.sfen"),
        ("csa", "m/games.jsonl", "m/games.jsonl"),
        ("csa", "m/csa/../match.json", "m/match.json"),
    ] {
        let before = read(folder, file);
        let said = fail(&["convert", "m", "--to", to, "--output", output], folder);
        assert!(said.contains(&format!("{output} is a file of a match: name another output")), "{said}");
        assert_eq!(read(folder, file), before);
    }
    // A file with the name of a record of the match.
    fs::write(folder.join("000001.csa"), CSA).unwrap();
    let said = fail(&["convert", "000001.csa", "--to", "csa", "--output", "m/csa"], folder);
    assert!(said.contains("m/csa/000001.csa is a file of a match"), "{said}");
    succeed(&["convert", "000001.csa", "--to", "csa", "--overwrite", "--output", "m/csa"], folder);
    assert!(read(folder, "m/csa/000001.csa").contains("N+alice"));
    // New files there overwrite nothing.
    succeed(&["convert", "m", "--to", "kif", "--split", "--output", "m/kif"], folder);
    assert!(folder.join("m/kif/m-0002.kif").exists());
}

#[test]
fn a_broken_line_of_a_journal_does_not_stop_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    play_match(folder);
    let journal = read(folder, "m/games.jsonl");
    let (first, second) = journal.split_once('\n').unwrap();
    let illegal = second.replacen("\"moves\":[\"", "\"moves\":[\"5i5a\",\"", 1);
    write(folder, "m/games.jsonl", &format!("{first}\nnonsense\n{illegal}{second}"));
    for (words, place, reads_moves) in [
        (&["records", "stats", "m", "--json"][..], "m: games.jsonl", true),
        (&["book", "make", "--from", "m", "--output", "all.db"], "m/games.jsonl", true),
        (&["rate", "m", "--json"], "m/games.jsonl", false),
        (&["convert", "m", "--to", "csa", "--output", "all.csa"], "m: games.jsonl", true),
    ] {
        let (status, said, errors) = run(words, folder);
        assert_eq!(status, Some(1), "{words:?}: {errors}");
        assert!(errors.contains(&format!("kiki-lab: {place}: line 2, column 2: expected")), "{words:?}: {errors}");
        let is_told = errors.contains(&format!("kiki-lab: {place}: line 3: game 2, move 1: `5i5a` is illegal\n"));
        assert_eq!(is_told, reads_moves, "{words:?}: {errors}");
        assert!(!said.is_empty() && !errors.contains("there are no"), "{words:?}: {said}{errors}");
    }
    assert_eq!(read(folder, "all.csa").matches("N+").count(), 2);
}

#[test]
fn a_collection_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "in/a.csa", CSA);
    write(folder, "in/b.kif", KIF);
    let text = succeed(&["records", "stats", "in", "--json"], folder);
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((found["games"].as_u64(), found["files"].as_u64()), (Some(2), Some(2)));
    assert_eq!(found["results"], serde_json::json!({ "black-wins": 1, "white-wins": 1 }));
    assert_eq!(found["endings"], serde_json::json!({ "resignation": 2 }));
    assert_eq!(found["plies"]["quartiles"], serde_json::json!([1.25, 1.5, 1.75]));
    assert_eq!(found["players"], serde_json::json!({ "alice": 1, "bob": 2, "carol": 1 }));
    assert_eq!((found["first_day"].as_str(), found["last_day"].as_str()), (Some("2025-12-01"), Some("2026-01-31")));
    let table = succeed(&["records", "stats", "in"], folder);
    assert!(table.contains("the side that moves first scores 50.0 % ± 50.0 % in 2 games"), "{table}");
    write(folder, "in/c.kif", "手数----指手--\n1 ７五歩(77)\n");
    let said = fail(&["records", "stats", "in"], folder);
    assert!(said.contains("c.kif: line 2: the move `７五歩"), "{said}");
}

#[test]
fn moves_are_told_in_both_notations() {
    let folder = tempfile::tempdir().unwrap();
    let moves = ["records", "move", "--sfen", "startpos moves 7g7f", "3c3d", "▲２二角成", "同銀"];
    assert_eq!(succeed(&moves, folder.path()), "△３４歩  3c3d\n▲２２角成  8h2b+\n△同銀  3a2b\n");
    let recaptured = ["records", "move", "--sfen", "4k4/9/9/9/9/5s3/9/6R2/4K4 b - 1", "３七飛", "△同銀"];
    assert_eq!(succeed(&recaptured, folder.path()), "▲３７飛  3h3g\n△同銀不成  4f3g\n");
    let said = fail(&["records", "move", "５八金"], folder.path());
    assert!(said.contains("`５八金` may be 4i5h (▲５８金右) or 6i5h (▲５８金左)"), "{said}");
}

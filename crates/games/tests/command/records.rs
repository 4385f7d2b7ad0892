//! Game records converted and counted by the program.

use std::fs;

use crate::laboratory::Folder;
use serde_json::Value;

const CSA: &str =
    "N+alice\nN-bob\n$START_TIME:2026/01/31 09:30:00\nPI\n+\n+7776FU\nT3\n'** 35 -3334FU\n-3334FU\nT5\n%TORYO\n";
const KIF: &str = "手合割：平手\n開始日時：2025年12月1日\n先手：bob\n後手：carol\n手数----指手---------消費時間--\n   1 ２六歩(27)   ( 0:01/00:00:01)\n   2 投了\nまで1手で先手の勝ち\n";

#[test]
fn a_record_goes_through_all_forms_and_comes_back() {
    let folder = Folder::new();
    folder.write("a.csa", CSA);
    for (from, to) in [("a.csa", "kif"), ("a.kif", "jkf"), ("a.jkf", "ki2"), ("a.ki2", "usi")] {
        folder.succeed(&format!("convert {from} --to {to} --output a.{to}"));
    }
    assert!(folder.text("a.kif").contains("   1 ７六歩(77)   ( 0:03/00:00:03)\n**評価値=35\n**読み筋=△３４歩\n"));
    assert!(folder.text("a.ki2").ends_with("▲７六歩\n**評価値=35\n**読み筋=△３４歩\n△３四歩\nまで2手で後手の勝ち\n"));
    folder.succeed("convert a.ki2 --to ki2 --ki2-ranks digits --output digits.ki2");
    assert_eq!(folder.text("digits.ki2"), folder.text("a.ki2").replace("７六", "７６").replace("３四", "３４"));
    let said = folder.fail("convert a.csa --to kif --ki2-ranks digits --output x.kif");
    assert!(said.contains("--ki2-ranks: only --to ki2 has it"), "{said}");
    assert_eq!(folder.text("a.usi"), "startpos moves 7g7f 3c3d\n");
    folder.succeed("convert a.jkf --to csa --output back.csa");
    assert_eq!(folder.text("back.csa"), format!("V2.2\n{CSA}'*result white-wins resignation\n"));
    folder.succeed("convert a.csa --to kif --encoding shift-jis --output old.kif");
    assert!(String::from_utf8(folder.bytes("old.kif")).is_err(), "Shift_JIS is no UTF-8");
    folder.succeed("convert old.kif --to kif --output new.kif");
    assert_eq!(folder.text("new.kif"), folder.text("a.kif"));
}

#[test]
fn letters_that_shift_jis_lacks_are_named_once() {
    let folder = Folder::new();
    folder.write("a.kif", KIF.replace("carol", "☖한").replace("   2", "*〜한\n   2").repeat(2));
    let (status, _, said) = folder.run("convert a.kif --to kif --encoding shift-jis --output b.kif");
    let expected = "kiki-lab: a.kif: kif does not hold: the letter 한 in Shift_JIS, written as &#54620;\n";
    assert_eq!((status, said.as_str()), (Some(0), expected));
    folder.succeed("convert b.kif --to kif --output c.kif");
    let text = folder.text("c.kif");
    assert!(text.contains("後手：△&#54620;\n") && text.contains("*～&#54620;\n"), "{text}");
}

#[test]
fn one_file_goes_to_standard_output() {
    let folder = Folder::new();
    folder.write("a.csa", CSA);
    folder.write("two.kif", format!("{KIF}\n{KIF}"));
    for (input, to) in [("a.csa", "kif"), ("a.csa", "jkf"), ("two.kif", "ki2"), ("two.kif", "csa")] {
        let convert = format!("convert {input} --to {to}");
        folder.succeed(&format!("{convert} --output out"));
        let (status, said, errors) = folder.run(&convert);
        assert_eq!((status, said, errors.contains(" games of ")), (Some(0), folder.text("out"), false), "{input} {to}");
    }
    // Losses and unreadable input are reported apart from it, with the exit status of errors.
    let (status, said, errors) = folder.run("convert a.csa --to usi");
    assert_eq!((status, said.as_str()), (Some(0), "startpos moves 7g7f 3c3d\n"));
    assert!(errors.contains("a.csa: usi does not hold: names of players"), "{errors}");
    folder.write("half.csa", "PI\n+\n+7775FU\n/\nPI\n+\n+2726FU\n");
    let (status, said, errors) = folder.run("convert half.csa --to usi");
    assert_eq!((status, said.as_str()), (Some(1), "startpos moves 2g2f\n"), "{errors}");
    for several in ["a.csa two.kif", ".", "two.kif --split"] {
        let said = folder.fail(&format!("convert --to csa {several}"));
        assert!(said.contains("--output: name a folder; only one file goes to standard output"), "{said}");
    }
}

#[test]
fn a_list_of_problems_overwrites_nothing() {
    let folder = Folder::new();
    folder.write("a.csa", CSA);
    folder.write("there.sfen", "");
    for (out, why) in [("there.sfen", "it exists"), ("none/new.sfen", "no such folder")] {
        let said = folder.fail(&format!("problems a.csa --out {out}"));
        assert!(said.contains(why) && !said.contains("positions"), "{said}");
    }
}

#[test]
fn folders_are_converted_and_what_is_broken_is_named() {
    let folder = Folder::new();
    folder.write("in/a.csa", CSA);
    folder.write("in/below/two.kif", format!("{KIF}\n{KIF}"));
    folder.write("in/below/broken.csa", "PI\n+\n+7775FU\n/\nPI\n+\n+2726FU\n");
    folder.write("in/notes.txt", "no record");
    let said = folder.fail("convert in --to usi --output out");
    assert!(said.contains("broken.csa: line 3: the move `+7775FU` is illegal in the position "), "{said}");
    assert!(said.contains("a.csa: usi does not hold: names of players, start time, times, scores, principal variations, who won, how the game ended\n"), "{said}");
    assert_eq!(folder.text("out/a.usi"), "startpos moves 7g7f 3c3d\n");
    assert_eq!(folder.text("out/below/two.usi"), "startpos moves 2g2f\nstartpos moves 2g2f\n");
    assert_eq!(folder.text("out/below/broken.usi"), "startpos moves 2g2f\n");
    folder.succeed("convert in/below/two.kif --to csa --split --output apart");
    assert!(folder.text("apart/two-0002.csa").contains("V2.2\nN+bob\nN-carol\n"));
    folder.succeed("convert in/below/two.kif --to csa3 --output three/");
    let three = folder.text("three/two.csa");
    assert!(
        three.starts_with("'CSA encoding=UTF-8\nV3.0\nN+bob\nN-carol\n") && three.contains("\n/\nN+bob\n"),
        "{three}"
    );
    let names = fs::read_dir(folder.join("out")).unwrap().count();
    assert_eq!(names, 2, "no temporary file is left");
}

#[test]
fn nothing_is_overwritten_by_mistake() {
    let folder = Folder::new();
    folder.write("in/a.csa", CSA);
    folder.write("in/a.kif", KIF);
    let said = folder.fail("convert in --to usi --output out");
    assert!(said.contains("a.usi too, as in/a.csa did: convert them apart"), "{said}");
    let said = folder.fail("convert in/a.csa --to csa --output in/a.csa");
    assert!(said.contains("in/a.csa is an input: name another output"), "{said}");
    assert_eq!(folder.text("in/a.csa"), CSA);
    let said = folder.fail("convert nowhere --to csa --output x");
    assert!(said.contains("nowhere: "), "{said}");
    let said = folder.fail("convert in/a.csa --to jkf --encoding shift-jis --output x");
    assert!(said.contains("JKF is always UTF-8"), "{said}");
    for below in ["one", "two"] {
        folder.write(format!("{below}/b.kif"), KIF);
    }
    let said = folder.fail("convert one/b.kif two/b.kif --to csa --output same");
    assert!(said.contains("two/b.kif: it would become same/b.csa too, as one/b.kif did"), "{said}");
    assert!(folder.text("same/b.csa").contains("N+bob"));
    folder.write("letter.txt", "Dear Sir");
    let said = folder.fail("convert letter.txt --to csa --output x");
    assert!(said.contains("letter.txt: line 1: this is not a game record"), "{said}");
    folder.write("broken.csa", "PI\n+\n+7775FU\n");
    let (status, said, errors) = folder.run("convert broken.csa --to kif --output new/x.kif");
    assert_eq!((status, said.as_str()), (Some(1), "nothing was written: no game could be converted\n"), "{errors}");
    assert!(!folder.join("new").exists());
}

#[test]
fn one_input_that_cannot_be_read_does_not_stop_the_others() {
    let folder = Folder::new();
    folder.write("broken.csa", "PI\n+\n+7775FU\n");
    folder.write("empty.csa", "");
    folder.write("a.csa", CSA);
    fs::create_dir(folder.join("nothing")).unwrap();
    let expected = [
        "none.csa: No such file",
        "broken.csa: line 3: the move `+7775FU`",
        "empty.csa: ",
        "nothing: there are no game records in this folder",
    ];
    let inputs = "none.csa broken.csa empty.csa nothing a.csa";
    let said = folder.fail(&format!("convert --to usi --output out {inputs}"));
    for part in expected {
        assert!(said.lines().any(|line| line.starts_with("kiki-lab: ") && line.contains(part)), "{part}\n{said}");
    }
    assert_eq!(folder.text("out/a.usi"), "startpos moves 7g7f 3c3d\n");
    // Of two inputs one remains; the output is still a folder.
    folder.fail("convert --to usi --output one none.csa a.csa");
    assert_eq!(folder.text("one/a.usi"), "startpos moves 7g7f 3c3d\n");
    let (status, counted, said) = folder.run(&format!("records stats --json {inputs}"));
    let counted: Value = serde_json::from_str(&counted).unwrap();
    assert_eq!((status, counted["games"].as_u64(), counted["files"].as_u64()), (Some(1), Some(1), Some(5)));
    assert_eq!(counted["broken_files"].as_u64(), Some(4), "none.csa and the empty folder are two of them");
    for part in expected {
        assert!(said.contains(part), "{part}\n{said}");
    }
}

/// Plays two short games into the folder `m`.
fn play_match(folder: &Folder) {
    let mock = env!("CARGO_BIN_EXE_kiki-mock");
    let [a, b] = ["a", "b"].map(|name| format!("name={name} cmd={mock} nodes=1"));
    folder.succeed(&["match", "--engine", &a, "--engine", &b, "--games=2", "--max-plies=10", "--output=m"]);
}

#[test]
fn the_files_of_a_match_are_not_overwritten() {
    let folder = Folder::new();
    play_match(&folder);
    for (to, output, file) in [
        ("csa", "m/csa/000001.csa", "m/csa/000001.csa"),
        ("usi", "m/openings.sfen", "m/openings.sfen"),
        ("csa", "m/games.jsonl", "m/games.jsonl"),
        ("csa", "m/csa/../match.json", "m/match.json"),
    ] {
        let before = folder.text(file);
        let said = folder.fail(&format!("convert m --to {to} --output {output}"));
        assert!(said.contains(&format!("{output} is a file of a match: name another output")), "{said}");
        assert_eq!(folder.text(file), before);
    }
    // A file with the name of a record of the match.
    folder.write("000001.csa", CSA);
    let said = folder.fail("convert 000001.csa --to csa --output m/csa");
    assert!(said.contains("m/csa/000001.csa is a file of a match"), "{said}");
    folder.succeed("convert 000001.csa --to csa --overwrite --output m/csa");
    assert!(folder.text("m/csa/000001.csa").contains("N+alice"));
    // New files there overwrite nothing.
    folder.succeed("convert m --to kif --split --output m/kif");
    assert!(folder.join("m/kif/m-0002.kif").exists());
}

#[test]
fn a_broken_line_of_a_journal_does_not_stop_the_others() {
    let folder = Folder::new();
    play_match(&folder);
    let journal = folder.text("m/games.jsonl");
    let (first, second) = journal.split_once('\n').unwrap();
    let illegal = second.replacen("\"moves\":[\"", "\"moves\":[\"5i5a\",\"", 1);
    folder.write("m/games.jsonl", format!("{first}\nnonsense\n{illegal}{second}"));
    for (line, place, reads_moves) in [
        ("records stats m --json", "m: games.jsonl", true),
        ("book make --from m --output all.db", "m/games.jsonl", true),
        ("rate m --json", "m/games.jsonl", false),
        ("convert m --to csa --output all.csa", "m: games.jsonl", true),
    ] {
        let (status, said, errors) = folder.run(line);
        assert_eq!(status, Some(1), "{line}: {errors}");
        assert!(errors.contains(&format!("kiki-lab: {place}: line 2, column 2: expected")), "{line}: {errors}");
        let is_told = errors.contains(&format!("kiki-lab: {place}: line 3: game 2, move 1: `5i5a` is illegal\n"));
        assert_eq!(is_told, reads_moves, "{line}: {errors}");
        assert!(!said.is_empty() && !errors.contains("there are no"), "{line}: {said}{errors}");
    }
    assert_eq!(folder.text("all.csa").matches("N+").count(), 2);
}

#[test]
fn a_collection_is_counted() {
    let folder = Folder::new();
    folder.write("in/a.csa", CSA);
    folder.write("in/b.kif", KIF);
    let found = folder.json("records stats in");
    assert_eq!((found["games"].as_u64(), found["files"].as_u64()), (Some(2), Some(2)));
    assert_eq!(found["results"], serde_json::json!({ "black-wins": 1, "white-wins": 1 }));
    assert_eq!(found["endings"], serde_json::json!({ "resignation": 2 }));
    assert_eq!(found["plies"]["quartiles"], serde_json::json!([1.25, 1.5, 1.75]));
    assert_eq!(found["players"], serde_json::json!({ "alice": 1, "bob": 2, "carol": 1 }));
    assert_eq!((found["first_day"].as_str(), found["last_day"].as_str()), (Some("2025-12-01"), Some("2026-01-31")));
    let table = folder.succeed("records stats in");
    assert!(table.contains("the side that moves first scores 50.0 % ± 50.0 % in 2 games"), "{table}");
    folder.write("in/c.kif", "手数----指手--\n1 ７五歩(77)\n");
    let said = folder.fail("records stats in");
    assert!(said.contains("c.kif: line 2: the move `７五歩"), "{said}");
}

#[test]
fn moves_are_told_in_both_notations() {
    let folder = Folder::new();
    let moves = ["records", "move", "--sfen", "startpos moves 7g7f", "3c3d", "▲２二角成", "同銀"];
    assert_eq!(folder.succeed(&moves), "△３４歩  3c3d\n▲２２角成  8h2b+\n△同銀  3a2b\n");
    let recaptured = ["records", "move", "--sfen", "4k4/9/9/9/9/5s3/9/6R2/4K4 b - 1", "３七飛", "△同銀"];
    assert_eq!(folder.succeed(&recaptured), "▲３７飛  3h3g\n△同銀不成  4f3g\n");
    let said = folder.fail("records move ５八金");
    assert!(said.contains("`５八金` may be 4i5h (▲５８金右) or 6i5h (▲５８金左)"), "{said}");
}

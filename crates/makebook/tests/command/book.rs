//! Opening books made, merged, checked and shown by the program itself.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use kiki_board::Position;
use kiki_book::{Book, BookKey, BookMove};
use kiki_tests::fixtures::binary_books;
use kiki_tests::networks::network_file;

use crate::laboratory::{fail, interrupt, lab, run, succeed, wait_until};

const HEADER: &str = "#YANEURAOU-DB2016 1.00\n";
const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

/// Fast searches.
const SEARCH: [&str; 8] = ["book", "make", "--expand", "--nodes", "150", "--lines", "3", "--table=1"];

fn text(folder: &Path, file: &str) -> String {
    fs::read_to_string(folder.join(file)).unwrap()
}

/// The moves of a book after some moves, at their ply.
fn moves(folder: &Path, file: &str, before: &str) -> Vec<BookMove> {
    let mut position = Position::startpos();
    for mv in before.split_whitespace() {
        let mv = position.parse_move(mv).unwrap();
        position.make(mv);
    }
    let key = BookKey::new(&position.to_sfen()).unwrap();
    let [memory, on_the_fly] =
        [false, true].map(|fly| Book::open(&folder.join(file), fly).unwrap().moves(&key, false).unwrap());
    assert_eq!(memory, on_the_fly);
    memory
}

fn record(folder: &Path, file: &str, players: [&str; 2], moves: &str, end: &str) {
    let [black, white] = players;
    fs::write(folder.join(file), format!("V2.2\nN+{black}\nN-{white}\nPI\n+\n{moves}\n{end}\n")).unwrap();
}

/// Three games: alice wins with 7g7f as Black, loses with 2g2f, and wins with 3c3d, which is 7g7f
/// for White.
fn games(folder: &Path) {
    fs::create_dir(folder.join("games")).unwrap();
    record(
        folder,
        "games/1.csa",
        ["alice", "bob"],
        "+7776FU\n-3334FU\n+2726FU",
        "%TORYO\n'summary:toryo:alice win:bob lose",
    );
    record(folder, "games/2.csa", ["alice", "bob"], "+2726FU\n-8384FU", "%TORYO");
    record(folder, "games/3.csa", ["bob", "alice"], "+7776FU\n-3334FU", "%TORYO");
}

#[test]
fn games_are_found_in_folders_below() {
    let folder = tempfile::tempdir().unwrap();
    games(folder.path());
    fs::create_dir_all(folder.path().join("games/2016/may")).unwrap();
    fs::rename(folder.path().join("games/2.csa"), folder.path().join("games/2016/may/2.csa")).unwrap();
    // Openings lie beside games.
    fs::write(folder.path().join("games/2016/openings.sfen"), "startpos moves 1g1f\n").unwrap();
    let said = succeed(&["book", "make", "--from", "games", "--output", "all.db"], folder.path());
    assert!(said.contains("4 positions, 5 moves of 3 games"), "{said}");
    let lengths = ["lengths", "games", "--shortest", "1", "--replicates", "10", "--simulate", "2"];
    let (_, _, errors) = run(&lengths, folder.path());
    assert!(!errors.contains("no game records"), "{errors}");
    let judged =
        ["intrinsic", "judge", "judged", "--games", "games", "--depth", "1", "--table", "1", "--opening-plies", "0"];
    assert!(succeed(&judged, folder.path()).contains("7 of 7 positions judged"), "all plies");
    fs::create_dir(folder.path().join("empty")).unwrap();
    let said = fail(&["book", "make", "--from", "empty", "--output", "no.db"], folder.path());
    assert!(said.contains("empty: there are no game records in this folder"), "{said}");
}

#[test]
fn a_book_is_counted_from_games() {
    let folder = tempfile::tempdir().unwrap();
    games(folder.path());
    let said =
        succeed(&["book", "make", "--from", "games", "--output", "all.db", "--results", "all.tsv"], folder.path());
    assert!(said.contains("all.db: 4 positions, 5 moves of 3 games"), "{said}");
    let start = moves(folder.path(), "all.db", "");
    assert_eq!(
        start.iter().map(|mv| (mv.mv.as_str(), mv.count)).collect::<Vec<_>>(),
        [("7g7f", Some(2)), ("2g2f", Some(1))]
    );
    assert_eq!((start[0].ponder.as_deref(), start[0].value), (Some("3c3d"), None));
    // Game 1: %TORYO by White, so Black won; games 2 and 3: by Black, so White won.
    let results = text(folder.path(), "all.tsv");
    assert!(
        results.contains(&format!("{START}\t7g7f\t2\t1\t0\t1\t0.500\n{START}\t2g2f\t1\t0\t0\t1\t0.000\n")),
        "{results}"
    );
    succeed(&["book", "check", "all.db"], folder.path());
    let make = |options: &[&str], start: &[&str]| {
        let output = [&["book", "make", "--from", "games", "--output", "some.db"], options].concat();
        succeed(&output, folder.path());
        let found = moves(folder.path(), "some.db", "");
        assert_eq!(found.iter().map(|mv| mv.mv.as_str()).collect::<Vec<_>>(), start, "{options:?}");
    };
    make(&["--minimum-games", "2"], &["7g7f"]);
    make(&["--minimum-points", "50"], &["7g7f"]);
    make(&["--winners"], &["7g7f"]);
    make(&["--player", "bob"], &["7g7f"]);
    make(&["--plies", "1"], &["7g7f", "2g2f"]);
    assert!(moves(folder.path(), "some.db", "7g7f").is_empty());
    make(&["--keep-colours"], &["7g7f", "2g2f"]);
    assert_eq!(moves(folder.path(), "some.db", "7g7f")[0].mv, "3c3d");
    let said = fail(&["book", "make", "--from", "games", "--player", "carol", "--output", "none.db"], folder.path());
    assert!(said.contains("no move of 3 games is left") && !folder.path().join("none.db").exists(), "{said}");
}

#[test]
fn a_move_counts_once_a_game_however_often_it_is_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let shuffle = ["+2868HI\n-8242HI\n+6828HI\n-4282HI"; 3].join("\n");
    record(folder.path(), "draw.csa", ["alice", "bob"], &shuffle, "%SENNICHITE");
    for colours in [&[][..], &["--keep-colours"]] {
        let make = [&["book", "make", "--from", "draw.csa", "--results", "draw.tsv", "--output", "draw.db"], colours];
        succeed(&make.concat(), folder.path());
        let start = moves(folder.path(), "draw.db", "");
        assert_eq!(start.iter().map(|mv| (mv.mv.as_str(), mv.count)).collect::<Vec<_>>(), [("2h6h", Some(1))]);
        let results = text(folder.path(), "draw.tsv");
        assert!(results.contains(&format!("{START}\t2h6h\t1\t0\t1\t0\t0.500\n")), "{results}");
        let said = fail(&[&make.concat()[..], &["--minimum-games", "2"]].concat(), folder.path());
        assert!(said.contains("no move of 1 games is left"), "{said}");
    }
}

#[test]
fn games_that_cannot_be_read_are_told_and_the_others_go_on() {
    let folder = tempfile::tempdir().unwrap();
    games(folder.path());
    // A broken game, and in the same file a good one.
    let both = "V2.2\nPI\n+\n+7775FU\n/\nV2.2\nPI\n+\n+7776FU\n%TORYO\n";
    fs::write(folder.path().join("games/0.csa"), both).unwrap();
    let said = fail(&["book", "make", "--from", "none", "games", "none.csa", "--output", "all.db"], folder.path());
    for part in ["games/0.csa: line 4: ", "none: ", "none.csa: "] {
        assert!(said.lines().any(|line| line.contains(part)), "{part}\n{said}");
    }
    assert_eq!(said.lines().count(), 3, "{said}");
    assert_eq!(moves(folder.path(), "all.db", "")[0].count, Some(3));
    // A resumed run reports the unreadable games again.
    let evaluate = ["--evaluate", "nodes=50", "--table", "1", "--output", "valued.db"];
    fail(&[&["book", "make", "--from", "none", "games"], &evaluate[..]].concat(), folder.path());
    let said = fail(&["resume", "valued.db.searches"], folder.path());
    assert!(said.contains("games/0.csa: line 4: ") && said.contains("none: ") && said.lines().count() == 2, "{said}");
}

#[test]
fn moves_of_games_get_values_by_search() {
    let folder = tempfile::tempdir().unwrap();
    games(folder.path());
    let values = ["book", "make", "--from", "games", "--output", "all.db", "--evaluate", "nodes=200", "--table", "1"];
    succeed(&values, folder.path());
    let start = moves(folder.path(), "all.db", "");
    assert_eq!(start.len(), 2);
    assert!(start.iter().all(|mv| mv.value.is_some() && mv.depth > Some(0) && mv.count.is_some()), "{start:?}");
    assert!(start[0].value >= start[1].value);
    succeed(&["book", "check", "all.db"], folder.path());
    assert!(fail(&values, folder.path()).contains("kiki-lab resume"), "the folder of the searches is in use");
    fs::remove_file(folder.path().join("all.db")).unwrap();
    succeed(&["resume", "all.db.searches"], folder.path());
    assert_eq!(moves(folder.path(), "all.db", ""), start);
}

#[test]
fn a_book_gone_on_with_is_the_book_made_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let make = |output: &str, positions: &str, threads: &str| {
        succeed(
            &[&SEARCH[..], &["--output", output, "--positions", positions, "--threads", threads]].concat(),
            folder.path(),
        )
    };
    let said = make("once.db", "30", "1");
    assert!(said.contains("once.db: 30 positions"), "{said}");
    make("threads.db", "30", "3");
    assert_eq!(text(folder.path(), "once.db"), text(folder.path(), "threads.db"));
    make("part.db", "14", "1");
    assert_ne!(text(folder.path(), "once.db"), text(folder.path(), "part.db"));
    // A kill in the middle of a line.
    let journal = "part.db.searches/searches.jsonl";
    let torn = text(folder.path(), journal);
    fs::write(folder.path().join(journal), &torn[..torn.len() - 10]).unwrap();
    succeed(&["resume", "part.db.searches", "--positions", "30"], folder.path());
    assert_eq!(text(folder.path(), "once.db"), text(folder.path(), "part.db"));
    succeed(&["book", "check", "once.db"], folder.path());
    let best = &moves(folder.path(), "once.db", "")[0];
    assert!(best.value.is_some() && best.ponder.is_some(), "{best:?}");
    let said = succeed(&["book", "show", "once.db"], folder.path());
    assert!(said.contains("from the start of a game") && said.lines().any(|line| line.contains("all")), "{said}");
}

#[test]
fn a_book_goes_on_from_any_folder() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for below in ["made", "other"] {
        fs::create_dir(folder.join(below)).unwrap();
    }
    fs::write(folder.join("made/nn.bin"), network_file(7, [32, 16, 16])).unwrap();
    let options = ["--network", "nn.bin", "--output", "book.db"];
    let make = |positions| [&SEARCH[..], &options, &["--positions", positions]].concat();
    succeed(&make("2"), &folder.join("made"));
    succeed(&["resume", "../made/book.db.searches", "--positions", "4"], &folder.join("other"));
    assert!(!folder.join("other/book.db").exists(), "the book goes where it was");
    let book = text(folder, "made/book.db");
    fs::remove_dir_all(folder.join("made/book.db.searches")).unwrap();
    succeed(&make("4"), &folder.join("made"));
    assert_eq!(text(folder, "made/book.db"), book);
}

#[cfg(unix)]
#[test]
fn an_interrupted_book_goes_on_to_the_same_end() {
    let folder = tempfile::tempdir().unwrap();
    let make = |output: &'static str| [&SEARCH[..], &["--threads=1", "--positions=60", "--output", output]].concat();
    succeed(&make("once.db"), folder.path());
    let stopped = lab().args(make("stopped.db")).current_dir(folder.path()).stdout(Stdio::piped()).spawn();
    let child = stopped.unwrap();
    let journal = folder.path().join("stopped.db.searches/searches.jsonl");
    wait_until("nothing is searched", || fs::read_to_string(&journal).unwrap_or_default().lines().count() >= 10);
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("go on with: kiki-lab resume stopped.db.searches"), "{said}");
    assert!(!folder.path().join("stopped.db").exists(), "no book that is not complete");
    succeed(&["resume", "stopped.db.searches", "--threads", "2"], folder.path());
    assert_eq!(text(folder.path(), "once.db"), text(folder.path(), "stopped.db"));
}

#[test]
fn books_grow_from_openings() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("openings.sfen"), "startpos moves 7g7f 8c8d\nstartpos moves 2g2f\n").unwrap();
    let options = ["--openings", "openings.sfen", "--positions", "2", "--output", "two.db"];
    succeed(&[&SEARCH[..], &options].concat(), folder.path());
    assert!(moves(folder.path(), "two.db", "").is_empty());
    assert!(!moves(folder.path(), "two.db", "7g7f 8c8d").is_empty());
    assert!(!moves(folder.path(), "two.db", "2g2f").is_empty());
    fs::write(folder.path().join("openings.sfen"), "startpos\nstartpos moves 7g7e\n").unwrap();
    let said = fail(&[&SEARCH[..], &["--openings", "openings.sfen", "--output", "bad.db"]].concat(), folder.path());
    assert!(said.contains("openings.sfen: line 2: ") && !folder.path().join("bad.db").exists(), "{said}");
}

#[test]
fn a_merged_book_has_the_moves_of_all_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let after = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";
    let write = |file: &str, text: String| fs::write(folder.path().join(file), text).unwrap();
    write("a.db", format!("{HEADER}sfen {START}\n7g7f 3c3d 30 10 3\n2g2f none 20 18\n"));
    // Not sorted.
    write("b.db", format!("{HEADER}sfen {START}\n7g7f none -5 20 4\nsfen {after}\n3c3d\n"));
    let said = succeed(&["book", "merge", "a.db", "b.db", "--output", "c.db"], folder.path());
    assert!(said.contains("c.db: 2 positions, 3 moves"), "{said}");
    assert_eq!(
        text(folder.path(), "c.db"),
        format!("{HEADER}sfen {after}\n3c3d\nsfen {START}\n2g2f none 20 18\n7g7f 3c3d -5 20 7\n")
    );
    succeed(&["book", "check", "c.db"], folder.path());
    write("letter.db", "Dear reader\n".to_owned());
    let merge = ["book", "merge", "a.db", "letter.db", "none.db", "b.db", "--output", "d.db"];
    let said = fail(&merge, folder.path());
    assert!(said.contains("letter.db: there is no position in it") && said.contains("none.db: No such file"), "{said}");
    assert_eq!(text(folder.path(), "d.db"), text(folder.path(), "c.db"), "the others are merged");
    fs::remove_file(folder.path().join("d.db")).unwrap();
    fs::write(folder.path().join("picture.db"), b"sfen\n\x89PNG\r\n\x1a\n\0\0").unwrap();
    let said = fail(&["book", "merge", "picture.db", "--output", "d.db"], folder.path());
    assert!(said.contains("picture.db: line 4, offset 13: the byte 0x00 does not occur in text"), "{said}");
    assert!(said.contains("there is no book to merge") && !folder.path().join("d.db").exists(), "{said}");
}

#[test]
fn a_book_goes_from_one_form_to_the_other_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let after = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";
    let full = format!("{HEADER}sfen {START}\n7g7f 3c3d 30 10 3\n2g2f none 20 18\nsfen {after}\n3c3d none 5 9\n");
    let held = format!("{HEADER}sfen {after}\n3c3d none 5 9\nsfen {START}\n7g7f none 30 10\n2g2f none 20 18\n");
    fs::write(folder.path().join("full.db"), full).unwrap();
    let said = succeed(&["book", "convert", "full.db", "--output", "book.YBB"], folder.path());
    assert_eq!(
        said,
        "book.YBB: the form .ybb does not hold everything: 1 replies are left out, 1 counts are left out\n\
         book.YBB: 2 positions, 3 moves\n"
    );
    assert!(fs::read(folder.path().join("book.YBB")).unwrap().starts_with(b"YANE-BINBOOK-V1\0"));
    let said = succeed(&["book", "convert", "book.YBB", "--output", "held.db"], folder.path());
    assert_eq!(said, "held.db: 2 positions, 3 moves\n");
    assert_eq!(text(folder.path(), "held.db"), held);
    assert_eq!(moves(folder.path(), "book.YBB", ""), moves(folder.path(), "held.db", ""));
    fs::write(folder.path().join("illegal.db"), format!("{HEADER}sfen {START}\n7g7e\n2g2f\n")).unwrap();
    let (status, said, _) = run(&["book", "convert", "illegal.db", "--output", "legal.ybb"], folder.path());
    assert!(status == Some(1) && said.contains("1 moves without a value get 0, 1 illegal moves are left out"), "{said}");
    // The content tells the form, not the name.
    fs::rename(folder.path().join("book.YBB"), folder.path().join("book.db")).unwrap();
    let said = succeed(&["book", "merge", "book.db", "full.db", "--output", "all.db"], folder.path());
    assert_eq!(said, "all.db: 2 positions, 3 moves\n");
    assert_eq!(moves(folder.path(), "all.db", "")[0].ponder.as_deref(), Some("3c3d"), "a reply of the other book");
    for form in ["book.db", "held.db"] {
        let said = succeed(&["book", "check", form], folder.path());
        assert!(said.contains(": 2 positions, 3 moves, 0 faults; "), "{said}");
        assert!(succeed(&["book", "show", form], folder.path()).contains("2 positions are reached"));
        assert!(succeed(&["book", "show", form, "--moves", "7g7f"], folder.path()).contains("at this ply:"));
    }
    games(folder.path());
    let said = succeed(&["book", "make", "--from", "games", "--output", "games.ybb"], folder.path());
    assert!(said.contains("5 counts are left out, 5 moves without a value get 0\n"), "{said}");
    assert!(said.contains("games.ybb: 4 positions, 5 moves of 3 games\n"), "{said}");
}

#[test]
fn faults_of_a_binary_book_are_told_with_their_offset() {
    let folder = tempfile::tempdir().unwrap();
    let write = |file: &str, bytes: &[u8]| fs::write(folder.path().join(file), bytes).unwrap();
    let sample = binary_books()[0];
    write("cut.ybb", &sample[..100]);
    // The first record is no position, the first move of the second no move, and a byte follows the
    // last.
    let mut damaged = [sample, &[0]].concat();
    damaged[32..64].fill(0);
    damaged[32 + 5 * 44 + 18..][..2].fill(0xff);
    write("damaged.ybb", &damaged);
    let told = [
        "damaged.ybb, offset 360: the last 1 bytes are no whole move",
        "damaged.ybb, offset 32: no position: the kings stand on the squares numbered 0 and 0: expected two different numbers up to 80",
        "damaged.ybb, offset 270: the bits 0xffff are no move",
    ];
    let cut = "cut.ybb: offset 16: the header tells 5 records of 44 bytes, and the file has room for 1";
    let (status, said, errors) = run(&["book", "check", "damaged.ybb", "cut.ybb"], folder.path());
    assert_eq!((status, errors), (Some(1), format!("kiki-lab: {cut}\n")));
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[..3], [told[1], told[2], told[0]]);
    assert!(lines[3].starts_with("damaged.ybb: 4 positions, 14 moves, 3 faults; "), "{said}");
    for command in ["convert", "merge"] {
        let (status, said, errors) = run(&["book", command, "damaged.ybb", "--output", "rest.db"], folder.path());
        assert_eq!((status, said.as_str()), (Some(1), "rest.db: 4 positions, 14 moves\n"));
        assert_eq!(errors, told.map(|line| format!("kiki-lab: {line}; left out\n")).concat());
        assert!(fail(&["book", command, "cut.ybb", "--output", "none.db"], folder.path()).contains(cut));
    }
    assert!(!folder.path().join("none.db").exists());
    let (_, said, errors) = run(&["book", "show", "damaged.ybb", "--moves", ""], folder.path());
    assert!(said.contains("at this ply:") && said.contains("▲７６歩") && !said.contains("▲２６歩"), "{said}");
    assert!(errors.contains(told[0]) || errors.contains("damaged.ybb: offset 360: "), "{errors}");
}

#[test]
fn lines_that_are_no_moves_are_told_and_the_rest_is_merged() {
    let folder = tempfile::tempdir().unwrap();
    let write = |file: &str, text: String| fs::write(folder.path().join(file), text).unwrap();
    write("a.db", format!("{HEADER}sfen {START}\n2g2f 8c8d 10 10\nhello\n7g7f hello\n"));
    write("b.db", format!("{HEADER}sfen {START}\n5g5f\n{}", "x\n".repeat(25)));
    let (status, said, errors) = run(&["book", "merge", "a.db", "b.db", "--output", "c.db"], folder.path());
    assert_eq!((status, said.as_str()), (Some(1), "c.db: 1 positions, 3 moves\n"), "{errors}");
    let told: Vec<&str> = errors.lines().collect();
    assert_eq!(told[0], "kiki-lab: a.db, line 4: `hello` is no move; left out");
    assert!(told[1].starts_with("kiki-lab: a.db, line 5: the reply hello is illegal after 7g7f; "), "{errors}");
    assert_eq!((told.len(), told[22]), (23, "kiki-lab: b.db: 5 more are left out"));
    assert_eq!(text(folder.path(), "c.db"), format!("{HEADER}sfen {START}\n2g2f 8c8d 10 10\n7g7f\n5g5f\n"));
    // Both count what an engine finds.
    let row = |said: &str| {
        said.lines().find(|line| line.contains(" all ")).unwrap().split_whitespace().nth(2).map(str::to_owned)
    };
    assert_eq!(row(&succeed(&["book", "show", "a.db"], folder.path())).as_deref(), Some("2"));
    assert!(run(&["book", "check", "a.db"], folder.path()).1.contains("a.db: 1 positions, 2 moves, 2 faults; "));
}

#[test]
fn faults_are_told_line_by_line_and_other_books_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let write = |file: &str, text: String| fs::write(folder.path().join(file), text).unwrap();
    write("good.db", format!("{HEADER}sfen {START}\n7g7f 3c3d 30 10 3\n"));
    write("bad.db", format!("{HEADER}sfen {START}\n7g7e\n2g2f 2g2f\n"));
    let (status, said, errors) = run(&["book", "check", "bad.db", "none.db", "good.db"], folder.path());
    assert!(status == Some(1) && errors.contains("none.db: "), "{errors}");
    for part in [
        "bad.db, line 3: the move 7g7e is illegal\nbad.db, line 4: the reply 2g2f is illegal after 2g2f\n",
        "bad.db: 1 positions, 2 moves, 2 faults; ",
        "good.db: 1 positions, 1 moves, 0 faults; ",
    ] {
        assert!(said.contains(part), "{said}");
    }
    let said = succeed(&["book", "check", "good.db"], folder.path());
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn a_position_is_shown_as_an_engine_finds_it() {
    let folder = tempfile::tempdir().unwrap();
    let after = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w -";
    // Not sorted.
    let book = format!("{HEADER}sfen {START}\n7g7f 3c3d 30 10 3\nsfen {after} 6\n3c3d none -20 12\n");
    fs::write(folder.path().join("book.db"), book).unwrap();
    let said = succeed(&["book", "show", "book.db", "--moves", ""], folder.path());
    for part in ["先手番", "at this ply:", "▲７６歩", "△３４歩", "+30"] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    let said = succeed(&["book", "show", "book.db", "--moves", "7g7f"], folder.path());
    assert!(said.contains("at another ply") && said.contains("△３４歩") && said.contains("-20"), "{said}");
    let turned = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 9";
    let said = succeed(&["book", "show", "book.db", "--sfen", turned], folder.path());
    assert!(said.contains("with colours exchanged") && said.contains("▲７６歩"), "{said}");
    for sfen in ["startpos moves 7g7f", &format!("sfen {after} 2")] {
        let said = succeed(&["book", "show", "book.db", "--sfen", sfen], folder.path());
        assert!(said.contains("△３４歩"), "{said}");
    }
    assert!(fail(&["book", "show", "book.db", "--sfen", "nonsense"], folder.path()).contains("--sfen nonsense: "));
    let said = succeed(&["book", "show", "book.db", "--moves", "1g1f"], folder.path());
    assert!(said.contains("the position is not in the book"), "{said}");
    assert!(fail(&["book", "show", "book.db", "--moves", "7g7e"], folder.path()).contains("7g7e"));
    assert!(fail(&["book", "show", "none.db", "--moves", "7g7f"], folder.path()).contains("none.db"));
    let said = succeed(&["book", "show", "book.db"], folder.path());
    assert!(said.contains("the longest line has 1 plies\n7g7f"), "{said}");
}

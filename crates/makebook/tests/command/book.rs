//! Opening books made, merged, checked and shown by the program itself.

use std::fs;
use std::path::Path;

use kiki_board::Position;
use kiki_book::{Book, BookKey, BookMove};
use kiki_tests::fixtures::binary_books;
use kiki_tests::networks::network_file;

use crate::laboratory::{Folder, interrupted, succeed};

const HEADER: &str = "#YANEURAOU-DB2016 1.00\n";
const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

/// Fast searches.
const SEARCH: &str = "book make --expand --nodes 150 --lines 3 --table 1";

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

fn record(folder: &Folder, file: &str, players: [&str; 2], moves: &str, end: &str) {
    let [black, white] = players;
    folder.write(file, format!("V2.2\nN+{black}\nN-{white}\nPI\n+\n{moves}\n{end}\n"));
}

/// Three games: alice wins with 7g7f as Black, loses with 2g2f, and wins with 3c3d, which is 7g7f
/// for White.
fn games(folder: &Folder) {
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
    let folder = Folder::new();
    games(&folder);
    fs::create_dir_all(folder.join("games/2016/may")).unwrap();
    fs::rename(folder.join("games/2.csa"), folder.join("games/2016/may/2.csa")).unwrap();
    // Openings lie beside games.
    folder.write("games/2016/openings.sfen", "startpos moves 1g1f\n");
    let said = folder.succeed("book make --from games --output all.db");
    assert!(said.contains("4 positions, 5 moves of 3 games"), "{said}");
    let (_, _, errors) = folder.run("lengths games --shortest 1 --replicates 10 --simulate 2");
    assert!(!errors.contains("no game records"), "{errors}");
    let judged = "intrinsic judge judged --games games --depth 1 --table 1 --opening-plies 0";
    assert!(folder.succeed(judged).contains("7 of 7 positions judged"), "all plies");
    fs::create_dir(folder.join("empty")).unwrap();
    let said = folder.fail("book make --from empty --output no.db");
    assert!(said.contains("empty: there are no game records in this folder"), "{said}");
}

#[test]
fn a_book_is_counted_from_games() {
    let folder = Folder::new();
    games(&folder);
    let said = folder.succeed("book make --from games --output all.db --results all.tsv");
    assert!(said.contains("all.db: 4 positions, 5 moves of 3 games"), "{said}");
    let start = moves(&folder, "all.db", "");
    assert_eq!(
        start.iter().map(|mv| (mv.mv.as_str(), mv.count)).collect::<Vec<_>>(),
        [("7g7f", Some(2)), ("2g2f", Some(1))]
    );
    assert_eq!((start[0].ponder.as_deref(), start[0].value), (Some("3c3d"), None));
    // Game 1: %TORYO by White, so Black won; games 2 and 3: by Black, so White won.
    let results = folder.text("all.tsv");
    assert!(
        results.contains(&format!("{START}\t7g7f\t2\t1\t0\t1\t0.500\n{START}\t2g2f\t1\t0\t0\t1\t0.000\n")),
        "{results}"
    );
    folder.succeed("book check all.db");
    let make = |options: &str, start: &[&str]| {
        folder.succeed(&format!("book make --from games --output some.db {options}"));
        let found = moves(&folder, "some.db", "");
        assert_eq!(found.iter().map(|mv| mv.mv.as_str()).collect::<Vec<_>>(), start, "{options}");
    };
    make("--minimum-games 2", &["7g7f"]);
    make("--minimum-points 50", &["7g7f"]);
    make("--winners", &["7g7f"]);
    make("--player bob", &["7g7f"]);
    make("--plies 1", &["7g7f", "2g2f"]);
    assert!(moves(&folder, "some.db", "7g7f").is_empty());
    make("--keep-colours", &["7g7f", "2g2f"]);
    assert_eq!(moves(&folder, "some.db", "7g7f")[0].mv, "3c3d");
    let said = folder.fail("book make --from games --player carol --output none.db");
    assert!(said.contains("no move of 3 games is left") && !folder.join("none.db").exists(), "{said}");
}

#[test]
fn a_move_counts_once_a_game_however_often_it_is_repeated() {
    let folder = Folder::new();
    let shuffle = ["+2868HI\n-8242HI\n+6828HI\n-4282HI"; 3].join("\n");
    record(&folder, "draw.csa", ["alice", "bob"], &shuffle, "%SENNICHITE");
    for colours in ["", "--keep-colours"] {
        let make = format!("book make --from draw.csa --results draw.tsv --output draw.db {colours}");
        folder.succeed(&make);
        let start = moves(&folder, "draw.db", "");
        assert_eq!(start.iter().map(|mv| (mv.mv.as_str(), mv.count)).collect::<Vec<_>>(), [("2h6h", Some(1))]);
        let results = folder.text("draw.tsv");
        assert!(results.contains(&format!("{START}\t2h6h\t1\t0\t1\t0\t0.500\n")), "{results}");
        let said = folder.fail(&format!("{make} --minimum-games 2"));
        assert!(said.contains("no move of 1 games is left"), "{said}");
    }
}

#[test]
fn games_that_cannot_be_read_are_told_and_the_others_go_on() {
    let folder = Folder::new();
    games(&folder);
    // A broken game, and in the same file a good one.
    let both = "V2.2\nPI\n+\n+7775FU\n/\nV2.2\nPI\n+\n+7776FU\n%TORYO\n";
    folder.write("games/0.csa", both);
    let said = folder.fail("book make --from none games none.csa --output all.db");
    for part in ["games/0.csa: line 4: ", "none: ", "none.csa: "] {
        assert!(said.lines().any(|line| line.contains(part)), "{part}\n{said}");
    }
    assert_eq!(said.lines().count(), 3, "{said}");
    assert_eq!(moves(&folder, "all.db", "")[0].count, Some(3));
    // A resumed run reports the unreadable games again.
    folder.fail("book make --from none games --evaluate nodes=50 --table 1 --output valued.db");
    let said = folder.fail("resume valued.db.searches");
    assert!(said.contains("games/0.csa: line 4: ") && said.contains("none: ") && said.lines().count() == 2, "{said}");
}

#[test]
fn moves_of_games_get_values_by_search() {
    let folder = Folder::new();
    games(&folder);
    let values = "book make --from games --output all.db --evaluate nodes=200 --table 1";
    folder.succeed(values);
    let start = moves(&folder, "all.db", "");
    assert_eq!(start.len(), 2);
    assert!(start.iter().all(|mv| mv.value.is_some() && mv.depth > Some(0) && mv.count.is_some()), "{start:?}");
    assert!(start[0].value >= start[1].value);
    folder.succeed("book check all.db");
    assert!(folder.fail(values).contains("kiki-lab resume"), "the folder of the searches is in use");
    fs::remove_file(folder.join("all.db")).unwrap();
    folder.succeed("resume all.db.searches");
    assert_eq!(moves(&folder, "all.db", ""), start);
}

#[test]
fn a_book_gone_on_with_is_the_book_made_at_once() {
    let folder = Folder::new();
    let make = |output: &str, positions: &str, threads: &str| {
        let options = format!("--output {output} --positions {positions} --threads {threads}");
        folder.succeed(&format!("{SEARCH} {options}"))
    };
    let said = make("once.db", "30", "1");
    assert!(said.contains("once.db: 30 positions"), "{said}");
    make("threads.db", "30", "3");
    assert_eq!(folder.text("once.db"), folder.text("threads.db"));
    make("part.db", "14", "1");
    assert_ne!(folder.text("once.db"), folder.text("part.db"));
    // A kill in the middle of a line.
    let journal = "part.db.searches/searches.jsonl";
    let torn = folder.text(journal);
    folder.write(journal, &torn[..torn.len() - 10]);
    folder.succeed("resume part.db.searches --positions 30");
    assert_eq!(folder.text("once.db"), folder.text("part.db"));
    folder.succeed("book check once.db");
    let best = &moves(&folder, "once.db", "")[0];
    assert!(best.value.is_some() && best.ponder.is_some(), "{best:?}");
    let said = folder.succeed("book show once.db");
    assert!(said.contains("from the start of a game") && said.lines().any(|line| line.contains("all")), "{said}");
}

#[test]
fn a_book_goes_on_from_any_folder() {
    let folder = Folder::new();
    for below in ["made", "other"] {
        fs::create_dir(folder.join(below)).unwrap();
    }
    folder.write("made/nn.bin", network_file(7, [32, 16, 16]));
    let make = |positions| format!("{SEARCH} --network nn.bin --output book.db --positions {positions}");
    succeed(&make(2), &folder.join("made"));
    succeed("resume ../made/book.db.searches --positions 4", &folder.join("other"));
    assert!(!folder.join("other/book.db").exists(), "the book goes where it was");
    let book = folder.text("made/book.db");
    fs::remove_dir_all(folder.join("made/book.db.searches")).unwrap();
    succeed(&make(4), &folder.join("made"));
    assert_eq!(folder.text("made/book.db"), book);
}

#[cfg(unix)]
#[test]
fn an_interrupted_book_goes_on_to_the_same_end() {
    let folder = Folder::new();
    let make = |output: &str| format!("{SEARCH} --threads 1 --positions 60 --output {output}");
    folder.succeed(&make("once.db"));
    let journal = folder.join("stopped.db.searches/searches.jsonl");
    let are_some = || fs::read_to_string(&journal).unwrap_or_default().lines().count() >= 10;
    let output = interrupted(&mut folder.lab(&make("stopped.db")), "nothing is searched", are_some);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("go on with: kiki-lab resume stopped.db.searches"), "{said}");
    assert!(!folder.join("stopped.db").exists(), "no book that is not complete");
    folder.succeed("resume stopped.db.searches --threads 2");
    assert_eq!(folder.text("once.db"), folder.text("stopped.db"));
}

#[test]
fn books_grow_from_openings() {
    let folder = Folder::new();
    folder.write("openings.sfen", "startpos moves 7g7f 8c8d\nstartpos moves 2g2f\n");
    folder.succeed(&format!("{SEARCH} --openings openings.sfen --positions 2 --output two.db"));
    assert!(moves(&folder, "two.db", "").is_empty());
    assert!(!moves(&folder, "two.db", "7g7f 8c8d").is_empty());
    assert!(!moves(&folder, "two.db", "2g2f").is_empty());
    folder.write("openings.sfen", "startpos\nstartpos moves 7g7e\n");
    let said = folder.fail(&format!("{SEARCH} --openings openings.sfen --output bad.db"));
    assert!(said.contains("openings.sfen: line 2: ") && !folder.join("bad.db").exists(), "{said}");
}

#[test]
fn a_merged_book_has_the_moves_of_all_in_order() {
    let folder = Folder::new();
    let after = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";
    folder.write("a.db", format!("{HEADER}sfen {START}\n7g7f 3c3d 30 10 3\n2g2f none 20 18\n"));
    // Not sorted.
    folder.write("b.db", format!("{HEADER}sfen {START}\n7g7f none -5 20 4\nsfen {after}\n3c3d\n"));
    let said = folder.succeed("book merge a.db b.db --output c.db");
    assert!(said.contains("c.db: 2 positions, 3 moves"), "{said}");
    assert_eq!(
        folder.text("c.db"),
        format!("{HEADER}sfen {after}\n3c3d\nsfen {START}\n2g2f none 20 18\n7g7f 3c3d -5 20 7\n")
    );
    folder.succeed("book check c.db");
    folder.write("letter.db", "Dear reader\n");
    let said = folder.fail("book merge a.db letter.db none.db b.db --output d.db");
    assert!(said.contains("letter.db: there is no position in it") && said.contains("none.db: No such file"), "{said}");
    assert_eq!(folder.text("d.db"), folder.text("c.db"), "the others are merged");
    fs::remove_file(folder.join("d.db")).unwrap();
    folder.write("picture.db", b"sfen\n\x89PNG\r\n\x1a\n\0\0");
    let said = folder.fail("book merge picture.db --output d.db");
    assert!(said.contains("picture.db: line 4, offset 13: the byte 0x00 does not occur in text"), "{said}");
    assert!(said.contains("there is no book to merge") && !folder.join("d.db").exists(), "{said}");
}

#[test]
fn a_book_goes_from_one_form_to_the_other_and_back() {
    let folder = Folder::new();
    let after = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";
    let full = format!("{HEADER}sfen {START}\n7g7f 3c3d 30 10 3\n2g2f none 20 18\nsfen {after}\n3c3d none 5 9\n");
    let held = format!("{HEADER}sfen {after}\n3c3d none 5 9\nsfen {START}\n7g7f none 30 10\n2g2f none 20 18\n");
    folder.write("full.db", full);
    let said = folder.succeed("book convert full.db --output book.YBB");
    assert_eq!(
        said,
        "book.YBB: the form .ybb does not hold everything: 1 replies are left out, 1 counts are left out\n\
         book.YBB: 2 positions, 3 moves\n"
    );
    assert!(folder.bytes("book.YBB").starts_with(b"YANE-BINBOOK-V1\0"));
    let said = folder.succeed("book convert book.YBB --output held.db");
    assert_eq!(said, "held.db: 2 positions, 3 moves\n");
    assert_eq!(folder.text("held.db"), held);
    assert_eq!(moves(&folder, "book.YBB", ""), moves(&folder, "held.db", ""));
    folder.write("illegal.db", format!("{HEADER}sfen {START}\n7g7e\n2g2f\n"));
    let (status, said, _) = folder.run("book convert illegal.db --output legal.ybb");
    assert!(
        status == Some(1) && said.contains("1 moves without a value get 0, 1 illegal moves are left out"),
        "{said}"
    );
    // The content tells the form, not the name.
    fs::rename(folder.join("book.YBB"), folder.join("book.db")).unwrap();
    let said = folder.succeed("book merge book.db full.db --output all.db");
    assert_eq!(said, "all.db: 2 positions, 3 moves\n");
    assert_eq!(moves(&folder, "all.db", "")[0].ponder.as_deref(), Some("3c3d"), "a reply of the other book");
    for form in ["book.db", "held.db"] {
        let said = folder.succeed(&format!("book check {form}"));
        assert!(said.contains(": 2 positions, 3 moves, 0 faults; "), "{said}");
        assert!(folder.succeed(&format!("book show {form}")).contains("2 positions are reached"));
        assert!(folder.succeed(&format!("book show {form} --moves 7g7f")).contains("at this ply:"));
    }
    games(&folder);
    let said = folder.succeed("book make --from games --output games.ybb");
    assert!(said.contains("5 counts are left out, 5 moves without a value get 0\n"), "{said}");
    assert!(said.contains("games.ybb: 4 positions, 5 moves of 3 games\n"), "{said}");
}

#[test]
fn faults_of_a_binary_book_are_told_with_their_offset() {
    let folder = Folder::new();
    let sample = binary_books()[0];
    folder.write("cut.ybb", &sample[..100]);
    // The first record is no position, the first move of the second no move, and a byte follows the
    // last.
    let mut damaged = [sample, &[0]].concat();
    damaged[32..64].fill(0);
    damaged[32 + 5 * 44 + 18..][..2].fill(0xff);
    folder.write("damaged.ybb", &damaged);
    let told = [
        "damaged.ybb, offset 360: the last 1 bytes are no whole move",
        "damaged.ybb, offset 32: no position: the kings stand on the squares numbered 0 and 0: expected two different numbers up to 80",
        "damaged.ybb, offset 270: the bits 0xffff are no move",
    ];
    let cut = "cut.ybb: offset 16: the header tells 5 records of 44 bytes, and the file has room for 1";
    let (status, said, errors) = folder.run("book check damaged.ybb cut.ybb");
    assert_eq!((status, errors), (Some(1), format!("kiki-lab: {cut}\n")));
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[..3], [told[1], told[2], told[0]]);
    assert!(lines[3].starts_with("damaged.ybb: 4 positions, 14 moves, 3 faults; "), "{said}");
    for command in ["convert", "merge"] {
        let (status, said, errors) = folder.run(&format!("book {command} damaged.ybb --output rest.db"));
        assert_eq!((status, said.as_str()), (Some(1), "rest.db: 4 positions, 14 moves\n"));
        assert_eq!(errors, told.map(|line| format!("kiki-lab: {line}; left out\n")).concat());
        assert!(folder.fail(&format!("book {command} cut.ybb --output none.db")).contains(cut));
    }
    assert!(!folder.join("none.db").exists());
    let (_, said, errors) = folder.run(&["book", "show", "damaged.ybb", "--moves", ""]);
    assert!(said.contains("at this ply:") && said.contains("▲７６歩") && !said.contains("▲２６歩"), "{said}");
    assert!(errors.contains(told[0]) || errors.contains("damaged.ybb: offset 360: "), "{errors}");
}

#[test]
fn lines_that_are_no_moves_are_told_and_the_rest_is_merged() {
    let folder = Folder::new();
    folder.write("a.db", format!("{HEADER}sfen {START}\n2g2f 8c8d 10 10\nhello\n7g7f hello\n"));
    folder.write("b.db", format!("{HEADER}sfen {START}\n5g5f\n{}", "x\n".repeat(25)));
    let (status, said, errors) = folder.run("book merge a.db b.db --output c.db");
    assert_eq!((status, said.as_str()), (Some(1), "c.db: 1 positions, 3 moves\n"), "{errors}");
    let told: Vec<&str> = errors.lines().collect();
    assert_eq!(told[0], "kiki-lab: a.db, line 4: `hello` is no move; left out");
    assert!(told[1].starts_with("kiki-lab: a.db, line 5: the reply hello is illegal after 7g7f; "), "{errors}");
    assert_eq!((told.len(), told[22]), (23, "kiki-lab: b.db: 5 more are left out"));
    assert_eq!(folder.text("c.db"), format!("{HEADER}sfen {START}\n2g2f 8c8d 10 10\n7g7f\n5g5f\n"));
    // Both count what an engine finds.
    let row = |said: &str| {
        said.lines().find(|line| line.contains(" all ")).unwrap().split_whitespace().nth(2).map(str::to_owned)
    };
    assert_eq!(row(&folder.succeed("book show a.db")).as_deref(), Some("2"));
    assert!(folder.run("book check a.db").1.contains("a.db: 1 positions, 2 moves, 2 faults; "));
}

#[test]
fn faults_are_told_line_by_line_and_other_books_go_on() {
    let folder = Folder::new();
    folder.write("good.db", format!("{HEADER}sfen {START}\n7g7f 3c3d 30 10 3\n"));
    folder.write("bad.db", format!("{HEADER}sfen {START}\n7g7e\n2g2f 2g2f\n"));
    let (status, said, errors) = folder.run("book check bad.db none.db good.db");
    assert!(status == Some(1) && errors.contains("none.db: "), "{errors}");
    for part in [
        "bad.db, line 3: the move 7g7e is illegal\nbad.db, line 4: the reply 2g2f is illegal after 2g2f\n",
        "bad.db: 1 positions, 2 moves, 2 faults; ",
        "good.db: 1 positions, 1 moves, 0 faults; ",
    ] {
        assert!(said.contains(part), "{said}");
    }
    let said = folder.succeed("book check good.db");
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn a_position_is_shown_as_an_engine_finds_it() {
    let folder = Folder::new();
    let after = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w -";
    // Not sorted.
    let book = format!("{HEADER}sfen {START}\n7g7f 3c3d 30 10 3\nsfen {after} 6\n3c3d none -20 12\n");
    folder.write("book.db", book);
    let said = folder.succeed(&["book", "show", "book.db", "--moves", ""]);
    for part in ["先手番", "at this ply:", "▲７６歩", "△３４歩", "+30"] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    let said = folder.succeed("book show book.db --moves 7g7f");
    assert!(said.contains("at another ply") && said.contains("△３４歩") && said.contains("-20"), "{said}");
    let turned = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 9";
    let said = folder.succeed(&["book", "show", "book.db", "--sfen", turned]);
    assert!(said.contains("with colours exchanged") && said.contains("▲７６歩"), "{said}");
    for sfen in ["startpos moves 7g7f", &format!("sfen {after} 2")] {
        let said = folder.succeed(&["book", "show", "book.db", "--sfen", sfen]);
        assert!(said.contains("△３４歩"), "{said}");
    }
    assert!(folder.fail("book show book.db --sfen nonsense").contains("--sfen nonsense: "));
    let said = folder.succeed("book show book.db --moves 1g1f");
    assert!(said.contains("the position is not in the book"), "{said}");
    assert!(folder.fail("book show book.db --moves 7g7e").contains("7g7e"));
    assert!(folder.fail("book show none.db --moves 7g7f").contains("none.db"));
    let said = folder.succeed("book show book.db");
    assert!(said.contains("the longest line has 1 plies\n7g7f"), "{said}");
}

//! The opening book.

use kiki_tests::fixtures::binary_books;

use crate::conversation::Conversation;

const BOOK: &str = "#YANEURAOU-DB2016 1.00
sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
2g2f 8c8d 12 20 3
1g1f none -80 20 1
9i9h none 500 1 1
1a1b none 900 40 1
";

/// An engine with that book.
fn with_book(on_the_fly: bool) -> (Conversation, tempfile::TempDir) {
    with_book_of(BOOK, on_the_fly)
}

/// An engine with a book of its own.
fn with_book_of(text: &str, on_the_fly: bool) -> (Conversation, tempfile::TempDir) {
    let (mut engine, folder) = with_files(&[("opening.db", text.as_bytes())], "opening.db");
    engine.set("BookOnTheFly", on_the_fly);
    assert_eq!(engine.meanwhile(), [""; 0], "the book is opened without a word");
    (engine, folder)
}

/// Whether a search plays a move of the book.
fn plays_book(engine: &mut Conversation) -> bool {
    engine.search("go nodes 100").contains(&"info string a move of the book".to_owned())
}

/// An engine with some files in its book folder.
fn with_files(files: &[(&str, &[u8])], option: &str) -> (Conversation, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).expect("a file");
    }
    let mut engine = Conversation::ready();
    engine.set("BookDir", folder.path().display());
    engine.set("BookFile", option);
    (engine, folder)
}

#[test]
fn a_move_of_the_book_is_played_at_once_with_its_answer() {
    for on_the_fly in [false, true] {
        let (mut engine, _folder) = with_book(on_the_fly);
        for _ in 0..5 {
            engine.say("position startpos");
            engine.say("go btime 60000 wtime 60000");
            // The others are too shallow or far worse than the best, so they are not played; an
            // illegal one is not even shown.
            let heard = engine.until("bestmove");
            assert_eq!(
                heard,
                [
                    "info string book 2g2f value 12 depth 20 count 3",
                    "info string book 9i9h value 500 depth 1 count 1",
                    "info string book 1g1f value -80 depth 20 count 1",
                    "info string a move of the book",
                    "info depth 20 multipv 1 score cp 12 pv 2g2f 8c8d",
                    "info depth 1 multipv 2 score cp 500 pv 9i9h",
                    "info depth 20 multipv 3 score cp -80 pv 1g1f",
                    "bestmove 2g2f ponder 8c8d"
                ]
            );
        }
        assert!(
            engine.search_in("startpos moves 2g2f", "go nodes 500").iter().all(|line| !line.contains("book")),
            "beyond the book it thinks"
        );
    }
}

#[test]
fn the_built_in_book_is_used_by_its_name() {
    let mut engine = Conversation::ready();
    engine.set("BookFile", "missing.db;built_in");
    // The depths of its moves are known to suffice.
    engine.set("BookDepthLimit", 99);
    let ready = engine.get_ready();
    assert!(ready.iter().any(|line| line.ends_with("book built_in")), "{ready:#?}");
    assert!(ready.iter().any(|line| line.contains("missing.db cannot be read")), "{ready:#?}");
    engine.say("position startpos");
    let heard = engine.search("go btime 1800000 wtime 1800000 byoyomi 60000");
    assert!(heard.contains(&"info string a move of the book".to_owned()), "{heard:#?}");
    engine.set("BookFile", "no_book");
    engine.say("position startpos");
    assert!(!plays_book(&mut engine), "by default it plays without one");
}

#[test]
fn the_book_is_for_games() {
    let (mut engine, _folder) = with_book(false);
    engine.say("position startpos");
    engine.say("go infinite");
    engine.until("info depth 3");
    engine.has_not_answered();
    engine.play("stop");
    assert_eq!(engine.play("go nodes 300 searchmoves 9g9f").split(' ').next(), Some("9g9f"));
    // A new command ends the previous search; each gets an answer.
    engine.say("go infinite");
    engine.play("go byoyomi 1000");
    assert_eq!(engine.answer(), "2g2f ponder 8c8d");
}

/// A book with only the position after 2g2f 8c8d.
const REPLY: &str = "#YANEURAOU-DB2016 1.00
sfen lnsgkgsnl/1r5b1/p1ppppppp/1p7/9/7P1/PPPPPPP1P/1B5R1/LNSGKGSNL b - 3
2f2e 8d8e 34 20 1
";

#[test]
fn a_ponder_hit_is_answered_from_the_book_at_once_and_once() {
    for (stochastic, on_the_fly) in [(false, false), (false, true), (true, false)] {
        let (mut engine, _folder) = with_book_of(REPLY, on_the_fly);
        engine.set("Stochastic_Ponder", stochastic);
        for hit in ["ponderhit", "ponderhit btime 50000 wtime 60000 byoyomi 1000"] {
            engine.say("position startpos moves 2g2f 8c8d");
            engine.say("go ponder btime 60000 wtime 60000 byoyomi 1000");
            let mut heard = engine.until("info depth 2 ");
            heard.extend(engine.meanwhile());
            assert!(heard.iter().all(|line| !line.contains("a move of the book") && !line.contains("bestmove")));
            // Stochastic ponder searches another position.
            let shown = heard.contains(&"info string book 2f2e value 34 depth 20 count 1".to_owned())
                && heard.contains(&"info depth 20 score cp 34 pv 2f2e 8d8e".to_owned());
            assert_eq!(shown, !stochastic, "{heard:#?}");
            let heard = engine.search(hit);
            let at = heard.iter().position(|line| line == "info string a move of the book").expect("from the book");
            assert_eq!(heard[at + 1..], ["info depth 20 score cp 34 pv 2f2e 8d8e", "bestmove 2f2e ponder 8d8e"]);
            engine.say("ponderhit");
            assert_eq!(engine.meanwhile(), [""; 0], "one answer");
        }
    }
}

#[test]
fn the_book_is_not_for_every_ponder_search() {
    for stochastic in [false, true] {
        let (mut engine, _folder) = with_book_of(REPLY, false);
        engine.set("Stochastic_Ponder", stochastic);
        engine.say("position startpos moves 2g2f 8c8d");
        // The opponent played something else.
        engine.say("go ponder btime 60000 wtime 60000");
        assert!(engine.search("stop").iter().all(|line| !line.contains("a move of the book")));
        engine.say("ponderhit");
        assert_eq!(engine.meanwhile(), [""; 0], "nothing is pondered on");
        engine.say("go ponder byoyomi 50 searchmoves 9g9f");
        assert_eq!(engine.play("ponderhit").split(' ').next(), Some("9g9f"));
        // Beyond the book.
        engine.say("position startpos moves 2g2f 3c3d");
        engine.say("go ponder byoyomi 50");
        assert!(engine.search("ponderhit").iter().all(|line| !line.contains("book")));
        assert_eq!(engine.meanwhile(), [""; 0]);
    }
}

#[test]
fn an_infinite_search_shows_all_moves_of_the_book_at_once() {
    for on_the_fly in [false, true] {
        let (mut engine, _folder) = with_book(on_the_fly);
        engine.say("position startpos");
        engine.say("go infinite");
        let heard = engine.until("info depth 20 multipv 3");
        assert_eq!(
            heard,
            [
                "info string book 9i9h value 500 depth 1 count 1",
                "info string book 2g2f value 12 depth 20 count 3",
                "info string book 1g1f value -80 depth 20 count 1",
                "info depth 1 multipv 1 score cp 500 pv 9i9h",
                "info depth 20 multipv 2 score cp 12 pv 2g2f 8c8d",
                "info depth 20 multipv 3 score cp -80 pv 1g1f"
            ]
        );
        assert!(engine.until("info depth 3").iter().all(|line| !line.starts_with("bestmove")), "and it searches");
        engine.play("stop");
        for silent in ["go infinite searchmoves 2g2f", "go depth 2 searchmoves 2g2f"] {
            engine.say(silent);
            assert!(engine.search("stop").iter().all(|line| !line.contains("string book ")), "{silent}");
        }
        engine.set("USI_OwnBook", false);
        engine.say("go infinite");
        assert!(engine.search("stop").iter().all(|line| !line.contains("string book ")));
    }
}

/// A book like one counted from games: without depths and values.
const SHALLOW: &str = "#YANEURAOU-DB2016 1.00
sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
2g2f 8c8d -50 0 3
7g7f 3c3d -60 0 2
sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/7P1/PPPPPPP1P/1B5R1/LNSGKGSNL w - 2
8c8d 2f2e 50 0 1
";

#[test]
fn a_book_that_is_never_used_is_hinted_at_once_and_only_once() {
    let start = "position startpos";
    for (options, position, hint) in [
        (&[][..], start, Some("2 moves here, but BookDepthLimit 16 with BookEvalBlackLimit 0 excludes them")),
        (&["BookEvalBlackLimit value -99"], start, Some("2 moves here, but BookDepthLimit 16 excludes")),
        (&["BookDepthLimit value 0"], start, Some("2 moves here, but BookEvalBlackLimit 0 excludes")),
        (&["BookMoves value 0"], start, Some("2 moves here, but BookMoves 0 excludes")),
        (&["BookMoves value 0"], "position startpos moves 2g2f", Some("1 move here, but BookMoves 0 excludes it")),
        (&["BookIgnoreRate value 100"], start, Some("2 moves here, but BookIgnoreRate 100 excludes")),
        (
            &[],
            "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 7",
            Some("2 moves here, but IgnoreBookPly false excludes"),
        ),
        (
            &["FlippedBook value false"],
            "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 2",
            Some("2 moves here, but FlippedBook false excludes"),
        ),
        (&[], "position startpos moves 7g7f 3c3d", None),
        (&["BookDepthLimit value 0", "BookEvalBlackLimit value -99"], start, None),
        (&["USI_OwnBook value false"], start, None),
    ] {
        let (mut engine, _folder) = with_book_of(SHALLOW, false);
        for option in options {
            engine.say(&format!("setoption name {option}"));
        }
        engine.meanwhile();
        engine.say(position);
        for expected in [hint, None] {
            let heard = engine.search("go nodes 100");
            let told: Vec<&String> = heard.iter().filter(|line| line.contains(" excludes ")).collect();
            assert_eq!(told.len(), usize::from(expected.is_some()), "{options:?}, {position}: {heard:#?}");
            assert!(told.iter().all(|line| line.contains(expected.unwrap_or_default())), "{told:?}");
        }
    }
    // After the moves played from it, a book is silent.
    let (mut engine, _folder) = with_book(false);
    assert!(engine.search_in("startpos", "go nodes 100").iter().any(|line| line.contains("a move of the book")));
    engine.set("BookMoves", 0);
    assert!(engine.search("go nodes 100").iter().all(|line| !line.contains("book")));
}

#[test]
fn in_analysis_the_book_is_not_played() {
    let (mut engine, _folder) = with_book(false);
    engine.set("USI_AnalyseMode", true);
    let heard = engine.search_in("startpos", "go depth 4");
    // Clients that analyse take the deepest line for the result.
    assert!(heard.iter().all(|line| !line.contains("book") && !line.starts_with("info depth 20 ")), "{heard:#?}");
    assert!(heard[heard.len() - 2].starts_with("info depth 4 "), "{heard:#?}");
    engine.set("USI_AnalyseMode", false);
    assert!(engine.search("go depth 4").contains(&"info string a move of the book".to_owned()));
}

#[test]
fn options_of_the_book_hold_from_the_next_go_on() {
    let (mut engine, folder) = with_book(false);
    for (option, used) in [
        ("USI_OwnBook value false", false),
        ("USI_OwnBook value true", true),
        ("BookFile value no_book", false),
        ("BookFile value opening.db", true),
        ("BookOnTheFly value true", true),
        ("BookDir value no/such/folder", false),
    ] {
        engine.say(&format!("setoption name {option}"));
        assert_eq!(plays_book(&mut engine), used, "{option}");
    }
    // During a search `isready` only answers; an unreadable book is reported at its first use.
    engine.say("go infinite");
    engine.set("BookDir", folder.path().display());
    engine.set("BookFile", "missing.db");
    assert!(engine.meanwhile().iter().all(|line| !line.contains("book")));
    engine.play("stop");
    let heard = engine.search("go nodes 100");
    assert_eq!(heard.iter().filter(|line| line.contains("missing.db")).count(), 1, "{heard:?}");
    engine.say("go infinite");
    engine.set("BookFile", "opening.db");
    engine.meanwhile();
    engine.play("stop");
    assert!(plays_book(&mut engine));
}

#[test]
fn no_move_of_the_book_is_played_before_the_engine_is_ready() {
    let (mut engine, _folder) = with_book(false);
    engine.set("USI_Hash", 64);
    for _ in 0..5 {
        for command in ["isready", "usinewgame", "position startpos", "go btime 1000 wtime 1000"] {
            engine.say(command);
        }
        let heard = engine.until("bestmove");
        assert!(heard.contains(&"readyok".to_owned()), "{heard:?}");
    }
}

#[test]
fn what_is_no_book_is_refused_with_one_line_and_done_without() {
    let files: [(&str, &[u8]); 2] =
        [("picture.db", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), ("cut.ybb", &binary_books()[0][..50])];
    for on_the_fly in [false, true] {
        let (mut engine, _folder) = with_files(&files, "no_book");
        engine.set("BookOnTheFly", on_the_fly);
        for (name, problem) in [
            ("no such book.db", " cannot be read: "),
            ("picture.db", " is refused: line 3, offset 8: "),
            ("cut.ybb", " is refused: offset 16: the header tells 5 records of 44 bytes"),
        ] {
            engine.set("BookFile", name);
            let heard = engine.meanwhile();
            let [line] = &heard[..] else { panic!("{heard:?}") };
            assert!(line.starts_with("info string the book ") && line.contains(&format!("{name}{problem}")), "{line}");
            assert_eq!(engine.meanwhile(), [""; 0], "told once");
            assert!(engine.search_in("startpos", "go nodes 300").iter().all(|line| !line.contains("book")));
        }
    }
}

#[test]
fn a_binary_book_is_played_like_a_text_whatever_its_name() {
    for on_the_fly in [false, true] {
        let (mut engine, _folder) = with_files(&[("book.db", binary_books()[0])], "book.db");
        engine.set("BookOnTheFly", on_the_fly);
        assert_eq!(engine.meanwhile(), [""; 0], "the book is opened without a word");
        let heard = engine.search_in("startpos", "go btime 60000 wtime 60000");
        assert_eq!(heard[0], "info string book 2g2f value 63 depth 27");
        assert_eq!(heard[5..7], ["info string a move of the book", "info depth 27 multipv 1 score cp 63 pv 2g2f"]);
        // The file has ply 1 everywhere, and depth 0 where nothing was searched.
        engine.say("position startpos moves 7g7f");
        for (option, value) in [("IgnoreBookPly", "true"), ("BookDepthLimit", "0")] {
            assert!(!plays_book(&mut engine), "{option}");
            engine.set(option, value);
        }
        assert!(plays_book(&mut engine));
    }
}

#[test]
fn a_damaged_book_is_told_once_and_used_only_where_its_rest_can_be() {
    let mut text = format!("{BOOK}{}", "# all is well\n".repeat(20_000)).into_bytes();
    text.extend([0; 300_000]);
    // The best move of the start position is not a move.
    let mut binary = binary_books()[0].to_vec();
    binary[32 + 5 * 44 + 18..][..2].fill(0xff);
    let of_the_binary = "damaged.ybb is damaged; the rest is used: offset 270: the bits 0xffff are no move";
    for (name, content, on_the_fly, told, answer) in [
        ("damaged.db", &text, true, "damaged.db is no longer used: offset 2", None),
        ("damaged.ybb", &binary, false, of_the_binary, Some("bestmove 7g7f")),
        ("damaged.ybb", &binary, true, of_the_binary, Some("bestmove 7g7f")),
    ] {
        let (mut engine, _folder) = with_files(&[(name, content)], name);
        engine.set("BookOnTheFly", on_the_fly);
        assert_eq!(engine.meanwhile(), [""; 0]);
        for complaints in [1, 0] {
            let heard = engine.search_in("startpos", "go nodes 300");
            assert_eq!(heard.iter().filter(|line| line.contains(told)).count(), complaints, "{heard:#?}");
            let is_played = heard.contains(&"info string a move of the book".to_owned());
            assert_eq!(is_played, answer.is_some(), "{heard:#?}");
            assert!(heard.last().is_some_and(|line| line.starts_with(answer.unwrap_or("bestmove "))), "{heard:#?}");
        }
    }
}

#[test]
fn several_books_are_asked_in_their_order() {
    let files: [(&str, &[u8]); 3] =
        [("first.db", BOOK.as_bytes()), ("second.ybb", binary_books()[0]), ("third.db", REPLY.as_bytes())];
    for on_the_fly in [false, true] {
        let (mut engine, _folder) = with_files(&files, "first.db; second.ybb;;no_book;missing.db;third.db");
        engine.set("BookOnTheFly", on_the_fly);
        engine.set("BookEvalDiff", 0);
        let heard = engine.get_ready();
        assert!(heard.len() == 3 && heard[0].contains("missing.db cannot be read: "), "{heard:?}");
        assert!(heard[1].ends_with("third.db"), "the books in use are told: {heard:?}");
        let mut played = |position: &str| {
            engine.say(position);
            let heard = engine.search("go nodes 100");
            let is_known = heard.contains(&"info string a move of the book".to_owned());
            is_known.then(|| heard.last().expect("an answer").clone())
        };
        assert_eq!(played("position startpos").as_deref(), Some("bestmove 2g2f ponder 8c8d"), "the first has a reply");
        let third = played("position startpos moves 2g2f 8c8d");
        assert_eq!(third.as_deref(), Some("bestmove 2f2e ponder 8d8e"), "it is in the third alone");
        assert_eq!(played("position startpos moves 1g1f"), None);
        // The best move of the first book is not good enough, that of the second is.
        engine.set("BookEvalBlackLimit", 50);
        let heard = engine.search_in("startpos", "go nodes 100");
        assert_eq!(heard.last().map(String::as_str), Some("bestmove 2g2f"), "{heard:#?}");
        assert!(heard.contains(&"info string book 2g2f value 63 depth 27".to_owned()), "{heard:#?}");
        engine.set("BookEvalBlackLimit", 0);
        engine.set("BookFile", "second.ybb;first.db");
        let heard = engine.search_in("startpos", "go infinite\nstop");
        assert!(heard.contains(&"info string book 7g7f value 20 depth 25".to_owned()), "{heard:#?}");
        assert!(heard.iter().all(|line| !line.contains("book 9i9h")), "one book is shown: {heard:#?}");
    }
}

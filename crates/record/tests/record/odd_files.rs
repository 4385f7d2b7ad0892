//! Odd files from practice: each in `tests/odd` stands for a kind, and its test adds others of that
//! kind.

use kiki_board::Position;
use kiki_record::{EndReason, Ending, Game, GameOutcome, LostPart, RecordForm, TextEncoding, lost_parts, read_records};

use crate::common::{KIF, TWO, comes_back, end, moves, one, refused, usi, written};

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(format!("tests/odd/{name}")).unwrap()
}

fn odd(name: &str) -> Game {
    one(name, &fixture(name))
}

const WITH_VARIATIONS: [RecordForm; 3] = [RecordForm::Kif, RecordForm::Ki2, RecordForm::Jkf];

#[test]
fn the_first_of_two_ends_holds() {
    let game = odd("two-ends.kif");
    assert_eq!(end(&game), (GameOutcome::WhiteWins, Some(EndReason::Resignation)));
    assert_eq!(end(&odd("last-line-time-up.kif")), (GameOutcome::WhiteWins, Some(EndReason::Time)));
    let jkf = r#"{"moves":[{},{"move":{"to":{"x":7,"y":6},"piece":"FU"}},{"special":"CHUDAN"},{"special":"TORYO"}]}"#;
    assert_eq!(end(&one("a.jkf", jkf.as_bytes())), (GameOutcome::Unknown, Some(EndReason::Interrupted)));
}

#[test]
fn an_end_that_decides_nothing_is_kept() {
    let game = odd("sealed-move.ki2");
    assert_eq!((end(&game), game.remark.as_str()), ((GameOutcome::Unknown, None), "封じ手"));
    for (word, statement) in [("封じ手", None), ("待った", Some("MATTA")), ("不詰", Some("FUZUMI"))] {
        let sentence = one("a.ki2", format!("▲７六歩 △３四歩\nまで2手で{word}\n").as_bytes());
        let numbered = one("a.kif", format!("{KIF}{TWO}   3 {word}\n").as_bytes());
        for game in [&sentence, &numbered] {
            assert_eq!((end(game), game.remark.as_str()), ((GameOutcome::Unknown, None), word));
            assert!(written(RecordForm::Kif, game).contains(&format!("   3 {word}\nまで2手で{word}\n")), "{word}");
            assert!(written(RecordForm::Ki2, game).contains(&format!("まで2手で{word}\n")), "{word}");
            comes_back(game, &[RecordForm::Kif, RecordForm::Ki2, RecordForm::Jkf, RecordForm::Csa]);
        }
        let Some(statement) = statement else { continue };
        assert!(written(RecordForm::Csa, &numbered).contains(&format!("\n%{statement}\n")));
        assert!(written(RecordForm::Jkf, &numbered).contains(&format!("\"special\":\"{statement}\"")));
        let csa = one("a.csa", format!("PI\n+\n+7776FU\n-3334FU\n%{statement}\n").as_bytes());
        assert!(written(RecordForm::Csa, &csa).contains(&format!("\n%{statement}\n")));
        assert!(written(RecordForm::Kif, &csa).contains(&format!("   3 {word}\n")));
    }
    assert!(refused("a.kif", &format!("{KIF}{TWO}   3 Timely\n")).starts_with("line 5: `Timely` is not a move"));
}

#[test]
fn every_word_of_kif_for_an_end_comes_back_as_itself() {
    let game = odd("forfeit.kifu");
    assert_eq!(end(&game), (GameOutcome::WhiteWins, Some(EndReason::Forfeit)));
    assert!(written(RecordForm::Kif, &game).ends_with("   2 不戦勝\nまで1手で後手の不戦勝\n"));
    // The words in Kakinoki's description of KIF, and 最大手数.
    let words = "中断 投了 持将棋 千日手 詰み 不詰 切れ負け 反則勝ち 反則負け 入玉勝ち 不戦勝 不戦敗 最大手数";
    for word in words.split(' ') {
        let game = one("a.kif", format!("{KIF}{TWO}   3 {word}\n").as_bytes());
        for form in [RecordForm::Kif, RecordForm::Ki2, RecordForm::Csa, RecordForm::Csa3, RecordForm::Jkf] {
            let text = written(form, &game);
            let back = written(RecordForm::Kif, &one("a", text.as_bytes()));
            assert!(back.contains(&format!("   3 {word}\n")) && !back.contains("*result"), "{form:?}\n{text}\n{back}");
        }
    }
    // CSA and JKF have no such word, so a note next to theirs has it.
    let csa = written(RecordForm::Csa, &game);
    assert!(csa.ends_with("\n%+ILLEGAL_ACTION\n'*result white-wins forfeit: 不戦勝\n"), "{csa}");
    // KI2 has them in the sentence alone.
    for sentence in ["まで1手で後手の不戦勝\n", "まで1手で先手の不戦敗\n", "まで1手で不戦勝\n"]
    {
        let ki2 = one("a.ki2", format!("▲７六歩\n{sentence}").as_bytes());
        assert_eq!((end(&ki2), &ki2.remark), (end(&game), &game.remark), "{sentence}");
        assert!(written(RecordForm::Ki2, &ki2).ends_with("▲７六歩\nまで1手で後手の不戦勝\n"), "{sentence}");
    }
    // A game that a program broke off was played.
    let crashed = Game { reason: Some(EndReason::Crash), remark: String::new(), ..game };
    assert!(written(RecordForm::Kif, &crashed).contains("   2 反則勝ち\n"));
    let abnormal = one("a.csa", "N+a\nN-b\nPI\n+\n+7776FU\n#ABNORMAL\n'summary:abnormal:a win:b lose\n".as_bytes());
    assert_eq!(end(&abnormal), (GameOutcome::BlackWins, Some(EndReason::Forfeit)));
    let kif = written(RecordForm::Kif, &abnormal);
    assert!(kif.ends_with("   2 反則負け\n**result black-wins forfeit\nまで1手で後手の反則負け\n"), "{kif}");
    comes_back(&abnormal, &[RecordForm::Kif, RecordForm::Ki2, RecordForm::Csa, RecordForm::Jkf]);
}

#[test]
fn without_a_word_no_piece_promotes() {
    let game = odd("no-promotion-word.ki2");
    assert_eq!((moves(&game).as_str(), game.reason), ("7g7f 3c3d 8h2b 3a2b", Some(EndReason::Interrupted)));
    // The reader does not guess which piece moves.
    assert!(refused("a.ki2", "▲５八金\n").contains(" may be "));
}

#[test]
fn marks_of_sides_may_be_pieces_of_either_colour() {
    let game = odd("marks-of-pieces.ki2");
    assert_eq!(moves(&game), "2g2f 3c3d 2f2e 2b3c");
    assert!(written(RecordForm::Ki2, &game).ends_with("\n▲２六歩    △３四歩    ▲２五歩    △３三角\n"));
    for [black, white] in [["▲", "△"], ["☗", "☖"], ["▼", "▽"], ["⛊", "⛉"]] {
        let text = format!("{black}２六歩{white}３四歩\n{black}投了\n");
        assert_eq!(end(&one("pasted", text.as_bytes())).0, GameOutcome::WhiteWins, "{text}");
        assert!(refused("a.ki2", &format!("{white}２六歩")).contains("is a move of the wrong side"), "{text}");
    }
}

#[test]
fn what_stands_below_a_rule_is_a_comment() {
    let game = odd("clipboard-with-a-rule.ki2");
    assert_eq!((moves(&game).as_str(), end(&game)), ("7g7f 3c3d 2g2f", (GameOutcome::Unknown, None)));
    assert_eq!(game.moves[2].comment, "この棋譜は或るソフトで作りました");
    let pasted = "先手: a / b / 後手: c\n手合割：平手\n\n▲７六歩△３四歩\n";
    for (below, comment) in [
        ("------------------------------\n    generated by x\n", "generated by x"),
        ("まで2手で後手の勝ち\n－－－－－－\none\n\ntwo\n", "one\ntwo"),
        ("*good\n──────────\n投了\nbad\n", "good\nbad"),
        ("==========\n", ""),
        ("-----\nhttps://x.example/\n-----\n", "https://x.example/"),
        ("-----\n  url： x\n\n=====\nmade: with x ( 1:00)\n", "url： x\nmade: with x ( 1:00)"),
    ] {
        let game = one("a.ki2", format!("{pasted}{below}").as_bytes());
        assert_eq!([game.black.as_str(), &game.white, &moves(&game)], ["a / b", "c", "7g7f 3c3d"], "{below}");
        assert_eq!((game.moves[1].comment.as_str(), game.fields.len()), (comment, 0), "{below}");
    }
    // Known fields are fields there too.
    let game = one("a.ki2", format!("{pasted}-----\n備考：x\ny：z\n").as_bytes());
    assert_eq!((game.fields.get("NOTE").map(String::as_str), game.fields.len()), (Some("x"), 1));
    assert_eq!(game.moves[1].comment, "y：z");
    // Another game may follow, and moves. Without a rule, text after them may be a move.
    assert_eq!(read_records("a.ki2", format!("{pasted}-----\nx\n\n{pasted}-----\n").as_bytes()).len(), 2);
    for below in ["generated by x\n", "--\nx\n", "-----\n３ ２六×\n", "-----\n▲２六歩\nx\n"] {
        assert!(refused("a.ki2", &format!("{pasted}{below}")).contains("` is not a move"), "{below}");
    }
    assert_eq!(one("a.kif", "棋戦：a / b\n先手：a / b\n1 ７六歩(77)\n".as_bytes()).black, "a / b");
}

#[test]
fn what_is_no_record_is_refused() {
    for name in ["not-a-record.kif", "notes.ki2"] {
        let text = String::from_utf8(fixture(name)).unwrap();
        let error = refused(name, &text);
        assert!(error.starts_with("line 1: `") && error.ends_with("and the game has none"), "{error}");
    }
}

#[test]
fn blank_lines_between_others_are_kept_in_comments() {
    let game = odd("comments-with-blank-lines.kif");
    assert_eq!(game.comment, "the first\n\nthe third");
    comes_back(&game, &[RecordForm::Kif, RecordForm::Ki2, RecordForm::Csa, RecordForm::Csa3, RecordForm::Jkf]);
    for (name, text) in [
        ("a.ki2", "*a\n*\n*\n*b\n▲７六歩\n*c\n*\n*d\n*\n△３四歩\n*\n*e\n"),
        ("a.kif", "*a\n*\n* \n*b\n   1 ７六歩(77)\n*c\n*\n*d\n*\n   2 ３四歩(33)\n*\n*e\n"),
        ("a.csa", "PI\n+\n'*a\n'*\n'*\n'*b\n+7776FU\n'*c\n'*\n'*d\n'*\n-3334FU\n'*\n'*e\n"),
        ("a.csa", "V3.0\nPI\n+\n'a\n'\n'\n'b\n+7776FU\nT1\n'c\n'\n'd\n'\n-3334FU\n'\n'e\n"),
        (
            "a.jkf",
            r#"{"moves":[{"comments":["a","","","b"]},{"move":{"to":{"x":7,"y":6},"piece":"FU"},"comments":["c\n\nd",""]},
               {"move":{"to":{"x":3,"y":4},"piece":"FU"},"comments":["","e"]}]}"#,
        ),
    ] {
        let game = one(name, text.as_bytes());
        let comments = [&game.comment, &game.moves[0].comment, &game.moves[1].comment];
        assert_eq!(comments, ["a\n\n\nb", "c\n\nd", "e"], "{text}");
        let mut game = game;
        game.moves.iter_mut().for_each(|played| played.time_ms = None);
        comes_back(&game, &[RecordForm::Kif, RecordForm::Ki2, RecordForm::Csa, RecordForm::Csa3, RecordForm::Jkf]);
    }
    let varied = one("a.kif", format!("{KIF}{TWO}\n変化：2手\n*x\n*\n*y\n   2 ８四歩(83)\n*z\n*\n*w\n").as_bytes());
    assert_eq!(varied.variations[0].moves[0].comment, "x\n\ny\nz\n\nw");
    comes_back(&varied, &WITH_VARIATIONS);
}

#[test]
fn a_comment_like_a_bookmark_is_none() {
    let forms = [RecordForm::Kif, RecordForm::Ki2, RecordForm::Csa, RecordForm::Csa3, RecordForm::Jkf];
    let game = odd("comment-like-a-bookmark.kifu");
    let moves = "   1 ７六歩(77)\n*a\n*&b\n* &c\n&d\n   2 ３四歩(33) &\n   3 ２六歩(27) *&e\n";
    let variation = "\n変化：2手\n*&f\n&g\n   2 ８四歩(83)\n&h\n";
    let both = one("a.kif", format!("{KIF}*&i\n&j\n{moves}{variation}").as_bytes());
    let csa = one("a.csa", "PI\n+\n'*&k\n+7776FU\n'*&b\n'&b\n'** 35 &b\n'*bookmark:l\n".as_bytes());
    for (game, has_variation, expected) in [
        (&game, false, &["*&b", "*☗好手 〜 ここまで"][..]),
        (&both, true, &["*&i", "&j", "*a", "*&b", "*&c", "&d", "&", "*&e", "*&f", "&g", "&h"]),
        (&csa, false, &["*&k", "**評価値=35", "*&b", "*&b", "*&b", "&l"]),
    ] {
        for form in forms.into_iter().filter(|form| !has_variation || WITH_VARIATIONS.contains(form)) {
            let text = written(form, game);
            let back = written(RecordForm::Kif, &one("a", text.as_bytes()));
            let comments: Vec<&str> = back.lines().filter(|line| line.starts_with(['*', '&'])).collect();
            assert_eq!(comments, expected, "{form:?}\n{text}");
        }
    }
}

#[test]
fn an_illegal_last_move_ends_the_game() {
    let game = odd("last-move-illegal.kif");
    assert_eq!((moves(&game).as_str(), game.remark.as_str()), ("7g7f 3c3d", "２二飛"));
    assert_eq!(end(&game), (GameOutcome::WhiteWins, Some(EndReason::IllegalMove)));
    assert_eq!(game.moves[1].comment, "反則で終わり");
    assert!(written(RecordForm::Kif, &game).ends_with(
        "   3 反則負け     ( 0:09/00:00:14)\n**result white-wins illegal-move: ２二飛\nまで2手で先手の反則負け\n"
    ));
    comes_back(&game, &[RecordForm::Kif, RecordForm::Jkf, RecordForm::Csa]);
    let jkf = r#"{"moves":[{},{"move":{"to":{"x":7,"y":6},"piece":"FU"}},{"move":{"to":{"x":5,"y":5},"piece":"OU"}}]}"#;
    assert_eq!(end(&one("a.jkf", jkf.as_bytes())), (GameOutcome::BlackWins, Some(EndReason::IllegalMove)));
    // An illegal move by White, followed by 反則手 or by variations.
    let white = format!("{KIF}{TWO}   3 ２六歩(27)\n   4 ５五玉(51)\n");
    for behind in ["", "   5 反則手\n", "   5 反則負け\nまで4手で先手の勝ち\n", "\n変化：2手\n   2 ８四歩(83)\n"]
    {
        let game = one("a.kif", format!("{white}{behind}").as_bytes());
        assert_eq!(end(&game), (GameOutcome::BlackWins, Some(EndReason::IllegalMove)), "{behind}");
        assert_eq!((moves(&game).as_str(), game.remark.as_str()), ("7g7f 3c3d 2g2f", "５五玉"), "{behind}");
    }
    // A game or a variation that begins with an illegal move is refused.
    assert!(refused("a.kif", &format!("{KIF}   1 ７五歩(77)\n")).starts_with("line 3: the move `７五歩(77)`"));
    assert!(refused("a.kif", &format!("{KIF}{TWO}\n変化：2手\n   2 ８五歩(83)\n")).starts_with("line 7: the move"));
    // A game that continues after the illegal move, or ends otherwise, is refused.
    for behind in ["   5 ２五歩(26)\n", "   5 投了\n"] {
        assert!(refused("a.kif", &format!("{white}{behind}")).contains("the move `５五玉"), "{behind}");
    }
}

#[test]
fn a_mate_has_its_own_word_and_none_is_invented() {
    let stated = odd("ends-by-tsumi.csa");
    let silent = odd("mated-without-an-end.csa");
    let mated = (GameOutcome::BlackWins, Some(EndReason::Checkmate));
    assert_eq!((end(&stated), end(&silent)), (mated, mated));
    for (form, word) in [
        (RecordForm::Csa, "\n%TSUMI\n"),
        (RecordForm::Csa3, "\n%TSUMI\n"),
        (RecordForm::Jkf, "\"special\":\"TSUMI\""),
        (RecordForm::Kif, "   2 詰み\n"),
        (RecordForm::Ki2, "まで1手で詰み\n"),
    ] {
        comes_back(&stated, &[form]);
        comes_back(&silent, &[form]);
        assert!(written(form, &stated).contains(word), "{form:?}");
        let text = written(form, &silent);
        let ends = ["%", "special", "まで", "投了", "詰", "result", "   2 "];
        assert!(ends.iter().all(|end| !text.contains(end)), "{form:?}\n{text}");
    }
    // A list of moves has no words for ends. An unfinished game gets none, and an interrupted one
    // keeps its own.
    let listed = one("a.usi", b"sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1 moves G*5b\n");
    assert_eq!((listed.outcome, listed.reason, listed.stops_without_end), (mated.0, mated.1, true));
    assert!(!written(RecordForm::Csa, &listed).contains('%'));
    assert!(!written(RecordForm::Csa, &one("a.csa", b"PI\n+\n+7776FU\n")).contains('%'));
    let text = String::from_utf8(fixture("mated-without-an-end.csa")).unwrap();
    let broken_off = one("a.csa", format!("{text}%CHUDAN\n").as_bytes());
    assert_eq!(end(&broken_off), (GameOutcome::Unknown, Some(EndReason::Interrupted)));
    comes_back(&broken_off, &[RecordForm::Csa, RecordForm::Kif, RecordForm::Ki2, RecordForm::Jkf]);
}

#[test]
fn times_have_fractions_of_seconds_everywhere() {
    let game = odd("fractional-times.csa");
    let times: Vec<_> = game.moves.iter().map(|played| played.time_ms).collect();
    assert_eq!(times, [Some(2500), Some(125)]);
    comes_back(&game, &[RecordForm::Csa, RecordForm::Csa3, RecordForm::Kif, RecordForm::Jkf]);
    assert!(written(RecordForm::Csa3, &game).contains("+7776FU\nT2.500\n-3334FU\nT0.125\n"));
}

#[test]
fn the_time_of_the_last_word_is_kept() {
    let forms = |seconds: u64, used: u64| {
        let jkf = |seconds| format!(r#"{{"h":0,"m":0,"s":{seconds}}}"#);
        [
            (RecordForm::Csa, format!("\n%TORYO\nT{seconds}\n'*result white-wins resignation\n")),
            (RecordForm::Csa3, format!("\n%TORYO\nT{seconds}\n'*result white-wins resignation\n")),
            (RecordForm::Kif, format!("   3 投了         ( 0:{seconds:02}/00:00:{used:02})\nまで2手で後手の勝ち\n")),
            (RecordForm::Jkf, format!(r#""special":"TORYO","time":{{"now":{},"total":{}}}"#, jkf(seconds), jkf(used))),
        ]
    };
    for (name, seconds, used) in [("time-of-the-last-word.csa", 12, 13), ("time-of-the-last-word.kifu", 41, 44)] {
        let game = odd(name);
        for (from, _) in forms(seconds, used) {
            let text = written(from, &game);
            for (to, expected) in forms(seconds, used) {
                let text = written(to, &one("a", text.as_bytes()));
                assert!(text.contains(&expected), "{from:?} {to:?}\n{text}");
            }
        }
        comes_back(&game, &forms(seconds, used).map(|(form, _)| form));
        // KI2 has no times, and that is reported.
        let alone = Game { moves: Vec::new(), ..game };
        assert_eq!(lost_parts(RecordForm::Ki2, &alone, TextEncoding::Utf8), Ok(vec![LostPart::Times]));
    }
    let all = [RecordForm::Csa, RecordForm::Csa3, RecordForm::Kif, RecordForm::Jkf];
    for (name, text, expected) in [
        ("a.csa", "V3.0\nPI\n+\n+7776FU\nT1\n%TORYO\nT2.5\n", 2500),
        ("a.csa", "PI\n+\n+7776FU,T1\n%CHUDAN,T7\n%TORYO,T9\n", 7000),
        ("a.csa", "PI\n+\n+7776FU\nT1\n-5155OU\nT4\n%ILLEGAL_MOVE\n", 4000),
        ("a.kif", "1 ７六歩(77) ( 0:01/)\n2 ５五玉(51) ( 0:04/)\n3 反則手 ( 0:00/)\n", 4000),
        ("a.kif", "1 ７六歩(77) ( 0:01/)\n2 封じ手 ( 0:05.5/)+\n", 5500),
        ("a.kif", "1 ７六歩(77) ( 0:01/)\n中断 ( 0:06/)\n3 投了 ( 0:09/)\n", 6000),
        ("a.kif", "1 ７六歩(77) ( 0:01/)\n2 中断 ( 0:06/)\n*result unknown unknown: 先手優勢\n", 6000),
        ("a.kif", "1 ７六歩(77) ( 0:01/)\n2 中断 ( 0:06/)\n*result unknown unknown\n", 6000),
        ("a.jkf", r#"{"moves":[{},{"special":"TIME_UP","time":{"now":{"m":1}}},{"special":"TORYO"}]}"#, 60_000),
    ] {
        let game = one(name, text.as_bytes());
        assert_eq!(game.ending_time_ms, Some(expected), "{text}");
        assert!(game.moves.iter().all(|played| played.time_ms == Some(1000)), "{text}");
        comes_back(&game, &all);
    }
    let varied = one(
        "a.kif",
        format!("{KIF}{TWO}\n変化：2手\n   2 ８四歩(83) ( 0:02/)\n   3 ２六歩(27)\n   4 投了 ( 0:03/)\n").as_bytes(),
    );
    assert_eq!(varied.variations[0].ending.time_ms, Some(3000));
    assert!(written(RecordForm::Kif, &varied).contains("   4 投了         ( 0:03/00:00:05)\n"));
    comes_back(&varied, &[RecordForm::Kif, RecordForm::Jkf]);
    // A time before every move and word belongs to no one.
    assert_eq!(one("a.csa", b"PI\n+\nT5\n+7776FU\n").ending_time_ms, None);
}

#[test]
fn pieces_that_can_never_move_are_read_and_shown() {
    const ALL_BUT_CSA3: [RecordForm; 5] =
        [RecordForm::Kif, RecordForm::Ki2, RecordForm::Csa, RecordForm::Jkf, RecordForm::Usi];
    let game = odd("piece-that-cannot-move.kif");
    assert_eq!((game.root.as_deref(), moves(&game).as_str()), (Some("4k3N/9/9/9/9/9/9/9/4K4 b - 1"), "5i5h"));
    comes_back(&game, &ALL_BUT_CSA3);
    assert!(written(RecordForm::Kif, &game).contains("| ・ ・ ・ ・v玉 ・ ・ ・ 桂|一\n"));
    // Pawns, lances and knights of both sides, with and without kings.
    for sfen in [
        "PLN1k4/9/9/9/9/9/9/9/4K1nlp b - 1",
        "P1N1k4/1N7/9/9/9/9/9/7n1/4K1n1p w 2P2p 1",
        "N7k/9/9/9/9/9/9/9/9 b 2G 1",
        "L7P/9/9/9/9/9/9/9/9 b - 1",
    ] {
        let root = Game { root: Some(sfen.to_owned()), ..Game::default() };
        for &form in RecordForm::ALL {
            let text = written(form, &root);
            let read = one("a", text.as_bytes());
            assert_eq!(read.root.as_deref(), Some(sfen), "{form:?}\n{text}");
        }
        // Pieces that cannot move never get a legal move.
        let mut position = Position::from_diagram(sfen).unwrap();
        for turn in 0..200 {
            let legal = position.legal_moves();
            assert_eq!(legal.len() as u64, position.count_legal_moves());
            let Some(&mv) = legal.get(turn * 7 % legal.len().max(1)) else { break };
            assert!(legal.iter().all(|&mv| position.is_legal(mv)));
            position.make(mv);
        }
    }
    // A move of such a piece is refused, as is a position that breaks other rules.
    let board = String::from_utf8(fixture("piece-that-cannot-move.kif")).unwrap();
    let error = refused("a.kif", &board.replace("５八玉(59)", "２三桂(11)"));
    assert!(error.contains("the move `２三桂(11)` is illegal in the position 4k3N/"), "{error}");
    for (name, text) in [
        ("a.usi", "sfen 4k4/9/9/9/9/9/9/9/3KK4 b - 1\n"),
        ("a.usi", "sfen 4k4/9/9/9/9/9/9/9/4K4 b 19P 1\n"),
        ("a.usi", "sfen 4k3P/9/8P/9/9/9/9/9/4K4 b - 1\n"),
        ("a.usi", "sfen 4k4/4P4/9/9/9/9/9/9/4K4 b - 1\n"),
    ] {
        assert!(refused(name, text).contains("cannot be played from: "), "{text}");
    }
}

#[test]
fn a_variation_ends_as_a_game_does() {
    let game = odd("variation-with-its-own-end.kif");
    let resigned =
        Ending { outcome: GameOutcome::BlackWins, reason: Some(EndReason::Resignation), ..Ending::default() };
    assert_eq!(end(&game), (GameOutcome::WhiteWins, Some(EndReason::Resignation)));
    let [variation] = &game.variations[..] else { panic!("{game:?}") };
    assert_eq!((usi(&variation.moves).as_str(), &variation.moves[0].comment), ("6g6f", &String::new()));
    assert_eq!(variation.ending, resigned);
    comes_back(&game, &WITH_VARIATIONS);
    let kif = written(RecordForm::Kif, &game);
    assert!(kif.ends_with("変化：3手\n   3 ６六歩(67)   \n   4 投了\nまで3手で先手の勝ち\n"), "{kif}");
    let jkf = written(RecordForm::Jkf, &game);
    assert!(jkf.contains(r#""piece":"FU"}},{"special":"TORYO"}]]"#), "{jkf}");
    // A variation may end at once, a nested one too, and KI2 and JKF have ends of variations as
    // well.
    let at_once = one("a.kif", format!("{KIF}{TWO}\n変化：2手\n   2 投了\n").as_bytes());
    assert_eq!((at_once.variations[0].moves.len(), &at_once.variations[0].ending), (0, &resigned));
    comes_back(&at_once, &WITH_VARIATIONS);
    let ki2 = one("a.ki2", "▲７六歩 △３四歩\nまで2手で中断\n\n変化：2手\n△８四歩 ▲２六歩\nまで3手で先手の勝ち\n\n変化：3手\n▲６六歩\nまで3手で持将棋\n".as_bytes());
    assert_eq!(ki2.variations[0].ending, resigned);
    assert_eq!(ki2.variations[0].variations[0].ending.reason, Some(EndReason::Impasse));
    comes_back(&ki2, &WITH_VARIATIONS);
    let jkf = r#"{"moves":[{},{"move":{"to":{"x":7,"y":6},"piece":"FU"}},{"move":{"to":{"x":3,"y":4},"piece":"FU"},"forks":[[{"move":{"to":{"x":8,"y":4},"piece":"FU"}},{"special":"TIME_UP"}]]}]}"#;
    assert_eq!(one("a.jkf", jkf.as_bytes()).variations[0].ending.reason, Some(EndReason::Time));
    let error = refused("a.kif", &format!("{KIF}{TWO}\n変化：2手\n   2 ８四歩(83)\n   3 投了\n   4 ２六歩(27)\n"));
    assert!(error.starts_with("line 9: ") && error.ends_with("comes after the end of the variation"), "{error}");
}

#[test]
fn a_variation_may_hang_on_the_end() {
    let game = odd("variation-at-the-end.kif");
    let [variation] = &game.variations[..] else { panic!("{game:?}") };
    assert_eq!((variation.after, usi(&variation.moves).as_str()), (2, "2g2f 8c8d"));
    comes_back(&game, &WITH_VARIATIONS);
    let jkf = written(RecordForm::Jkf, &game);
    assert!(jkf.contains(r#"{"special":"TORYO","forks":[[{"move":"#), "{jkf}");
    assert_eq!(jkf.matches("forks").count(), 1);
    // Two variations at the end, one with a variation at its own end, and ends with a plus.
    let text = format!(
        "{KIF}{TWO}   3 投了 +\n\n変化：3手\n   3 ２六歩(27)\n   4 中断+\n\n変化：4手\n   4 ８四歩(83)\n\n変化：3手\n   3 ６六歩(67)\n"
    );
    let game = one("a.kif", text.as_bytes());
    let [first, second] = &game.variations[..] else { panic!("{game:?}") };
    assert_eq!((first.after, second.after, first.variations[0].after), (2, 2, 1));
    assert_eq!(usi(&first.variations[0].moves), "8c8d");
    comes_back(&game, &WITH_VARIATIONS);
    let jkf = written(RecordForm::Jkf, &game);
    assert!(jkf.contains(r#"{"special":"CHUDAN","forks":[[{"move":"#), "{jkf}");
    // A game without an end may have a variation after its last move.
    let open = one("a.kif", format!("{KIF}{TWO}\n変化：3手\n   3 ２六歩(27)\n").as_bytes());
    comes_back(&open, &WITH_VARIATIONS);
    let jkf = written(RecordForm::Jkf, &open);
    assert!(jkf.contains(r#"{"special":"CHUDAN","forks":[[{"move":"#), "{jkf}");
    assert!(jkf.ends_with("]],\"comments\":[\"*result unknown unknown\"]}]}\n"), "{jkf}");
}

#[test]
fn a_variation_belongs_to_the_latest_line_that_it_fits() {
    let game = odd("variations-ascending.kif");
    assert_eq!(moves(&game), "7g7f 3c3d 2g2f 8c8d");
    let [first, second] = &game.variations[..] else { panic!("{game:?}") };
    assert_eq!((first.after, usi(&first.moves).as_str()), (0, "2g2f 8c8d"));
    assert_eq!((second.after, usi(&second.moves).as_str()), (2, "6g6f 8c8d"));
    comes_back(&game, &WITH_VARIATIONS);
    let ki2 = String::from_utf8(fixture("variations-ascending.kif")).unwrap();
    let ki2 = ki2.lines().filter(|line| !line.contains("投了") && !line.starts_with("手数")).map(|line| {
        let text = line.trim_start().trim_start_matches(|letter: char| letter.is_ascii_digit());
        let words = text.split('(').next().unwrap().trim();
        if line.starts_with(' ') { words.to_owned() } else { line.to_owned() }
    });
    let ki2 = one("a.ki2", ki2.collect::<Vec<_>>().join("\n").as_bytes());
    assert_eq!((&ki2.moves, &ki2.variations), (&game.moves, &game.variations));
    // Variations of an earlier line, after an end, and three deep. If no line fits, the error names
    // the move.
    let four = format!("{KIF}{TWO}   3 ２六歩(27)\n   4 ８四歩(83)\n   5 投了\n");
    let nested = one(
        "a.kif",
        format!("{four}\n変化：2手\n   2 ８四歩(83)\n   3 ２六歩(27)\n   4 中断\n\n変化：3手\n   3 ７八金(69)\n   4 ８五歩(84)\n\n変化：4手\n   4 ３四歩(33)\n\n変化：3手\n   3 ６六歩(67)\n   4 ８四歩(83)\n").as_bytes(),
    );
    let [early, late] = &nested.variations[..] else { panic!("{nested:?}") };
    assert_eq!((early.after, usi(&early.moves).as_str()), (1, "8c8d 2g2f"));
    assert_eq!((late.after, usi(&late.moves).as_str()), (2, "6g6f 8c8d"));
    let [third] = &early.variations[..] else { panic!("{early:?}") };
    assert_eq!((usi(&third.moves).as_str(), usi(&third.variations[0].moves).as_str()), ("6i7h 8d8e", "3c3d"));
    comes_back(&nested, &WITH_VARIATIONS);
    let error = refused("a.kif", &format!("{four}\n変化：3手\n   3 ５五角(88)\n   4 ９九玉(51)\n   5 ２五歩(26)\n"));
    assert!(error.starts_with("line 11: the move `９九玉"), "{error}");
    let error = refused("a.kif", &format!("{four}\n変化：9手\n   9 ６六歩(67)\n"));
    assert!(error.starts_with("line 9: `変化：9手` is not a variation of the moves before it"), "{error}");
}

#[test]
fn many_variations_that_fit_one_line_alone_are_read_in_time() {
    let mut text = format!("{KIF}{TWO}");
    text.push_str(&"変化：1手\n   1 ２六歩(27)\n".repeat(10_000));
    // Only the game lets the bishop take. The lines between are tried, but not all of them.
    text.push_str(&"変化：2手\n   2 ３四歩(33)\n   3 ２二角成(88)\n".repeat(10_000));
    let start = std::time::Instant::now();
    let read = read_records("a.kif", text.as_bytes()).remove(0);
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    let variations = read.unwrap().variations;
    assert_eq!((variations.len(), variations[9_999].after, variations[10_000].after), (20_000, 0, 1));
}

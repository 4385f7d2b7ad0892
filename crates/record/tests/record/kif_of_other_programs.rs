//! KIF and KI2 of programs other than Kakinoki's, of websites, and of old systems.

use kiki_record::{
    EndReason, Game, GameOutcome, LostPart, RecordForm, ScoreValue, TextEncoding, lost_parts, read_records,
};

use crate::common::{TWO, comes_back, moves, usi, written};
use crate::kif_files::{error, game};

const HEADER: &str = "手合割：平手\n先手：a\n後手：b\n手数----指手---------消費時間--\n";

fn after_header(lines: &str) -> Game {
    game(&format!("{HEADER}{lines}"))
}

#[test]
fn a_drop_may_have_an_origin_of_zeros() {
    // As in the finals of the 4th Denryu-sen TSEC.
    let pv = after_header(&format!("{TWO}   3 ２二角成(88)\n**読み筋=△２二銀(31)▲５五角打(00)△３三角打(00)\n"));
    assert_eq!(pv.moves[2].pv.len(), 3);
}

#[test]
fn what_a_second_engine_says_of_a_move_is_a_comment() {
    let second = "*評価値=-50\n*読み筋=△８四歩\n*info depth 9";
    for (first, told, score, pv) in [
        ("*評価値=100\n*読み筋=△３四歩▲２六歩", "", ScoreValue::Cp(100), "3c3d 2g2f"),
        ("*読み筋=△３四歩\n*評価値=100", "", ScoreValue::Cp(100), "3c3d"),
        ("*評価値=100", "", ScoreValue::Cp(100), ""),
        ("*評価値=100\n*読み筋=△３四歩\n*読み筋=x", "*読み筋=x\n", ScoreValue::Cp(100), "3c3d"),
        ("*評価値=100\n*info depth 7 score mate 5\n*info depth 8", "*info depth 8\n", ScoreValue::mate(5), ""),
    ] {
        let lines = format!("{first}\n{second}").replace('\n', "\n*");
        let read = after_header(&format!("   1 ７六歩(77)\n*{lines}\n"));
        let played = &read.moves[0];
        let usi = played.pv.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!(played.score, Some(score), "{first}");
        assert_eq!((usi.as_str(), played.comment.as_str()), (pv, format!("{told}{second}").as_str()), "{first}");
        comes_back(&read, &[RecordForm::Kif, RecordForm::Ki2, RecordForm::Jkf, RecordForm::Csa]);
    }
    let csa = "PI\n+\n+7776FU\n'** 30 -3334FU\n'** -20 -8384FU\n";
    let read = read_records("a.csa", csa.as_bytes()).remove(0).unwrap();
    let played = &read.moves[0];
    assert_eq!(
        (played.score, played.pv.len(), played.comment.as_str()),
        (Some(ScoreValue::Cp(30)), 1, "* -20 -8384FU")
    );
    comes_back(&read, &[RecordForm::Kif, RecordForm::Csa]);
}

#[test]
fn a_comment_before_the_first_move_of_a_variation_is_that_moves() {
    let read = after_header(&format!("{TWO}変化：2手\n*good\n*too\n   2 ８四歩(83)\n*after it\n"));
    assert_eq!((read.comment.as_str(), read.moves[0].comment.as_str()), ("", ""));
    assert_eq!(read.variations[0].moves[0].comment, "good\ntoo\nafter it");
    let ki2 = game("先手：a\n▲７六歩 △３四歩\n変化：2手\n*good\n△８四歩\n");
    assert_eq!(ki2.variations[0].moves[0].comment, "good");
    let jkf = r#"{"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"}},
        {"move":{"from":{"x":3,"y":3},"to":{"x":3,"y":4},"piece":"FU"},"forks":[
            [{"comments":["good"]},{"move":{"from":{"x":8,"y":3},"to":{"x":8,"y":4},"piece":"FU"},"comments":["after it"]}],
            [{"special":"TORYO"}]]}]}"#;
    let read = read_records("a.jkf", jkf.as_bytes()).remove(0).unwrap();
    assert_eq!(read.variations[0].moves[0].comment, "good\nafter it");
    assert_eq!((read.variations[1].moves.len(), read.variations[1].ending.reason), (0, Some(EndReason::Resignation)));
}

#[test]
fn what_a_variation_without_moves_says_belongs_to_the_move_before_it() {
    let read = after_header(&format!("{TWO}変化：2手\n   2 投了\n*white resigns\n変化：1手\n*nobody moves\n"));
    assert_eq!(read.moves[0].comment, "white resigns");
    assert_eq!((read.comment.as_str(), read.variations.len()), ("nobody moves", 1));
    assert_eq!((read.variations[0].moves.len(), read.variations[0].ending.reason), (0, Some(EndReason::Resignation)));
}

#[test]
fn a_variation_may_end_by_an_illegal_move() {
    let lines = format!("{TWO}   3 ２六歩(27)\n\n変化：3手\n   3 ２二角成(88) ( 0:01/)\n   4 ８二玉(51) ( 0:09/)\n");
    for end in ["   5 反則勝ち\n", "まで4手で後手の反則負け\n"] {
        let read = after_header(&format!("{lines}{end}\n変化：2手\n   2 ８四歩(83)\n"));
        let [early, late] = &read.variations[..] else { panic!("{:?}", read.variations) };
        assert_eq!((usi(&early.moves), usi(&late.moves)), ("8c8d".to_owned(), "8h2b+".to_owned()));
        let told = (late.ending.outcome, late.ending.reason, late.ending.remark.as_str());
        assert_eq!(told, (GameOutcome::BlackWins, Some(EndReason::IllegalMove), "８二玉"), "{end}");
        assert_eq!(late.moves[0].time_ms, Some(1000));
    }
    // If the record states another end, the illegal move is an error.
    for end in ["   5 投了\n", "   5 ７八金(69)\n"] {
        let error = error(&format!("{HEADER}{lines}{end}"));
        assert!(error.starts_with("line 11: the move `８二玉(51)"), "{error}");
    }
    let jkf = r#"{"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"},"forks":[[
        {"move":{"from":{"x":2,"y":7},"to":{"x":2,"y":6},"piece":"FU"}},
        {"move":{"from":{"x":5,"y":1},"to":{"x":8,"y":2},"piece":"OU"}},{"special":"ILLEGAL_MOVE"}]]}]}"#;
    let read = read_records("a.jkf", jkf.as_bytes()).remove(0).unwrap();
    assert_eq!(usi(&read.variations[0].moves), "2g2f");
    let told = (read.variations[0].ending.outcome, read.variations[0].ending.reason);
    assert_eq!(told, (GameOutcome::BlackWins, Some(EndReason::IllegalMove)));
    let without = jkf.replace(r#",{"special":"ILLEGAL_MOVE"}"#, "");
    assert_eq!(read_records("a.jkf", without.as_bytes()), [Ok(read)]);
    let otherwise = jkf.replace("ILLEGAL_MOVE", "TORYO");
    assert!(read_records("a.jkf", otherwise.as_bytes())[0].is_err());
}

#[test]
fn variations_among_the_fields_are_none() {
    // Electron Shogi until July 2023.
    let moves = "手数----指手---------消費時間--\n1 ７六歩(77) ( 0:00/0:00:00)\n2 ８四歩(83) ( 0:00/0:00:00)\n";
    for number in [1, 3] {
        let read = game(&format!("先手：x\n変化：{number}手\n手合割：平手\n{moves}変化：2手\n2 ３四歩(33)\n"));
        assert_eq!((read.black.as_str(), self::moves(&read).as_str()), ("x", "7g7f 8c8d"));
        assert_eq!(usi(&read.variations[0].moves), "3c3d");
        let read = game(&format!("先手：x\n変化：{number}手\n{moves}"));
        assert_eq!((read.black.as_str(), self::moves(&read).as_str()), ("x", "7g7f 8c8d"));
    }
    // A game without moves may have variations.
    for form in [RecordForm::Kif, RecordForm::Ki2] {
        let mut unplayed = after_header(&format!("{TWO}変化：1手\n1 ２六歩(27)\n"));
        unplayed.moves.clear();
        comes_back(&unplayed, &[form]);
    }
}

#[test]
fn variations_are_counted_as_the_moves_are() {
    let board = "後手の持駒：なし\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n|v香v桂v銀v金v玉v金v銀v桂v香|一\n| ・v飛 ・ ・ ・ ・ ・v角 ・|二\n\
                 |v歩v歩v歩v歩v歩v歩v歩v歩v歩|三\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|四\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|五\n| ・ ・ 歩 ・ ・ ・ ・ ・ ・|六\n\
                 | 歩 歩 ・ 歩 歩 歩 歩 歩 歩|七\n| ・ 角 ・ ・ ・ ・ ・ 飛 ・|八\n| 香 桂 銀 金 玉 金 銀 桂 香|九\n+---------------------------+\n先手の持駒：なし\n手数＝75\n後手番\n";
    for first in [1, 76] {
        let [second, third] = [first + 1, first + 2];
        let read = game(&format!(
            "{board}手数----指手--\n{first} ３四歩(33)\n{second} ２六歩(27)\n{third} ８四歩(83)\n変化：{second}手\n{second} ６六歩(67)\n"
        ));
        assert_eq!((moves(&read).as_str(), read.variations[0].after), ("3c3d 2g2f 8c8d", 1), "{first}");
        assert_eq!(usi(&read.variations[0].moves), "6g6f");
    }
    // KI2 has no numbers of moves. Numbers from 1 come first, as Kiki writes them.
    for number in [2, 77] {
        let read = game(&format!("{board}△３四歩 ▲２六歩 △８四歩\n変化：{number}手\n▲６六歩\n"));
        assert_eq!((moves(&read).as_str(), read.variations[0].after), ("3c3d 2g2f 8c8d", 1), "{number}");
        comes_back(&read, &[RecordForm::Ki2]);
    }
}

#[test]
fn a_king_that_reaches_the_others_square_has_won_by_a_rule_of_its_own() {
    let board = "手合割：その他\n後手の持駒：なし\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n| ・ ・ ・ ・ ・ ・ ・ ・v玉|一\n| ・ ・ ・ ・ 玉 ・ ・ ・ ・|二\n";
    let empty: String = ["三", "四", "五", "六", "七", "八", "九"]
        .map(|rank| format!("| ・ ・ ・ ・ ・ ・ ・ ・ ・|{rank}\n"))
        .concat();
    let start = format!("{board}{empty}先手の持駒：なし\n手数----指手--\n   1 ５一玉(52)\n");
    for end in ["   2 トライ\n", "   2 トライ\nまで1手でトライ\n", "まで1手でトライ\n"] {
        let read = game(&format!("{start}{end}"));
        let result = (read.outcome, read.reason, moves(&read));
        assert_eq!(result, (GameOutcome::BlackWins, Some(EndReason::Declaration), "5b5a".to_owned()), "{end}");
        for form in [RecordForm::Kif, RecordForm::Ki2, RecordForm::Csa, RecordForm::Jkf] {
            let text = written(form, &read);
            assert_eq!(form.read(text.as_bytes())[0].as_ref().unwrap().outcome, GameOutcome::BlackWins, "{text}");
        }
        comes_back(&read, &[RecordForm::Kif]);
    }
}

#[test]
fn times_of_variations_are_told_as_times() {
    let read = after_header(
        "   1 ７六歩(77) ( 0:10/00:00:10)\n   2 ３四歩(33) ( 0:01/00:00:01)\n   3 ２六歩(27)\n変化：3手\n   3 ６六歩(67) ( 0:05/00:00:15)\n\
         変化：2手\n   2 ８四歩(83) ( 0:02/)\n   3 ２六歩(27) ( 0:03/)\n",
    );
    let lost = |form| lost_parts(form, &read, TextEncoding::Utf8).unwrap();
    assert_eq!(lost(RecordForm::Ki2), [LostPart::Times]);
    assert_eq!(lost(RecordForm::Csa), [LostPart::Variations]);
    assert_eq!((lost(RecordForm::Kif), lost(RecordForm::Jkf)), (vec![], vec![]));
    // The total times continue those of the game.
    let kif = written(RecordForm::Kif, &read);
    for line in ["   3 ６六歩(67)   ( 0:05/00:00:15)\n", "   2 ８四歩(83)   ( 0:02/00:00:02)\n", "( 0:03/00:00:13)\n"]
    {
        assert!(kif.contains(line), "{kif}");
    }
    let jkf = written(RecordForm::Jkf, &read);
    assert!(jkf.contains(r#""time":{"now":{"h":0,"m":0,"s":3},"total":{"h":0,"m":0,"s":13}}"#), "{jkf}");
}

#[test]
fn what_old_systems_put_at_the_ends_of_lines_and_files_is_no_text() {
    let kif = format!("{HEADER}{TWO}   3 投了\n");
    let csa = "V2.2\nN+a\nN-b\nPI\n+\n+7776FU\n-3334FU\n%TORYO\n";
    let jkf = "{\"moves\":[{},{\"special\":\"TORYO\"}]}\n";
    for (name, text) in [("a.kif", kif.as_str()), ("a.csa", csa), ("a.jkf", jkf), ("a.usi", "startpos moves 7g7f\n")] {
        let expected = read_records(name, text.as_bytes());
        assert!(expected[0].is_ok());
        for end in ["\u{1a}", "\0\0", "\u{1a}\0\0\0", "\u{1a}\r\n"] {
            assert_eq!(read_records(name, format!("{text}{end}").as_bytes()), expected, "{name}");
        }
        // Macintosh.
        assert_eq!(read_records(name, text.replace('\n', "\r").as_bytes()), expected, "{name}");
    }
}

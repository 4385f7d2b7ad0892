//! JKF of other programs, and broken JKF.

use kiki_record::{EndReason, Game, GameOutcome, RecordForm, read_records};
use rsshogi::records::formats::jkf::export_jkf;
use rsshogi::records::formats::kif::parse_kif_str;

use crate::common::{comes_back, moves, written};

fn games(text: &str) -> Vec<Result<Game, String>> {
    read_records("a.jkf", text.as_bytes()).into_iter().map(|game| game.map_err(|error| error.to_string())).collect()
}

/// JKF that Kifu-for-JS produces from KI2, without origins.
const WITHOUT_ORIGINS: &str = r#"{"header":{"先手":"a","棋戦":"e","備考":"n"},"initial":{"preset":"HIRATE"},"moves":[
  {"comments":["first"]},
  {"move":{"to":{"x":7,"y":6},"piece":"FU"},"comments":["second"],"time":{"now":{"m":1,"s":2}}},
  {"move":{"to":{"x":3,"y":4},"piece":"FU","color":1}},
  {"move":{"to":{"x":2,"y":2},"piece":"KA","promote":true},"forks":[[{"move":{"to":{"x":2,"y":6},"piece":"FU"}},{"special":"CHUDAN"}]]},
  {"move":{"same":true,"piece":"GI"}},
  {"move":{"to":{"x":5,"y":8},"piece":"KI","relative":"R"}},
  {"special":"TORYO"}
]}"#;

#[test]
fn moves_without_origins_are_found_on_the_board() {
    let game = games(WITHOUT_ORIGINS).remove(0).unwrap();
    assert_eq!(moves(&game), "7g7f 3c3d 8h2b+ 3a2b 4i5h");
    assert_eq!((game.comment.as_str(), game.moves[0].comment.as_str()), ("first", "second"));
    assert_eq!(game.moves[0].time_ms, Some(62_000));
    assert_eq!((game.outcome, game.reason), (GameOutcome::BlackWins, Some(EndReason::Resignation)));
    assert_eq!((game.variations[0].after, game.variations[0].moves[0].mv.to_string().as_str()), (2, "2g2f"));
    assert_eq!(game.variations[0].ending.reason, Some(EndReason::Interrupted));
    assert_eq!(game.fields.get("NOTE").map(String::as_str), Some("n"));
    comes_back(&game, &[RecordForm::Jkf]);
}

#[test]
fn what_another_program_writes_is_read() {
    let kif = "手合割：二枚落ち\n上手：u\n手数----指手--\n1 ６二銀(71) ( 0:01/)\n*c\n2 ７六歩(77)\n3 投了\n";
    let other = export_jkf(&parse_kif_str(kif).unwrap()).unwrap();
    let game = games(&other).remove(0).unwrap();
    assert_eq!((moves(&game).as_str(), game.white.as_str()), ("7a6b 7g7f", "u"));
    assert_eq!((game.moves[0].comment.as_str(), game.moves[0].time_ms), ("c", Some(1000)));
    assert_eq!(game.outcome, GameOutcome::BlackWins);
}

#[test]
fn errors_name_the_line() {
    let with = |from: &str, to: &str| games(&WITHOUT_ORIGINS.replace(from, to)).remove(0).unwrap_err();
    for (from, to, expected) in [
        (r#""relative":"R""#, r#""relative":"U""#, "line 7: `58金上` may be 4i5h (▲５８金右) or 6i5h (▲５８金左)"),
        (r#""relative":"R""#, r#""relative":"?""#, "line 7: `?` is not a letter of L, C, R, U, M, D and H"),
        (r#""piece":"GI""#, r#""piece":"XX""#, "line 6: `XX` is not a move with its piece: FU, KY, .."),
        (r#""x":3,"y":4"#, r#""x":0,"y":4"#, "line 4: `{\"x\":0,\"y\":4}` is not a square from 1 to 9"),
        (r#","color":1"#, r#","color":0"#, "line 4: `34歩` is a move of the wrong side"),
        ("HIRATE", "VARIANT", "line 1: `VARIANT` is not a known preset, and the game has no data"),
        (r#"{"special":"TORYO"}"#, r#"{"special":7}"#, "line 8: invalid type: integer `7`, expected a string"),
    ] {
        assert_eq!(with(from, to), expected);
    }
    assert!(games("{\"moves\":[}").remove(0).unwrap_err().starts_with("line 1: "));
    assert_eq!(games("[1]").remove(0).unwrap_err().split(',').next(), Some("line 1: invalid type: integer `1`"));
    assert_eq!(
        read_records("a.jkf", b"{\n\"\xff").remove(0).unwrap_err().to_string(),
        "line 2: JKF is UTF-8, and this is not"
    );
}

#[test]
fn several_games_are_an_array_or_stand_one_after_the_other() {
    let array = format!("[{WITHOUT_ORIGINS},\n{{\"moves\":[{{\"move\":{{}}}}]}},\n{WITHOUT_ORIGINS}]");
    let read = games(&array);
    assert!(matches!(&read[..], [Ok(_), Err(_), Ok(_)]), "{read:?}");
    assert_eq!(games(&format!("{WITHOUT_ORIGINS}\n{WITHOUT_ORIGINS}")).len(), 2);
}

#[test]
fn a_broken_game_does_not_take_the_next_ones_with_it() {
    let game = |x: u8| {
        format!(r#"{{"moves":[{{}},{{"move":{{"from":{{"x":{x},"y":7}},"to":{{"x":{x},"y":6}},"piece":"FU"}}}}]}}"#)
    };
    let [first, last] = [game(7), game(2)];
    let cut = |part: &str| first.split(part).next().unwrap().to_owned() + part;
    for broken in [
        cut("\"from\""),
        cut("{},"),
        cut("\"moves\":"),
        cut("\"moves"),
        cut("[{}"),
        first.replace("7}", "7"),
        "hello {".to_owned(),
        "{\"moves\":[\u{fffd}".to_owned(),
        "{}".to_owned(),
    ] {
        let lines = format!("{first}\n{broken}\n{last}\n{first}\n");
        let array = format!("[{first},\n{broken},\n{last},\n {first}]\n");
        for (text, is_line) in [(lines, true), (array, false)] {
            for text in [text.clone(), text.replace('\n', "\r\n")] {
                let read = games(&text);
                let errors: Vec<&String> = read.iter().filter_map(|game| game.as_ref().err()).collect();
                let of = |line: &str| errors.iter().any(|error| error.starts_with(line));
                assert!(!is_line || errors.len() == 1, "{text}: {errors:?}");
                assert!(of("line 2: "), "{text}: {errors:?}");
                let usi: Vec<String> = read.iter().flatten().map(moves).collect();
                assert_eq!(usi, ["7g7f", "2g2f", "7g7f"], "{text}");
            }
        }
    }
    // Written on many lines.
    let wide = WITHOUT_ORIGINS.replacen("{\"comments\":[\"second\"]", "", 1);
    let broken = wide.replace("{\"special\":\"TORYO\"}", "{\"special\":");
    let read = games(&format!("{wide}\n{broken}\n{wide}\n"));
    assert!(matches!(&read[..], [Ok(_), Err(_), Ok(_)]), "{read:?}");
    // A truncated array.
    let read = games(&format!("[{first},\n{last},\n"));
    assert!(matches!(&read[..], [Ok(_), Ok(_), Err(_)]), "{read:?}");
}

#[test]
fn brackets_that_are_never_closed_are_not_looked_into_for_ever() {
    let games = games(&"{\"a\":[\n".repeat(1000));
    let last = games.last().unwrap().as_ref().unwrap_err();
    assert!(last.ends_with(": reading stops here: too many games are not closed"), "{last}");
}

#[test]
fn bytes_that_are_no_text_spoil_one_game() {
    let mut bytes = format!("{}\n", WITHOUT_ORIGINS.replace('\n', " ")).repeat(3).into_bytes();
    let second = bytes.len() / 3;
    let name = bytes[second..].iter().position(|&byte| byte == b'a').unwrap();
    bytes[second + name] = 0xff;
    let games = read_records("a.jkf", &bytes);
    assert!(matches!(&games[..], [Ok(_), Err(_), Ok(_)]), "{games:?}");
    assert_eq!(games[1].as_ref().unwrap_err().to_string(), "line 2: JKF is UTF-8, and this is not");
}

#[test]
fn a_foul_is_lost_by_whoever_made_it() {
    let end = |moves: &str, special: &str| {
        let text = format!(
            r#"{{"moves":[{{}},{{"move":{{"to":{{"x":7,"y":6}},"piece":"FU"}}}}{moves},{{"special":"{special}"}}]}}"#
        );
        let game = games(&text).remove(0).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(game.reason, Some(EndReason::IllegalMove), "{text}");
        game.outcome
    };
    // It is White's turn. ILLEGAL_ACTION is KIF's 反則勝ち.
    let illegal = r#",{"move":{"to":{"x":5,"y":5},"piece":"OU"}}"#;
    for (special, legal_end, illegal_end) in [
        ("ILLEGAL_ACTION", GameOutcome::WhiteWins, GameOutcome::BlackWins),
        ("ILLEGAL_MOVE", GameOutcome::BlackWins, GameOutcome::BlackWins),
        ("+ILLEGAL_ACTION", GameOutcome::WhiteWins, GameOutcome::WhiteWins),
        ("-ILLEGAL_ACTION", GameOutcome::BlackWins, GameOutcome::BlackWins),
    ] {
        assert_eq!((end("", special), end(illegal, special)), (legal_end, illegal_end), "{special}");
    }
}

#[test]
fn what_leaves_a_variation_before_its_first_move_leaves_the_game() {
    let pawn = |x: u8, behind: &str| format!(r#"{{"move":{{"to":{{"x":{x},"y":6}},"piece":"FU"}}{behind}}}"#);
    let nested = pawn(2, &format!(r#","forks":[[{}],[{{"special":"TORYO"}}]]"#, pawn(5, "")));
    let text = format!(r#"{{"moves":[{{}},{}]}}"#, pawn(7, &format!(r#","forks":[[{nested}],[{}]]"#, pawn(9, ""))));
    let game = games(&text).remove(0).unwrap();
    let read: Vec<_> = game.variations.iter().map(|line| (line.after, line.moves.len(), line.ending.reason)).collect();
    assert_eq!(read, [(0, 1, None), (0, 1, None), (0, 0, Some(EndReason::Resignation)), (0, 1, None)]);
    for form in [RecordForm::Kif, RecordForm::Ki2, RecordForm::Jkf] {
        let written = form.write(std::slice::from_ref(&game), Default::default()).unwrap();
        assert_eq!(form.read(&written), [Ok(game.clone())], "{form:?}");
    }
}

#[test]
fn variations_that_are_nested_without_end_are_refused() {
    let mut text = r#"{"move":{"to":{"x":2,"y":6},"piece":"FU"}}"#.to_owned();
    for _ in 0..200 {
        text = format!(r#"{{"move":{{"to":{{"x":7,"y":6}},"piece":"FU"}},"forks":[[{text}]]}}"#);
    }
    let error = games(&format!("{{\"moves\":[{text}]}}")).remove(0).unwrap_err();
    assert!(error.contains("nested less than 100 deep"), "{error}");
}

#[test]
fn null_is_as_good_as_nothing() {
    let game = r#"{"header":{},"moves":[{},{"move":{"color":0,"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"}},{"special":"TORYO"}]}"#;
    let plain = games(game);
    for entry in [
        r#""comments":null"#,
        r#""comments":[null]"#,
        r#""forks":null"#,
        r#""time":null"#,
        r#""special":null"#,
        r#""time":{"now":{"h":null,"m":null,"s":null},"total":null}"#,
    ] {
        let read = games(&game.replace(r#"{"move""#, &format!(r#"{{{entry},"move""#))).remove(0);
        let read = read.unwrap_or_else(|error| panic!("{entry}: {error}"));
        assert_eq!(moves(&read), "7g7f", "{entry}");
        assert_eq!(read.outcome, plain[0].as_ref().unwrap().outcome);
    }
    for head in [
        r#""header":null"#,
        r#""initial":null"#,
        r#""initial":{"preset":null,"data":null}"#,
        r#""header":{"棋戦":null}"#,
    ] {
        assert_eq!(games(&game.replace(r#""header":{}"#, head)), plain, "{head}");
    }
    let root = Game { root: Some("4k4/9/9/9/9/9/9/9/4K4 b - 1".to_owned()), ..Game::default() };
    assert_eq!(games(&written(RecordForm::Jkf, &root).replace("\"OTHER\"", "null")), [Ok(root)]);
}

#[test]
fn a_position_may_name_empty_squares_and_pieces_that_nobody_holds() {
    let game = Game { root: Some("4k4/9/9/9/9/9/9/9/4K4 b 2Pr 1".to_owned()), ..Game::default() };
    let written =
        String::from_utf8(RecordForm::Jkf.write(std::slice::from_ref(&game), Default::default()).unwrap()).unwrap();
    let other = written
        .replace("[{}", r#"[{"color":null,"kind":null}"#)
        .replace(",{}", r#",{"color":null,"kind":null}"#)
        .replacen(r#""FU":2"#, r#""FU":2,"OU":0,"TO":0"#, 1);
    assert_ne!(other, written);
    assert_eq!(games(&other), [Ok(game)]);
    assert!(games(&written.replacen(r#""FU":2"#, r#""FU":2,"TO":1"#, 1))[0].is_err());
}

#[test]
fn the_day_and_the_start_of_a_game_are_both_kept() {
    let json = r#"{"header":{"対局日":"2020/01/02","開始日時":"2020/01/02 10:00:00"},"moves":[]}"#;
    let game = games(json).remove(0).unwrap();
    assert_eq!(game.start_time, "2020/01/02 10:00:00");
    assert_eq!(game.fields.get("対局日").map(String::as_str), Some("2020/01/02"));
}

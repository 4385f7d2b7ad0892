//! Real and broken files of KIF and KI2.

use encoding_rs::{EUC_JP, SHIFT_JIS};
use kiki_board::Position;
use kiki_record::{EndReason, Game, GameOutcome, RecordForm, ScoreValue, Variation, read_records};

use crate::common::{comes_back, moves, one, refused, usi, written};

fn games(text: &str) -> Vec<Result<Game, String>> {
    read_records("a.kif", text.as_bytes()).into_iter().map(|game| game.map_err(|error| error.to_string())).collect()
}

pub(crate) fn game(text: &str) -> Game {
    one("a.kif", text.as_bytes())
}

pub(crate) fn error(text: &str) -> String {
    refused("a.kif", text)
}

/// A game as Kakinoki's program writes it, with all its parts.
const WHOLE: &str = "# ---- Kifu for Windows V7 ---- \n開始日時：2020/01/02 10:00:00\n終了日時：2020/01/02 11:00:00\n棋戦：王位戦\n場所：東京\n\
持ち時間：各4時間\n手合割：平手　　\n先手：山田 太郎\n後手：Suzuki\n戦型：横歩取り\n備考：一\n備考：二\n*before the moves\n\
手数----指手---------消費時間--\n*also before\n   1 ７六歩(77)   ( 0:12/00:00:12)\n*a comment\n**評価値=35\n&bookmark\n\
   2 ３四歩(33)   (1:02:03/01:02:03)+\n   3 ２二角成(88) ( 0:01.5/00:00:13)\n   4 同　銀(31)   ( 0:00/01:02:03)\n\
   5 ５五角打     ( 0:00/00:00:13)\n   6 投了         ( 0:05/01:02:08)\nまで5手で先手の勝ち\n\n変化：4手\n   4 同　飛(82)   ( 0:00/00:00:00)\n*in the variation\n\n\
変化：2手\n   2 ８四歩(83)   ( 0:00/00:00:00)\n   3 ２六歩(27)   ( 0:00/00:00:00)\n   4 中断\n\n変化：3手\n   3 ７八金(69)\n";

#[test]
fn a_whole_game_is_read_with_all_its_parts() {
    for text in [
        WHOLE.to_owned(),
        WHOLE.replace('\n', "\r\n"),
        format!("\u{feff}{WHOLE}"),
        WHOLE.trim_end().replace("   ", "\t"),
    ] {
        let game = game(&text);
        assert_eq!((game.black.as_str(), game.white.as_str()), ("山田 太郎", "Suzuki"));
        assert_eq!((game.event.as_str(), game.site.as_str()), ("王位戦", "東京"));
        assert_eq!((game.start_time.as_str(), game.time_control.as_str()), ("2020/01/02 10:00:00", "各4時間"));
        let fields: Vec<_> = game.fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(fields, [("END_TIME", "2020/01/02 11:00:00"), ("NOTE", "一\n二"), ("OPENING", "横歩取り")]);
        assert_eq!(game.comment, "before the moves\nalso before");
        assert_eq!(moves(&game), "7g7f 3c3d 8h2b+ 3a2b B*5e");
        assert_eq!(
            (game.moves[0].comment.as_str(), game.moves[0].score),
            ("a comment\n&bookmark", Some(ScoreValue::Cp(35)))
        );
        let times: Vec<_> = game.moves.iter().filter_map(|played| played.time_ms).collect();
        assert_eq!(times, [12_000, 3_723_000, 1500, 0, 0]);
        assert_eq!((game.outcome, game.reason), (GameOutcome::BlackWins, Some(EndReason::Resignation)));
        let [early, late] = &game.variations[..] else { panic!("{:?}", game.variations) };
        assert_eq!((early.after, usi(&early.moves).as_str()), (1, "8c8d 2g2f"));
        assert_eq!((early.moves[1].comment.as_str(), early.ending.reason), ("", Some(EndReason::Interrupted)));
        let [nested] = &early.variations[..] else { panic!("{early:?}") };
        assert_eq!((nested.after, usi(&nested.moves).as_str()), (1, "6i7h"));
        assert_eq!((late.after, usi(&late.moves).as_str()), (3, "8b2b"));
        assert_eq!(late.moves[0].comment, "in the variation");
    }
}

#[test]
fn variations_are_written_so_that_each_is_found_again() {
    let game = game(WHOLE);
    for form in [RecordForm::Kif, RecordForm::Ki2, RecordForm::Jkf] {
        let text = written(form, &game);
        let read = form.read(text.as_bytes()).remove(0).unwrap();
        let bare = |variations: &[Variation]| format!("{variations:?}").replace("Some(0)", "None");
        assert_eq!(bare(&read.variations), bare(&game.variations), "{text}");
    }
    let text = written(RecordForm::Kif, &game);
    let places: Vec<&str> = text.lines().filter(|line| line.starts_with("変化")).collect();
    assert_eq!(places, ["変化：4手", "変化：2手", "変化：3手"], "{text}");
    assert!(text.contains("   4 同　銀(31)   ( 0:00/01:02:03)+\n"), "{text}");
}

#[test]
fn the_day_of_a_game_is_its_start_unless_that_is_known() {
    assert_eq!(game("対局日：2020/01/02\n１ ７六歩(77)\n").start_time, "2020/01/02");
    let both = game("開始日時：2020/01/02 10:00:00\n対局日：2020/01/02\n終了日：2020/01/03\n１ ７六歩(77)\n");
    assert_eq!(both.start_time, "2020/01/02 10:00:00");
    let fields: Vec<_> = both.fields.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    assert_eq!(fields, [("END_TIME", "2020/01/03"), ("対局日", "2020/01/02")]);
    comes_back(&both, &[RecordForm::Kif]);
}

#[test]
fn fields_that_stand_twice_are_joined() {
    for (name, text) in [
        ("a.kif", "棋戦：第1期\n先手：x\n棋戦：決勝\n先手：x\n開始日時：2020\n開始日時：\n１ ７六歩(77)\n"),
        ("a.jkf", r#"{"header":{"棋戦":"第1期\n決勝","先手":"x\nx","開始日時":"2020\n"},"moves":[{}]}"#),
        ("a.csa", "N+x\nN+x\n$EVENT:第1期\n$EVENT:決勝\n$START_TIME:2020\n$START_TIME:\nPI\n+\n"),
    ] {
        let game = one(name, text.as_bytes());
        let told = (game.event.as_str(), game.black.as_str(), game.start_time.as_str());
        assert_eq!(told, ("第1期 決勝", "x", "2020"), "{name}");
    }
}

#[test]
fn japanese_encodings_are_found_out() {
    let expected = game(WHOLE);
    for encoded in [SHIFT_JIS.encode(WHOLE).0, EUC_JP.encode(WHOLE).0] {
        assert_eq!(read_records("a.kif", &encoded), [Ok(expected.clone())]);
    }
}

#[test]
fn a_board_alone_is_found_by_its_content() {
    let root = Some("4k4/9/9/9/9/9/9/9/4K4 w R 31".to_owned());
    let board = written(RecordForm::Kif, &Game { root: root.clone(), ..Game::default() });
    let lines =
        |line: &&str| line.contains('|') || line.contains("持駒") || line.contains("手数＝") || line.ends_with('番');
    let board: Vec<&str> = board.lines().filter(lines).collect();
    let text = board.join("\n");
    for name in ["a.txt", "a.bod", "a.kif"] {
        let games = read_records(name, text.as_bytes());
        assert_eq!(games[0].as_ref().unwrap().root, root, "{name}");
    }
}

#[test]
fn fields_whose_names_mean_something_else_break_no_file() {
    for name in [
        "先手",
        "まで",
        "変化",
        "手合割",
        "* x",
        "a：b",
        "手番",
        "先手の持駒",
        "",
        "#x",
        "1 x",
        "|",
        "手数＝",
        "▲",
        "棋戦",
        "戦型",
        "終了日",
    ] {
        for &form in RecordForm::ALL {
            let mut game = game("先手：a\n棋戦：e\n手数----指手--\n1 ７六歩(77)\n");
            game.fields.insert(name.to_owned(), "5".to_owned());
            game.fields.insert("戦法".to_owned(), "x".to_owned());
            let read = form
                .read(written(form, &game).as_bytes())
                .remove(0)
                .unwrap_or_else(|error| panic!("{form:?} {name}: {error}"));
            assert_eq!(moves(&read), "7g7f", "{form:?} {name}");
            if form != RecordForm::Usi {
                let told = (read.black.as_str(), read.event.as_str(), read.fields["戦法"].as_str());
                assert_eq!(told, ("a", "e", "x"), "{form:?} {name}");
                assert!(read.fields.iter().all(|field| game.fields.get(field.0) == Some(field.1)), "{form:?} {name}");
            }
        }
    }
}

#[test]
fn lines_with_a_number_sign_are_skipped_wherever_they_stand() {
    let text = WHOLE.replace('\n', "\n# a line that nobody reads\n#\n");
    assert_eq!(game(&text), game(WHOLE));
    let ki2 = "#KI2 version=2.0 encoding=UTF-8\n先手：a\n# x\n▲７六歩 △３四歩\n#変化：1手\n▲２六歩\n# まで\n";
    assert_eq!(moves(&game(ki2)), "7g7f 3c3d 2g2f");
    // The first line of a file is an exception: it begins a game.
    assert_eq!(games("#KIF version=2.0\n▲７六歩\n#KIF version=2.0\n▲２六歩\n").len(), 2);
}

#[test]
fn a_board_is_read_with_hands_side_and_number() {
    let board = "後手の持駒：飛　角二　歩十七\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n|v香 ・ ・ ・v玉 ・ ・ ・ ・|一\n\
                 | ・ ・ ・ ・ ・ ・ ・ ・ ・|二\n| ・ ・ ・ ・ と ・ ・ ・ ・|三\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|四\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|五\n\
                 | ・ ・ ・ ・ ・ ・ ・ ・ ・|六\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|七\n| ・ ・ ・ ・ ・v龍 ・ ・ ・|八\n| ・ 王 ・ ・ ・ ・ ・ ・ ・|九\n\
                 +---------------------------+\n先手の持駒：金二　銀\n手数＝74  △４八飛成  まで\n後手番\n";
    let text = format!("手合割：その他\n{board}先手：a\n手数----指手---------消費時間--\n1 ４九龍(48)\n");
    let read = game(&text);
    assert_eq!(read.root.as_deref(), Some("l3k4/9/4+P4/9/9/9/9/5+r3/1K7 w 2GSr2b17p 75"));
    assert_eq!((moves(&read).as_str(), read.black.as_str()), ("4h4i", "a"));
    let written = written(RecordForm::Kif, &read);
    assert_eq!(game(&written), read, "{written}");
    for (broken, line, part) in [
        (text.replace("|v香 ・", "|v香"), 5, "is not one of nine ranks of nine squares"),
        (text.replace("角二", "角x"), 2, "is not a hand like 飛　金二　歩十八"),
        (text.replace("| ・ ・ ・ ・ ・ ・ ・ ・ ・|二\n", ""), 18, "is not the rest of a board of nine ranks"),
        (
            text.replace("| ・ ・ ・ ・ ・ ・ ・ ・ ・|二", "| ・ ・ ・ ・ 玉 ・ ・ ・ ・|二"),
            19,
            "Black has more than one king",
        ),
    ] {
        let error = error(&broken);
        assert!(error.starts_with(&format!("line {line}: ")) && error.contains(part), "{error}");
    }
}

#[test]
fn handicaps_are_read_by_name() {
    for (name, first) in [("香落ち", "w"), ("右香落ち", "w"), ("二枚落ち", "w"), ("十枚落ち", "w"), ("飛車落", "w")]
    {
        let text =
            format!("手合割：{name}\n下手：shita\n上手：uwate\n手数----指手--\n1 ８四歩(83)\n2 ７六歩(77)\n3 中断\n");
        let game = game(&text);
        let root = Position::from_sfen(game.root.as_deref().unwrap()).unwrap();
        assert_eq!((game.black.as_str(), game.white.as_str()), ("shita", "uwate"));
        assert!(root.to_sfen().contains(&format!(" {first} ")), "{name}");
        let written = written(RecordForm::Kif, &game);
        assert!(written.contains("上手：uwate\n") && written.contains("落ち\n"), "{written}");
        assert_eq!(games(&written), [Ok(game)]);
    }
    let error = error("手合割：その他\n手数----指手--\n");
    assert!(error.starts_with("line 2: `その他` is not a handicap that needs no board"), "{error}");
}

#[test]
fn ki2_is_read_in_its_spellings() {
    let text = "開始日時：2020/01/02\n先手：a\n\n▲７六歩 △３四歩    ▲２二角成△同　銀\n*comment\n☗5五角\n☖３三銀▲投了\nまで6手で後手の勝ち\n";
    let read = game(text);
    assert_eq!(moves(&read), "7g7f 3c3d 8h2b+ 3a2b B*5e 2b3c");
    assert_eq!((read.outcome, read.reason), (GameOutcome::WhiteWins, Some(EndReason::Resignation)));
    assert_eq!(read.moves[3].comment, "comment");
    assert_eq!(game(&text.replace("△３四歩", "△３４歩")), read);
    let bare = game("先手：a\n７六歩 ３四歩 ２二角成 同銀\n");
    assert_eq!(moves(&bare), "7g7f 3c3d 8h2b+ 3a2b");
    let error = error("先手：a\n▲７六歩 △３四歩\n▲２三角\n▲４八銀 △７二銀 ▲５八金 △８四歩\n");
    assert!(error.starts_with("line 3: the move `▲２三角` is illegal"), "{error}");
}

#[test]
fn several_games_make_a_file_and_a_broken_one_is_told() {
    let one = |moves: &str| format!("手合割：平手\n先手：a\n手数----指手--\n{moves}");
    let text = [
        one("1 ７六歩(77)\n2 投了\nまで1手で先手の勝ち\n"),
        one("1 ７五歩(77)\n"),
        "# next\n".to_owned() + &one("1 ２六歩(27)\n"),
    ]
    .concat();
    let games = games(&text);
    assert_eq!(games.len(), 3, "{games:?}");
    assert_eq!(moves(games[0].as_ref().unwrap()), "7g7f");
    let broken = games[1].as_ref().unwrap_err();
    assert!(broken.starts_with("line 10: the move `７五歩(77)` is illegal"), "{broken}");
    assert_eq!(moves(games[2].as_ref().unwrap()), "2g2f");
    // Without headers, a game begins where the numbers begin again.
    assert_eq!(self::games("1 ７六歩(77)\n2 投了\n1 ２六歩(27)\n").len(), 2);
}

//! What every form keeps as it is: roots, long times, comments.

use kiki_record::{Game, GameOutcome, PlayedMove, RecordForm, TextEncoding, lost_parts};

use crate::common::{ROOTS, playout};

#[test]
fn a_root_is_the_same_in_every_form() {
    // As the start of an even game is written by some, and with the hands in another order.
    for (sfen, root) in [
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", None),
        ("4k4/9/9/9/9/9/9/9/4K4 b p2PgR 1", Some("4k4/9/9/9/9/9/9/9/4K4 b R2Pgp 1")),
    ] {
        let game = RecordForm::Usi.read(format!("position sfen {sfen}").as_bytes()).remove(0).unwrap();
        assert_eq!(game.root.as_deref(), root);
        for form in RecordForm::ALL {
            assert_eq!(lost_parts(form, &game, TextEncoding::Utf8).unwrap(), [], "{form:?}");
        }
    }
}

#[test]
fn times_over_an_hour_are_told_by_every_form_that_tells_times() {
    let (mut game, _) = playout(3, ROOTS[0], 4);
    for (played, time_ms) in game.moves.iter_mut().zip([3_599_000, 3_600_500, 100 * 3_600_000, 7]) {
        *played = PlayedMove { time_ms: Some(time_ms), ..PlayedMove::from(played.mv) };
    }
    for form in [RecordForm::Csa, RecordForm::Csa3, RecordForm::Kif, RecordForm::Jkf] {
        assert_eq!(lost_parts(form, &game, TextEncoding::Utf8).unwrap(), [], "{form:?}");
    }
    let text = String::from_utf8(RecordForm::Kif.write(&[game], TextEncoding::Utf8).unwrap()).unwrap();
    assert!(text.contains("(59:59/00:59:59)") && text.contains("(6000:00/100:59:59)"), "{text}");
}

#[test]
fn comments_that_look_like_notes_stay_comments() {
    let lines = [
        "*評価値=35",
        "**評価値=35",
        "*読み筋=△３四歩",
        "*info depth 7 nodes 5 time 1234",
        "info depth 7",
        "*result black-wins resignation",
        "result black-wins resignation",
        "* 50 -3334FU",
        "** 50",
        "*field a: b",
        "field a: b",
        "$NOTE:x",
        "#x",
        "'x",
        "&x",
        "T3",
        "summary:toryo:a win:b lose",
        "まで1手で先手の勝ち",
        "2 投了",
        "変化：1手",
        "先手：x",
        "{",
        "%TORYO",
        "/",
        "手数＝3",
        "+7776FU",
        "+",
        "P1",
        "'",
        "a, b",
        "startpos",
    ];
    let (mut game, _) = playout(5, ROOTS[0], 2);
    game.moves.iter_mut().for_each(|played| *played = PlayedMove::from(played.mv));
    game.moves[0].comment = lines.join("\n");
    game.comment = lines.join("\n");
    for form in RecordForm::ALL.into_iter().filter(|&form| form != RecordForm::Usi) {
        let bytes = form.write(std::slice::from_ref(&game), TextEncoding::Utf8).unwrap();
        let mut read = form.read(&bytes);
        assert_eq!(read.len(), 1, "{form:?}");
        let read = read.remove(0).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert_eq!((&read.comment, &read.moves), (&game.comment, &game.moves), "{form:?}\n{text}");
        assert_eq!((read.outcome, read.reason), (GameOutcome::Unknown, None), "{form:?}\n{text}");
    }
}

#[test]
fn half_width_kana_in_shift_jis_are_not_taken_for_utf_8() {
    // These bytes are a letter of Latin in UTF-8.
    let game = Game {
        black: "ﾂｱ".to_owned(), white: "山田".to_owned(), comment: "ﾂｱ".to_owned(), ..Game::default()
    };
    for form in [RecordForm::Csa, RecordForm::Csa3, RecordForm::Kif] {
        assert_eq!(lost_parts(form, &game, TextEncoding::ShiftJis).unwrap(), [], "{form:?}");
    }
}

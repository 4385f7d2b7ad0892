//! Variations as they are found: with ends of their own, where a game ends, and in any order.

use kiki_record::{EndReason, Ending, GameOutcome, RecordForm, read_records};

use crate::kif_files::{moves, usi};
use crate::odd_files::{KIF, TWO, WITH_VARIATIONS, comes_back, end, fixture, odd, one, refused, written};

#[test]
fn a_variation_ends_as_a_game_does() {
    use GameOutcome::{BlackWins, Draw, Unknown, WhiteWins};
    let game = odd("variation-with-its-own-end.kif");
    let resigned = Ending { outcome: BlackWins, reason: Some(EndReason::Resignation), ..Ending::default() };
    assert_eq!(end(&game), (WhiteWins, Some(EndReason::Resignation)));
    let [variation] = &game.variations[..] else { panic!("{game:?}") };
    assert_eq!((usi(&variation.moves).as_str(), &variation.moves[0].comment), ("6g6f", &String::new()));
    assert_eq!(variation.ending, resigned);
    comes_back(&game, &WITH_VARIATIONS);
    let kif = written(RecordForm::Kif, &game);
    assert!(kif.ends_with("変化：3手\n   3 ６六歩(67)   \n   4 投了\nまで3手で先手の勝ち\n"), "{kif}");
    let jkf = written(RecordForm::Jkf, &game);
    assert!(jkf.contains(r#""piece":"FU"}},{"special":"TORYO"}]]"#), "{jkf}");
    for (last, outcome, reason, remark) in [
        ("   4 投了\n", BlackWins, Some(EndReason::Resignation), ""),
        ("   4 詰み\n", BlackWins, Some(EndReason::Checkmate), ""),
        ("   4 切れ負け\n", BlackWins, Some(EndReason::Time), ""),
        ("   4 Time-up\n", BlackWins, Some(EndReason::Time), ""),
        ("   4 千日手\n", Draw, Some(EndReason::Sennichite), ""),
        ("   4 持将棋\n", Draw, Some(EndReason::Impasse), ""),
        ("   4 中断\n", Unknown, Some(EndReason::Interrupted), ""),
        ("   4 中断\n   5 投了\n", Unknown, Some(EndReason::Interrupted), ""),
        ("   4 封じ手\n", Unknown, None, "封じ手"),
        ("   4 待った\n", Unknown, None, "待った"),
        ("   4 反則勝ち\n", WhiteWins, Some(EndReason::IllegalMove), ""),
        ("   4 反則負け\n", BlackWins, Some(EndReason::IllegalMove), ""),
        ("   4 ５五玉(51)\n   5 反則負け\n", BlackWins, Some(EndReason::IllegalMove), "５五玉"),
        ("   4 ５五玉(51)\n   5 反則勝ち\n", BlackWins, Some(EndReason::IllegalMove), "５五玉"),
        ("   4 ５五玉(51)\n*illegal\n", BlackWins, Some(EndReason::IllegalMove), "５五玉"),
        ("まで3手で先手の勝ち\n", BlackWins, Some(EndReason::Resignation), ""),
        ("まで3手で時間切れにより後手の勝ち\n", WhiteWins, Some(EndReason::Time), ""),
        ("   4 投了\n**result black-wins forfeit: crashed\n", BlackWins, Some(EndReason::Forfeit), "crashed"),
    ] {
        // The game itself ends otherwise, and another variation follows.
        let behind = "\n変化：2手\n   2 ８四歩(83)\n   3 投了\n";
        let text = format!("{KIF}{TWO}   3 ２六歩(27)\n   4 千日手\n\n変化：3手\n   3 ６六歩(67)\n{last}{behind}");
        let game = one("a.kif", text.as_bytes());
        assert_eq!(end(&game), (Draw, Some(EndReason::Sennichite)), "{last}");
        let [early, late] = &game.variations[..] else { panic!("{game:?}") };
        assert_eq!(late.ending, Ending { outcome, reason, remark: remark.to_owned() }, "{last}");
        assert_eq!(early.ending, Ending { outcome: WhiteWins, ..resigned.clone() }, "{last}");
        comes_back(&game, &WITH_VARIATIONS);
    }
    // A variation may end at once, a nested one too, and KI2 and JKF have ends of variations as well.
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
    // Two of them, with ends of which another hangs, and an end with a plus behind it.
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
    // A game that stops without an end has a place for it all the same.
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
    // Of a line that is no longer the latest, with an end between; three deep; and where nothing fits an error names the move.
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
    // The game alone lets the bishop take. The lines between are tried, but not for ever.
    text.push_str(&"変化：2手\n   2 ３四歩(33)\n   3 ２二角成(88)\n".repeat(10_000));
    let start = std::time::Instant::now();
    let read = read_records("a.kif", text.as_bytes()).remove(0);
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    let variations = read.unwrap().variations;
    assert_eq!((variations.len(), variations[9_999].after, variations[10_000].after), (20_000, 0, 1));
}

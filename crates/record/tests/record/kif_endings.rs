//! How games of KIF and KI2 end, and what is no end. Where the crate rsshogi fails, the test says so.

use kiki_record::{EndReason, GameOutcome};
use rsshogi::records::formats::kif::parse_kif_str;

use crate::kif_files::{error, game};

#[test]
fn endings_are_told_by_words_and_by_sentences() {
    use GameOutcome::{BlackWins, Draw, Unknown, WhiteWins};
    for (end, outcome, reason) in [
        ("3 投了", WhiteWins, Some(EndReason::Resignation)),
        ("3 中断", Unknown, Some(EndReason::Interrupted)),
        ("3 持将棋", Draw, Some(EndReason::Impasse)),
        ("3 千日手 ( 0:00/00:00:01)", Draw, Some(EndReason::Sennichite)),
        ("3 詰み", WhiteWins, Some(EndReason::Checkmate)),
        ("3 切れ負け", WhiteWins, Some(EndReason::Time)),
        ("3 入玉勝ち", BlackWins, Some(EndReason::Declaration)),
        ("3 不戦勝", BlackWins, Some(EndReason::Forfeit)),
        ("3 最大手数", Draw, Some(EndReason::MaxPlies)),
        ("3 不詰", Unknown, None),
        ("投了", WhiteWins, Some(EndReason::Resignation)),
        ("まで2手で後手の勝ち", WhiteWins, Some(EndReason::Resignation)),
        ("まで2手で時間切れにより後手の勝ち", WhiteWins, Some(EndReason::Time)),
        ("まで2手で先手の時間切れにより後手の勝ち", WhiteWins, Some(EndReason::Time)),
        ("まで2手で千日手", Draw, Some(EndReason::Sennichite)),
        ("まで2手で持将棋", Draw, Some(EndReason::Impasse)),
        ("まで2手で中断", Unknown, Some(EndReason::Interrupted)),
        ("まで2手で引き分け", Draw, None),
        ("まで2手で上手の勝ち", WhiteWins, Some(EndReason::Resignation)),
        ("3 中断\nまで2手で先手の勝ち", BlackWins, Some(EndReason::Interrupted)),
        ("3 投了\n**result black-wins forfeit: crashed", BlackWins, Some(EndReason::Forfeit)),
        ("", Unknown, None),
    ] {
        let game = game(&format!("手数----指手--\n1 ７六歩(77)\n2 ３四歩(33)\n{end}\n"));
        assert_eq!((game.outcome, game.reason), (outcome, reason), "{end}");
    }
    let wrong =
        parse_kif_str("手数----指手--\n1 ７六歩(77)\n2 ３四歩(33)\nまで2手で先手の時間切れにより後手の勝ち\n").unwrap();
    assert!(format!("{:?}", wrong.result()).starts_with("Black"), "rsshogi takes the first side that is named");
}

#[test]
fn a_foul_is_lost_by_whoever_made_it() {
    use GameOutcome::{BlackWins, WhiteWins};
    let legal = "手数----指手--\n1 ７六歩(77)\n2 ３四歩(33)\n";
    let illegal = "手数----指手--\n1 ７六歩(77)\n2 ３四歩(33)\n3 ２三歩打\n";
    for (moves, end, outcome) in [
        // It is Black's turn. 反則勝ち: White's move was foul.
        (legal, "3 反則勝ち", BlackWins),
        (legal, "3 反則負け", WhiteWins),
        (legal, "3 反則", WhiteWins),
        (legal, "まで2手で反則勝ち", BlackWins),
        (legal, "まで2手で反則負け", WhiteWins),
        (legal, "まで2手で先手の反則勝ち", BlackWins),
        (legal, "まで2手で先手の反則負け", WhiteWins),
        (legal, "まで2手で後手の反則負け", BlackWins),
        (legal, "3 反則勝ち\nまで2手で反則勝ち", BlackWins),
        // Black's move cannot be made on the board: the turn is White's by the record.
        (illegal, "4 反則勝ち", WhiteWins),
        (illegal, "4 反則負け", WhiteWins),
        (illegal, "まで3手で反則勝ち", WhiteWins),
        (illegal, "まで3手で後手の反則勝ち", WhiteWins),
        (illegal, "4 反則勝ち\nまで3手で先手の反則負け", WhiteWins),
    ] {
        let game = game(&format!("{moves}{end}\n"));
        assert_eq!((game.outcome, game.reason), (outcome, Some(EndReason::IllegalMove)), "{end}");
    }
    let ki2 = game("▲７六歩 △３四歩\n▲２三歩打\nまで3手で後手の反則勝ち\n");
    assert_eq!((ki2.outcome, ki2.remark.as_str()), (WhiteWins, "▲２三歩打"));
    assert_eq!(game("▲７六歩 △３四歩 ▲反則勝ち\n").outcome, BlackWins);
}

#[test]
fn a_last_move_that_cannot_be_read_is_no_end() {
    for (last, line) in [
        ("3 ×六歩(27)", 4),
        ("3 歩２六(27)", 4),
        ("3 26歩27", 4),
        ("3 +2726FU", 4),
        ("3 投亍", 4),
        ("3", 4),
        ("3 ２六×(27)   ( 0:01/00:00:01)", 4),
        ("l3 ２六歩(27)   ( 0:01/00:00:01)", 4),
        ("変化：2手\n2 ８四×(83)", 5),
        ("変化：2手\n2 hello", 5),
    ] {
        let error = error(&format!("手数----指手--\n1 ７六歩(77)\n2 ３四歩(33)\n{last}\n"));
        assert!(error.starts_with(&format!("line {line}: `")) && error.contains("` is not a "), "{last}: {error}");
    }
    for last in ["▲歩", "▲２六", "▲x六歩", "▲２六歩x"] {
        let error = error(&format!("▲７六歩 △３四歩\n{last}\n"));
        assert!(error.starts_with("line 2: `") && error.contains("` is not a move"), "{last}: {error}");
    }
}

#[test]
fn a_last_move_that_was_illegal_ends_the_game() {
    let text = "手数----指手--\n1 ７六歩(77)\n2 ３四歩(33)\n3 ２三歩打\n";
    let lost = game(&format!("{text}4 反則負け\nまで3手で後手の勝ち\n"));
    assert_eq!(
        (lost.outcome, lost.reason, lost.remark.as_str()),
        (GameOutcome::WhiteWins, Some(EndReason::IllegalMove), "２三歩打")
    );
    assert_eq!(lost.moves.len(), 2);
    let varied = format!("{text}4 反則負け\n\n変化：2手\n2 ８四歩(83) ( 0:05/00:00:05)\n");
    let varied = &game(&varied).variations[0].moves[0];
    assert_eq!((varied.mv.to_string().as_str(), varied.time_ms), ("8c8d", Some(5000)));
    assert!(parse_kif_str(&format!("{text}4 反則負け\n")).is_err());
    assert_eq!(game(text), lost, "no word is needed");
    let error = error(&format!("{text}4 ８四歩(83)\n"));
    assert!(error.starts_with("line 4: the move `２三歩打` is illegal in the position "), "{error}");
}

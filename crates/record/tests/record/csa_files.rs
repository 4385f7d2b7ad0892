//! Real and broken CSA files, and CSA that Kiki writes.

use std::collections::BTreeMap;

use kiki_board::{GameRepetition, Position};
use kiki_record::{
    EndReason, Game, GameOutcome, PgnMoves, PlayedMove, ReadError, ReadProblem, RecordForm, ScoreValue, TextEncoding,
    read_csa, read_pgn, read_records, to_csa, to_pgn,
};
use rsshogi::records::formats::csa::{parse_csa_games, parse_csa_str};
use rsshogi::types::Color as OtherColor;

use crate::all_forms::other_winner;
use crate::common::{OUTCOMES, playout, written};

fn games(text: &str) -> Vec<Result<Game, ReadError>> {
    read_csa(text.as_bytes()).collect()
}

fn game(text: &str) -> Game {
    let mut games = games(text);
    assert_eq!(games.len(), 1, "{text}");
    games.remove(0).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn fixtures_are_read_whole() {
    let fixture = |bytes: &[u8]| {
        let mut games: Vec<_> = read_csa(bytes).collect();
        assert_eq!(games.len(), 1);
        games.remove(0).unwrap()
    };
    let game = fixture(include_bytes!("../fixtures/2005_GPS_K-SHOGI.csa"));
    assert_eq!((game.black.as_str(), game.white.as_str(), game.moves.len()), ("sente", "gote", 173));
    assert_eq!((game.outcome, game.reason), (GameOutcome::BlackWins, Some(EndReason::Resignation)));
    assert_eq!(game.moves[0].time_ms, Some(12_000));

    let game = fixture(include_bytes!("../fixtures/2005_YAMADA_GPS.csa"));
    assert_eq!(game.white, "山田将棋 Version 2.18 (LEVEL5)");
    assert_eq!((game.moves.len(), game.outcome), (107, GameOutcome::BlackWins));
    assert_eq!(game.moves[12].time_ms, Some(16_000));

    let game = fixture(include_bytes!("../fixtures/denryu_aobazero_viper.csa"));
    assert_eq!((game.black.as_str(), game.white.as_str()), ("aobazero", "viper"));
    assert_eq!(game.start_time, "2020/07/19 20:10:37");
    assert_eq!((game.outcome, game.reason), (GameOutcome::BlackWins, Some(EndReason::Declaration)));
    // Both scores are written from Black's view.
    assert_eq!((game.moves[0].score, game.moves[1].score), (Some(ScoreValue::Cp(130)), Some(ScoreValue::Cp(-50))));
}

#[test]
fn a_summary_that_names_one_player_twice_tells_the_reason_only() {
    let twins = |lines: &str| {
        let game = game(&format!("N+x\nN-x\nPI\n+\n+7776FU\n{lines}\n"));
        (game.outcome, game.reason)
    };
    assert_eq!(twins("'summary:oute_sennichite:x win:x lose"), (GameOutcome::Unknown, Some(EndReason::PerpetualCheck)));
    assert_eq!(twins("'summary:sennichite:x draw:x draw"), (GameOutcome::Draw, Some(EndReason::Sennichite)));
    // The side to move resigned, whatever its name.
    assert_eq!(twins("%TORYO\n'summary:toryo:x win:x lose"), (GameOutcome::BlackWins, Some(EndReason::Resignation)));
}

#[test]
fn an_illegal_last_move_is_the_end_if_the_record_says_so() {
    for end in ["%ILLEGAL_MOVE", "#ILLEGAL_MOVE\n#WIN", "T3\n'** 5\n'summary:illegal move:a win:b lose"] {
        let game = game(&format!("N+a\nN-b\nPI\n+\n+7776FU\n-5551OU\n{end}\n"));
        assert_eq!((game.outcome, game.reason), (GameOutcome::BlackWins, Some(EndReason::IllegalMove)), "{end}");
        assert_eq!((game.remark.as_str(), game.moves.len()), ("-5551OU", 1));
        assert_eq!((game.moves[0].time_ms, game.moves[0].score), (None, None));
    }
}

#[test]
fn files_come_in_many_shapes() {
    let expected = game("N+a\nN-b\nPI\n+\n+7776FU\nT12\n-3334FU\nT6\n%CHUDAN\n");
    assert_eq!(expected.moves[1].time_ms, Some(6000));
    for text in [
        "\u{feff}N+a\r\nN-b\r\nPI\r\n+\r\n+7776FU,T12\r\n-3334FU,T6\r\n%CHUDAN,T1\r\n",
        "'CSA encoding=UTF-8\nV3.0\nN+a\nN-b\n$TIME+:300+0+5\nPI\n+\n\n+7776FU\nT12.000\n-3334FU\nT6.0\n%CHUDAN\n$END_TIME:2026/01/01\n",
        "V2.2\nN+ a \nN-b\nPI,+\n+7776FU , T12 ,'a comment, with +2726FU, in it\n-3334FU,T6\n%CHUDAN",
        "N+a\nN-b\n+7776FU\n'** x\nT12\n-3334FU\nT6\n%CHUDAN\n/\n'nothing\n/\n\n",
        "N+a\nN-b\nP1-KY-KE-GI-KI-OU-KI-GI-KE-KY\nP2 * -HI * * * * * -KA *\nP3-FU-FU-FU-FU-FU-FU-FU-FU-FU\nP4*********\n\
         P5 *  *  *  *  *  *  *  *  * \nP6 *  *  *  *  *  *  *  *  *\nP7+FU+FU+FU+FU+FU+FU+FU+FU+FU\nP8 * +KA * * * * * +HI *\n\
         P9+KY+KE+GI+KI+OU+KI+GI+KE+KY\nP+\nP-\n+\n+7776FU\nT12\n-3334FU\nT6\n%CHUDAN\n",
    ] {
        let game = game(text);
        let bare = game.moves.iter().map(|played| PlayedMove { comment: String::new(), ..played.clone() }).collect();
        let bare = Game { comment: String::new(), fields: BTreeMap::new(), moves: bare, ending_time_ms: None, ..game };
        assert_eq!(bare, expected, "{text}");
    }
}

#[test]
fn a_broken_game_does_not_take_the_next_one_with_it() {
    let games = games("PI\n+\n+7776FU\n%TORYO\n/\nPI\n+\n+9999FU\nxyz\n/\nPI\n+\n+2726FU\n%TORYO\n");
    assert!(matches!(&games[..], [Ok(_), Err(_), Ok(_)]), "{games:?}");
    assert!(matches!(&games[1], Err(ReadError { line: 9, problem: ReadProblem::Malformed { .. } })), "{games:?}");
    assert_eq!(games[2].as_ref().unwrap().moves[0].mv.to_string(), "2g2f");
}

#[test]
fn nothing_is_no_game() {
    for text in ["", "\n\n", "'a comment\n", "/\n/\n"] {
        assert!(games(text).is_empty());
    }
}

#[test]
fn a_principal_variation_is_read_and_written_as_floodgate_has_it() {
    let text = "PI\n+\n+7776FU\n'** 35 -3334FU +8822UM -3122GI\n-3334FU\n'** -100000 +2726FU -7776FU +2625FU\n";
    let game = read_csa(text.as_bytes()).next().unwrap().unwrap();
    let pv = |index: usize| game.moves[index].pv.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    assert_eq!((pv(0), pv(1)), ("3c3d 8h2b+ 3a2b".to_owned(), "2g2f".to_owned()));
    let written = to_csa(&game).unwrap();
    assert!(written.contains("\n'** 35 -3334FU +8822UM -3122GI\n"), "{written}");
    assert!(!written.contains(','), "{written}");
    assert_eq!(read_csa(written.as_bytes()).next(), Some(Ok(game)));
    let bare = read_csa(text.as_bytes()).without_pv().next().unwrap().unwrap();
    assert!(bare.moves.iter().all(|played| played.pv.is_empty() && played.score.is_some()));
}

#[test]
fn a_variation_that_cannot_be_played_is_told_as_far_as_it_can() {
    let mut game = read_csa(b"PI\n+\n+7776FU\n'** 35 -3334FU +2726FU\n").next().unwrap().unwrap();
    let answer = game.moves[0].pv[0];
    game.moves[0].pv.insert(1, answer);
    assert!(to_csa(&game).unwrap().contains("'** 35 -3334FU\n"));
}

#[test]
fn comments_and_fields_of_programs_and_servers_are_kept() {
    let text = "'CSA encoding=UTF-8\nV3.0\n$EVENT:e\n$TIME+:300+0+5\n$NOTE:one\n$NOTE:two\n'Max_Moves:256\nPI\n+\n\
                +7776FU,T1.250\n'*a comment, with a comma\n'*and a second line\n-3334FU\n'** -20 +2726FU %PASS\n'*info nonsense\n%TORYO\n\
                'summary:toryo:b win:w lose\n'P1-KY * \n'+\n'$END_TIME:2026/01/01\n";
    let game = game(text);
    let fields: Vec<_> = game.fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(fields, [("END_TIME", "2026/01/01"), ("NOTE", "one\ntwo"), ("TIME+", "300+0+5")]);
    assert_eq!(game.comment, "Max_Moves:256");
    assert_eq!(game.moves[0].comment, "a comment, with a comma\nand a second line");
    assert_eq!((game.moves[0].time_ms, game.moves[1].score), (Some(1250), Some(ScoreValue::Cp(20))));
    // Words after the moves of the variation are a comment, and so are notes of other programs.
    assert_eq!((game.moves[1].pv.len(), game.moves[1].comment.as_str()), (1, "%PASS\ninfo nonsense"));
    assert_eq!(read_csa(to_csa(&game).unwrap().as_bytes()).next(), Some(Ok(game)));
}

#[test]
fn fields_without_a_keyword_are_comments_of_the_header() {
    let kif = "手合割：平手\n先手：a\n表題：x, y\n消費時間：1\n消費時間：2\n手数----指手--\n*before\n   1 ７六歩(77)\n*after\n";
    let game = read_records("a.kif", kif.as_bytes()).remove(0).unwrap();
    for form in [RecordForm::Csa, RecordForm::Csa3] {
        let text = written(form, &game);
        // Programs show only comments with an asterisk.
        assert!(text.contains("N+a\n'field 消費時間: 1\n'field 消費時間: 2\n'field 表題: x, y\nPI\n"), "{text}");
        let shown: Vec<&str> = text.lines().filter(|line| line.starts_with("'*")).collect();
        assert_eq!(shown, ["'*before", "'*after"], "{text}");
        for text in [text.clone(), text.replace("'field", "'*field")] {
            assert_eq!(form.read(text.as_bytes()), [Ok(game.clone())], "{text}");
        }
    }
}

#[test]
fn version_3_is_written_as_its_standard_has_it() {
    let text =
        "V2.2\nN+a\nN-b\n$TIME_LIMIT:00:15+10\nPI\n+\n+7776FU,T1\n'*info depth 3 time 1250\n-3334FU,T2\n%TORYO\n";
    let mut game = game(text);
    for (name, value) in
        [("MAX_MOVES", "320"), ("JISHOGI", "27"), ("TIME+", "450+0+5"), ("NOTE", "C:\\new, it is\ntwo")]
    {
        game.fields.insert(name.to_owned(), value.to_owned());
    }
    let white = Game { black: "白".to_owned(), time_control: "300+0+5".to_owned(), ..Game::default() };
    let games = [game, white];
    let bytes = RecordForm::Csa3.write(&games, TextEncoding::Utf8).unwrap();
    let expected = "'CSA encoding=UTF-8\nV3.0\nN+a\nN-b\n$TIME:900+10+0\n'Time_Control:00:15+10\n$JISHOGI:27\n$MAX_MOVES:320\n\
                    $NOTE:C:\\\\new, it is\\ntwo\n$TIME+:450+0+5\nPI\n+\n+7776FU\nT1.250\n'*info depth 3\n-3334FU\nT2\n%TORYO\n\
                    '*result white-wins resignation\n/\nN+白\n$TIME:300+0+5\nPI\n+\n";
    assert_eq!(String::from_utf8(bytes.clone()).unwrap(), expected);
    assert_eq!(RecordForm::Csa3.read(&bytes), games.clone().map(Ok));
    assert_eq!(RecordForm::Csa3.extension(), "csa");
    // An independent reader.
    let other = parse_csa_games(expected).unwrap();
    assert_eq!(other.len(), 2);
    assert_eq!((other[0].moves().len(), other[0].metadata().max_moves()), (2, Some(320)));
    assert_eq!(other[0].metadata().impasse_rule(), Some("27"));
    assert_eq!(other[0].metadata().comment(), Some("C:\\new, it is\ntwo"));
    assert_eq!(other[0].metadata().black_time_control().map(|control| control.base_seconds()), Some(450));

    let shift_jis = RecordForm::Csa3.write(&games, TextEncoding::ShiftJis).unwrap();
    assert!(shift_jis.starts_with(b"'CSA encoding=SHIFT_JIS\nV3.0\n"));
    assert_eq!(RecordForm::Csa3.read(&shift_jis), games.map(Ok));
}

#[test]
fn version_3_has_escapes_in_notes_and_two_spellings_of_a_time() {
    let text =
        "V3.0\n$TIMET+:450+0+5\n$TIMET-:900+0+5\n$TIME:900+0+5\n$NOTE:a\\nb\\\\n\nPI\n+\n/\n$NOTE:c\\nd\nPI\n+\n";
    let read: Vec<Game> = games(text).into_iter().map(Result::unwrap).collect();
    assert_eq!((read[0].fields["TIME+"].as_str(), read[0].fields["TIME-"].as_str()), ("450+0+5", "900+0+5"));
    assert_eq!((read[0].time_control.as_str(), read[0].fields["NOTE"].as_str()), ("900+0+5", "a\nb\\n"));
    assert_eq!(read[1].fields["NOTE"], "c\nd");
    assert_eq!(game(text.replace("V3.0", "V2.2").split('/').next().unwrap()).fields["NOTE"], "a\\nb\\\\n");
}

#[test]
fn control_characters_of_comments_are_blanks() {
    let game = read_csa(b"PI\n+\n+7776FU\n'*\0* -50\n'*a\x07b\n'*\x01\n").next().unwrap().unwrap();
    assert_eq!((game.moves[0].comment.as_str(), game.moves[0].score), ("* -50\na b", None));
    let again = read_csa(to_csa(&game).unwrap().as_bytes()).next().unwrap().unwrap();
    assert_eq!(again.moves, game.moves);
}

#[test]
fn every_reason_gives_other_readers_the_right_winner() {
    for plies in [0, 6, 7] {
        for &reason in EndReason::ALL {
            for outcome in OUTCOMES {
                let (mut game, _) = playout(7, None, plies);
                (game.outcome, game.reason) = (outcome, Some(reason));
                let text = to_csa(&game).unwrap();
                let winner = match outcome {
                    GameOutcome::BlackWins => Some(OtherColor::BLACK),
                    GameOutcome::WhiteWins => Some(OtherColor::WHITE),
                    GameOutcome::Draw | GameOutcome::Unknown => None,
                };
                assert_eq!(other_winner(RecordForm::Csa, &game, &text), winner, "{text}");
                // Without Kiki's own comment, the statement alone gives the same outcome.
                let plain: String =
                    text.lines().filter(|line| !line.starts_with("'*")).map(|line| format!("{line}\n")).collect();
                assert_eq!(self::game(&plain).outcome, outcome, "{plain}");
            }
        }
    }
}

#[test]
fn odd_texts_do_not_break_a_file() {
    let odd =
        ["a,b", "two\nlines\r\n%TORYO", " \u{2028}/\n/ ", "歩, と金", "\0\u{85}", "'x", "\"]\\", "{}();%[White \"z\"]"];
    for text in odd {
        let (mut game, _) = playout(3, None, 5);
        let fields = [
            &mut game.black,
            &mut game.white,
            &mut game.event,
            &mut game.site,
            &mut game.time_control,
            &mut game.remark,
        ];
        fields.into_iter().for_each(|field| text.clone_into(field));
        (game.outcome, game.reason) = (GameOutcome::Draw, Some(EndReason::Sennichite));
        let csa = to_csa(&game).unwrap();
        assert!(csa.lines().all(|line| !line.contains(',')), "{csa}");
        let read = self::game(&csa);
        assert_eq!((&read.moves, read.outcome, read.reason), (&game.moves, game.outcome, game.reason), "{csa}");
        assert_eq!([&read.white, &read.remark], [&read.black; 2]);
        assert_eq!(parse_csa_str(&csa).unwrap().moves().len(), 5, "{csa}");

        for moves in [PgnMoves::Omitted, PgnMoves::Commented] {
            let pgn = to_pgn(&game, text, moves).repeat(2);
            let games: Vec<_> = read_pgn(pgn.as_bytes()).into_iter().map(|game| game.expect(&pgn)).collect();
            assert_eq!(games.len(), 2, "{pgn}");
            assert_eq!(
                (games[1].outcome, &games[1].black, &games[0].round),
                (GameOutcome::Draw, &games[0].white, &games[0].black)
            );
        }
    }
}

#[test]
fn the_usual_ends_are_written_as_csa_names_them() {
    let usual = [
        (EndReason::Resignation, GameOutcome::WhiteWins, "%TORYO"),
        (EndReason::Checkmate, GameOutcome::WhiteWins, "%TSUMI"),
        (EndReason::Declaration, GameOutcome::BlackWins, "%KACHI"),
        (EndReason::FailedDeclaration, GameOutcome::WhiteWins, "%ILLEGAL_MOVE"),
        (EndReason::IllegalMove, GameOutcome::WhiteWins, "%ILLEGAL_MOVE"),
        (EndReason::Time, GameOutcome::WhiteWins, "%TIME_UP"),
        (EndReason::Time, GameOutcome::BlackWins, "%-ILLEGAL_ACTION"),
        (EndReason::Forfeit, GameOutcome::WhiteWins, "%+ILLEGAL_ACTION"),
        (EndReason::Forfeit, GameOutcome::BlackWins, "%-ILLEGAL_ACTION"),
        (EndReason::Sennichite, GameOutcome::Draw, "%SENNICHITE"),
        (EndReason::PerpetualCheck, GameOutcome::BlackWins, "%-ILLEGAL_ACTION"),
        (EndReason::Impasse, GameOutcome::Draw, "%JISHOGI"),
        (EndReason::MaxPlies, GameOutcome::Draw, "%MAX_MOVES"),
        (EndReason::Adjudication, GameOutcome::WhiteWins, "%TORYO"),
        (EndReason::Adjudication, GameOutcome::Draw, "%HIKIWAKE"),
        (EndReason::Interrupted, GameOutcome::Unknown, "%CHUDAN"),
    ];
    for (reason, outcome, statement) in usual {
        let game = Game { outcome, reason: Some(reason), ..Game::default() };
        let text = to_csa(&game).unwrap();
        assert_eq!(text, format!("V2.2\nPI\n+\n{statement}\n'*result {outcome} {reason}\n"));
    }
    assert_eq!(to_csa(&Game::default()).unwrap(), "V2.2\nPI\n+\n");
}

#[test]
fn perpetual_check_is_seen_on_the_board() {
    // Black's dragon gives perpetual check. In the second line White's evasion makes the fourth
    // occurrence.
    let root = "7k1/9/7R1/9/9/9/9/9/K8 w 2b4g4s4n4l18pr 1";
    for moves in [["2a1a", "2c1c", "1a2a", "1c2c"], ["2a3a", "2c3c", "3a2a", "3c2c"]] {
        let mut position = Position::from_sfen(root).unwrap();
        let mut game = Game { root: Some(root.to_owned()), ..Game::default() };
        for mv in moves.into_iter().cycle() {
            let mv = position.parse_move(mv).unwrap();
            position.make(mv);
            game.moves.push(mv.into());
            if position.game_repetition() != GameRepetition::None {
                break;
            }
        }
        (game.outcome, game.reason) = (GameOutcome::WhiteWins, Some(EndReason::PerpetualCheck));
        let text = to_csa(&game).unwrap();
        assert!(text.contains("%+ILLEGAL_ACTION\n"));
        for end in ["%+ILLEGAL_ACTION", "#OUTE_SENNICHITE"] {
            let plain = text.replace("%+ILLEGAL_ACTION\n'*result white-wins perpetual-check", end);
            let read = self::game(&plain);
            assert_eq!((read.outcome, read.reason), (game.outcome, game.reason), "{plain}");
        }
    }
}

#[test]
fn games_that_cannot_be_played_are_not_written() {
    let (mut game, _) = playout(1, None, 10);
    game.moves[3].mv = game.moves[2].mv;
    let error = to_csa(&game).unwrap_err().to_string();
    assert!(error.starts_with("move 4 of the game, "), "{error}");
    game.root = Some("9/9 b".to_owned());
    assert!(to_csa(&game).unwrap_err().to_string().starts_with("the root of the game is not a position: "));
}

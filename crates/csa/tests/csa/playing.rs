//! Games from login to result: their lines, their clocks, and pondering.

use kiki_record::{EndReason, GameOutcome, ScoreValue};

use super::program::{Plan, Program, at_once, begin, begin_with, start};
use super::test_server::{START, TestServer, chat, summary, summary_with};

const SCRIPT: &str = "script=7g7f/3c3d,2g2f/8c8d,2f2e";

fn plan(engine: &str) -> Plan<'_> {
    Plan { engine, ..Plan::default() }
}

#[test]
fn a_game_is_played_from_login_to_result_and_saved() {
    let (program, mut visitor) = begin(&plan(&format!("{SCRIPT} fault=resign@5")));
    assert_eq!(visitor.confirm_move("+7776FU", 3), "* 42 -3334FU");
    visitor.send("-3334FU,T5.25\n");
    assert_eq!(visitor.confirm_move("+2726FU", 1), "* 42 -8384FU");
    visitor.send("-8384FU,T9\n");
    visitor.expect("%TORYO");
    visitor.send("%TORYO\n#RESIGN\n#LOSE\n");
    visitor.expect_end();
    let ended = program.wait_for_success();
    assert!(ended.output.contains("1 games: 0 won, 0 drawn, 1 lost"), "{}", ended.output);
    let record = ended.record();
    assert_eq!((record.black.as_str(), record.white.as_str(), record.event.as_str()), ("black", "white", "id"));
    assert_eq!((record.outcome, record.reason), (GameOutcome::WhiteWins, Some(EndReason::Resignation)));
    assert_eq!(record.time_control, "60+1F");
    let times: Vec<_> = record.moves.iter().map(|mv| mv.time_ms).collect();
    assert_eq!(times, [Some(3000), Some(5250), Some(1000), Some(9000)]);
    assert_eq!(record.moves[0].score, Some(ScoreValue::Cp(42)));
    let kif = ended.kif();
    for line in ["先手：black", "1 ７六歩(77)", "投了"] {
        assert!(kif.contains(line), "{kif}");
    }
    assert!(ended.log.find("engine > isready") < ended.log.find("LOGIN kiki"), "the engine is ready before the login");
    let go = |black, white| format!("go btime {black} wtime {white} binc 1000 winc 1000");
    assert_eq!(
        ended.commands(&["usinewgame", "go", "gameover", "quit"]),
        ["usinewgame", &go(59_000, 60_000), &go(57_000, 55_750), &go(57_000, 47_750), "gameover lose", "quit"]
    );
    for option in ["MaxMovesToDraw value 256", "RoundUpToFullSecond value true"] {
        ended.assert_told(&format!("setoption name {option}"));
    }
}

#[test]
fn as_white_the_client_waits_for_the_first_move() {
    let (program, mut visitor) = begin_with(&plan("script=3c3d"), &summary('-', "id", START));
    visitor.send("+7776FU,T2\n");
    // From Black's view the score has the other sign.
    assert_eq!(visitor.confirm_move("-3334FU", 0), "* -42");
    visitor.resign();
    let ended = program.wait_for_success();
    assert_eq!(
        (ended.end().0, ended.commands(&["gameover"])),
        (GameOutcome::WhiteWins, vec!["gameover win".to_owned()])
    );
    assert!(ended.output.contains("1 games: 1 won"), "{}", ended.output);
}

#[test]
fn game_follows_game_whatever_the_result() {
    let results = [
        ("%TORYO\n#RESIGN\n#WIN\n", GameOutcome::BlackWins, EndReason::Resignation, "gameover win"),
        ("#TIME_UP\n#LOSE\n", GameOutcome::WhiteWins, EndReason::Time, "gameover lose"),
        ("#ILLEGAL_MOVE\n#WIN\n", GameOutcome::BlackWins, EndReason::IllegalMove, "gameover win"),
        ("#ILLEGAL_ACTION\n#WIN\n", GameOutcome::BlackWins, EndReason::IllegalMove, "gameover win"),
        ("#SENNICHITE\n#DRAW\n", GameOutcome::Draw, EndReason::Sennichite, "gameover draw"),
        ("#OUTE_SENNICHITE\n#LOSE\n", GameOutcome::WhiteWins, EndReason::PerpetualCheck, "gameover lose"),
        ("%KACHI,T3\n%KACHI\n#JISHOGI\n#LOSE\n", GameOutcome::WhiteWins, EndReason::Declaration, "gameover lose"),
        // The first reason counts.
        (
            "%KACHI\n#ILLEGAL_MOVE\n#RESIGN\n#WIN\n",
            GameOutcome::BlackWins,
            EndReason::FailedDeclaration,
            "gameover win",
        ),
        ("#MAX_MOVES\n#CENSORED\n", GameOutcome::Draw, EndReason::MaxPlies, "gameover draw"),
        ("#CENSORED\n", GameOutcome::Unknown, EndReason::Adjudication, "gameover draw"),
        ("#CHUDAN\n", GameOutcome::Unknown, EndReason::Interrupted, "gameover draw"),
        ("#ABNORMAL\n#WIN\n", GameOutcome::BlackWins, EndReason::Forfeit, "gameover win"),
    ];
    let play = format!("games = {}", results.len());
    let (server, program) = start(&Plan { engine: SCRIPT, play: &play, ..Plan::default() });
    for (index, (lines, ..)) in results.iter().enumerate() {
        let mut visitor = server.begin(&summary('+', &format!("game{index:02}"), START));
        visitor.play("+7776FU");
        visitor.send(lines);
        visitor.expect_end();
    }
    let ended = program.wait_for_success();
    let records = ended.records().into_iter().zip(ended.commands(&["gameover"]));
    let told: Vec<_> = records.map(|(record, over)| (record.outcome, record.reason, over)).collect();
    let expected = results.map(|(_, outcome, reason, over)| (outcome, Some(reason), over.to_owned()));
    assert_eq!(told, expected);
    assert!(ended.output.contains("12 games: 5 won, 2 drawn, 3 lost, 2 without a result"), "{}", ended.output);
}

#[test]
fn a_server_that_begins_the_next_game_by_itself_is_not_left() {
    let (program, mut visitor) =
        begin(&Plan { engine: SCRIPT, server: "stay = true", play: "games = 2", ..Plan::DEFAULT });
    visitor.play("+7776FU");
    visitor.send("%TORYO\n#RESIGN\n#WIN\n");
    visitor.start_game(&summary('+', "second", START));
    visitor.play("+7776FU");
    visitor.resign();
    assert_eq!(program.wait_for_success().records().len(), 2);
}

#[test]
fn a_game_that_goes_on_is_played_with_what_is_left() {
    let played = "PI\n+\n+7776FU,'* 5 -3334FU,T12.5\n-3334FU,T21.25\n";
    let (program, mut visitor) = begin_with(&plan("script=2g2f"), &summary('+', "id", played));
    visitor.play("+2726FU");
    visitor.resign();
    let ended = program.wait_for_success();
    // An increment of a second came with each move.
    ended.assert_told("go btime 48000 wtime 39750 binc 1000 winc 1000");
    let times: Vec<_> = ended.record().moves.iter().map(|mv| mv.time_ms).collect();
    assert_eq!(times, [Some(12_500), Some(21_250), Some(1000)]);
}

#[test]
fn a_game_that_is_decided_is_ended_at_once() {
    let entered = "P1+OU+KI+KI+KI+KI+GI+GI+GI+GI\nP2+RY+UM * * * * * * * \nP9 * * * * -OU * * * * \nP+00HI00KA\n+\n";
    let mated =
        "P1 * * * * -OU * * * * \nP7 * * * * -FU * * * * \nP8 * * * * -KI * * * * \nP9 * * * * +OU * * * * \n+\n";
    let won = (GameOutcome::BlackWins, Some(EndReason::Declaration));
    for (position, play, line, searches, end) in [
        (entered, "games = 1", "%KACHI", 0, won),
        (entered, "games = 1\ndeclare = false", "%KACHI", 1, won),
        (mated, "games = 1", "%TORYO", 0, (GameOutcome::WhiteWins, Some(EndReason::Resignation))),
    ] {
        let plan = Plan { engine: "fault=declare@1", play, ..Plan::default() };
        let (program, mut visitor) = begin_with(&plan, &summary('+', "id", position));
        visitor.expect(line);
        let result = if line == "%KACHI" { "#JISHOGI\n#WIN" } else { "#RESIGN\n#LOSE" };
        visitor.send(&format!("{line},T0\n{line}\n{result}\n"));
        visitor.expect_end();
        let ended = program.wait_for_success();
        assert_eq!((ended.commands(&["go"]).len(), ended.end()), (searches, end), "{play}");
    }
}

#[test]
fn lines_that_mean_nothing_are_passed_over() {
    let (server, program) = start(&plan(SCRIPT));
    let mut visitor = server.log_in();
    visitor.send("##[CHAT][x] hello\n\nBEGIN nothing\n#WIN\n+7776FU,T1\n");
    visitor.send(&summary('+', "id", START));
    visitor.expect("AGREE id");
    visitor.send("##[ERROR] odd\nSTART:other\nSTART:id\n\n");
    visitor.play("+7776FU");
    visitor.send("hello\n##[MONITOR] x\n\u{feff}\n");
    visitor.resign();
    assert_eq!(program.wait_for_success().record().moves.len(), 1);
}

#[test]
fn no_game_waits_for_an_output_that_nobody_reads() {
    let server = TestServer::new();
    let program = Program::start_unheard(server.port, &plan(SCRIPT));
    let mut visitor = server.begin(&summary('+', "id", START));
    visitor.play("+7776FU");
    // Each of these lines is shown; together they are far more than a pipe holds.
    visitor.send(&chat(5000));
    visitor.play("-3334FU +2726FU");
    visitor.resign();
    assert_eq!(program.wait_for_success().record().moves.len(), 3);
}

#[test]
fn the_engine_learns_that_an_increment_may_be_used_for_its_move() {
    let told = |play: &str| {
        let (server, program) = start(&Plan { engine: SCRIPT, play, ..Plan::default() });
        for times in ["Total_Time:300\nIncrement:10\n", "Total_Time:300\nByoyomi:10\n"] {
            let mut visitor = server.begin(&summary_with(times));
            visitor.play("+7776FU");
            visitor.resign();
        }
        let lines = program.wait_for_success().engine_lines();
        let go = lines.iter().position(|line| line.starts_with("go ")).expect("a search");
        let is_told = |line: &&String| line.starts_with("setoption name IncrementBeforeMove ");
        let before: Vec<String> = lines[..go].iter().filter(is_told).cloned().collect();
        assert!(!lines[go..].iter().any(|line| is_told(&line)), "it holds for the second game as well: {lines:?}");
        before
    };
    assert_eq!(told("games = 2"), ["setoption name IncrementBeforeMove value true"]);
    let fixed = "games = 2\n[engine.options]\nIncrementBeforeMove = \"false\"";
    assert_eq!(told(fixed), ["setoption name IncrementBeforeMove value false"], "the file goes before it");
}

/// A game in which the other side plays the expected move once and then another one. Returns the
/// commands to the engine, without positions.
fn play_pondering(ponder: &str) -> Vec<String> {
    let play = format!("games = 1\nponder = \"{ponder}\"");
    let engine = "script=7g7f/3c3d,2g2f/8c8d,2f2e/8c8d";
    let (program, mut visitor) = begin(&Plan { engine, play: &play, ..Plan::default() });
    visitor.confirm_move("+7776FU", 3);
    program.await_log("engine > go ponder");
    visitor.send("-3334FU,T5\n");
    visitor.confirm_move("+2726FU", 0);
    program.await_log("engine > position startpos moves 7g7f 3c3d 2g2f 8c8d");
    visitor.send("-4132KI,T1\n");
    visitor.confirm_move("+2625FU", 0);
    // The game ends while the engine ponders.
    program.await_log("moves 7g7f 3c3d 2g2f 4a3b 2f2e 8c8d");
    visitor.resign();
    let ended = program.wait_for_success();
    ended.assert_told("setoption name USI_Ponder value true");
    ended.commands(&["go", "ponderhit", "stop", "gameover"])
}

#[test]
fn pondering_has_the_servers_times_from_the_start_or_with_ponderhit() {
    for (ponder, first, hit, second, third) in [
        ("on", " btime 57000 wtime 60000", "", " btime 58000 wtime 56000", " btime 59000 wtime 56000"),
        ("early", "", " btime 57000 wtime 56000", "", ""),
    ] {
        let with = |word: &str, times: &str| match times {
            "" => word.to_owned(),
            times => format!("{word}{times} binc 1000 winc 1000"),
        };
        let expected = [
            with("go", " btime 59000 wtime 60000"),
            with("go ponder", first),
            with("ponderhit", hit),
            with("go ponder", second),
            "stop".to_owned(),
            with("go", " btime 58000 wtime 56000"),
            with("go ponder", third),
            "stop".to_owned(),
            "gameover win".to_owned(),
        ];
        assert_eq!(play_pondering(ponder), expected);
    }
}

#[test]
fn an_answer_that_comes_too_early_is_used_only_if_its_position_comes() {
    for (theirs, searches) in [("-3334FU", 1), ("-8384FU", 2)] {
        let engine = "script=7g7f/3c3d,2g2f fault=early-answer@3";
        let (program, mut visitor) = begin(&Plan { engine, play: "games = 1\nponder = \"on\"", ..Plan::default() });
        visitor.play("+7776FU");
        program.await_log("engine < bestmove 2g2f");
        visitor.play(&format!("{theirs} +2726FU"));
        visitor.resign();
        let told = program.wait_for_success().commands(&["go", "ponderhit"]);
        assert_eq!(told.iter().filter(|line| line.starts_with("go btime")).count(), searches);
        assert_eq!(told.len(), searches + 1, "nothing but this and `go ponder`: {told:?}");
    }
}

#[test]
fn a_time_that_cannot_be_true_is_measured_and_told() {
    let unit = "its times are not in the unit that it has announced";
    let cases = [
        // Whole seconds, although milliseconds were announced.
        (",T1", ",T3", 7000, unit),
        ("", ",T100", 9900, "the server does not send the times of moves"),
        (",T1.x", ",T100", 9900, "the server does not send the times of moves"),
    ];
    at_once(cases, |(own, theirs, left, warning)| {
        let plan = Plan { engine: "script=7g7f,2g2f think=700", play: "games = 1\nmargin = 0", ..Plan::default() };
        let clock = "Time_Unit:1msec\nTotal_Time:10000\nByoyomi:0\n";
        let (program, mut visitor) = begin_with(&plan, &summary_with(clock));
        visitor.expect_move("+7776FU");
        visitor.send(&format!("+7776FU{own}\n-3334FU{theirs}\n"));
        visitor.expect_move("+2726FU");
        visitor.resign();
        let ended = program.wait_for_success();
        let go = ended.commands(&["go"]).remove(1);
        let times: Vec<i64> = go.split(' ').filter_map(|word| word.parse().ok()).collect();
        assert!((7000..=9300).contains(&times[0]) && times[1] == left, "{own}: {go}");
        for text in [&ended.log, &ended.output] {
            assert_eq!(text.matches(warning).count(), 1, "{text}");
        }
        let recorded = ended.record().moves[0].time_ms;
        assert_eq!(recorded.is_some(), own == ",T1", "what the server has not told is in no record");
        ended.assert_told("setoption name RoundUpToFullSecond value false");
    });
}

#[test]
fn a_password_of_the_environment_goes_to_the_server_and_not_to_the_engine() {
    // The engine of these tests refuses to start with the variable, even when it is restarted.
    let engine = "script=7g7f fault=crash@1 marker={folder}/marker";
    let (server, program) = start(&Plan { engine, password: Some("secret-of-mine"), ..Plan::default() });
    let mut visitor = server.accept();
    visitor.expect("LOGIN kiki test-60-1F,secret-of-mine");
    visitor.send("LOGIN:kiki OK\n");
    visitor.start_game(&summary('+', "id", START));
    visitor.play("+7776FU");
    visitor.resign();
    let log = program.wait_for_success().log;
    assert!(log.contains("the engine was started again"), "{log}");
}

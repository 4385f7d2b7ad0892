//! Games from login to result.

use std::time::Duration;

use kiki_record::{EndReason, GameOutcome, MoveScore};

use super::double::{Double, START, chat, summary};
use super::program::{Plan, Program};

const SCRIPT: &str = "script=7g7f/3c3d,2g2f/8c8d,2f2e";

fn plan(engine: &str) -> Plan<'_> {
    Plan { engine, ..Plan::default() }
}

#[test]
fn a_game_is_played_from_login_to_result_and_saved() {
    let server = Double::new();
    let program = Program::start(server.port, &plan(&format!("{SCRIPT} fault=resign@5")));
    let mut visitor = server.begin('+');
    assert_eq!(visitor.confirm_move("+7776FU", 3), "* 42 -3334FU");
    visitor.send("-3334FU,T5\n");
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
    assert_eq!(times, [Some(3000), Some(5000), Some(1000), Some(9000)]);
    assert_eq!(record.moves[0].score, Some(MoveScore::Cp(42)));
    let kif = ended.kif();
    for line in ["先手：black", "1 ７六歩(77)", "投了"] {
        assert!(kif.contains(line), "{kif}");
    }
    let lines = ended.engine_lines();
    let first = lines.iter().position(|line| line == "isready").unwrap();
    let login = ended.log.find("LOGIN kiki").unwrap();
    assert!(ended.log.find("engine > isready").unwrap() < login, "the engine is ready before the login");
    assert!(first < lines.iter().position(|line| line == "usinewgame").unwrap());
    assert!(lines.contains(&"setoption name MaxMovesToDraw value 256".to_owned()));
    assert!(lines.contains(&"gameover lose".to_owned()) && lines.last().unwrap() == "quit");
    assert!(lines.contains(&"go btime 59000 wtime 60000 binc 1000 winc 1000".to_owned()));
    assert!(lines.contains(&"go btime 57000 wtime 56000 binc 1000 winc 1000".to_owned()), "{lines:?}");
}

#[test]
fn as_white_the_client_waits_for_the_first_move() {
    let server = Double::new();
    let program = Program::start(server.port, &plan("script=3c3d"));
    let mut visitor = server.begin('-');
    visitor.expect_silence(Duration::from_millis(300));
    visitor.send("+7776FU,T2\n");
    // From Black's view the score has the other sign.
    assert_eq!(visitor.confirm_move("-3334FU", 0), "* -42");
    visitor.send("%TORYO\n#RESIGN\n#WIN\n");
    visitor.expect_end();
    let ended = program.wait_for_success();
    assert!(ended.engine_lines().contains(&"gameover win".to_owned()));
    assert_eq!(ended.record().outcome, GameOutcome::WhiteWins);
}

#[test]
fn lines_may_come_slowly_and_in_pieces_or_all_at_once() {
    let server = Double::new();
    let program = Program::start(server.port, &plan(SCRIPT));
    let mut visitor = server.accept();
    visitor.expect("LOGIN kiki test-60-1F,secret");
    visitor.send_in_pieces("LOGIN:kiki OK\n", 1, Duration::from_millis(5));
    visitor.send_in_pieces(&summary('+', "id", START), 7, Duration::from_millis(1));
    visitor.expect("AGREE id");
    visitor.send_in_pieces("START:id\r\n", 3, Duration::from_millis(20));
    let token = "+7776FU";
    visitor.expect_move(token);
    // The confirmation and the answer, cut in the middle of a word.
    visitor.send_in_pieces("+7776FU,T1\n-3334FU,T12\n", 5, Duration::from_millis(30));
    visitor.expect_move("+2726FU");
    visitor.send("+2726FU,T1\n-8384FU,T2\n%TORYO\n#RESIGN\n#WIN\n");
    // The client may have begun to move before it read the end.
    let _ = visitor.line(Duration::from_secs(10));
    let record = program.wait_for_success().record();
    assert_eq!((record.moves.len(), record.outcome), (4, GameOutcome::BlackWins));
    assert_eq!(record.moves[1].time_ms, Some(12_000));
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
        ("%KACHI\n#ILLEGAL_MOVE\n#WIN\n", GameOutcome::BlackWins, EndReason::FailedDeclaration, "gameover win"),
        ("#MAX_MOVES\n#CENSORED\n", GameOutcome::Draw, EndReason::MaxPlies, "gameover draw"),
        ("#CHUDAN\n", GameOutcome::Unknown, EndReason::Interrupted, "gameover draw"),
        ("#ABNORMAL\n#WIN\n", GameOutcome::BlackWins, EndReason::Forfeit, "gameover win"),
    ];
    let server = Double::new();
    let play = format!("games = {}", results.len());
    let program = Program::start(server.port, &Plan { engine: SCRIPT, play: &play, ..Plan::default() });
    for (index, (lines, ..)) in results.iter().enumerate() {
        let mut visitor = server.log_in();
        let id = format!("game{index:02}");
        visitor.send(&summary('+', &id, START));
        visitor.expect(&format!("AGREE {id}"));
        visitor.send(&format!("START:{id}\n"));
        visitor.confirm_move("+7776FU", 1);
        visitor.send(lines);
        visitor.expect_end();
    }
    let ended = program.wait_for_success();
    let lines = ended.engine_lines();
    let told: Vec<&String> = lines.iter().filter(|line| line.starts_with("gameover")).collect();
    let records = ended.records();
    for (index, (_, outcome, reason, over)) in results.into_iter().enumerate() {
        assert_eq!((records[index].outcome, records[index].reason), (outcome, Some(reason)), "{index}");
        assert_eq!(told[index], over, "{index}");
    }
    assert!(ended.output.contains("11 games: 5 won, 2 drawn, 3 lost, 1 without a result"), "{}", ended.output);
}

#[test]
fn a_server_that_begins_the_next_game_by_itself_is_not_left() {
    let server = Double::new();
    let plan = Plan { engine: SCRIPT, server: "stay = true", play: "games = 2" };
    let program = Program::start(server.port, &plan);
    let mut visitor = server.begin('+');
    visitor.confirm_move("+7776FU", 1);
    visitor.send("%TORYO\n#RESIGN\n#WIN\n");
    visitor.start_game("second", &summary('+', "second", START));
    visitor.confirm_move("+7776FU", 1);
    visitor.send("%TORYO\n#RESIGN\n#WIN\n");
    visitor.expect_end();
    assert_eq!(program.wait_for_success().records().len(), 2);
}

#[test]
fn a_game_that_goes_on_is_played_with_what_is_left() {
    let server = Double::new();
    let program = Program::start(server.port, &plan("script=2g2f"));
    let mut visitor = server.begin_from('+', "PI\n+\n+7776FU,T12\n-3334FU,T21\n");
    visitor.confirm_move("+2726FU", 2);
    visitor.send("%TORYO\n#RESIGN\n#WIN\n");
    visitor.expect_end();
    let ended = program.wait_for_success();
    assert!(ended.engine_lines().contains(&"go btime 48000 wtime 40000 binc 1000 winc 1000".to_owned()));
    assert_eq!(ended.record().moves.len(), 3);
}

#[test]
fn a_declaration_is_made_without_the_engine() {
    let entered = "P1+OU+KI+KI+KI+KI+GI+GI+GI+GI\nP2+RY+UM * * * * * * * \nP9 * * * * -OU * * * * \nP+00HI00KA\n+\n";
    let server = Double::new();
    let program = Program::start(server.port, &Plan::default());
    let mut visitor = server.begin_from('+', entered);
    visitor.expect("%KACHI");
    visitor.send("%KACHI,T0\n%KACHI\n#JISHOGI\n#WIN\n");
    visitor.expect_end();
    let record = program.wait_for_success().record();
    assert_eq!((record.outcome, record.reason), (GameOutcome::BlackWins, Some(EndReason::Declaration)));
}

#[test]
fn lines_that_mean_nothing_are_passed_over() {
    let server = Double::new();
    let program = Program::start(server.port, &plan(SCRIPT));
    let mut visitor = server.log_in();
    visitor.send("##[CHAT][x] hello\n\nBEGIN nothing\n#WIN\n+7776FU,T1\n");
    visitor.send(&summary('+', "id", START));
    visitor.expect("AGREE id");
    visitor.send("##[ERROR] odd\nSTART:other\nSTART:id\n\n");
    visitor.confirm_move("+7776FU", 1);
    visitor.send("hello\n##[MONITOR] x\n\u{feff}\n%TORYO\n#RESIGN\n#WIN\n");
    visitor.expect_end();
    assert_eq!(program.wait_for_success().record().moves.len(), 1);
}

#[test]
fn no_game_waits_for_an_output_that_nobody_reads() {
    let server = Double::new();
    let program = Program::start_unheard(server.port, &plan(SCRIPT));
    let mut visitor = server.begin('+');
    visitor.confirm_move("+7776FU", 1);
    // Each of these lines is shown; together they are far more than a pipe holds.
    visitor.send(&chat(5000));
    visitor.send("-3334FU,T1\n");
    visitor.confirm_move("+2726FU", 1);
    visitor.send("%TORYO\n#RESIGN\n#WIN\n");
    visitor.expect_end();
    assert_eq!(program.wait_for_success().record().moves.len(), 3);
}

#[test]
fn the_record_has_both_clocks_where_they_differ() {
    let server = Double::new();
    let program = Program::start(server.port, &plan(SCRIPT));
    let mut visitor = server.log_in();
    let own =
        "BEGIN Time+\nTotal_Time:300\nIncrement:10\nEND Time+\nBEGIN Time-\nTotal_Time:60\nByoyomi:30\nEND Time-\n";
    visitor.start_game("id", &summary('+', "id", START).replace("BEGIN Position", &format!("{own}BEGIN Position")));
    visitor.confirm_move("+7776FU", 1);
    visitor.send("%TORYO\n#RESIGN\n#WIN\n");
    visitor.expect_end();
    let ended = program.wait_for_success();
    // What is told for both sides holds where a side has nothing of its own.
    assert_eq!(ended.record().time_control, "300+10F / 60+30+1F");
    assert!(ended.kif().contains("300+10F / 60+30+1F"), "{}", ended.kif());
}

#[test]
fn the_engine_learns_whether_the_clock_counts_whole_seconds() {
    for (unit, seconds, go) in [
        ("1sec", "true", "go btime 59000 wtime 60000 byoyomi 0"),
        ("1msec", "false", "go btime 59500 wtime 60000 byoyomi 0"),
    ] {
        let server = Double::new();
        let program = Program::start(server.port, &plan(SCRIPT));
        let total = if unit == "1sec" { 60 } else { 60_000 };
        let mut visitor = server.begin_with(&format!("Time_Unit:{unit}\nTotal_Time:{total}\nByoyomi:0\n"));
        visitor.expect_move("+7776FU");
        visitor.send("+7776FU,T1\n%TORYO\n#RESIGN\n#WIN\n");
        visitor.expect_end();
        let lines = program.wait_for_success().engine_lines();
        let told = format!("setoption name RoundUpToFullSecond value {seconds}");
        assert!(lines.contains(&told) && lines.contains(&go.to_owned()), "{lines:?}");
    }
}

#[test]
fn the_engine_learns_that_an_increment_may_be_used_for_its_move() {
    let told = |play: &str| {
        let server = Double::new();
        let program = Program::start(server.port, &Plan { engine: SCRIPT, play, ..Plan::default() });
        for times in ["Total_Time:300\nIncrement:10\n", "Total_Time:300\nByoyomi:10\n"] {
            let mut visitor = server.begin_with(times);
            visitor.confirm_move("+7776FU", 1);
            visitor.send("%TORYO\n#RESIGN\n#WIN\n");
            visitor.expect_end();
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

#[test]
fn the_engine_is_asked_although_one_unit_that_is_rounded_up_is_all_that_is_left() {
    let server = Double::new();
    let program = Program::start(server.port, &plan(SCRIPT));
    let mut visitor = server.begin_with("Time_Unit:1sec\nTotal_Time:0\nByoyomi:1\nTime_Roundup:YES\n");
    visitor.confirm_move("+7776FU", 1);
    visitor.send("-3334FU,T1\n");
    visitor.confirm_move("+2726FU", 1);
    visitor.send("%TORYO\n#RESIGN\n#WIN\n");
    visitor.expect_end();
    let ended = program.wait_for_success();
    assert!(ended.engine_lines().contains(&"go btime 0 wtime 0 byoyomi 750".to_owned()), "{}", ended.log);
    assert!(!ended.log.contains("the client plays"), "{}", ended.log);
}

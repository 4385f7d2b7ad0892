//! Games from login to result: their lines, their clocks, and pondering.

use std::time::Duration;

use kiki_record::{EndReason, GameOutcome, MoveScore};

use super::program::{Ended, Plan, Program};
use super::test_server::{START, TestServer, chat, summary, summary_with};

const SCRIPT: &str = "script=7g7f/3c3d,2g2f/8c8d,2f2e";

fn plan(engine: &str) -> Plan<'_> {
    Plan { engine, ..Plan::default() }
}

#[test]
fn a_game_is_played_from_login_to_result_and_saved() {
    let server = TestServer::new();
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
    let server = TestServer::new();
    let program = Program::start(server.port, &plan("script=3c3d"));
    let mut visitor = server.begin('-');
    visitor.expect_silence(Duration::from_millis(300));
    visitor.send("+7776FU,T2\n");
    // From Black's view the score has the other sign.
    assert_eq!(visitor.confirm_move("-3334FU", 0), "* -42");
    visitor.resign();
    let ended = program.wait_for_success();
    assert!(ended.engine_lines().contains(&"gameover win".to_owned()));
    assert_eq!(ended.record().outcome, GameOutcome::WhiteWins);
}

#[test]
fn lines_may_come_slowly_and_in_pieces_or_all_at_once() {
    let server = TestServer::new();
    let program = Program::start(server.port, &plan(SCRIPT));
    let mut visitor = server.accept_login();
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
    let server = TestServer::new();
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
    let server = TestServer::new();
    let plan = Plan { engine: SCRIPT, server: "stay = true", play: "games = 2", ..Plan::DEFAULT };
    let program = Program::start(server.port, &plan);
    let mut visitor = server.begin('+');
    visitor.confirm_move("+7776FU", 1);
    visitor.send("%TORYO\n#RESIGN\n#WIN\n");
    visitor.start_game("second", &summary('+', "second", START));
    visitor.confirm_move("+7776FU", 1);
    visitor.resign();
    assert_eq!(program.wait_for_success().records().len(), 2);
}

#[test]
fn a_game_that_goes_on_is_played_with_what_is_left() {
    let server = TestServer::new();
    let program = Program::start(server.port, &plan("script=2g2f"));
    let mut visitor = server.begin_from('+', "PI\n+\n+7776FU,T12\n-3334FU,T21\n");
    visitor.confirm_move("+2726FU", 2);
    visitor.resign();
    let ended = program.wait_for_success();
    assert!(ended.engine_lines().contains(&"go btime 48000 wtime 40000 binc 1000 winc 1000".to_owned()));
    assert_eq!(ended.record().moves.len(), 3);
}

#[test]
fn a_declaration_is_made_without_the_engine() {
    let entered = "P1+OU+KI+KI+KI+KI+GI+GI+GI+GI\nP2+RY+UM * * * * * * * \nP9 * * * * -OU * * * * \nP+00HI00KA\n+\n";
    let server = TestServer::new();
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
    let server = TestServer::new();
    let program = Program::start(server.port, &plan(SCRIPT));
    let mut visitor = server.log_in();
    visitor.send("##[CHAT][x] hello\n\nBEGIN nothing\n#WIN\n+7776FU,T1\n");
    visitor.send(&summary('+', "id", START));
    visitor.expect("AGREE id");
    visitor.send("##[ERROR] odd\nSTART:other\nSTART:id\n\n");
    visitor.confirm_move("+7776FU", 1);
    visitor.send("hello\n##[MONITOR] x\n\u{feff}\n");
    visitor.resign();
    assert_eq!(program.wait_for_success().record().moves.len(), 1);
}

#[test]
fn no_game_waits_for_an_output_that_nobody_reads() {
    let server = TestServer::new();
    let program = Program::start_unheard(server.port, &plan(SCRIPT));
    let mut visitor = server.begin('+');
    visitor.confirm_move("+7776FU", 1);
    // Each of these lines is shown; together they are far more than a pipe holds.
    visitor.send(&chat(5000));
    visitor.send("-3334FU,T1\n");
    visitor.confirm_move("+2726FU", 1);
    visitor.resign();
    assert_eq!(program.wait_for_success().record().moves.len(), 3);
}

#[test]
fn the_record_has_both_clocks_where_they_differ() {
    let server = TestServer::new();
    let program = Program::start(server.port, &plan(SCRIPT));
    let mut visitor = server.log_in();
    let own =
        "BEGIN Time+\nTotal_Time:300\nIncrement:10\nEND Time+\nBEGIN Time-\nTotal_Time:60\nByoyomi:30\nEND Time-\n";
    visitor.start_game("id", &summary('+', "id", START).replace("BEGIN Position", &format!("{own}BEGIN Position")));
    visitor.confirm_move("+7776FU", 1);
    visitor.resign();
    let ended = program.wait_for_success();
    // A side without its own value has that of both sides.
    assert_eq!(ended.record().time_control, "300+10F / 60+30+1F");
    assert!(ended.kif().contains("300+10F / 60+30+1F"), "{}", ended.kif());
}

#[test]
fn the_engine_learns_whether_the_clock_counts_whole_seconds() {
    for (unit, seconds, go) in [
        ("1sec", "true", "go btime 59000 wtime 60000 byoyomi 0"),
        ("1msec", "false", "go btime 59500 wtime 60000 byoyomi 0"),
    ] {
        let server = TestServer::new();
        let program = Program::start(server.port, &plan(SCRIPT));
        let total = if unit == "1sec" { 60 } else { 60_000 };
        let mut visitor = server.begin_with(&format!("Time_Unit:{unit}\nTotal_Time:{total}\nByoyomi:0\n"));
        visitor.expect_move("+7776FU");
        visitor.send("+7776FU,T1\n");
        visitor.resign();
        let lines = program.wait_for_success().engine_lines();
        let told = format!("setoption name RoundUpToFullSecond value {seconds}");
        assert!(lines.contains(&told) && lines.contains(&go.to_owned()), "{lines:?}");
    }
}

#[test]
fn the_engine_learns_that_an_increment_may_be_used_for_its_move() {
    let told = |play: &str| {
        let server = TestServer::new();
        let program = Program::start(server.port, &Plan { engine: SCRIPT, play, ..Plan::default() });
        for times in ["Total_Time:300\nIncrement:10\n", "Total_Time:300\nByoyomi:10\n"] {
            let mut visitor = server.begin_with(times);
            visitor.confirm_move("+7776FU", 1);
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

#[test]
fn the_engine_is_asked_although_one_unit_that_is_rounded_up_is_all_that_is_left() {
    let server = TestServer::new();
    let program = Program::start(server.port, &plan(SCRIPT));
    let mut visitor = server.begin_with("Time_Unit:1sec\nTotal_Time:0\nByoyomi:1\nTime_Roundup:YES\n");
    visitor.confirm_move("+7776FU", 1);
    visitor.send("-3334FU,T1\n");
    visitor.confirm_move("+2726FU", 1);
    visitor.resign();
    let ended = program.wait_for_success();
    assert!(ended.engine_lines().contains(&"go btime 0 wtime 0 byoyomi 750".to_owned()), "{}", ended.log);
    assert!(!ended.log.contains("the client plays"), "{}", ended.log);
}

/// A game in which the other side plays the expected move once and then another one.
fn play_pondering(ponder: &str) -> Ended {
    let server = TestServer::new();
    let play = format!("games = 1\nponder = \"{ponder}\"");
    let plan = Plan { engine: "script=7g7f/3c3d,2g2f/8c8d,2f2e/8c8d", play: &play, ..Plan::default() };
    let program = Program::start(server.port, &plan);
    let mut visitor = server.begin('+');
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
    program.wait_for_success()
}

/// The commands to the engine in the game, without positions and the end of the program.
fn searches(ended: &Ended) -> Vec<String> {
    let words = ["go", "ponderhit", "stop", "gameover"];
    let is_search = |line: &String| words.iter().any(|word| line.split(' ').next() == Some(word));
    ended.engine_lines().into_iter().filter(is_search).collect()
}

#[test]
fn pondering_starts_with_the_times_that_the_server_has_confirmed() {
    let ended = play_pondering("on");
    assert_eq!(
        searches(&ended),
        [
            "go btime 59000 wtime 60000 binc 1000 winc 1000",
            "go ponder btime 57000 wtime 60000 binc 1000 winc 1000",
            "ponderhit",
            "go ponder btime 58000 wtime 56000 binc 1000 winc 1000",
            "stop",
            "go btime 58000 wtime 56000 binc 1000 winc 1000",
            "go ponder btime 59000 wtime 56000 binc 1000 winc 1000",
            "stop",
            "gameover win",
        ]
    );
    assert!(ended.engine_lines().contains(&"setoption name USI_Ponder value true".to_owned()));
}

#[test]
fn early_pondering_gets_the_times_with_ponderhit() {
    assert_eq!(
        searches(&play_pondering("early")),
        [
            "go btime 59000 wtime 60000 binc 1000 winc 1000",
            "go ponder",
            "ponderhit btime 57000 wtime 56000 binc 1000 winc 1000",
            "go ponder",
            "stop",
            "go btime 58000 wtime 56000 binc 1000 winc 1000",
            "go ponder",
            "stop",
            "gameover win",
        ]
    );
}

#[test]
fn an_answer_that_comes_too_early_is_used_only_if_its_position_comes() {
    for (theirs, comes) in [("-3334FU", true), ("-8384FU", false)] {
        let server = TestServer::new();
        let plan = Plan {
            engine: "script=7g7f/3c3d,2g2f fault=early-answer@3",
            play: "games = 1\nponder = \"on\"",
            ..Plan::default()
        };
        let program = Program::start(server.port, &plan);
        let mut visitor = server.begin('+');
        visitor.confirm_move("+7776FU", 1);
        program.await_log("engine < bestmove 2g2f");
        visitor.send(&format!("{theirs},T1\n"));
        visitor.confirm_move("+2726FU", 1);
        visitor.resign();
        let ended = program.wait_for_success();
        let told = searches(&ended);
        assert!(!told.iter().any(|line| line.starts_with("ponderhit")), "{told:?}");
        assert_eq!(told.iter().filter(|line| line.starts_with("go btime")).count(), if comes { 1 } else { 2 });
    }
}

/// The times in the engine's `go` commands: its own and the other side's.
fn told(ended: &Ended) -> Vec<[i64; 2]> {
    let lines = ended.engine_lines();
    let searches = lines.iter().filter(|line| line.starts_with("go btime "));
    let word = |line: &str, index: usize| line.split(' ').nth(index).and_then(|word| word.parse().ok()).unwrap();
    searches.map(|line| [word(line, 2), word(line, 4)]).collect()
}

/// Checks the times of the second search. The round trip to the server may reduce its own.
#[track_caller]
fn assert_told(ended: &Ended, expected: [i64; 2]) {
    let [own, theirs] = told(ended)[1];
    assert!(
        (expected[0] - 100..=expected[0]).contains(&own) && theirs == expected[1],
        "{own} {theirs}, not {expected:?}"
    );
}

/// Plays two moves by a clock. The server sends these times for the client's first move and for the other side's.
fn play_timed(clock: &str, think: u64, own: &str, theirs: &str) -> Ended {
    let server = TestServer::new();
    let engine = format!("script=7g7f,2g2f think={think}");
    let program =
        Program::start(server.port, &Plan { engine: &engine, play: "games = 1\nmargin = 0", ..Plan::default() });
    let mut visitor = server.log_in();
    visitor.start_game("id", &summary_with(clock));
    visitor.expect_move("+7776FU");
    visitor.send(&format!("+7776FU{own}\n-3334FU{theirs}\n"));
    visitor.expect_move("+2726FU");
    visitor.resign();
    program.wait_for_success()
}

const WARNING: &str = "its times are not in the unit that it has announced";

#[test]
fn fractions_are_taken_off() {
    for (clock, own, theirs, expected, times) in [
        ("Total_Time:60\n", ",T2.5", ",T0.125", [57_500, 59_875], [2500, 125]),
        ("Total_Time:60\n", ",T2.", ",T.5", [58_000, 59_500], [2000, 500]),
        ("Total_Time:60.5\nByoyomi:0.5\n", ",T2.25,'x", ",T7.0001", [58_250, 53_499], [2250, 7001]),
        ("Time_Unit:1min\nTotal_Time:10\n", ",T0.5", ",T1", [510_000, 540_000], [30_000, 60_000]),
        ("Time_Unit:1msec\nTotal_Time:60000\n", ",T2500.5", ",T100", [57_499, 59_900], [2500, 100]),
    ] {
        let ended = play_timed(clock, 0, own, theirs);
        assert_told(&ended, expected);
        let recorded: Vec<_> = ended.record().moves.iter().take(2).map(|mv| mv.time_ms).collect();
        assert_eq!(recorded, times.map(Some), "{clock} {own}");
        assert!(!ended.log.contains(WARNING), "{}", ended.log);
    }
}

#[test]
fn fractions_in_a_game_that_goes_on_are_taken_off() {
    let server = TestServer::new();
    let program = Program::start(server.port, &Plan { engine: "script=2g2f", ..Plan::default() });
    let mut visitor = server.log_in();
    visitor.start_game("id", &summary('+', "id", "PI\n+\n+7776FU,'* 5 -3334FU,T12.5\n-3334FU,T21.25\n"));
    visitor.confirm_move("+2726FU", 2);
    visitor.resign();
    let ended = program.wait_for_success();
    // An increment of a second came with each move.
    assert_eq!(told(&ended)[0], [48_000, 39_750]);
    assert_eq!(ended.record().moves[0].time_ms, Some(12_500));
}

#[test]
fn whole_seconds_where_milliseconds_were_announced_are_told_and_taken_for_no_less_than_they_are() {
    let clock = "Time_Unit:1msec\nTotal_Time:10000\nByoyomi:0\n";
    let ended = play_timed(clock, 1500, ",T1", ",T3");
    assert_eq!(ended.log.matches(WARNING).count(), 1, "{}", ended.log);
    let [own, theirs] = told(&ended)[1];
    assert!((7000..=8500).contains(&own), "{own} ms are left");
    assert_eq!(theirs, 7000);
    assert!(ended.output.contains(WARNING), "{}", ended.output);
}

#[test]
fn milliseconds_where_they_were_announced_are_what_they_are() {
    let ended = play_timed("Time_Unit:1msec\nTotal_Time:10000\nByoyomi:0\n", 700, ",T720", ",T3");
    assert!(!ended.log.contains(WARNING), "{}", ended.log);
    assert_told(&ended, [9280, 9997]);
}

#[test]
fn a_time_that_is_none_is_measured() {
    for time in ["", ",Tx", ",T-1", ",T1.x", ",T"] {
        let ended = play_timed("Time_Unit:1msec\nTotal_Time:10000\nByoyomi:0\n", 1500, time, ",T100");
        let [own, theirs] = told(&ended)[1];
        assert!((7000..=8500).contains(&own) && theirs == 9900, "{time}: {own} and {theirs} ms are left");
        assert_eq!(ended.record().moves[0].time_ms, None, "what the server has not told is in no record");
    }
}

#[test]
fn a_password_of_the_environment_goes_to_the_server_and_not_to_the_engine() {
    let server = TestServer::new();
    // The engine of these tests refuses to start with the variable, even when it is restarted.
    let engine = "script=7g7f fault=crash@1 marker={folder}/marker";
    let program = Program::start(server.port, &Plan { engine, password: Some("secret-of-mine"), ..Plan::default() });
    let mut visitor = server.accept();
    visitor.expect("LOGIN kiki test-60-1F,secret-of-mine");
    visitor.send("LOGIN:kiki OK\n");
    visitor.start_game("id", &summary('+', "id", START));
    visitor.confirm_move("+7776FU", 1);
    visitor.resign();
    let log = program.wait_for_success().log;
    assert!(log.contains("the engine was started again"), "{log}");
}

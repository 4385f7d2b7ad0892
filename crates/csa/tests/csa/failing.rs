//! Engines that crash, hang, or answer late or wrongly. None of this loses a game.

use std::thread::sleep;
use std::time::{Duration, Instant};

use kiki_record::GameOutcome;

use super::program::{Ended, Plan, Program};
use super::test_server::{TestServer, summary_with};

/// Plays until the engine's fault has passed and two more moves are played. Returns the log.
fn play_with(fault: &str, play: &str) -> String {
    let server = TestServer::new();
    let engine = format!("script=7g7f/3c3d fault={fault} marker={{folder}}/marker");
    let program = Program::start(server.port, &Plan { engine: &engine, play, ..Plan::default() });
    let mut visitor = server.begin('+');
    visitor.confirm_move("+7776FU", 1);
    visitor.send("-3334FU,T1\n");
    // An engine that is asked again plays its script again, or any move.
    let token = visitor.any_move();
    visitor.send(&format!("{token},T4\n"));
    visitor.send("-8384FU,T1\n");
    let token = visitor.any_move();
    visitor.send(&format!("{token},T4\n"));
    visitor.resign();
    let ended = program.wait_for_success();
    assert_eq!((ended.record().moves.len(), ended.record().outcome), (5, GameOutcome::BlackWins));
    ended.log
}

#[test]
fn an_engine_that_fails_on_its_own_turn_or_while_it_ponders_is_started_again_and_its_answer_is_not_sent() {
    for (fault, problem) in [
        ("crash@3", "exited with status 1 while `bestmove` was awaited"),
        ("illegal@3", "the engine's move `1a1a` is illegal in "),
        ("declare@3", "the engine declares, but the position does not allow it"),
        ("ponder-crash@3", "exited with status 1"),
    ] {
        let play = if fault.starts_with("ponder") { "games = 1\nponder = \"on\"" } else { "games = 1" };
        let log = play_with(fault, play);
        assert!(log.contains(problem) && log.contains("the engine was started again"), "{fault}: {log}");
        assert!(!log.contains("the client plays"), "{fault}: {log}");
    }
}

#[test]
fn one_that_crashes_while_it_has_nothing_to_do_is_started_again_before_it_is_needed() {
    let server = TestServer::new();
    let engine = "script=7g7f fault=idle-crash@1 marker={folder}/marker";
    let program = Program::start(server.port, &Plan { engine, ..Plan::default() });
    let mut visitor = server.begin('+');
    visitor.confirm_move("+7776FU", 1);
    program.await_log("the engine was started again");
    visitor.send("-3334FU,T1\n");
    let token = visitor.any_move();
    visitor.send(&format!("{token},T1\n"));
    visitor.resign();
    let log = program.wait_for_success().log;
    assert_eq!(log.matches("exited with status 1").count(), 1, "{log}");
}

#[test]
fn one_that_crashes_at_every_search_does_not_stop_the_game() {
    let server = TestServer::new();
    let program = Program::start(server.port, &Plan { engine: "fault=crash@1", ..Plan::default() });
    let mut visitor = server.begin('+');
    let token = visitor.any_move();
    visitor.send(&format!("{token},T4\n"));
    visitor.resign();
    let ended = program.wait_for_success();
    assert!(ended.log.contains("there is no engine in time: the client plays "), "{}", ended.log);
    let before = ended.log.split("the client plays").next().unwrap();
    assert_eq!(before.matches("the engine was started again").count(), 3);
}

/// Plays by a clock of four seconds against an engine that fails while it ponders and takes `start` milliseconds to start again. Returns
/// how long the next move took, and the program's end.
fn fail_while_pondering(fault: &str, start: u64) -> (Duration, Ended) {
    let server = TestServer::new();
    let engine = format!("script=7g7f/3c3d fault={fault}@3 marker={{folder}}/marker start={start}");
    let plan = Plan { engine: &engine, play: "games = 1\nponder = \"on\"", ..Plan::default() };
    let program = Program::start(server.port, &plan);
    let mut visitor = server.begin_with("Total_Time:4\nByoyomi:0\nIncrement:0\n");
    visitor.confirm_move("+7776FU", 0);
    program.await_log("moves 7g7f 3c3d");
    while !program.path().join("marker").exists() {
        sleep(Duration::from_millis(2));
    }
    // Not the move that it ponders on.
    visitor.send("-8384FU,T0\n");
    let begun = Instant::now();
    let token = visitor.any_move();
    let elapsed = begun.elapsed();
    visitor.send(&format!("{token},T{}\n%TORYO\n#RESIGN\n#WIN\n", elapsed.as_secs()));
    visitor.expect_end();
    (elapsed, program.wait_for_success())
}

#[test]
fn a_restart_on_the_other_sides_time_that_takes_long_costs_no_game() {
    for fault in ["ponder-crash", "ponder-hang"] {
        let (elapsed, ended) = fail_while_pondering(fault, 60_000);
        assert!(elapsed < Duration::from_millis(3500), "{fault}: {elapsed:?}\n{}", ended.log);
        assert!(ended.log.contains("there is no engine in time: the client plays "), "{fault}: {}", ended.log);
    }
}

#[test]
fn an_engine_that_was_started_again_has_no_more_than_what_is_left() {
    let (elapsed, ended) = fail_while_pondering("ponder-crash", 800);
    assert!(elapsed < Duration::from_millis(3500), "{elapsed:?}\n{}", ended.log);
    let lines = ended.engine_lines();
    let go = lines.iter().rfind(|line| line.starts_with("go btime ")).unwrap();
    let told: u64 = go.split(' ').nth(2).unwrap().parse().unwrap();
    // Four seconds, less the margin of half a second and most of the start.
    assert!(told < 3000, "{go}\n{}", ended.log);
}

#[test]
fn an_engine_that_was_started_again_may_think_longer_than_its_start_was_waited_for() {
    let server = TestServer::new();
    let engine = "script=7g7f fault=crash@1 marker={folder}/marker start=2000 think=60000";
    let program = Program::start(server.port, &Plan { engine, ..Plan::default() });
    // The start is waited for until four seconds have passed; then the engine thinks for half of what is left, three seconds.
    let mut visitor = server.begin_with("Total_Time:8\nByoyomi:0\nIncrement:0\n");
    visitor.confirm_move("+7776FU", 4);
    visitor.resign();
    let log = program.wait_for_success().log;
    assert!(log.contains("the engine was started again") && !log.contains("the client plays"), "{log}");
}

/// Plays one move by a clock of two seconds.
fn play_fast(engine: &str) -> (Duration, String) {
    let server = TestServer::new();
    let program = Program::start(server.port, &Plan { engine, ..Plan::default() });
    let mut visitor = server.begin_with("Total_Time:0\nByoyomi:2\nIncrement:0\n");
    let begun = Instant::now();
    let token = visitor.any_move();
    let elapsed = begun.elapsed();
    visitor.send(&format!("{token},T1\n"));
    visitor.resign();
    (elapsed, program.wait_for_success().log)
}

#[test]
fn one_that_takes_too_long_is_stopped_before_the_flag_falls() {
    let (elapsed, log) = play_fast("fault=slow@1");
    assert!(elapsed < Duration::from_secs(2), "{elapsed:?}");
    assert!(log.contains("the engine takes longer than it was told; it is stopped"), "{log}");
    assert!(!log.contains("the client plays"), "{log}");
}

#[test]
fn one_that_hangs_does_not_lose_on_time() {
    let (elapsed, log) = play_fast("fault=hang@1");
    assert!(elapsed < Duration::from_secs(2), "{elapsed:?}");
    assert!(log.contains("the engine does not answer in time"), "{log}");
    assert!(log.contains("there is no engine in time: the client plays "), "{log}");
}

#[test]
fn one_that_hangs_does_not_lose_on_time_where_the_way_to_the_server_is_long() {
    // The round trip is longer than the margin, a quarter of two seconds, can cover.
    let way = Duration::from_millis(500);
    let server = TestServer::new();
    let engine = "script=7g7f fault=hang@3";
    let program = Program::start(server.port, &Plan { engine, ..Plan::default() });
    let mut visitor = server.accept_login();
    sleep(way);
    visitor.send("LOGIN:kiki OK\n");
    visitor.start_game("id", &summary_with("Total_Time:0\nByoyomi:2\nIncrement:0\n"));
    visitor.expect_move("+7776FU");
    sleep(way);
    visitor.send("+7776FU,T0\n-3334FU,T0\n");
    let begun = Instant::now();
    let token = visitor.any_move();
    let elapsed = begun.elapsed() + way;
    visitor.send(&format!("{token},T1\n"));
    visitor.resign();
    let log = program.wait_for_success().log;
    assert!(elapsed < Duration::from_secs(2), "{elapsed:?}\n{log}");
    assert!(log.contains("the engine does not answer in time"), "{log}");
}

#[test]
fn one_that_does_not_start_is_told_at_once() {
    let server = TestServer::new();
    let program = Program::start(server.port, &Plan { engine: "nonsense", ..Plan::default() });
    let ended = program.wait();
    assert_eq!(ended.status.code(), Some(1));
    assert!(ended.output.contains("the engine: exited with status 3 while `usiok` was awaited"), "{}", ended.output);
    assert!(server.accept_within(Duration::from_millis(100)).is_none(), "nobody logs in without an engine");
}

#[test]
fn an_option_that_the_engine_does_not_have_is_told_at_once() {
    let server = TestServer::new();
    let play = "games = 1\n[engine.options]\nThreds = 3";
    let ended = Program::start(server.port, &Plan { play, ..Plan::default() }).wait();
    assert_eq!(ended.status.code(), Some(1));
    assert!(ended.output.contains("Threds") && ended.output.contains("USI_Ponder"), "{}", ended.output);
}

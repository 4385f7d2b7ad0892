//! Interrupts by the user, and records that outlive the program.

use std::fs;
use std::time::{Duration, Instant};
#[cfg(target_os = "linux")]
use std::{
    iter,
    net::{TcpListener, TcpStream},
    thread::sleep,
};

use kiki_record::{EndReason, GameOutcome};

use super::program::{Plan, Program, records_in};
use super::test_server::{START, TestServer, Visitor, summary};

const ENDLESS: Plan<'static> = Plan { engine: "script=7g7f/3c3d,2g2f", play: "games = 0", ..Plan::DEFAULT };

/// A program that is asked to stop after its first move.
fn asked_to_stop() -> (Program, Visitor) {
    let server = TestServer::new();
    let program = Program::start(server.port, &ENDLESS);
    let mut visitor = server.begin('+');
    visitor.confirm_move("+7776FU", 1);
    program.interrupt();
    program.await_log("this is the last game");
    (program, visitor)
}

#[test]
fn one_who_waits_for_a_game_logs_out() {
    let server = TestServer::new();
    let program = Program::start(server.port, &ENDLESS);
    let mut visitor = server.log_in();
    program.await_log("logged in as kiki");
    program.interrupt();
    visitor.expect("LOGOUT");
    visitor.expect_end();
    program.wait_for_success();
}

#[test]
fn one_who_asks_while_the_engine_loads_never_logs_in() {
    let server = TestServer::new();
    let engine = "marker={folder}/settings.toml start=1500";
    let program = Program::start(server.port, &Plan { engine, ..ENDLESS });
    program.await_log("engine > usi");
    program.interrupt();
    program.wait_for_success();
    assert!(server.accept_within(Duration::from_millis(100)).is_none());
}

#[cfg(target_os = "linux")]
#[test]
fn one_who_asks_while_the_host_does_not_answer_is_not_held_up() {
    // A listener whose queue is full: further connections are neither made nor refused.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let next = || TcpStream::connect_timeout(&address, Duration::from_millis(200));
    let queued: Vec<TcpStream> = iter::from_fn(|| next().ok()).take(10_000).collect();
    assert!(queued.len() < 10_000, "the queue has no end");
    let program = Program::start(address.port(), &ENDLESS);
    program.await_log("engine < readyok");
    sleep(Duration::from_millis(300));
    let asked = Instant::now();
    program.interrupt();
    program.wait_for_success();
    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
}

#[test]
fn the_current_game_is_played_to_its_end() {
    let (program, mut visitor) = asked_to_stop();
    visitor.send("-3334FU,T1\n");
    visitor.confirm_move("+2726FU", 1);
    visitor.resign();
    assert_eq!(program.wait_for_success().record().outcome, GameOutcome::BlackWins);
}

#[test]
fn one_who_asks_twice_leaves_at_once_and_the_record_has_the_loss_that_the_server_gives() {
    let (program, visitor) = asked_to_stop();
    program.interrupt();
    visitor.expect_end();
    let ended = program.wait_for_success();
    let record = ended.record();
    assert_eq!((record.moves.len(), record.outcome), (1, GameOutcome::WhiteWins));
    assert_eq!(record.reason, Some(EndReason::Forfeit));
    assert!(ended.output.contains("1 games: 0 won, 0 drawn, 1 lost\n"), "{}", ended.output);
}

#[test]
fn one_who_asks_twice_after_the_other_side_has_resigned_has_won() {
    let (program, mut visitor) = asked_to_stop();
    visitor.send("%TORYO\n#RESIGN\n");
    program.await_log("< #RESIGN");
    program.interrupt();
    visitor.expect_end();
    let ended = program.wait_for_success();
    assert_eq!((ended.record().outcome, ended.record().reason), (GameOutcome::BlackWins, Some(EndReason::Resignation)));
    assert!(ended.output.contains("1 games: 1 won, 0 drawn, 0 lost\n"), "{}", ended.output);
}

#[test]
fn one_who_asks_twice_leaves_an_engine_that_knows_that_the_game_is_over() {
    for (engine, ponder, search) in
        [("script=7g7f think=20000", "off", "go btime"), ("script=7g7f/3c3d", "on", "go ponder")]
    {
        let server = TestServer::new();
        let play = format!("ponder = \"{ponder}\"");
        let program = Program::start(server.port, &Plan { engine, play: &play, ..ENDLESS });
        let mut visitor = server.begin('+');
        if ponder == "on" {
            visitor.confirm_move("+7776FU", 1);
        }
        program.await_log(search);
        program.interrupt();
        program.await_log("this is the last game");
        program.interrupt();
        visitor.expect_end();
        let lines = program.wait_for_success().engine_lines();
        assert_eq!(lines[lines.len() - 3..], ["stop", "gameover lose", "quit"], "{lines:?}");
    }
}

#[test]
fn one_who_asks_twice_does_not_wait_for_an_engine_that_hangs() {
    let server = TestServer::new();
    let program = Program::start(server.port, &Plan { engine: "fault=hang@1", ..ENDLESS });
    let visitor = server.begin('+');
    program.await_log("go btime");
    program.interrupt();
    program.await_log("this is the last game");
    let begun = Instant::now();
    program.interrupt();
    visitor.expect_end();
    assert_eq!(program.wait_for_success().record().outcome, GameOutcome::WhiteWins);
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
}

#[test]
fn the_record_of_a_game_in_progress_outlives_a_program_that_is_killed() {
    let server = TestServer::new();
    let program = Program::start(server.port, &ENDLESS);
    let mut visitor = server.begin('+');
    visitor.confirm_move("+7776FU", 1);
    visitor.send("-3334FU,T7\n");
    visitor.expect_move("+2726FU");
    program.kill();
    let folder = program.path().join("records");
    let records = records_in(&folder);
    assert_eq!(records.len(), 1);
    let times: Vec<_> = records[0].moves.iter().map(|mv| mv.time_ms).collect();
    assert_eq!((records[0].outcome, times), (GameOutcome::Unknown, vec![Some(1000), Some(7000)]));
    assert!(!program.wait().status.success());
}

#[test]
fn a_folder_that_cannot_be_written_stops_no_game_loses_no_record_and_is_told_once() {
    let server = TestServer::new();
    let program = Program::start(server.port, &Plan { play: "games = 2", ..ENDLESS });
    for number in 1..=2 {
        let mut visitor = server.log_in();
        // A file has the name of the folder.
        fs::write(program.path().join("records"), "").unwrap();
        let id = format!("id{number}");
        visitor.start_game(&id, &summary('+', &id, START));
        visitor.confirm_move("+7776FU", 1);
        visitor.send("-3334FU,T1\n");
        visitor.confirm_move("+2726FU", 1);
        visitor.resign();
    }
    let ended = program.wait();
    assert_eq!(ended.status.code(), Some(1), "{}", ended.output);
    assert_eq!(ended.output.matches("cannot save ").count(), 1, "{}", ended.output);
    assert!(ended.output.contains("2 games: 2 won"), "{}", ended.output);
    // Records that cannot be saved are printed.
    assert_eq!(ended.output.matches("a record that could not be saved:\nV2.2\nN+black\n").count(), 2);
    assert_eq!(ended.output.matches("+7776FU\nT1\n").count(), 2, "{}", ended.output);
}

#[test]
fn a_folder_that_can_be_written_again_gets_all_records() {
    let server = TestServer::new();
    let program = Program::start(server.port, &Plan { play: "games = 1", ..ENDLESS });
    let mut visitor = server.log_in();
    let folder = program.path().join("records");
    fs::write(&folder, "").unwrap();
    visitor.start_game("id", &summary('+', "id", START));
    visitor.confirm_move("+7776FU", 1);
    program.await_log("cannot save ");
    fs::remove_file(&folder).unwrap();
    visitor.resign();
    let ended = program.wait_for_success();
    assert_eq!(ended.record().moves.len(), 1);
    assert!(ended.log.contains("records are saved again"), "{}", ended.log);
}

#[cfg(target_os = "linux")]
#[test]
fn a_log_that_cannot_be_written_is_told_once_and_by_the_status() {
    let server = TestServer::new();
    let plan = Plan { play: "games = 1", arguments: &["--log", "/dev/full"], ..ENDLESS };
    let program = Program::start(server.port, &plan);
    let mut visitor = server.begin('+');
    visitor.confirm_move("+7776FU", 1);
    visitor.resign();
    let ended = program.wait();
    assert_eq!(ended.status.code(), Some(1), "{}", ended.output);
    assert_eq!(ended.output.matches("the log /dev/full cannot be written: ").count(), 1, "{}", ended.output);
    assert_eq!(ended.record().moves.len(), 1);
}

#[test]
fn a_quiet_server_hears_nothing_before_half_a_minute() {
    let server = TestServer::new();
    let program = Program::start(server.port, &ENDLESS);
    let mut visitor = server.log_in();
    visitor.expect_silence(Duration::from_secs(2));
    program.interrupt();
    visitor.expect("LOGOUT");
    drop(visitor);
    program.wait_for_success();
}

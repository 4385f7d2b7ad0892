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

use super::program::{Plan, Program, begin, records_in, start};
use super::test_server::{START, summary};

const ENDLESS: Plan<'static> = Plan { engine: "script=7g7f/3c3d,2g2f", play: "games = 0", ..Plan::DEFAULT };

#[test]
fn one_who_waits_for_a_game_logs_out() {
    let (server, program) = start(&ENDLESS);
    let mut visitor = server.log_in();
    program.await_log("logged in as kiki");
    program.interrupt();
    visitor.expect("LOGOUT");
    visitor.expect_end();
    program.wait_for_success();
}

#[test]
fn one_who_asks_while_the_engine_loads_never_logs_in() {
    let engine = "marker={folder}/settings.toml start=1500";
    let (server, program) = start(&Plan { engine, ..ENDLESS });
    program.await_log("engine > usi");
    program.interrupt();
    program.wait_for_success();
    server.expect_nobody();
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
    let (program, mut visitor) = begin(&ENDLESS);
    visitor.play("+7776FU");
    program.interrupt_game();
    visitor.play("-3334FU +2726FU");
    visitor.resign();
    assert_eq!(program.wait_for_success().end().0, GameOutcome::BlackWins);
}

#[test]
fn one_who_asks_twice_leaves_at_once_with_the_result_that_the_server_gives() {
    let lost = (GameOutcome::WhiteWins, Some(EndReason::Forfeit));
    for (lines, end, totals) in [
        ("", lost, "0 won, 0 drawn, 1 lost\n"),
        // The other side has resigned.
        ("%TORYO\n#RESIGN\n", (GameOutcome::BlackWins, Some(EndReason::Resignation)), "1 won, 0 drawn, 0 lost\n"),
    ] {
        let (program, mut visitor) = begin(&ENDLESS);
        visitor.play("+7776FU");
        program.interrupt_game();
        visitor.send(&format!("{lines}##[CHAT][x] read\n"));
        program.await_log("[x] read");
        program.interrupt();
        visitor.expect_end();
        let ended = program.wait_for_success();
        assert_eq!((ended.end(), ended.record().moves.len()), (end, 1));
        assert!(ended.output.contains(&format!("1 games: {totals}")), "{}", ended.output);
    }
}

#[test]
fn one_who_asks_twice_leaves_an_engine_that_knows_that_the_game_is_over_or_hangs() {
    let over = ["stop", "gameover lose", "quit"];
    for (engine, play, search, commands) in [
        ("script=7g7f think=20000", "games = 0", "go btime", &over[..]),
        ("script=7g7f/3c3d", "ponder = \"on\"", "go ponder", &over),
        ("fault=hang@1", "games = 0", "go btime", &over[..1]),
    ] {
        let (program, mut visitor) = begin(&Plan { engine, play, ..ENDLESS });
        if search == "go ponder" {
            visitor.play("+7776FU");
        }
        program.await_log(search);
        program.interrupt_game();
        let begun = Instant::now();
        program.interrupt();
        visitor.expect_end();
        assert_eq!(program.wait_for_success().commands(&["stop", "gameover", "quit"]), commands);
        assert!(begun.elapsed() < Duration::from_secs(2), "{engine}: {:?}", begun.elapsed());
    }
}

#[test]
fn the_record_of_a_game_in_progress_outlives_a_program_that_is_killed() {
    let (mut program, mut visitor) = begin(&ENDLESS);
    visitor.play("+7776FU -3334FU");
    visitor.expect_move("+2726FU");
    program.kill();
    let records = records_in(&program.path().join("records"));
    assert_eq!(records.len(), 1);
    assert_eq!((records[0].outcome, records[0].moves.len()), (GameOutcome::Unknown, 2));
    assert!(!program.wait().status.success());
}

#[test]
fn a_folder_that_cannot_be_written_stops_no_game_and_loses_no_record() {
    for is_written_in_the_end in [false, true] {
        let (server, program) = start(&Plan { play: "games = 2", ..ENDLESS });
        // A file has the name of the folder.
        let folder = program.path().join("records");
        for id in ["id1", "id2"] {
            let mut visitor = server.log_in();
            fs::write(&folder, "").unwrap();
            visitor.start_game(&summary('+', id, START));
            visitor.play("+7776FU -3334FU +2726FU");
            if is_written_in_the_end && id == "id2" {
                fs::remove_file(&folder).unwrap();
            }
            visitor.resign();
        }
        let ended = program.wait();
        assert_eq!(ended.output.matches("cannot save ").count(), 1, "{}", ended.output);
        assert!(ended.output.contains("2 games: 2 won"), "{}", ended.output);
        // Records that cannot be saved are printed.
        let printed = if is_written_in_the_end { 0 } else { 2 };
        assert_eq!(ended.output.matches("a record that could not be saved:\nV2.2\nN+black\n").count(), printed);
        assert_eq!(ended.output.matches("+7776FU\nT1\n").count(), printed, "{}", ended.output);
        assert_eq!(ended.log.contains("records are saved again"), is_written_in_the_end, "{}", ended.log);
        assert_eq!((ended.status.code(), ended.records().len()), (Some(i32::from(printed > 0)), 2 - printed));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_log_that_cannot_be_written_is_told_once_and_by_the_status() {
    let plan = Plan { play: "games = 1", arguments: &["--log", "/dev/full"], ..ENDLESS };
    let (program, mut visitor) = begin(&plan);
    visitor.play("+7776FU");
    visitor.resign();
    let ended = program.wait();
    assert_eq!(ended.status.code(), Some(1), "{}", ended.output);
    assert_eq!(ended.output.matches("the log /dev/full cannot be written: ").count(), 1, "{}", ended.output);
    assert_eq!(ended.record().moves.len(), 1);
}

//! Engines that crash, hang, or answer late or wrongly. None of this loses a game.

use std::thread::sleep;
use std::time::Duration;

use kiki_record::GameOutcome;

use super::program::{Plan, at_once, begin, begin_with, start};
use super::test_server::summary_with;

const BY_CLIENT: &str = "there is no engine in time: the client plays ";

fn plan(engine: &str) -> Plan<'_> {
    Plan { engine, ..Plan::default() }
}

#[test]
fn an_engine_that_fails_on_its_own_turn_or_while_it_ponders_is_started_again_and_its_answer_is_not_sent() {
    for (fault, problem) in [
        ("crash@3", "exited with status 1 while `bestmove` was awaited"),
        ("illegal@3", "the engine's move `1a1a` is illegal in "),
        ("declare@3", "the engine declares, but the position does not allow it"),
        ("ponder-crash@3", "exited with status 1"),
        ("idle-crash@1", "exited with status 1"),
    ] {
        let play = if fault.starts_with("ponder") { "games = 1\nponder = \"on\"" } else { "games = 1" };
        let engine = format!("script=7g7f/3c3d fault={fault} marker={{folder}}/marker");
        let (program, mut visitor) = begin(&Plan { play, ..plan(&engine) });
        visitor.play("+7776FU");
        if fault == "idle-crash@1" {
            program.await_log("the engine was started again");
        }
        for theirs in ["-3334FU", "-8384FU"] {
            visitor.play(theirs);
            // An engine that is asked again plays its script again, or any move.
            visitor.confirm_any_move(4);
        }
        visitor.resign();
        let ended = program.wait_for_success();
        assert_eq!((ended.record().moves.len(), ended.end().0), (5, GameOutcome::BlackWins));
        assert_eq!(ended.log.matches(problem).count(), 1, "{fault}: {}", ended.log);
        assert!(ended.log.contains("the engine was started again"), "{fault}: {}", ended.log);
        assert!(!ended.log.contains("the client plays"), "{fault}: {}", ended.log);
    }
}

#[test]
fn one_that_crashes_at_every_search_does_not_stop_the_game() {
    let (program, mut visitor) = begin(&plan("fault=crash@1"));
    visitor.confirm_any_move(4);
    visitor.resign();
    let log = program.wait_for_success().log;
    let before = log.split(BY_CLIENT).next().unwrap();
    assert!(before.len() < log.len() && before.matches("the engine was started again").count() == 3, "{log}");
}

#[test]
fn a_restart_on_the_other_sides_time_costs_no_game() {
    // An engine that is started again has no more than what is left: four seconds, less the margin
    // of half a second and most of the start.
    let cases = [("ponder-crash", 60_000, false), ("ponder-hang", 60_000, false), ("ponder-crash", 800, true)];
    at_once(cases, |(fault, start, is_in_time)| {
        let engine = format!("script=7g7f/3c3d fault={fault}@3 marker={{folder}}/marker start={start}");
        let plan = Plan { play: "games = 1\nponder = \"on\"", ..plan(&engine) };
        let (program, mut visitor) = begin_with(&plan, &summary_with("Total_Time:4\nByoyomi:0\nIncrement:0\n"));
        visitor.confirm_move("+7776FU", 0);
        program.await_log("moves 7g7f 3c3d");
        while !program.path().join("marker").exists() {
            sleep(Duration::from_millis(2));
        }
        // Not the move that it ponders on.
        visitor.send("-8384FU,T0\n");
        let elapsed = visitor.confirm_any_move(1);
        visitor.resign();
        let ended = program.wait_for_success();
        assert!(elapsed < Duration::from_millis(3500), "{fault}: {elapsed:?}\n{}", ended.log);
        assert_eq!(ended.log.contains(BY_CLIENT), !is_in_time, "{fault}: {}", ended.log);
        let go = ended.commands(&["go"]).into_iter().rfind(|line| line.starts_with("go btime ")).unwrap();
        let told: u64 = go.split(' ').nth(2).unwrap().parse().unwrap();
        assert!(!is_in_time || told < 3000, "{go}\n{}", ended.log);
    });
}

#[test]
fn an_engine_that_was_started_again_may_think_longer_than_its_start_was_waited_for() {
    let engine = "script=7g7f fault=crash@1 marker={folder}/marker start=2000 think=60000";
    // The start is waited for until four seconds have passed; then the engine thinks for half of
    // what is left, three seconds.
    let (program, mut visitor) = begin_with(&plan(engine), &summary_with("Total_Time:8\nByoyomi:0\nIncrement:0\n"));
    visitor.confirm_move("+7776FU", 4);
    visitor.resign();
    let log = program.wait_for_success().log;
    assert!(log.contains("the engine was started again") && !log.contains("the client plays"), "{log}");
}

#[test]
fn one_that_is_late_or_hangs_does_not_lose_on_time() {
    let (stopped, late) =
        ("the engine takes longer than it was told; it is stopped", "the engine does not answer in time");
    let cases = [
        ("slow", Duration::ZERO, stopped),
        ("hang", Duration::ZERO, late),
        // A round trip to the server that the margin, a quarter of two seconds, cannot cover.
        ("hang", Duration::from_millis(500), late),
    ];
    at_once(cases, |(fault, way, problem)| {
        let (server, program) = start(&plan(&format!("script=7g7f fault={fault}@3")));
        let mut visitor = server.accept_login();
        sleep(way);
        visitor.send("LOGIN:kiki OK\n");
        visitor.start_game(&summary_with("Total_Time:0\nByoyomi:2\nIncrement:0\n"));
        visitor.expect_move("+7776FU");
        sleep(way);
        visitor.send("+7776FU,T0\n-3334FU,T0\n");
        let elapsed = visitor.confirm_any_move(1) + way;
        visitor.resign();
        let log = program.wait_for_success().log;
        assert!(elapsed < Duration::from_secs(2), "{fault}: {elapsed:?}\n{log}");
        assert!(log.contains(problem) && log.contains(BY_CLIENT) == (problem == late), "{log}");
    });
}

#[test]
fn an_engine_that_does_not_start_or_lacks_an_option_is_told_at_once() {
    for (engine, play, problems) in [
        ("nonsense", "games = 1", ["the engine: exited with status 3", "while `usiok` was awaited"]),
        ("", "games = 1\n[engine.options]\nThreds = 3", ["Threds", "USI_Ponder"]),
    ] {
        let (server, program) = start(&Plan { engine, play, ..Plan::default() });
        let ended = program.wait();
        assert_eq!(ended.status.code(), Some(1));
        assert!(problems.iter().all(|problem| ended.output.contains(problem)), "{}", ended.output);
        server.expect_nobody();
    }
}

//! Servers that flood the client with lines: memory stays bounded, and interrupts and deadlines do
//! not queue behind the lines.

use std::thread::sleep;
use std::time::{Duration, Instant};

use super::program::{Plan, Program, begin, begin_with, start};
use super::test_server::{Visitor, summary_with};

/// How long a server floods the client.
const FLOOD: Duration = Duration::from_millis(600);

/// Most memory of the program, in MiB.
const MOST_MEMORY: u64 = 100;

/// Largest log, in bytes.
const LONGEST_LOG: usize = 6 << 20;

/// Largest log of one repeated line.
const LONGEST_OF_ONE_LINE: usize = 16 << 10;

/// Longest time from an interrupt to the end of the program, on a busy machine.
const MOST_TIME: Duration = Duration::from_secs(2);

/// A kind of line, by its number.
type Line = fn(u64) -> String;

const LINES: [(&str, Line); 5] = [
    ("empty lines", |_| "\n".to_owned()),
    ("the same line", |_| "##[CHAT][x] hello\n".to_owned()),
    ("other lines", |number| format!("##[CHAT][x] {number} \u{1b}[2J\n")),
    ("a line without end", |_| "x".repeat(50)),
    ("summaries of no use", |number| format!("BEGIN Game_Summary\nGame_ID:{number}\nEND Game_Summary\n")),
];

/// Floods a program, interrupts it this many times, and checks its memory, its time to end and its
/// log.
fn flood_and_interrupt(kind: &str, line: Line, program: Program, visitor: &Visitor, interrupts: usize) {
    visitor.flood(line);
    sleep(FLOOD);
    let memory = program.peak_memory();
    let begun = Instant::now();
    for count in 0..interrupts {
        if count > 0 {
            program.await_log("this is the last game");
        }
        program.interrupt();
    }
    let ended = program.wait_for_success();
    let elapsed = begun.elapsed();
    assert!(memory < MOST_MEMORY, "{kind}: {memory} MiB");
    assert!(elapsed < MOST_TIME, "{kind}: {elapsed:?}");
    let longest = if kind == "the same line" { LONGEST_OF_ONE_LINE } else { LONGEST_LOG };
    assert!(ended.log.len() < longest, "{kind}: {} bytes of log", ended.log.len());
    for text in [&ended.log, &ended.output] {
        assert!(!text.contains('\u{1b}'), "{kind}: an escape of the server's");
    }
}

#[test]
fn one_who_logs_in_or_waits_for_a_game_is_interrupted_at_once() {
    let waits = LINES.map(|kind| (kind, true));
    for ((kind, line), has_logged_in) in waits.into_iter().chain([(LINES[1], false)]) {
        let (server, program) = start(&Plan { play: "games = 0", ..Plan::default() });
        let visitor = if has_logged_in { server.log_in() } else { server.accept_login() };
        program.await_log(if has_logged_in { "logged in as kiki" } else { "> LOGIN" });
        flood_and_interrupt(kind, line, program, &visitor, 1);
    }
}

#[test]
fn one_who_plays_is_interrupted_at_once() {
    for (kind, line) in LINES {
        for engine in ["script=7g7f think=60000", "script=7g7f"] {
            let (program, mut visitor) = begin(&Plan { engine, play: "games = 0", ..Plan::default() });
            program.await_log("engine > go ");
            if engine == "script=7g7f" {
                visitor.play("+7776FU");
            }
            flood_and_interrupt(kind, line, program, &visitor, 2);
        }
    }
}

#[test]
fn a_deadline_does_not_wait_behind_lines() {
    for (_, line) in &LINES[..3] {
        let (server, program) = start(&Plan { server: "login_within = 0.5", play: "games = 0", ..Plan::default() });
        server.accept_login().flood(*line);
        // The client comes again, because it has given up.
        server.accept();
        program.await_log("the server does not answer the login");
        program.interrupt();
        program.wait_for_success();
    }
}

#[test]
fn an_engine_that_is_late_is_stopped_in_time_although_lines_come() {
    for (kind, line) in &LINES[..3] {
        let clock = summary_with("Total_Time:0\nByoyomi:2\nIncrement:0\n");
        let (program, mut visitor) = begin_with(&Plan { engine: "fault=slow@1", ..Plan::default() }, &clock);
        visitor.flood(*line);
        let elapsed = visitor.confirm_any_move(1);
        assert!(elapsed < Duration::from_secs(2), "{kind}: {elapsed:?}");
        program.interrupt_game();
        program.interrupt();
        program.wait_for_success();
    }
}

//! What the system refuses or takes away is told in one line, and the engine plays on or leaves.

#![cfg(unix)]

use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::conversation::{Conversation, PATIENCE};

/// A search that says much and ends by itself only after long.
fn searching() -> Conversation {
    let mut engine = Conversation::ready();
    engine.say("position startpos");
    engine.say("go infinite");
    engine.until("info depth 3");
    engine
}

#[test]
fn a_request_to_terminate_ends_the_engine_in_the_middle_of_a_search() {
    let mut engine = searching();
    let sent = Command::new("kill").args(["-TERM", &engine.process().to_string()]).status().expect("kill starts");
    assert!(sent.success());
    assert_eq!(engine.ends().signal(), Some(15));
}

#[test]
fn an_output_that_nobody_reads_is_no_reason_to_fall_over() {
    let mut engine = searching();
    engine.stops_reading();
    // The first line is lost in the pipe, the others find it closed.
    for _ in 0..3 {
        engine.say("d");
        sleep(Duration::from_millis(50));
    }
    engine.say("stop");
    engine.say("go movetime 50");
    engine.say("isready");
    engine.say("quit");
    engine.leaves();
}

#[test]
fn an_output_that_is_full_keeps_nobody_from_leaving() {
    let mut engine = Command::new(env!("CARGO_BIN_EXE_kiki"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the engine starts");
    let mut input = engine.stdin.take().expect("a pipe");
    // More lines than the pipe holds, and nobody reads them.
    let commands =
        "setoption name MultiPV value 600\nsetoption name PvInterval value 0\nisready\nmatsuri\ngo infinite\n";
    input.write_all(commands.as_bytes()).expect("the engine listens");
    sleep(Duration::from_secs(3));
    input.write_all(b"quit\n").expect("the engine listens");
    let start = Instant::now();
    while start.elapsed() < PATIENCE && engine.try_wait().expect("a child").is_none() {
        sleep(Duration::from_millis(10));
    }
    let left = engine.try_wait().expect("a child");
    let _ = engine.kill();
    assert!(left.is_some_and(|status| status.success()), "{left:?}");
}

#[test]
fn input_and_output_that_end_together_end_the_engine() {
    let mut engine = searching();
    engine.stops_reading();
    engine.leaves();
}

#[test]
fn a_thousand_threads_or_as_many_as_there_is_memory_for_play() {
    let mut engine = Conversation::start(&[]);
    engine.say("setoption name USI_Hash value 16");
    engine.say("setoption name Threads value 1024");
    engine.say("isready");
    let heard = engine.until("readyok");
    // Where there is no memory for them, fewer.
    let fewer = heard.iter().find_map(|line| line.strip_prefix("info string 1024 threads do not fit in memory: "));
    let used = fewer.map_or("1024", |told| told.split(' ').next().expect("a number"));
    let ready = format!("info string ready with {used} threads, ");
    assert!(heard.iter().any(|line| line.starts_with(&ready)), "{heard:?}");
    for _ in 0..2 {
        engine.say("position startpos moves 7g7f");
        engine.say("go movetime 200");
        assert_ne!(engine.answer(), "resign");
    }
    engine.leaves();
}

#[test]
#[cfg(target_os = "linux")]
fn threads_that_cannot_be_started_are_told_and_fewer_play() {
    // Every thread takes 16 MiB of the address space.
    let mut engine = Conversation::start_limited(900 << 10);
    engine.say("setoption name USI_Hash value 16");
    engine.say("setoption name Threads value 1024");
    engine.say("isready");
    let heard = engine.until("readyok");
    let told: Vec<&String> = heard.iter().filter(|line| line.contains("threads cannot be started: ")).collect();
    assert!(matches!(&told[..], [line] if line.starts_with("info string 1024 threads")), "{heard:#?}");
    let used = told[0].rsplit(": ").next().and_then(|words| words.split(' ').next()).expect("a number");
    let ready = format!("info string ready with {used} threads, ");
    assert!(heard.iter().any(|line| line.starts_with(&ready)), "what is told is in force: {heard:#?}");
    engine.say("position startpos moves 7g7f");
    engine.say("go nodes 3000");
    assert_ne!(engine.answer(), "resign");
    engine.leaves();
}

#[test]
#[cfg(target_os = "linux")]
fn a_log_on_a_full_disk_ends_and_the_engine_plays_on() {
    let mut engine = Conversation::ready();
    engine.say("setoption name DebugLogFile value /dev/full");
    engine.say("isready");
    let heard = engine.until("readyok");
    let told = heard.iter().filter(|line| line.starts_with("info string DebugLogFile: ")).count();
    assert_eq!(told, 1, "{heard:?}");
    engine.say("go nodes 100");
    engine.answer();
    assert_eq!(engine.meanwhile(), [""; 0], "told once");
    engine.leaves();
}

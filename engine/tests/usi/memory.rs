//! Memory: taken before the clock runs, given back, and never more than there is.

#![cfg(target_os = "linux")]

use std::time::{Duration, Instant};

use crate::conversation::Conversation;

/// A field of the status of a process, in MiB.
fn status(engine: &Conversation, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", engine.process())).expect("a status");
    let line = status.lines().find(|line| line.starts_with(name)).expect("the field");
    line.split_whitespace().nth(1).and_then(|number| number.parse::<u64>().ok()).expect("a number") >> 10
}

fn get_ready(engine: &mut Conversation, mebibytes: u64) -> Vec<String> {
    engine.say(&format!("setoption name USI_Hash value {mebibytes}"));
    engine.say("isready");
    engine.until("readyok")
}

#[test]
fn the_table_is_resident_when_the_engine_is_ready_and_not_before() {
    let mut engine = Conversation::start(&[]);
    engine.say("usi");
    engine.until("usiok");
    let before = status(&engine, "VmRSS");
    // The network is in the program, but decompressed only when it is needed.
    assert!(before < 32, "{before} MiB at usiok");
    let heard = get_ready(&mut engine, 100);
    let ready = status(&engine, "VmRSS");
    assert!(ready >= 100, "{ready} MiB at readyok");
    let told: Vec<&String> = heard.iter().filter(|line| line.starts_with("info string ready with ")).collect();
    assert!(matches!(&told[..], [one] if one.contains(" threads, hash 100 MiB, evaluation network ")), "{heard:?}");
    engine.leaves();
}

#[test]
fn a_replaced_table_is_given_back() {
    let mut engine = Conversation::start(&[]);
    engine.say("setoption name Threads value 3");
    let sizes: Vec<u64> = [200, 1, 200, 1]
        .into_iter()
        .map(|mebibytes| {
            get_ready(&mut engine, mebibytes);
            engine.say("position startpos");
            engine.say("go nodes 500");
            engine.answer();
            status(&engine, "VmRSS")
        })
        .collect();
    assert!(sizes[0] >= 200 && sizes[2] < sizes[0] + 60, "{sizes:?}");
    assert!(sizes[1] + 150 < sizes[0] && sizes[3] < sizes[1] + 60, "{sizes:?}");
    engine.leaves();
}

#[test]
fn a_table_that_does_not_fit_becomes_the_largest_that_does_and_the_engine_plays() {
    // A limit for the whole process.
    let mut engine = Conversation::start_limited(600 << 10);
    engine.say("setoption name Threads value 1");
    let heard = get_ready(&mut engine, 33_554_432);
    let complaint = heard.iter().find(|line| line.contains("USI_Hash")).unwrap_or_else(|| panic!("{heard:#?}"));
    let used: u64 = complaint.split(": ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok()).expect("a size");
    assert!((100..600).contains(&used), "{complaint}");
    engine.say("position startpos moves 7g7f");
    engine.say("go nodes 3000");
    let heard = engine.until("bestmove");
    assert!(heard.iter().any(|line| line.contains(" nodes ")), "it searches: {heard:#?}");
    engine.leaves();
}

#[test]
fn mates_are_solved_in_the_place_of_the_search_and_in_a_game_beside_it() {
    const MATE: &str = "position sfen 4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1";
    let mut engine = Conversation::start(&[]);
    get_ready(&mut engine, 200);
    engine.say(MATE);
    engine.say("go mate infinite");
    engine.until("checkmate G*5b");
    let alone = status(&engine, "VmRSS");
    assert!(alone < 44, "{alone} MiB beside an empty table of proofs");
    engine.say("go nodes 100");
    engine.answer();
    let searched = status(&engine, "VmRSS");
    assert!(searched >= 100, "the search is there again: {searched} MiB");
    engine.say("go mate infinite");
    engine.until("checkmate G*5b");
    let both = status(&engine, "VmRSS");
    assert!(both + 10 > searched, "a game keeps its table: {both} of {searched} MiB");
    engine.leaves();
}

#[test]
fn quit_does_not_wait_for_memory() {
    let mut engine = Conversation::start(&[]);
    engine.say("setoption name USI_Hash value 3000");
    engine.say("isready");
    let start = Instant::now();
    engine.say("quit");
    engine.leaves();
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

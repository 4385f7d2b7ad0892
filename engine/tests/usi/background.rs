//! `perft` and `bench` do not keep the engine from listening.

use std::time::{Duration, Instant};

use crate::conversation::Conversation;

/// More than a stop needs, even when the machine is busy and every move is checked by assertions. The goal is 100 ms.
const AT_ONCE: Duration = Duration::from_millis(1500);

/// Work that would take hours, and the line that tells of its end before its time.
const ENDLESS: [(&str, &str); 8] = [
    ("go perft 20", "info string perft 20 stopped after "),
    ("perft 20", "info string perft 20 stopped after "),
    ("perft 20 divide", "info string perft 20 stopped after "),
    ("bench 1 1 60", "info string bench stopped after 0 of "),
    ("bench 1 2 1000000000000 default nodes", "info string bench stopped after 0 of "),
    ("bench 1 1,2 60 default depth", "info string bench stopped after 0 of "),
    ("bench 1 1 20 current perft", "info string bench stopped after 0 of 1 positions and "),
    ("bench 1 1 1000000000000 current eval", "info string bench stopped after 0 of 1 positions and "),
];

fn at_work(command: &str) -> Conversation {
    let mut engine = Conversation::ready();
    engine.say(command);
    std::thread::sleep(Duration::from_millis(100));
    engine
}

#[test]
fn long_work_is_ended_by_stop_and_says_how_far_it_came() {
    for (command, end) in ENDLESS {
        let mut engine = at_work(command);
        assert_eq!(engine.meanwhile(), [""; 0], "{command}: isready is answered");
        let start = Instant::now();
        engine.say("stop");
        let heard = engine.until("info string");
        assert!(start.elapsed() < AT_ONCE, "{command}: {:?}", start.elapsed());
        assert!(heard.last().is_some_and(|line| line.starts_with(end)), "{command}: {heard:?}");
        engine.say("stop");
        assert_eq!(engine.meanwhile(), [""; 0], "{command}: told once");
        engine.leaves();
    }
}

#[test]
fn long_work_ends_in_silence_with_the_program() {
    for (command, _) in ENDLESS {
        assert!(at_work(command).leaves() < AT_ONCE, "{command}: the end of the input");
    }
    let mut engine = at_work("go perft 20");
    engine.say("quit");
    assert!(engine.leaves() < AT_ONCE);
}

#[test]
fn a_stopped_count_tells_what_it_has_counted() {
    let mut engine = at_work("perft 20");
    engine.say("stop");
    let line = engine.until("info string").pop().expect("found");
    let nodes = line.strip_suffix(" nodes").and_then(|line| line.rsplit(' ').next()?.parse::<u64>().ok());
    assert!(nodes.is_some_and(|nodes| nodes > 0), "{line}");
    engine.leaves();
}

#[test]
fn new_work_ends_the_work_before_it() {
    let mut engine = at_work("go perft 20");
    engine.say("go nodes 300");
    engine.until("info string perft 20 stopped");
    engine.answer();
    engine.say("go infinite");
    engine.say("bench 1 1 60");
    engine.answer();
    engine.say("go perft 2");
    engine.until("info string bench stopped");
    assert_eq!(engine.until("Nodes searched").last().map(String::as_str), Some("Nodes searched: 900"));
    engine.say("go perft 20");
    engine.say("go mate 1000");
    engine.until("info string perft 20 stopped");
    engine.until("checkmate nomate");
    engine.leaves();
}

#[test]
fn work_asked_for_in_the_arguments_is_done_to_the_end() {
    for (work, end) in [
        ("go perft 3", "Nodes searched: 25470"),
        ("perft 3", "Nodes searched: 25470"),
        ("bench 1 1 2 current perft", "900 nodes "),
    ] {
        let line = format!("position startpos , {work} , side , quit");
        let mut engine = Conversation::start(&line.split(' ').collect::<Vec<_>>());
        engine.until(end);
        engine.until("black");
        engine.leaves();
    }
}

#[test]
fn work_that_makes_no_sense_is_refused_with_one_line() {
    let mut engine = Conversation::ready();
    for (command, answer) in [
        ("go perft 101", "info string perft: 101 plies are more than 100"),
        ("perft 99999999999", "info string perft: 4294967295 plies are more than 100"),
        ("bench 1 1 101 default perft", "info string perft: 101 plies are more than 100"),
        ("bench many", "info string bench: the hash size `many` is no number"),
        ("bench 1 1 1 no/such/file", "info string bench: no/such/file: "),
    ] {
        engine.say(command);
        let heard = engine.meanwhile();
        assert!(matches!(&heard[..], [one] if one.starts_with(answer)), "{command}: {heard:?}");
    }
    engine.leaves();
}

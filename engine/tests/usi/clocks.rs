//! What clocks mean, and that they are kept.

use std::time::{Duration, Instant};

use crate::conversation::Conversation;

fn time_of(engine: &mut Conversation, go: &str) -> Duration {
    let start = Instant::now();
    engine.say(go);
    engine.answer();
    start.elapsed()
}

#[test]
fn a_clock_below_its_increment_leaves_the_increment_to_use() {
    let mut engine = Conversation::ready();
    engine.say("position startpos moves 7g7f 3c3d");
    for go in ["go btime 0 wtime 0 binc 1500 winc 1500", "go btime 70 wtime 70 binc 1500 winc 1500"] {
        let time = time_of(&mut engine, go);
        assert!(time > Duration::from_millis(450) && time < Duration::from_millis(1600), "{go}: {time:?}");
    }
    engine.say("setoption name IncrementBeforeMove value false");
    engine.say("isready");
    engine.until("readyok");
    let time = time_of(&mut engine, "go btime 70 wtime 70 binc 1500 winc 1500");
    assert!(time < Duration::from_millis(350), "only what the clock shows: {time:?}");
    engine.leaves();
}

#[test]
fn a_clock_below_zero_leaves_the_rest_of_the_increment() {
    let mut engine = Conversation::ready();
    for (moves, go) in [
        ("", "go btime -1000 wtime 60000 binc 2500 winc 2500"),
        (" moves 7g7f", "go btime 60000 wtime -1000 binc 2500 winc 2500"),
        (" moves 7g7f", "go ponder btime 60000 wtime -1000 binc 2500 winc 2500"),
    ] {
        engine.say(&format!("position startpos{moves}"));
        let start = Instant::now();
        engine.say(go);
        if go.contains("ponder") {
            engine.say("ponderhit");
        }
        engine.answer();
        let time = start.elapsed();
        assert!(time > Duration::from_millis(450) && time < Duration::from_millis(1600), "{go}: {time:?}");
    }
    engine.leaves();
}

#[test]
fn a_fixed_time_never_outlasts_the_clock() {
    let mut engine = Conversation::ready();
    engine.say("position startpos");
    let time = time_of(&mut engine, "go btime 400 wtime 60000 movetime 20000");
    assert!(time > Duration::from_millis(150) && time < Duration::from_millis(1500), "{time:?}");
    engine.leaves();
}

#[test]
fn a_delay_that_was_set_is_kept() {
    let mut engine = Conversation::ready();
    engine.say("setoption name NetworkDelay2 value 700");
    engine.say("position startpos");
    let time = time_of(&mut engine, "go btime 0 wtime 0 byoyomi 900");
    assert!(time > Duration::from_millis(150) && time < Duration::from_millis(650), "{time:?}");
    for (option, go) in [
        ("NetworkDelay2 value 3000", "go btime 0 wtime 0 byoyomi 3000"),
        ("NetworkDelay2 value 10000", "go movetime 3000"),
        ("NetworkDelay value 10000", "go byoyomi 3000"),
    ] {
        engine.say(&format!("setoption name {option}"));
        let time = time_of(&mut engine, go);
        assert!(time < Duration::from_millis(1500), "{option}: {time:?}, though the delay takes all");
        engine.say("setoption name NetworkDelay2 value 1120");
    }
    engine.leaves();
}

//! The meaning of clocks, and that the engine keeps them.

use std::time::{Duration, Instant};

use crate::conversation::Conversation;

/// The pieces of the start position.
const START_BOARD: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";

fn time_of(engine: &mut Conversation, go: &str) -> Duration {
    let start = Instant::now();
    engine.play(go);
    start.elapsed()
}

/// A settled search ends after a quarter of its planned time, which after move 60 is all of an
/// increment. Without a clock it would have 100 ms.
fn is_of_1500_ms(time: Duration) -> bool {
    time > Duration::from_millis(300) && time < Duration::from_millis(2000)
}

#[test]
fn of_a_clock_below_its_increment_the_increment_or_its_rest_may_be_used() {
    let mut engine = Conversation::ready();
    for (moves, go) in [
        ("", "go btime 0 wtime 0 binc 1500 winc 1500"),
        ("", "go btime 70 wtime 70 binc 1500 winc 1500"),
        ("", "go btime -1000 wtime 60000 binc 2500 winc 2500"),
        (" moves 7g7f", "go btime 60000 wtime -1000 binc 2500 winc 2500"),
        (" moves 7g7f", "go ponder btime 60000 wtime -1000 binc 2500 winc 2500\nponderhit"),
    ] {
        engine.say(&format!("position sfen {START_BOARD} b - 61{moves}"));
        let time = time_of(&mut engine, go);
        assert!(is_of_1500_ms(time), "{go}: {time:?}");
    }
    engine.set("IncrementBeforeMove", false);
    engine.get_ready();
    let time = time_of(&mut engine, "go btime 70 wtime 70 binc 1500 winc 1500");
    assert!(time < Duration::from_millis(350), "only what the clock shows: {time:?}");
}

/// The time of the answer after a `ponderhit`.
fn time_of_hit(engine: &mut Conversation, ponder: &str, hit: &str) -> Duration {
    engine.say(ponder);
    engine.has_not_answered();
    time_of(engine, hit)
}

#[test]
fn without_any_clock_a_move_has_a_tenth_of_a_second() {
    let mut engine = Conversation::ready();
    let soon = Duration::from_millis(1500);
    for stochastic in [false, true] {
        engine.set("Stochastic_Ponder", stochastic);
        engine.set("MultiPV", 3);
        engine.say("position startpos moves 2g2f 8c8d");
        for ponder in ["go ponder", "go ponder depth x", "go ponder searchmoves 2f2e 7g7f"] {
            let time = time_of_hit(&mut engine, ponder, "ponderhit");
            assert!(time < soon, "{ponder}: {time:?}");
        }
        for go in ["go", "go searchmoves 2f2e 7g7f", "go depth"] {
            let time = time_of(&mut engine, go);
            assert!(time < soon, "{go}: {time:?}");
        }
        // A given limit is the only one.
        let time = time_of_hit(&mut engine, "go ponder depth 3", "ponderhit");
        assert!(time < soon, "{time:?}");
    }
    engine.say("go mate");
    engine.until("checkmate ");
    // A command that says it is endless is.
    engine.say("go ponder infinite");
    engine.say("ponderhit");
    engine.until("info depth 6 ");
    engine.has_not_answered();
    engine.play("stop");
}

#[test]
fn the_clock_of_the_last_go_goes_on_where_no_times_are_named() {
    let mut engine = Conversation::ready();
    let by_clock = |time: Duration| time > Duration::from_millis(450) && time < Duration::from_millis(1900);
    engine.say("position startpos moves 2g2f 8c8d");
    engine.play("go btime 0 wtime 0 byoyomi 1500");
    engine.say("position startpos moves 2g2f 8c8d 2f2e 8d8e");
    for (ponder, hit) in [("go ponder", "ponderhit"), ("go ponder", "ponderhit now")] {
        let time = time_of_hit(&mut engine, ponder, hit);
        assert!(by_clock(time), "{ponder}, {hit}: {time:?}");
    }
    let time = time_of(&mut engine, "go");
    assert!(by_clock(time), "{time:?}");
    // From then on, the clocks sent with `ponderhit` hold.
    let time = time_of_hit(&mut engine, "go ponder btime 0 wtime 0 byoyomi 60000", "ponderhit byoyomi 100");
    assert!(time < Duration::from_millis(1000), "{time:?}");
    let time = time_of_hit(&mut engine, "go ponder", "ponderhit");
    assert!(time < Duration::from_millis(1000), "{time:?}");
    // A new game has its own clock.
    for new in ["usinewgame", "gameover draw"] {
        engine.play("go btime 0 wtime 0 byoyomi 60000 nodes 100");
        engine.say(new);
        let time = time_of_hit(&mut engine, "go ponder", "ponderhit");
        assert!(time < Duration::from_millis(1500), "{new}: {time:?}");
    }
}

#[test]
fn a_fixed_time_never_outlasts_the_clock() {
    let time = time_of(&mut Conversation::ready(), "go btime 400 wtime 60000 movetime 20000");
    assert!(time < Duration::from_millis(1500), "{time:?}");
}

#[test]
fn a_delay_that_was_set_is_kept() {
    let mut engine = Conversation::ready();
    for (option, go) in [
        ("NetworkDelay2 value 3000", "go btime 0 wtime 0 byoyomi 3000"),
        ("NetworkDelay2 value 10000", "go movetime 3000"),
        ("NetworkDelay value 10000", "go byoyomi 3000"),
    ] {
        engine.say(&format!("setoption name {option}"));
        let time = time_of(&mut engine, go);
        assert!(time < Duration::from_millis(1500), "{option}: {time:?}, though the delay takes all");
        engine.set("NetworkDelay2", 1120);
    }
}

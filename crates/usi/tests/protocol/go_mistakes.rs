//! A `go` with mistakes is understood as far as it can be read: a GUI waits for its answer.

use kiki_usi::{Clocks, Command, GoSpec, MateLimit};

fn go(text: &str) -> GoSpec {
    match Command::parse(format!("go {text}").as_bytes()) {
        Ok(Command::Go(go)) => go,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn a_limit_that_cannot_be_read_is_named_and_left_out() {
    for (text, warnings) in [
        ("depth", &["depth"] as &[_]),
        ("nodes x", &["nodes x"]),
        ("movetime 1,5", &["movetime 1,5"]),
        ("fast", &["fast"]),
        ("nodes depth x", &["nodes", "depth x"]),
    ] {
        let read = go(text);
        assert_eq!(read.warnings, warnings, "{text}");
        let left = GoSpec { movetime: Some(100), warnings: read.warnings.clone(), ..GoSpec::default() };
        assert_eq!(read, left, "{text}: nobody stops a search that should have had a limit");
    }
    let read = go("depth x nodes 5");
    assert_eq!((read.depth, read.nodes, read.movetime), (None, Some(5), None));
    assert_eq!(go("nodes 7 nodes x").nodes, Some(7));
    for endless in ["infinite depth x", "ponder nodes x", ""] {
        assert_eq!(go(endless).movetime, None, "{endless}");
    }
    assert!(Command::parse(b"go perft x").is_err(), "it has no move for an answer");
}

#[test]
fn a_clock_that_cannot_be_read_is_empty() {
    let read = go("btime abc wtime 1000 byoyomi");
    assert_eq!(read.warnings, ["btime abc", "byoyomi"]);
    let clocks = Clocks { btime: Some(0), wtime: Some(1000), byoyomi: Some(0), ..Clocks::default() };
    assert_eq!((read.clocks, read.movetime), (clocks, None));
    assert_eq!(go("btime wtime 5").clocks.btime, Some(0));
    let hit = Clocks { btime: Some(0), wtime: Some(5), ..Clocks::default() };
    assert_eq!(Command::parse(b"ponderhit btime abc wtime 5"), Ok(Command::PonderHit(Some(hit))));
}

#[test]
fn a_time_for_a_mate_that_cannot_be_read_is_over_at_once() {
    for (text, limit) in [
        ("mate soon", MateLimit::Ms(0)),
        ("mate 5 nodes 7", MateLimit::Ms(5)),
        ("mate", MateLimit::Ms(100)),
        ("mate searchmoves 7g7f", MateLimit::Ms(100)),
        ("infinite mate", MateLimit::Infinite),
        ("mate infinite", MateLimit::Infinite),
        ("mate nodes 7", MateLimit::Infinite),
    ] {
        assert_eq!(go(text).mate, Some(limit), "{text}");
    }
    assert_eq!(go("mate soon").warnings, ["mate soon"]);
}

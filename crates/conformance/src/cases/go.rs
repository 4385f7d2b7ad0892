//! The limits of `go`: whether they are understood, and whether clocks are kept.

use std::thread;
use std::time::{Duration, Instant};

use crate::check::{NamedRun, Run};
use crate::placement::{CasePosition, MATSURI, START};
use crate::session::{EngineSession, milliseconds};
use crate::settings::{Outcome, Problem};

pub(super) const RUNS: &[NamedRun] = &[
    (
        "go-byoyomi",
        Run::Ready(|session| {
            ends_by_itself(
                session,
                &[
                    "go btime 0 wtime 0 byoyomi 100",
                    "go btime 500 wtime 500 byoyomi 100",
                    "go btime 500 wtime 0 byoyomi 100",
                    "go wtime 500 btime 0 byoyomi 100",
                    "go byoyomi 100 btime 0 wtime 0",
                    "go btime 1000 wtime 1000 byoyomi 0",
                ],
            )
        }),
    ),
    (
        "go-increment",
        Run::Ready(|session| {
            ends_by_itself(
                session,
                &[
                    "go btime 500 wtime 500 binc 100 winc 100",
                    "go btime 0 wtime 0 binc 200 winc 200",
                    "go btime 100 wtime 500 binc 200 winc 0",
                ],
            )
        }),
    ),
    ("go-zero", Run::Ready(go_zero)),
    ("go-depth", Run::Ready(|session| ends_by_itself(session, &["go depth 1", "go depth 3"]))),
    ("go-nodes", Run::Ready(|session| ends_by_itself(session, &["go nodes 1", "go nodes 1000"]))),
    ("go-movetime", Run::Ready(|session| ends_by_itself(session, &["go movetime 1", "go movetime 100"]))),
    ("go-searchmoves", Run::Ready(go_searchmoves)),
    (
        "go-first-limit",
        Run::Ready(|session| {
            ends_by_itself(
                session,
                &[
                    "go depth 2 movetime 600000",
                    "go depth 60 movetime 100",
                    "go nodes 1000 movetime 600000",
                    "go depth 60 nodes 1000",
                    "go btime 3600000 wtime 3600000 byoyomi 600000 depth 1",
                ],
            )
        }),
    ),
    ("go-negative", Run::Ready(go_negative)),
    ("go-unreadable", Run::New(go_unreadable)),
    (
        "clock-byoyomi",
        Run::Ready(|session| {
            in_time(session, &[("go btime 0 wtime 0 byoyomi 100", 100), ("go btime 0 wtime 0 byoyomi 1000", 1000)])
        }),
    ),
    (
        "clock-increment",
        Run::Ready(|session| {
            in_time(
                session,
                &[("go btime 0 wtime 0 binc 1000 winc 1000", 1000), ("go btime 300 wtime 300 binc 300 winc 300", 600)],
            )
        }),
    ),
    ("clock-sudden-death", Run::Ready(|session| in_time(session, &[("go btime 1000 wtime 1000 byoyomi 0", 1000)]))),
    (
        "clock-own",
        Run::Ready(|session| {
            by_its_own_clock(session, "go btime 600000 wtime 300 byoyomi 0", "go btime 300 wtime 600000 byoyomi 0")
        }),
    ),
    (
        "clock-own-increment",
        Run::Ready(|session| {
            by_its_own_clock(
                session,
                "go btime 600000 wtime 0 binc 60000 winc 300",
                "go btime 0 wtime 600000 binc 300 winc 60000",
            )
        }),
    ),
    ("clock-movetime", Run::Ready(|session| in_time(session, &[("go movetime 300", 300)]))),
];

/// Each search is answered once, by a legal move.
fn ends_by_itself(session: &mut EngineSession, searches: &[&str]) -> Outcome {
    let placement = CasePosition::new("position startpos moves 7g7f");
    for go in searches {
        session.think_legally(&placement, go)?;
        session.is_through()?;
    }
    Ok(None)
}

fn go_zero(session: &mut EngineSession) -> Outcome {
    let start = CasePosition::new(START);
    let asked = Instant::now();
    for go in ["go btime 0 wtime 0 byoyomi 0", "go btime 0 wtime 0 binc 0 winc 0"] {
        session.think_legally(&start, go)?;
    }
    let took = asked.elapsed() / 2;
    session.go(&start, "go");
    session.say("stop");
    session.legal_answer(&start)?;
    Ok(Some(format!("{} with nothing on the clock", milliseconds(took))))
}

fn go_negative(session: &mut EngineSession) -> Outcome {
    let start = CasePosition::new(START);
    let mut measured = None;
    for (go, limit) in [
        ("go btime -300 wtime -300 byoyomi 200", 200),
        ("go btime -1 wtime 2000 byoyomi 200", 200),
        ("go btime -2000 wtime -2000 binc 2500 winc 2500", 500),
    ] {
        session.say(&start.command);
        let took = session.timed_answer(&start, go)?;
        session.is_through()?;
        measured = session.in_time(&format!("`{go}` was answered"), took, Duration::from_millis(limit))?;
    }
    Ok(measured)
}

fn go_unreadable(mut session: EngineSession) -> Outcome {
    let start = CasePosition::new(START);
    for go in ["go btime abc wtime abc byoyomi 100", "go btime wtime byoyomi 100", "go depth abc movetime 100"] {
        session.think_legally(&start, go)?;
        session.is_through()?;
    }
    for go in ["go depth abc", "go nodes", "go movetime 1s", "go byoyomi 99999999999999999999999", "go abc"] {
        answered_after_stop(&mut session, &start, go)?;
    }
    Ok(None)
}

/// A search that may end by itself, and ends at `stop` at the latest.
fn answered_after_stop(session: &mut EngineSession, placement: &CasePosition, go: &str) -> Result<(), Problem> {
    session.go(placement, go);
    thread::sleep(session.settings().silence / 4);
    session.say("stop");
    session.legal_answer(placement)?;
    session.is_through()
}

fn go_searchmoves(session: &mut EngineSession) -> Outcome {
    let start = CasePosition::new(START);
    for (go, allowed) in [
        ("go btime 0 wtime 0 byoyomi 100 searchmoves 9g9f", vec!["9g9f"]),
        ("go btime 0 wtime 0 byoyomi 100 searchmoves 1g1f 9g9f", vec!["1g1f", "9g9f"]),
    ] {
        let answer = session.think(&start, go)?;
        if !answer.mv().is_some_and(|mv| allowed.contains(&mv)) {
            return Err(session.failed(format!("`{}` is not one of {}", answer.line.quoted(), allowed.join(", "))));
        }
    }
    Ok(None)
}

/// [`MATSURI`] turned round: Black is to move.
const MATSURI_OF_BLACK: &str = "position sfen lkB4nl/8r/1sg5p/p1p2Bpp1/1Ps2p3/Pp4P1P/3s1PN2/KG1+p5/LN6L b gr5PNSG 1";

/// Searches for both sides: the side to move has 300 ms, the other one minutes.
fn by_its_own_clock(session: &mut EngineSession, white: &str, black: &str) -> Outcome {
    let (mut slowest, limit) = (Duration::ZERO, Duration::from_millis(300));
    for (command, go) in [(MATSURI, white), (MATSURI_OF_BLACK, black)] {
        slowest = slowest.max(search_in_time(session, command, go, limit)?);
    }
    session.in_time("the answer came", slowest, limit)
}

/// Runs a search, which must end within `limit`, and returns its time.
fn search_in_time(session: &mut EngineSession, command: &str, go: &str, limit: Duration) -> Result<Duration, Problem> {
    let placement = CasePosition::new(command);
    session.say(&placement.command);
    let took = session.timed_answer(&placement, go)?;
    session.in_time(&format!("`{go}` was answered"), took, limit)?;
    Ok(took)
}

/// Each search must be answered within its milliseconds and the tolerance.
fn in_time(session: &mut EngineSession, searches: &[(&str, u64)]) -> Outcome {
    let mut measured = Vec::new();
    for &(go, limit) in searches {
        let limit = Duration::from_millis(limit);
        let mut slowest = Duration::ZERO;
        for command in [START, MATSURI] {
            slowest = slowest.max(search_in_time(session, command, go, limit)?);
        }
        measured.push(format!("{} of {}", milliseconds(slowest), milliseconds(limit)));
    }
    Ok(Some(measured.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_position_that_is_turned_round_is_the_same() {
        let [white, black] = [MATSURI, MATSURI_OF_BLACK].map(|command| CasePosition::new(command).position);
        assert_ne!(white.side_to_move(), black.side_to_move());
        assert_eq!(white.legal_moves().len(), black.legal_moves().len());
    }
}

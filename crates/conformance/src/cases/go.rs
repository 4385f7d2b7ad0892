//! The limits of `go`: whether they are understood. Whether clocks are kept is asked elsewhere.

use std::thread;
use std::time::{Duration, Instant};

use crate::case::{Case, Needs, Severity};
use crate::context::Context;
use crate::placement::{Placement, START};
use crate::problem::{Outcome, Problem};
use crate::session::{Session, milliseconds};

pub(super) const CASES: &[Case] = &[
    Case {
        name: "go-byoyomi",
        row: "go btime wtime byoyomi",
        promise: "`go` with clocks and byoyomi, in any order and with zeroes, has one legal answer",
        why: "every Japanese game has such clocks",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: go_byoyomi,
    },
    Case {
        name: "go-increment",
        row: "go btime wtime binc winc",
        promise: "`go` with clocks and increments has one legal answer",
        why: "floodgate and ShogiHome play so",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: go_increment,
    },
    Case {
        name: "go-zero",
        row: "go btime wtime byoyomi",
        promise: "`go` with nothing left on any clock, and `go` alone, after `stop`, have an answer",
        why: "clocks show 0 when time is counted in whole seconds; tools send `go` alone",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: go_zero,
    },
    Case {
        name: "go-depth",
        row: "go depth",
        promise: "`go depth N` ends by itself",
        why: "tools and benchmarks send it",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: |context| ends_by_itself(context, &["go depth 1", "go depth 3"]),
    },
    Case {
        name: "go-nodes",
        row: "go nodes",
        promise: "`go nodes N` ends by itself",
        why: "matches for measuring are played with equal nodes",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: |context| ends_by_itself(context, &["go nodes 1", "go nodes 1000"]),
    },
    Case {
        name: "go-movetime",
        row: "go movetime",
        promise: "`go movetime T` ends by itself",
        why: "analysis of whole games sends it",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: |context| ends_by_itself(context, &["go movetime 1", "go movetime 100"]),
    },
    Case {
        name: "go-searchmoves",
        row: "go searchmoves",
        promise: "only the moves after `searchmoves` are played",
        why: "tools ask so what an engine thinks of a move",
        severity: Severity::Recommended,
        needs: Needs::Ready,
        run: go_searchmoves,
    },
    Case {
        name: "go-first-limit",
        row: "go",
        promise: "of several limits the first that is hit ends the search",
        why: "tools add a time to a depth for safety",
        severity: Severity::Recommended,
        needs: Needs::Ready,
        run: |context| {
            ends_by_itself(
                context,
                &[
                    "go depth 2 movetime 600000",
                    "go depth 60 movetime 100",
                    "go nodes 1000 movetime 600000",
                    "go depth 60 nodes 1000",
                    "go btime 3600000 wtime 3600000 byoyomi 600000 depth 1",
                ],
            )
        },
    },
    Case {
        name: "go-negative",
        row: "go btime wtime byoyomi",
        promise: "`go` with a clock below zero has one legal answer, in the byoyomi or in what is left of the increment",
        why: "ShogiHome sends the time less the increment, and a clock may have run past zero when a lenient server sends it",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: go_negative,
    },
    Case {
        name: "go-unreadable",
        row: "go",
        promise: "`go` with numbers that are missing, no numbers or too large is answered once: by itself if another limit is left, else at the latest after `stop`",
        why: "a `go` that is dropped is waited for until the game is lost",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: go_unreadable,
    },
];

/// Each search is answered once, by a legal move.
fn ends_by_itself(context: &mut Context<'_>, searches: &[&str]) -> Outcome {
    let placement = Placement::new("position startpos moves 7g7f");
    context.with_ready(|session| {
        for go in searches {
            session.think_legally(&placement, go)?;
            session.is_through()?;
        }
        Ok(None)
    })
}

fn go_byoyomi(context: &mut Context<'_>) -> Outcome {
    let searches = [
        "go btime 0 wtime 0 byoyomi 100",
        "go btime 500 wtime 500 byoyomi 100",
        "go btime 500 wtime 0 byoyomi 100",
        "go wtime 500 btime 0 byoyomi 100",
        "go byoyomi 100 btime 0 wtime 0",
        "go btime 1000 wtime 1000 byoyomi 0",
    ];
    ends_by_itself(context, &searches)
}

fn go_increment(context: &mut Context<'_>) -> Outcome {
    let searches = [
        "go btime 500 wtime 500 binc 100 winc 100",
        "go btime 0 wtime 0 binc 200 winc 200",
        "go btime 100 wtime 500 binc 200 winc 0",
    ];
    ends_by_itself(context, &searches)
}

fn go_zero(context: &mut Context<'_>) -> Outcome {
    let start = Placement::new(START);
    context.with_ready(|session| {
        let asked = Instant::now();
        for go in ["go btime 0 wtime 0 byoyomi 0", "go btime 0 wtime 0 binc 0 winc 0"] {
            session.think_legally(&start, go)?;
        }
        let took = asked.elapsed() / 2;
        session.go(&start, "go");
        session.say("stop");
        let answer = session.answer()?;
        session.is_legal(&start, &answer)?;
        Ok(Some(format!("{} with nothing on the clock", milliseconds(took))))
    })
}

fn go_negative(context: &mut Context<'_>) -> Outcome {
    let start = Placement::new(START);
    context.with_ready(|session| {
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
    })
}

fn go_unreadable(context: &mut Context<'_>) -> Outcome {
    // A process of its own: what the engine makes of this is its own affair.
    let mut session = context.fresh()?;
    let start = Placement::new(START);
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
fn answered_after_stop(session: &mut Session, placement: &Placement, go: &str) -> Result<(), Problem> {
    session.go(placement, go);
    thread::sleep(session.settings().silence / 4);
    session.say("stop");
    let answer = session.answer()?;
    session.is_legal(placement, &answer)?;
    session.is_through()
}

fn go_searchmoves(context: &mut Context<'_>) -> Outcome {
    let start = Placement::new(START);
    context.with_ready(|session| {
        for (go, allowed) in [
            ("go btime 0 wtime 0 byoyomi 100 searchmoves 9g9f", vec!["9g9f"]),
            ("go btime 0 wtime 0 byoyomi 100 searchmoves 1g1f 9g9f", vec!["1g1f", "9g9f"]),
        ] {
            let answer = session.think(&start, go)?;
            if !answer.mv().is_some_and(|mv| allowed.contains(&mv)) {
                return Err(session.failed(format!("`{}` is none of {}", answer.line.quoted(), allowed.join(", "))));
            }
        }
        Ok(None)
    })
}

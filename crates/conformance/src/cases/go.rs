//! The limits of `go`: whether they are understood, and whether clocks are kept.

use std::thread;
use std::time::{Duration, Instant};

use crate::check::{Case, Needs, Severity};
use crate::context::Context;
use crate::placement::{MATSURI, Placement, START};
use crate::session::{Session, milliseconds};
use crate::settings::{Outcome, Problem};

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
    // Not the shared session: the engine may react in any way.
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
                return Err(session.failed(format!("`{}` is not one of {}", answer.line.quoted(), allowed.join(", "))));
            }
        }
        Ok(None)
    })
}

/// [`MATSURI`] turned round: Black is to move.
const MATSURI_OF_BLACK: &str = "position sfen lkB4nl/8r/1sg5p/p1p2Bpp1/1Ps2p3/Pp4P1P/3s1PN2/KG1+p5/LN6L b gr5PNSG 1";

pub(super) const CLOCK_CASES: &[Case] = &[
    Case {
        name: "clock-byoyomi",
        row: "go btime wtime byoyomi",
        promise: "with byoyomi 100 and 1000 the answer comes in time",
        why: "the game is lost on time",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: |context| {
            in_time(context, &[("go btime 0 wtime 0 byoyomi 100", 100), ("go btime 0 wtime 0 byoyomi 1000", 1000)])
        },
    },
    Case {
        name: "clock-increment",
        row: "go btime wtime binc winc",
        promise: "the answer comes before btime + binc has passed",
        why: "the game is lost on time under every reading of the clock",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: |context| {
            in_time(
                context,
                &[("go btime 0 wtime 0 binc 1000 winc 1000", 1000), ("go btime 300 wtime 300 binc 300 winc 300", 600)],
            )
        },
    },
    Case {
        name: "clock-sudden-death",
        row: "go btime wtime byoyomi",
        promise: "without byoyomi the answer comes before the clock has run down",
        why: "the game is lost on time",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: |context| in_time(context, &[("go btime 1000 wtime 1000 byoyomi 0", 1000)]),
    },
    Case {
        name: "clock-own",
        row: "go btime wtime byoyomi",
        promise: "the answer comes by the clock of the side to move, however much the other side has left",
        why: "the game is lost on time as soon as the clocks differ",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: |context| {
            by_its_own_clock(context, "go btime 600000 wtime 300 byoyomi 0", "go btime 300 wtime 600000 byoyomi 0")
        },
    },
    Case {
        name: "clock-own-increment",
        row: "go btime wtime binc winc",
        promise: "the answer comes by the clock and the increment of the side to move, however much the other side has",
        why: "the game is lost on time as soon as the clocks differ",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: |context| {
            by_its_own_clock(
                context,
                "go btime 600000 wtime 0 binc 60000 winc 300",
                "go btime 0 wtime 600000 binc 300 winc 60000",
            )
        },
    },
    Case {
        name: "clock-movetime",
        row: "go movetime",
        promise: "the answer comes when the time is over",
        why: "analyses take longer than they are told to",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: |context| in_time(context, &[("go movetime 300", 300)]),
    },
];

/// A search for White and one for Black in which the side to move has 300 ms and the other one has minutes.
fn by_its_own_clock(context: &mut Context<'_>, white: &str, black: &str) -> Outcome {
    context.with_ready(|session| {
        let (mut slowest, limit) = (Duration::ZERO, Duration::from_millis(300));
        for (command, go) in [(MATSURI, white), (MATSURI_OF_BLACK, black)] {
            slowest = slowest.max(search_in_time(session, command, go, limit)?);
        }
        session.in_time("the answer came", slowest, limit)
    })
}

/// Runs a search, which must end within `limit`, and returns its time.
fn search_in_time(session: &mut Session, command: &str, go: &str, limit: Duration) -> Result<Duration, Problem> {
    let placement = Placement::new(command);
    session.say(&placement.command);
    let took = session.timed_answer(&placement, go)?;
    session.in_time(&format!("`{go}` was answered"), took, limit)?;
    Ok(took)
}

/// Each search must be answered within its milliseconds and the tolerance.
fn in_time(context: &mut Context<'_>, searches: &[(&str, u64)]) -> Outcome {
    context.with_ready(|session| {
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
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_position_that_is_turned_round_is_the_same() {
        let [white, black] = [MATSURI, MATSURI_OF_BLACK].map(|command| Placement::new(command).position);
        assert_ne!(white.side_to_move(), black.side_to_move());
        assert_eq!(white.legal_moves().len(), black.legal_moves().len());
    }
}

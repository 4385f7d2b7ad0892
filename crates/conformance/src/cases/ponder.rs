//! `go ponder` and `ponderhit`.

use std::thread;
use std::time::Duration;

use crate::check::{Case, Needs, Severity};
use crate::context::Context;
use crate::placement::{BARE_KINGS, MATE_IN_ONE, MATED, ONE_MOVE, Placement, START};
use crate::session::{PONDER, SHORT, Session};
use crate::settings::{Outcome, Problem};

/// Clocks as they come with `ponderhit`.
const CLOCKS: &str = "btime 0 wtime 0 byoyomi 100";

/// A long byoyomi, so that an engine that waits for its end is late.
const MUCH_TIME: &str = "go btime 0 wtime 0 byoyomi 5000";

/// The longest time to the answer of a search that has ended long ago.
const AT_ONCE: Duration = Duration::from_millis(500);

pub(super) const CASES: &[Case] = &[
    Case {
        name: "ponder-waits",
        row: "go ponder",
        promise: "no `bestmove` between `go ponder` and `ponderhit` or `stop`, even when nothing is left to search",
        why: "the GUI takes the answer for that to the opponent's move",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: ponder_waits,
    },
    Case {
        name: "ponder-hit",
        row: "ponderhit",
        promise: "`ponderhit` makes the search one by the clock: one legal answer, in time",
        why: "the game stops",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: ponder_hit,
    },
    Case {
        name: "ponder-miss",
        row: "stop while pondering",
        promise: "`stop` is answered by one `bestmove`, and the next `go` by one of its own",
        why: "the next answer is taken for this one",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: ponder_miss,
    },
    Case {
        name: "ponder-miss-burst",
        row: "stop while pondering",
        promise: "`stop` in one burst with the next `position` and `go`: one `bestmove` for each `go`, the second for the new position",
        why: "GUIs that do not wait for the answer that is ignored take the wrong one",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: ponder_miss_burst,
    },
    Case {
        name: "ponder-early",
        row: "go ponder, ponderhit with times",
        promise: "`go ponder` without times waits; the times that come with `ponderhit` are used",
        why: "ShogiHome's early ponder; an engine that goes by the clocks of `go` has none and loses on time",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: ponder_early,
    },
    Case {
        name: "ponder-times",
        row: "ponderhit with times",
        promise: "the times that come with `ponderhit` count, and not those of `go ponder`",
        why: "the opponent has used time since then; an engine that goes by the older clocks loses on time",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: ponder_times,
    },
    Case {
        name: "ponder-ended",
        row: "ponderhit",
        promise: "a search that had ended before `ponderhit` is answered at once",
        why: "the answer that nobody has asked for yet is forgotten, and the game stops",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: ponder_ended,
    },
    Case {
        name: "ponder-races",
        row: "go ponder",
        promise: "`ponderhit` and `stop` at any moment, also both in either order: one `bestmove` each time",
        why: "with quick opponents they come within milliseconds",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: ponder_races,
    },
];

/// The position after a move and the expected reply.
fn expected() -> Placement {
    Placement::new("position startpos moves 7g7f 3c3d")
}

/// Ponders for a while: an answer that comes too early must not pass for the one to `ponderhit`.
fn ponders(session: &mut Session, placement: &Placement, go: &str, time: Duration) -> Result<(), Problem> {
    session.go(placement, go);
    session.without(&["bestmove"], time, "came before `ponderhit`")?;
    Ok(())
}

fn ponder_waits(context: &mut Context<'_>) -> Outcome {
    context.with_pondering(|session| {
        for (placement, go) in [
            (expected(), PONDER.to_owned()),
            (expected(), format!("go ponder {CLOCKS}")),
            (Placement::new(MATED), format!("go ponder {CLOCKS}")),
            (Placement::new(MATE_IN_ONE), format!("go ponder {CLOCKS}")),
            (Placement::new(ONE_MOVE), format!("go ponder {CLOCKS}")),
            (Placement::new(BARE_KINGS), format!("go ponder {CLOCKS}")),
        ] {
            session.go(&placement, &go);
            session.holds("came before `ponderhit`")?;
            session.stop()?;
        }
        Ok(None)
    })
}

fn ponder_hit(context: &mut Context<'_>) -> Outcome {
    context.with_pondering(|session| {
        let mut slowest = Duration::ZERO;
        for hit in ["ponderhit".to_owned(), format!("ponderhit {CLOCKS}")] {
            let time = session.settings().silence / 4;
            ponders(session, &expected(), &format!("go ponder {CLOCKS}"), time)?;
            slowest = slowest.max(session.timed_answer(&expected(), &hit)?);
        }
        session.in_time("`ponderhit` was answered", slowest, Duration::from_millis(100))
    })
}

fn ponder_miss(context: &mut Context<'_>) -> Outcome {
    context.with_pondering(|session| {
        let other = Placement::new("position startpos moves 7g7f 8c8d");
        for _ in 0..3 {
            session.go(&expected(), "go ponder btime 60000 wtime 60000 byoyomi 0");
            thread::sleep(session.settings().silence / 10);
            session.stop()?;
            session.without(&["bestmove"], session.settings().silence / 10, "came after the answer to `stop`")?;
            session.think_legally(&other, SHORT)?;
        }
        Ok(None)
    })
}

fn ponder_miss_burst(context: &mut Context<'_>) -> Outcome {
    context.with_pondering(|session| {
        let other = Placement::new("position startpos moves 7g7f");
        for pause in [0, 2, 50] {
            session.go(&expected(), "go ponder btime 60000 wtime 60000 byoyomi 0");
            thread::sleep(Duration::from_millis(pause));
            session.say(&format!("stop\n{}\n{SHORT}", other.command));
            session.answer()?;
            let answer = session.answer()?;
            session.is_legal(&other, &answer)?;
            session.is_through()?;
        }
        Ok(None)
    })
}

fn ponder_times(context: &mut Context<'_>) -> Outcome {
    context.with_pondering(|session| {
        let time = session.settings().silence / 4;
        ponders(session, &expected(), "go ponder btime 600000 wtime 600000 byoyomi 0", time)?;
        let took = session.timed_answer(&expected(), "ponderhit btime 0 wtime 0 byoyomi 200")?;
        session.in_time("`ponderhit` with 200 ms was answered", took, Duration::from_millis(200))
    })
}

fn ponder_early(context: &mut Context<'_>) -> Outcome {
    context.with_pondering(|session| {
        session.go(&expected(), "go ponder");
        session.holds("came before `ponderhit`")?;
        let took = session.timed_answer(&expected(), "ponderhit btime 0 wtime 0 binc 500 winc 500")?;
        session.in_time("`ponderhit` with an increment of 500 ms was answered", took, Duration::from_millis(500))
    })
}

fn ponder_ended(context: &mut Context<'_>) -> Outcome {
    context.with_pondering(|session| {
        let mut slowest = Duration::ZERO;
        let time = session.settings().silence / 2;
        for command in [ONE_MOVE, MATE_IN_ONE, MATED] {
            let placement = Placement::new(command);
            // An engine may use its time even for a single legal move; then pondering has not
            // ended.
            session.say(&placement.command);
            let ends = command == MATED || session.timed_answer(&placement, MUCH_TIME)? < time / 2;
            let go = if ends {
                MUCH_TIME.replace("go", "go ponder")
            } else {
                "go ponder btime 0 wtime 0 byoyomi 300".to_owned()
            };
            ponders(session, &placement, &go, time)?;
            slowest = slowest.max(session.timed_answer(&placement, "ponderhit")?);
        }
        session.in_time("`ponderhit` was answered", slowest, AT_ONCE)
    })
}

fn ponder_races(context: &mut Context<'_>) -> Outcome {
    let races = (context.settings.races / 5).max(8);
    context.with_pondering(|session| {
        let placements = [expected(), Placement::new(START), Placement::new(ONE_MOVE)];
        for race in 0..races {
            let placement = &placements[race % placements.len()];
            session.go(placement, "go ponder btime 0 wtime 0 byoyomi 100");
            // The numbers of pauses, placements and lines are coprime, so that their pairs vary.
            thread::sleep(Duration::from_millis([0, 1, 3, 10, 30, 0, 5][race % 7]));
            let lines = ["stop", "ponderhit\nstop", "ponderhit", "ponderhit\nstop\nstop", "stop\nponderhit"][race % 5];
            let (_, answer) = session.answer_to(lines)?;
            // After a ponder miss the move does not matter.
            if lines.starts_with("ponderhit") {
                session.is_legal(placement, &answer)?;
            }
            if race % 8 == 7 {
                session.is_through()?;
            }
        }
        Ok(Some(format!("{races} times")))
    })
}

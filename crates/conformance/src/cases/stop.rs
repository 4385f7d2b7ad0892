//! `stop`.

use std::thread;
use std::time::Duration;

use crate::answer::{PONDER, SHORT};
use crate::case::{Case, Needs, Severity};
use crate::context::Context;
use crate::placement::{MATED, MATSURI, ONE_MOVE, Placement, START};
use crate::problem::{Outcome, Problem};
use crate::session::milliseconds;

/// A GUI waits for the answer before it shows the next position.
const STOP_TIME: Duration = Duration::from_millis(100);

/// Milliseconds between `go` and `stop`: most of them too short for a search to have begun.
const DELAYS: [u64; 12] = [0, 0, 1, 0, 2, 0, 5, 0, 10, 1, 50, 20];

pub(super) const CASES: &[Case] = &[
    Case {
        name: "stop-races",
        row: "stop",
        promise: "`stop` 0 to 50 ms after `go`: one legal `bestmove` for every `go`",
        why: "people click through a game during analysis; one answer lost or too many shifts all later ones",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: stop_races,
    },
    Case {
        name: "stop-time",
        row: "stop",
        promise: "`bestmove` comes within 100 ms after `stop`",
        why: "analysis feels slow, and what comes after the hard limit of a clock loses",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: stop_time,
    },
    Case {
        name: "stop-idle",
        row: "stop",
        promise: "`stop` without a search is answered by nothing",
        why: "GUIs send it when in doubt, and the answer is taken for that to the next search",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: stop_idle,
    },
    Case {
        name: "stop-twice",
        row: "stop",
        promise: "`stop` twice for one search: one `bestmove`",
        why: "the second answer is taken for that to the next search",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: stop_twice,
    },
    Case {
        name: "ponderhit-idle",
        row: "ponderhit",
        promise: "`ponderhit` without a search is answered by nothing, also after pondering that was stopped",
        why: "it may cross with an answer",
        severity: Severity::Recommended,
        needs: Needs::Ready,
        run: ponderhit_idle,
    },
];

fn stop_races(context: &mut Context<'_>) -> Outcome {
    let races = context.settings.races;
    context.with_ready(|session| {
        let placements = [START, MATSURI, ONE_MOVE, MATED].map(Placement::new);
        let mut slowest = Duration::ZERO;
        for race in 0..races {
            let placement = &placements[race % placements.len()];
            session.go(placement, "go infinite");
            thread::sleep(Duration::from_millis(DELAYS[race % DELAYS.len()]));
            let (took, answer) = session.stop()?;
            session.is_legal(placement, &answer)?;
            slowest = slowest.max(took);
            // A second answer shows in the next round trip.
            if race % 10 == 9 {
                session.is_through()?;
            }
        }
        Ok(Some(format!("{races} times, the slowest answer after {}", milliseconds(slowest))))
    })
}

fn stop_time(context: &mut Context<'_>) -> Outcome {
    context.with_ready(|session| {
        let mut times = Vec::new();
        for _ in 0..5 {
            session.go(&Placement::new(MATSURI), "go infinite");
            thread::sleep(session.settings().silence / 5);
            times.push(session.stop()?.0);
        }
        times.sort();
        let (median, slowest) = (times[times.len() / 2], times[times.len() - 1]);
        session.mostly_in_time("every second `stop` was answered", median, STOP_TIME)?;
        Ok(Some(format!("median {}, slowest {}", milliseconds(median), milliseconds(slowest))))
    })
}

fn stop_idle(context: &mut Context<'_>) -> Outcome {
    context.with_ready(|session| {
        session.say("stop");
        session.without(
            &["bestmove", "checkmate"],
            session.settings().silence / 2,
            "answers `stop` without a search",
        )?;
        session.think(&Placement::new(START), SHORT)?;
        session.say("stop\nstop");
        session.without(
            &["bestmove", "checkmate"],
            session.settings().silence / 2,
            "answers `stop` after the search",
        )?;
        Ok(None)
    })
}

fn stop_twice(context: &mut Context<'_>) -> Outcome {
    context.with_ready(|session| {
        for pause in [0, 5] {
            session.go(&Placement::new(START), "go infinite");
            thread::sleep(Duration::from_millis(30));
            session.say("stop");
            thread::sleep(Duration::from_millis(pause));
            session.say("stop");
            session.answer()?;
            session.without(&["bestmove"], session.settings().silence / 4, "is a second answer to one `go`")?;
        }
        Ok(None)
    })
}

fn ponderhit_idle(context: &mut Context<'_>) -> Outcome {
    context.with_ready(|session| {
        session.say("ponderhit");
        session.without(&["bestmove"], session.settings().silence / 2, "answers `ponderhit` without a search")?;
        Ok(None)
    })?;
    let mut session = match context.fresh_pondering() {
        // Nothing else can be asked of an engine that does not ponder.
        Err(Problem::Skipped(_)) => return Ok(None),
        session => session?,
    };
    session.go(&Placement::new(MATSURI), PONDER);
    session.stop()?;
    session.say("ponderhit");
    session.without(&["bestmove"], session.settings().silence / 2, "answers `ponderhit` after `stop`")?;
    Ok(None)
}

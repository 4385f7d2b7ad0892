//! `go infinite` and `stop`.

use std::thread;
use std::time::Duration;

use crate::check::{NamedRun, Needs, Run};
use crate::context::CaseContext;
use crate::placement::{BARE_KINGS, CasePosition, MATE_IN_ONE, MATED, MATSURI, ONE_MOVE, START};
use crate::session::{EngineSession, PONDER, SHORT, milliseconds};
use crate::settings::{Outcome, Problem};

const OPENING: &str = "position startpos moves 7g7f 3c3d 2g2f";

/// Positions in which every book knows a move.
const BOOK_POSITIONS: [&str; 3] = [START, "position startpos moves 7g7f", "position startpos moves 2g2f 8c8d"];

pub(super) const RUNS: &[NamedRun] = &[
    ("infinite", Run::Ready(|session| until_stop(session, OPENING))),
    (
        "infinite-book",
        Run::Ready(|session| BOOK_POSITIONS.iter().try_fold(None, |_, command| until_stop(session, command))),
    ),
    ("infinite-mated", Run::Ready(|session| until_stop(session, MATED))),
    ("infinite-one-move", Run::Ready(|session| until_stop(session, ONE_MOVE))),
    ("infinite-mate-found", Run::Ready(|session| until_stop(session, MATE_IN_ONE))),
    ("infinite-deepest", Run::Ready(|session| until_stop(session, BARE_KINGS))),
    ("stop-races", Run::Ready(stop_races)),
    ("stop-time", Run::Ready(stop_time)),
    ("stop-idle", Run::Ready(stop_idle)),
    ("stop-twice", Run::Ready(stop_twice)),
    ("ponderhit-idle", Run::Free(Needs::Ready, ponderhit_idle)),
];

fn until_stop(session: &mut EngineSession, command: &str) -> Outcome {
    let placement = CasePosition::new(command);
    session.go(&placement, "go infinite");
    session.holds("came before `stop`")?;
    let (_, answer) = session.stop()?;
    session.is_legal(&placement, &answer)?;
    session.is_through()?;
    Ok(None)
}

/// A GUI waits for the answer before it shows the next position.
const STOP_TIME: Duration = Duration::from_millis(100);

/// Milliseconds between `go` and `stop`: most of them too short for a search to have begun.
const DELAYS: [u64; 12] = [0, 0, 1, 0, 2, 0, 5, 0, 10, 1, 50, 20];

fn stop_races(session: &mut EngineSession) -> Outcome {
    let races = session.settings().races;
    let placements = [START, MATSURI, ONE_MOVE, MATED].map(CasePosition::new);
    let mut slowest = Duration::ZERO;
    for race in 0..races {
        let placement = &placements[race % placements.len()];
        session.go(placement, "go infinite");
        thread::sleep(Duration::from_millis(DELAYS[race % DELAYS.len()]));
        let (took, answer) = session.stop()?;
        session.is_legal(placement, &answer)?;
        slowest = slowest.max(took);
        // A second answer would come before the next `readyok`.
        if race % 10 == 9 {
            session.is_through()?;
        }
    }
    Ok(Some(format!("{races} times, the slowest answer after {}", milliseconds(slowest))))
}

fn stop_time(session: &mut EngineSession) -> Outcome {
    let mut times = Vec::new();
    for _ in 0..5 {
        session.go(&CasePosition::new(MATSURI), "go infinite");
        thread::sleep(session.settings().silence / 5);
        times.push(session.stop()?.0);
    }
    times.sort();
    let (median, slowest) = (times[times.len() / 2], times[times.len() - 1]);
    session.mostly_in_time("every second `stop` was answered", median, STOP_TIME)?;
    Ok(Some(format!("median {}, slowest {}", milliseconds(median), milliseconds(slowest))))
}

fn stop_idle(session: &mut EngineSession) -> Outcome {
    session.say("stop");
    session.without(&["bestmove", "checkmate"], session.settings().silence / 2, "answers `stop` without a search")?;
    session.think(&CasePosition::new(START), SHORT)?;
    session.say("stop\nstop");
    session.without(&["bestmove", "checkmate"], session.settings().silence / 2, "answers `stop` after the search")?;
    Ok(None)
}

fn stop_twice(session: &mut EngineSession) -> Outcome {
    for pause in [0, 5] {
        session.go(&CasePosition::new(START), "go infinite");
        thread::sleep(Duration::from_millis(30));
        session.say("stop");
        thread::sleep(Duration::from_millis(pause));
        session.say("stop");
        session.answer()?;
        session.without(&["bestmove"], session.settings().silence / 4, "is a second answer to one `go`")?;
    }
    Ok(None)
}

fn ponderhit_idle(context: &mut CaseContext<'_>) -> Outcome {
    context.with_shared(false, |session| {
        session.say("ponderhit");
        session.without(&["bestmove"], session.settings().silence / 2, "answers `ponderhit` without a search")?;
        Ok(None)
    })?;
    let mut session = match context.fresh_pondering() {
        // An engine that does not ponder has nothing more to check.
        Err(Problem::Skipped(_)) => return Ok(None),
        session => session?,
    };
    session.go(&CasePosition::new(MATSURI), PONDER);
    session.stop()?;
    session.say("ponderhit");
    session.without(&["bestmove"], session.settings().silence / 2, "answers `ponderhit` after `stop`")?;
    Ok(None)
}

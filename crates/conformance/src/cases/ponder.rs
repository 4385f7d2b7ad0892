//! `go ponder` and `ponderhit`.

use std::thread;
use std::time::Duration;

use crate::check::{NamedRun, Run};
use crate::placement::{BARE_KINGS, CasePosition, MATE_IN_ONE, MATED, ONE_MOVE, START};
use crate::session::{EngineSession, PONDER, SHORT};
use crate::settings::{Outcome, Problem};

/// Clocks as they come with `ponderhit`.
const CLOCKS: &str = "btime 0 wtime 0 byoyomi 100";

/// A long byoyomi, so that an engine that waits for its end is late.
const MUCH_TIME: &str = "go btime 0 wtime 0 byoyomi 5000";

/// The longest time to the answer of a search that has ended long ago.
const AT_ONCE: Duration = Duration::from_millis(500);

pub(super) const RUNS: &[NamedRun] = &[
    ("ponder-waits", Run::Pondering(ponder_waits)),
    ("ponder-hit", Run::Pondering(ponder_hit)),
    ("ponder-miss", Run::Pondering(ponder_miss)),
    ("ponder-miss-burst", Run::Pondering(ponder_miss_burst)),
    ("ponder-early", Run::Pondering(ponder_early)),
    ("ponder-times", Run::Pondering(ponder_times)),
    ("ponder-ended", Run::Pondering(ponder_ended)),
    ("ponder-races", Run::Pondering(ponder_races)),
];

/// The position after a move and the expected reply.
fn expected() -> CasePosition {
    CasePosition::new("position startpos moves 7g7f 3c3d")
}

/// Ponders for a while: an answer that comes too early must not pass for the one to `ponderhit`.
fn ponders(session: &mut EngineSession, placement: &CasePosition, go: &str, time: Duration) -> Result<(), Problem> {
    session.go(placement, go);
    session.without(&["bestmove"], time, "came before `ponderhit`")?;
    Ok(())
}

fn ponder_waits(session: &mut EngineSession) -> Outcome {
    for (placement, go) in [
        (expected(), PONDER.to_owned()),
        (expected(), format!("go ponder {CLOCKS}")),
        (CasePosition::new(MATED), format!("go ponder {CLOCKS}")),
        (CasePosition::new(MATE_IN_ONE), format!("go ponder {CLOCKS}")),
        (CasePosition::new(ONE_MOVE), format!("go ponder {CLOCKS}")),
        (CasePosition::new(BARE_KINGS), format!("go ponder {CLOCKS}")),
    ] {
        session.go(&placement, &go);
        session.holds("came before `ponderhit`")?;
        session.stop()?;
    }
    Ok(None)
}

fn ponder_hit(session: &mut EngineSession) -> Outcome {
    let mut slowest = Duration::ZERO;
    for hit in ["ponderhit".to_owned(), format!("ponderhit {CLOCKS}")] {
        let time = session.settings().silence / 4;
        ponders(session, &expected(), &format!("go ponder {CLOCKS}"), time)?;
        slowest = slowest.max(session.timed_answer(&expected(), &hit)?);
    }
    session.in_time("`ponderhit` was answered", slowest, Duration::from_millis(100))
}

fn ponder_miss(session: &mut EngineSession) -> Outcome {
    let other = CasePosition::new("position startpos moves 7g7f 8c8d");
    for _ in 0..3 {
        session.go(&expected(), "go ponder btime 60000 wtime 60000 byoyomi 0");
        thread::sleep(session.settings().silence / 10);
        session.stop()?;
        session.without(&["bestmove"], session.settings().silence / 10, "came after the answer to `stop`")?;
        session.think_legally(&other, SHORT)?;
    }
    Ok(None)
}

fn ponder_miss_burst(session: &mut EngineSession) -> Outcome {
    let other = CasePosition::new("position startpos moves 7g7f");
    for pause in [0, 2, 50] {
        session.go(&expected(), "go ponder btime 60000 wtime 60000 byoyomi 0");
        thread::sleep(Duration::from_millis(pause));
        session.say(&format!("stop\n{}\n{SHORT}", other.command));
        session.answer()?;
        session.legal_answer(&other)?;
        session.is_through()?;
    }
    Ok(None)
}

fn ponder_times(session: &mut EngineSession) -> Outcome {
    let time = session.settings().silence / 4;
    ponders(session, &expected(), "go ponder btime 600000 wtime 600000 byoyomi 0", time)?;
    let took = session.timed_answer(&expected(), "ponderhit btime 0 wtime 0 byoyomi 200")?;
    session.in_time("`ponderhit` with 200 ms was answered", took, Duration::from_millis(200))
}

fn ponder_early(session: &mut EngineSession) -> Outcome {
    session.go(&expected(), "go ponder");
    session.holds("came before `ponderhit`")?;
    let took = session.timed_answer(&expected(), "ponderhit btime 0 wtime 0 binc 500 winc 500")?;
    session.in_time("`ponderhit` with an increment of 500 ms was answered", took, Duration::from_millis(500))
}

fn ponder_ended(session: &mut EngineSession) -> Outcome {
    let mut slowest = Duration::ZERO;
    let time = session.settings().silence / 2;
    for command in [ONE_MOVE, MATE_IN_ONE, MATED] {
        let placement = CasePosition::new(command);
        // An engine may use its time even for one legal move; pondering has not ended then.
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
}

fn ponder_races(session: &mut EngineSession) -> Outcome {
    let races = (session.settings().races / 5).max(8);
    let placements = [expected(), CasePosition::new(START), CasePosition::new(ONE_MOVE)];
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
}

//! `gameover`, `quit` and the end of the input.

use std::thread;
use std::time::Duration;

use crate::check::{NamedRun, Needs, Run};
use crate::context::CaseContext;
use crate::placement::{CasePosition, START};
use crate::session::{EngineSession, PONDER, SHORT};
use crate::settings::{Outcome, Problem};

pub(super) const RUNS: &[NamedRun] = &[
    (
        "gameover-in-ponder",
        Run::Free(Needs::Ready, |context| {
            next_game(&mut context.fresh_pondering()?, "go ponder btime 0 wtime 0 byoyomi 100")
        }),
    ),
    (
        "gameover-in-search",
        Run::New(|mut session| {
            next_game(&mut session, "go infinite")?;
            next_game(&mut session, "go btime 60000 wtime 60000 byoyomi 10000")
        }),
    ),
    ("gameover-after-stop", Run::New(gameover_after_stop)),
    ("gameover-silent", Run::Free(Needs::Ready, |context| context.searching_and_pondering(is_silent))),
    (
        "quit",
        Run::New(|mut session| {
            session.think(&CasePosition::new(START), SHORT)?;
            quits(session)
        }),
    ),
    ("quit-in-search", Run::New(|session| quits(after_go(session, "go infinite")))),
    ("quit-in-ponder", Run::Free(Needs::Ready, |context| quits(after_go(context.fresh_pondering()?, PONDER)))),
    ("quit-while-loading", Run::Free(Needs::Ready, quit_while_loading)),
    ("quit-silent", Run::Free(Needs::Ready, |context| context.searching_and_pondering(quits_silently))),
    (
        "input-end",
        Run::New(|mut session| {
            session.think(&CasePosition::new(START), SHORT)?;
            ends_with_its_input(session)
        }),
    ),
    ("input-end-in-search", Run::New(|session| ends_with_its_input(after_go(session, "go infinite")))),
    (
        "input-end-in-ponder",
        Run::Free(Needs::Ready, |context| ends_with_its_input(after_go(context.fresh_pondering()?, PONDER))),
    ),
    (
        "input-end-while-loading",
        Run::Free(Needs::Ready, |context| {
            let mut session = context.introduced()?;
            session.say("isready");
            ends_with_its_input(session)
        }),
    ),
];

fn next_game(session: &mut EngineSession, go: &str) -> Outcome {
    let placement = CasePosition::new("position startpos moves 7g7f 3c3d");
    for result in ["win", "draw"] {
        session.go(&placement, go);
        thread::sleep(session.settings().silence / 10);
        session.say(&format!("gameover {result}"));
        another_game(session)?;
    }
    Ok(None)
}

/// Lines before `readyok` belong to the previous game.
fn another_game(session: &mut EngineSession) -> Result<(), Problem> {
    let start = CasePosition::new("position startpos moves 2g2f");
    session.ready()?;
    session.say("usinewgame");
    session.without(&["bestmove"], session.settings().silence / 4, "came in the next game, without a `go`")?;
    session.think_legally(&start, SHORT)?;
    session.without(&["bestmove"], session.settings().silence / 10, "came after the answer")?;
    Ok(())
}

fn gameover_after_stop(mut session: EngineSession) -> Outcome {
    for go in ["go infinite", SHORT] {
        session.go(&CasePosition::new(START), go);
        thread::sleep(session.settings().silence / 10);
        session.say("stop\ngameover lose");
        another_game(&mut session)?;
    }
    Ok(None)
}

fn is_silent(mut session: EngineSession, go: &str) -> Outcome {
    session.go(&CasePosition::new(START), go);
    thread::sleep(session.settings().silence / 10);
    session.say("gameover win");
    session.without(&["bestmove"], session.settings().silence / 2, "came after `gameover`")?;
    Ok(None)
}

/// GUIs kill an engine that takes longer, or leave it behind.
const QUIT_TIME: Duration = Duration::from_secs(1);

fn after_go(mut session: EngineSession, go: &str) -> EngineSession {
    session.go(&CasePosition::new(START), go);
    thread::sleep(session.settings().silence / 5);
    session
}

fn quits(mut session: EngineSession) -> Outcome {
    let took = session.quits()?;
    session.in_time("the engine ended", took, QUIT_TIME)
}

/// Every pause gets a new process: a second loading may be much shorter than the first.
fn quit_while_loading(context: &mut CaseContext<'_>) -> Outcome {
    let mut times = Vec::new();
    for pause in [0, 20, 100] {
        let mut session = context.introduced()?;
        session.say("isready");
        thread::sleep(Duration::from_millis(pause));
        times.extend(quits(session)?);
    }
    Ok(Some(times.join(", ")))
}

fn quits_silently(mut session: EngineSession, go: &str) -> Outcome {
    session.go(&CasePosition::new(START), go);
    session.holds("came before `stop`")?;
    session.quit()?;
    let lines = session.last_lines();
    session.none_of(&["bestmove"], &lines, "came after `quit`")?;
    Ok(None)
}

/// Closes the input. The engine may exit with any status, but not by a signal.
fn ends_with_its_input(mut session: EngineSession) -> Outcome {
    session.close_input();
    let (status, took) = session.wait_for_end(session.settings().timeout)?;
    if status.and_then(|status| status.code()).is_none() {
        return Err(session.failed("it crashes"));
    }
    session.in_time("the engine ended", took, QUIT_TIME)
}

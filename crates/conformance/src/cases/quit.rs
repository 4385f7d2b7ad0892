//! `gameover`, `quit` and the end of the input.

use std::thread;
use std::time::Duration;

use crate::check::{Case, Needs, Severity};
use crate::context::Context;
use crate::placement::{Placement, START};
use crate::session::{PONDER, SHORT, Session};
use crate::settings::{Outcome, Problem};

pub(super) const GAMEOVER_CASES: &[Case] = &[
    Case {
        name: "gameover-in-ponder",
        row: "gameover",
        promise: "`gameover` without `stop` ends pondering; nothing of it comes in the next game",
        why: "the opponent resigned while the engine was pondering: the next game begins with an answer nobody has asked for",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: |context| next_game(&mut context.fresh_pondering()?, "go ponder btime 0 wtime 0 byoyomi 100"),
    },
    Case {
        name: "gameover-in-search",
        row: "gameover",
        promise: "`gameover` without `stop` ends a search; nothing of it comes in the next game",
        why: "a game may be broken off while the engine thinks",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: |context| {
            let mut session = context.fresh()?;
            next_game(&mut session, "go infinite")?;
            next_game(&mut session, "go btime 60000 wtime 60000 byoyomi 10000")
        },
    },
    Case {
        name: "gameover-after-stop",
        row: "gameover",
        promise: "`gameover` right after `stop`: nothing comes in the next game",
        why: "ShogiHome sends both at once",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: |context| gameover_after_stop(&mut context.fresh()?),
    },
    Case {
        name: "gameover-silent",
        row: "gameover",
        promise: "after `gameover` without `stop` no `bestmove` is told, neither by a search nor by pondering",
        why: "a program that counts answers takes it for one",
        severity: Severity::Recommended,
        needs: Needs::Ready,
        run: |context| context.searching_and_pondering(is_silent),
    },
];

/// Ends a search with `gameover`, then plays the next game.
fn next_game(session: &mut Session, go: &str) -> Outcome {
    let placement = Placement::new("position startpos moves 7g7f 3c3d");
    for result in ["win", "draw"] {
        session.go(&placement, go);
        thread::sleep(session.settings().silence / 10);
        session.say(&format!("gameover {result}"));
        another_game(session)?;
    }
    Ok(None)
}

/// Lines before `readyok` belong to the previous game.
fn another_game(session: &mut Session) -> Result<(), Problem> {
    let start = Placement::new("position startpos moves 2g2f");
    session.ready()?;
    session.say("usinewgame");
    session.without(&["bestmove"], session.settings().silence / 4, "came in the next game, without a `go`")?;
    session.think_legally(&start, SHORT)?;
    session.without(&["bestmove"], session.settings().silence / 10, "came after the answer")?;
    Ok(())
}

fn gameover_after_stop(session: &mut Session) -> Outcome {
    for go in ["go infinite", SHORT] {
        session.go(&Placement::new(START), go);
        thread::sleep(session.settings().silence / 10);
        session.say("stop\ngameover lose");
        another_game(session)?;
    }
    Ok(None)
}

fn is_silent(mut session: Session, go: &str) -> Outcome {
    session.go(&Placement::new(START), go);
    thread::sleep(session.settings().silence / 10);
    session.say("gameover win");
    session.without(&["bestmove"], session.settings().silence / 2, "came after `gameover`")?;
    Ok(None)
}

/// GUIs kill an engine that takes longer, or leave it behind.
const QUIT_TIME: Duration = Duration::from_secs(1);

pub(super) const CASES: &[Case] = &[
    Case {
        name: "quit",
        row: "quit",
        promise: "`quit` after a game ends the engine within 1 s, with status 0",
        why: "GUIs wait, then kill it and report a crash",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: |context| {
            let mut session = context.fresh()?;
            session.think(&Placement::new(START), SHORT)?;
            quits(session)
        },
    },
    Case {
        name: "quit-in-search",
        row: "quit",
        promise: "`quit` ends a search within 1 s, with status 0",
        why: "users close the window in mid-game",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: |context| quits(after_go(context.fresh()?, "go infinite")),
    },
    Case {
        name: "quit-in-ponder",
        row: "quit",
        promise: "`quit` ends pondering within 1 s, with status 0",
        why: "users close the window in mid-game",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: |context| quits(after_go(context.fresh_pondering()?, PONDER)),
    },
    Case {
        name: "quit-while-loading",
        row: "quit",
        promise: "`quit` 0 to 100 ms after `isready` ends the engine within 1 s, with status 0",
        why: "users change their mind",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: quit_while_loading,
    },
    Case {
        name: "quit-silent",
        row: "quit",
        promise: "no `bestmove` is told after `quit` in mid-search or while pondering",
        why: "a program that still reads takes it for an answer",
        severity: Severity::Recommended,
        needs: Needs::Ready,
        run: |context| context.searching_and_pondering(quits_silently),
    },
    Case {
        name: "input-end",
        row: "end of input",
        promise: "the end of the input ends an idle engine within 1 s",
        why: "the GUI has crashed: the process stays for ever",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: |context| {
            let mut session = context.fresh()?;
            session.think(&Placement::new(START), SHORT)?;
            ends_with_its_input(session)
        },
    },
    Case {
        name: "input-end-in-search",
        row: "end of input",
        promise: "the end of the input ends a search without limits, and the engine within 1 s",
        why: "the GUI has crashed: the process takes all processors for ever",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: |context| ends_with_its_input(after_go(context.fresh()?, "go infinite")),
    },
    Case {
        name: "input-end-in-ponder",
        row: "end of input",
        promise: "the end of the input ends pondering, and the engine within 1 s",
        why: "the GUI has crashed: the process takes all processors for ever",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: |context| ends_with_its_input(after_go(context.fresh_pondering()?, PONDER)),
    },
    Case {
        name: "input-end-while-loading",
        row: "end of input",
        promise: "the end of the input right after `isready` ends the engine within 1 s",
        why: "the GUI has crashed: the process stays for ever",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: |context| {
            let mut session = context.introduced()?;
            session.say("isready");
            ends_with_its_input(session)
        },
    },
];

/// An engine that has searched for a while.
fn after_go(mut session: Session, go: &str) -> Session {
    session.go(&Placement::new(START), go);
    thread::sleep(session.settings().silence / 5);
    session
}

fn quits(mut session: Session) -> Outcome {
    session.say("quit");
    let (status, took) = session.wait_for_end(session.settings().timeout)?;
    if !status.is_some_and(|status| status.success()) {
        return Err(session.failed("it does not exit with status 0"));
    }
    session.in_time("the engine ended", took, QUIT_TIME)
}

/// Every pause gets a new process: a second loading may be much shorter than the first.
fn quit_while_loading(context: &mut Context<'_>) -> Outcome {
    let mut times = Vec::new();
    for pause in [0, 20, 100] {
        let mut session = context.introduced()?;
        session.say("isready");
        thread::sleep(Duration::from_millis(pause));
        times.extend(quits(session)?);
    }
    Ok(Some(times.join(", ")))
}

fn quits_silently(mut session: Session, go: &str) -> Outcome {
    session.go(&Placement::new(START), go);
    session.holds("came before `stop`")?;
    session.say("quit");
    session.wait_for_end(session.settings().timeout)?;
    for line in session.last_lines() {
        session.none_of(&["bestmove"], &line, "came after `quit`")?;
    }
    Ok(None)
}

/// Closes the input. The engine may exit with any status, but not by a signal.
fn ends_with_its_input(mut session: Session) -> Outcome {
    session.close_input();
    let (status, took) = session.wait_for_end(session.settings().timeout)?;
    if status.and_then(|status| status.code()).is_none() {
        return Err(session.failed("it crashes"));
    }
    session.in_time("the engine ended", took, QUIT_TIME)
}

//! `quit` and the end of the input.

use std::thread;
use std::time::Duration;

use crate::answer::{PONDER, SHORT};
use crate::case::{Case, Needs, Severity};
use crate::context::Context;
use crate::placement::{Placement, START};
use crate::problem::Outcome;
use crate::session::Session;

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

/// Each moment has a process of its own: a second loading may be much shorter than the first.
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

/// Closes the input; how the engine then ends is not asked, as long as it does so by itself.
fn ends_with_its_input(mut session: Session) -> Outcome {
    session.close_input();
    let (status, took) = session.wait_for_end(session.settings().timeout)?;
    if status.and_then(|status| status.code()).is_none() {
        return Err(session.failed("it crashes"));
    }
    session.in_time("the engine ended", took, QUIT_TIME)
}

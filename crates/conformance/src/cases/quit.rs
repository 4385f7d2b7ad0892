//! `quit` and the end of the input.

use std::thread;
use std::time::Duration;

use crate::answer::SHORT;
use crate::case::{Case, Needs, Severity};
use crate::context::Context;
use crate::placement::{Placement, START};
use crate::problem::{Outcome, Problem};
use crate::session::{Session, milliseconds};

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
        run: |context| {
            let mut session = context.fresh()?;
            session.go(&Placement::new(START), "go infinite");
            thread::sleep(context.settings.silence / 5);
            quits(session)
        },
    },
    Case {
        name: "quit-in-ponder",
        row: "quit",
        promise: "`quit` ends pondering within 1 s, with status 0",
        why: "users close the window in mid-game",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: |context| {
            let mut session = context.fresh_pondering()?;
            session.go(&Placement::new(START), "go ponder btime 1000 wtime 1000 byoyomi 100");
            thread::sleep(context.settings.silence / 5);
            quits(session)
        },
    },
    Case {
        name: "quit-while-loading",
        row: "quit",
        promise: "`quit` right after `isready` ends the engine within 1 s, with status 0",
        why: "users change their mind",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: |context| {
            let mut session = context.introduced()?;
            session.say("isready");
            quits(session)
        },
    },
    Case {
        name: "quit-silent",
        row: "quit",
        promise: "no `bestmove` is told after `quit` in mid-search",
        why: "a program that still reads takes it for an answer",
        severity: Severity::Recommended,
        needs: Needs::Ready,
        run: quit_silent,
    },
    Case {
        name: "input-end",
        row: "end of input",
        promise: "the end of the input ends an idle engine",
        why: "the GUI has crashed: the process stays for ever",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: |context| {
            let session = context.fresh()?;
            ends_with_its_input(session)
        },
    },
    Case {
        name: "input-end-in-search",
        row: "end of input",
        promise: "the end of the input ends a search without limits, and the engine",
        why: "the GUI has crashed: the process takes all processors for ever",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: |context| {
            let mut session = context.fresh()?;
            session.go(&Placement::new(START), "go infinite");
            thread::sleep(context.settings.silence / 5);
            ends_with_its_input(session)
        },
    },
];

fn quits(mut session: Session) -> Outcome {
    session.say("quit");
    let (status, took) = session.wait_for_end(session.settings().timeout)?;
    if !status.is_some_and(|status| status.success()) {
        return Err(session.failed("it does not exit with status 0"));
    }
    if took > QUIT_TIME + session.settings().tolerance {
        return Err(session.failed(format!("it took {} to exit", milliseconds(took))));
    }
    Ok(Some(milliseconds(took)))
}

fn quit_silent(context: &mut Context<'_>) -> Outcome {
    let mut session = context.fresh()?;
    session.go(&Placement::new(START), "go infinite");
    session.holds("came before `stop`")?;
    session.say("quit");
    session.wait_for_end(context.settings.timeout)?;
    for line in session.last_lines() {
        session.none_of(&["bestmove"], &line, "came after `quit`")?;
    }
    Ok(None)
}

/// Closes the input; how the engine then ends is not asked, as long as it does so by itself.
fn ends_with_its_input(mut session: Session) -> Outcome {
    session.close_input();
    let (status, took) = session.wait_for_end(session.settings().timeout)?;
    match status.and_then(|status| status.code()) {
        Some(_) => Ok(Some(milliseconds(took))),
        None => Err::<_, Problem>(session.failed("it crashes")),
    }
}
